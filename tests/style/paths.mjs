// What the documents point to is there: every file that ARCHITECTURE.md names in backticks with its folder, in the host or
// from the tree's root; every file and heading of this tree that a link leads to; and every test that tests/attacks.md and
// docs/compatibility.md name.
// usage: paths.mjs SOURCE_DIR
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

const [source] = process.argv.slice(2);
const read = (file) => readFileSync(path.join(source, file), 'utf8').replace(/^```[\s\S]*?^```$/gm, '');
const missing = [];
let count = 0;
function expect(isThere, document, what) {
  ++count;
  if (!isThere) missing.push(`${document} points to ${what}, which is not there`);
}

const sourceFile = /`([\w.-]+(?:\/[\w.-]+)+\.(?:[ch]pp|[ch]|mjs|sh|cmake|md))`/g;
const roots = ['host', '.', 'plugin-api/include'];
for (const [, file] of read('ARCHITECTURE.md').matchAll(sourceFile)) {
  expect(roots.some((root) => existsSync(path.join(source, root, file))), 'ARCHITECTURE.md', file);
}

// As the sites that show Markdown name headings.
const anchorsOf = (file) => new Set([...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
  heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')));
const markdown = (folder) => readdirSync(path.join(source, folder)).filter((name) => name.endsWith('.md'))
  .map((name) => path.join(folder, name));
for (const document of [...markdown('.'), ...markdown('docs'), ...markdown('docs/recipes'), 'plugin-api/ABI.md', 'bench/README.md', 'examples/README.md', 'tests/fuzz/README.md', 'tests/attacks.md']) {
  for (const [, link] of read(document).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(link)) continue;
    const [file, anchor] = link.split('#');
    const target = file === '' ? document : path.join(path.dirname(document), file);
    expect(existsSync(path.join(source, target)), document, link);
    if (anchor && existsSync(path.join(source, target))) expect(anchorsOf(target).has(anchor), document, link);
  }
}
for (const document of ['tests/attacks.md', 'docs/compatibility.md']) {
  for (const [, file, test] of read(document).matchAll(/\| `(tests\/[^`|]+)` \| (\w+) \|$/gm)) {
    const text = existsSync(path.join(source, file)) ? readFileSync(path.join(source, file), 'utf8') : '';
    // As GoogleTest and node:test have it, or as the key or the function of a table of tests.
    const named = new RegExp(`TEST(_F|_P)?\\(\\w+,\\s*${test}\\)|test\\(['"\`][^'"\`\\n]*\\b${test}\\b|['"\`]${test}\\b|\\b${test}(:|\\()`);
    expect(named.test(text), document, `${test} in ${file}`);
  }
}
for (const line of missing) console.error(line);
console.log(`${count} places are pointed to, ${missing.length} of them are not there`);
process.exit(missing.length === 0 && count > 0 ? 0 : 1);
