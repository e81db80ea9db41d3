// The configuration of a plugin that its page in docs/ shows, with this folder in place of the one that stands there.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

export async function exampleConfiguration(page, folder) {
  const text = await readFile(new URL(`../../../docs/${page}`, import.meta.url), 'utf8');
  const block = /^```json\n([\s\S]*?)^```$/m.exec(text);
  assert.ok(block, `docs/${page} shows no configuration`);
  const configuration = JSON.parse(block[1]);
  const shown = configuration.folder;
  if (shown === undefined) return configuration;
  return JSON.parse(block[1].replaceAll(JSON.stringify(shown), JSON.stringify(folder)));
}
