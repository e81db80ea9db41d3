// The compiler checks the locks: every mutex is one that it knows (base/mutex.hpp, and what the plugin API and the
// plugins have of it), and none is the standard library's own.
// usage: locks.mjs SOURCE_DIR
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

const [source] = process.argv.slice(2);
const wrappers = ['host/base/mutex.hpp', 'plugin-api/src/mutex.hpp', 'plugins/shared/mutex.hpp'];
const raw = /\bstd::(?:(?:recursive_|shared_)?(?:timed_)?mutex|lock_guard|unique_lock|scoped_lock|shared_lock|condition_variable(?:_any)?)\b/;

const filesBelow = (folder) => readdirSync(path.join(source, folder), { withFileTypes: true }).flatMap((entry) => {
  const file = `${folder}/${entry.name}`;
  if (entry.isDirectory()) return filesBelow(file);
  return /\.[ch]pp$/.test(file) ? [file] : [];
});
const files = ['host', 'worker', 'symbolizer', 'rules', 'plugin-api', 'plugins'].flatMap(filesBelow)
  .filter((file) => !wrappers.includes(file));

const found = files.flatMap((file) => readFileSync(path.join(source, file), 'utf8').split('\n').flatMap((line, index) => {
  const [use] = raw.exec(line.replace(/\/\/.*/, '')) ?? [];
  return use ? [`${file}:${index + 1}: ${use}; use the folder's mutex.hpp, which clang checks`] : [];
}));
for (const line of found) console.error(line);
console.log(`${files.length} files, ${found.length} locks that no compiler checks`);
process.exit(found.length === 0 && files.length > 0 ? 0 : 1);
