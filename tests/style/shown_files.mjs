// A block of the documentation that names a file of the tree, as "```cpp examples/sqlite/notes.cpp" does, shows that file.
// Says which do not.
// usage: shown_files.mjs [--write], which copies the files into the blocks
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../..', import.meta.url));
const docs = path.join(source, 'docs');
const isWriting = process.argv.includes('--write');
const mistakes = [];
let count = 0;
for (const page of readdirSync(docs, { recursive: true }).filter((name) => name.endsWith('.md'))) {
  const before = readFileSync(path.join(docs, page), 'utf8');
  const after = before.replace(/^```(\w+) (\S+\/\S+)\n([\s\S]*?)^```$/gm, (block, language, file, code) => {
    if (!existsSync(path.join(source, file))) return block;
    ++count;
    const text = readFileSync(path.join(source, file), 'utf8');
    if (text !== code && !isWriting) mistakes.push(`docs/${page} does not show ${file} as it is`);
    return `\`\`\`${language} ${file}\n${text}\`\`\``;
  });
  if (isWriting && after !== before) writeFileSync(path.join(docs, page), after);
}
for (const mistake of mistakes) console.error(mistake);
if (mistakes.length > 0) console.error('"node tests/style/shown_files.mjs --write" copies the files into the pages');
console.log(`${count} files are shown`);
process.exit(mistakes.length === 0 && count > 0 ? 0 : 1);
