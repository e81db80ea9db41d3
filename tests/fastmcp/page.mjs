// The code on docs/from-fastmcp.md is that of the tutorial, which is compiled and run: a block "```cpp NAME" or "```python
// NAME" is the section of that name, and each section is there in both languages. Says which differ.
// usage: page.mjs [--write], which copies the sections into the blocks
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { languages, readSections } from './sections.mjs';

const page = fileURLToPath(new URL('../../docs/from-fastmcp.md', import.meta.url));
const sections = readSections();
const mistakes = [];
const missing = new Set(sections.flatMap(({ name }) => languages.map((language) => `${language.name} ${name}`)));

const before = readFileSync(page, 'utf8');
const after = before.replace(/^```(\w+) ?(.*)\n([\s\S]*?)^```$/gm, (block, language, name, code) => {
  const section = sections.find((each) => each.name === name);
  const wanted = section?.[language];
  if (wanted === undefined) mistakes.push(`the page has a block "${language} ${name}", which is no section`);
  missing.delete(`${language} ${name}`);
  if (wanted === undefined || wanted === code) return block;
  if (!process.argv.includes('--write')) mistakes.push(`the block "${language} ${name}" is not its section`);
  return `\`\`\`${language} ${name}\n${wanted}\`\`\``;
});
for (const name of missing) mistakes.push(`the page has no block "${name}"`);

if (process.argv.includes('--write')) writeFileSync(page, after);
for (const mistake of mistakes) console.error(mistake);
if (mistakes.length > 0) console.error('"node tests/fastmcp/page.mjs --write" copies the sections into the blocks');
process.exit(mistakes.length === 0 ? 0 : 1);
