// Whether docs/configuration.md has a row for every setting of `config schema`, and none for what is no setting. Tables that
// other pages tell of have one row each.
// usage: settings.mjs HOST
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const schema = JSON.parse(execFileSync(process.argv[2], ['config', 'schema'], { encoding: 'utf8' }));
const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
const elsewhere = new Set(['servers.NAME', 'upstreams.NAME', 'limits', 'audit', 'tls']);

function* settings({ properties = {}, additionalProperties = {} }, name) {
  const below = Object.entries(properties).map(([key, value]) => [[...name, key].join('.'), value]);
  const named = additionalProperties.properties === undefined && !elsewhere.has([...name, 'NAME'].join('.')) ? [] : [['NAME', additionalProperties]];
  if (below.length + named.length === 0 || name.length > 2) yield name.join('.');
  for (const [key, value] of named) yield* members(value, [...name, key]);
  for (const [key, value] of below) yield* members(value, key.split('.'));
}
function* members(value, name) {
  if (elsewhere.has(name.join('.'))) yield name.join('.');
  else yield* settings(value, name);
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

const known = new Set(settings(schema, []));
const missing = [...known].filter((each) => !documented.has(each));
const unknown = [...documented].filter((each) => !known.has(each));
for (const each of missing) console.log(`docs/configuration.md lacks ${each}`);
for (const each of unknown) console.log(`docs/configuration.md has ${each}, which is no setting`);
console.log(`${known.size} settings, ${missing.length} missing, ${unknown.length} unknown`);
process.exitCode = missing.length + unknown.length === 0 ? 0 : 1;
