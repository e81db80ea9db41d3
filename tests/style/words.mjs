// One word for one thing, and the field's: names that had other words once, and what they are called now.
// usage: words.mjs SOURCE_DIR
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

const [source] = process.argv.slice(2);
const replaced = [
  [/\b(?:most|longest)_\w+/, 'max_'],
  [/\bserving threads\b|\b(?:ServingThreads|CallRunner)\b/i, 'event loop, or executor'],
  [/\bRetirement\b/, 'reaper'],
  [/\b(?:LimitLog|LogAllowance)\b/, 'rate-limited log'],
  [/\bwaiting_calls\b/, 'calls in flight'],
  [/\b(?:class|struct) (?:Question|Refusal)\b/, 'a name of its own: input request, or what is refused'],
];

const filesBelow = (folder) => readdirSync(path.join(source, folder), { withFileTypes: true }).flatMap((entry) => {
  const file = `${folder}/${entry.name}`;
  if (entry.isDirectory()) return filesBelow(file);
  return /\.[ch]pp$/.test(file) ? [file] : [];
});
const files = ['host', 'worker', 'symbolizer', 'rules', 'plugin-api', 'plugins', 'bench', 'tests/unit'].flatMap(filesBelow);
files.push('ARCHITECTURE.md');

const found = files.flatMap((file) => readFileSync(path.join(source, file), 'utf8').split('\n').flatMap((line, index) =>
  replaced.flatMap(([words, name]) => (words.test(line) ? [`${file}:${index + 1}: ${words.exec(line)[0]}; say ${name}`] : []))));
for (const line of found) console.error(line);
console.log(`${files.length} files, ${found.length} words that have been replaced`);
process.exit(found.length === 0 && files.length > 1 ? 0 : 1);
