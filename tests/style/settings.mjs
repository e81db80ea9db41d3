// Whether docs/configuration.md has a row for every setting of `config schema`, and none for what is no setting. Tables that
// other pages tell of have one row each.
// usage: settings.mjs HOST
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const schema = JSON.parse(execFileSync(process.argv[2], ['config', 'schema'], { encoding: 'utf8' }));
const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
const elsewhere = new Set(['servers.NAME', 'upstreams.NAME', 'limits', 'audit', 'tls']);

// A table has settings, or tables of the operator's names that have them.
function settingsOf([table, { properties, additionalProperties }]) {
  const name = properties ? table : `${table}.NAME`;
  if (elsewhere.has(name)) return [name];
  return Object.keys(properties ?? additionalProperties.properties).map((key) => `${name}.${key}`);
}

// The names of a row stand one after another; those without a table are of the first one's.
const documented = new Set();
for (const [, cell] of page.split('\n## All settings\n')[1].split('\n## ')[0].matchAll(/^\| (`[^|]*`) \|/gm)) {
  let table;
  for (const [, name] of cell.matchAll(/`([^`]+)`/g)) {
    const dot = name.lastIndexOf('.');
    table ??= dot < 0 ? '' : name.slice(0, dot + 1);
    documented.add(dot < 0 ? table + name : name);
  }
}

const known = new Set(Object.entries(schema.properties).flatMap(settingsOf));
const missing = [...known].filter((each) => !documented.has(each));
const unknown = [...documented].filter((each) => !known.has(each));
for (const each of missing) console.log(`docs/configuration.md lacks ${each}`);
for (const each of unknown) console.log(`docs/configuration.md has ${each}, which is no setting`);
console.log(`${known.size} settings, ${missing.length} missing, ${unknown.length} unknown`);
process.exitCode = missing.length + unknown.length === 0 ? 0 : 1;
