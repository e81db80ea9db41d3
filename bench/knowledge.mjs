// What the plugin knowledge takes: how long it indexes a folder of made documents, how long a search takes in it, and how
// long it is until a change is found.
// Words are as frequent as in a language (Zipf), and queries are of one to three of them, in as many of which a common
// word stands as in texts. Searches come one after the other, over HTTP, to a worker.
// usage: knowledge.mjs BUILD_DIR [--documents N] [--queries N] [--bytes N] [--changes N]
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { Bench, readArguments } from './hosts.mjs';

const { build, documents, queries, bytes, changes } = readArguments({ documents: 100_000, queries: 2000, bytes: 1800, changes: 20 });
const bench = new Bench(path.resolve(build), 'knowledge');
const folder = path.join(bench.folder, 'documents');
const components = path.join(bench.folder, 'components');
const tools = path.join(components, 'tools');

// The same documents each time: mulberry32.
let state = 1;
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const letters = 'etaoinshrdlucmfwygpbvkxqjz';
const words = Array.from({ length: 40_000 }, () =>
  Array.from({ length: 3 + Math.floor(random() * 7) }, () => letters[Math.floor(random() ** 1.5 * 26)]).join(''));
const sums = [];
words.reduce((sum, _, i) => (sums[i] = sum + 1 / (i + 2)), 0);
function word() {
  const wanted = random() * sums.at(-1);
  let low = 0;
  for (let high = sums.length - 1; low < high;) {
    const middle = (low + high) >> 1;
    if (sums[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return words[low];
}
const some = Array.from({ length: 400_000 }, word);

const making = performance.now();
for (let i = 0; i < documents; ++i) {
  const place = path.join(folder, String(i % 100));
  if (i < 100) mkdirSync(place, { recursive: true });
  let text = `# ${word()} ${word()} ${word()}\n\n`;
  for (let at = Math.floor(random() * (some.length - 2000)); text.length < bytes * (0.5 + random()); ++at) text += `${some[at]} `;
  writeFileSync(path.join(place, `${i}.md`), text);
}
console.log(`${documents} documents are made in ${((performance.now() - making) / 1000).toFixed(1)} s`);
mkdirSync(tools, { recursive: true });
copyFileSync(path.join(build, '../../mcp_components/tools/knowledge.so'), path.join(tools, 'knowledge.so'));
writeFileSync(path.join(tools, 'knowledge.json'), JSON.stringify({ folder }));

const begin = performance.now();
const host = await bench.start('knowledge', { components, isolation: 'worker', options: ['--log-level', 'info'] });
const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
async function search(query) {
  const response = await fetch(host.url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'search_knowledge' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call',
      params: { name: 'search_knowledge', arguments: { query }, _meta: meta } }),
  });
  const { result, error } = await response.json();
  if (error || result.isError) throw new Error(JSON.stringify(error ?? result));
  return result.structuredContent;
}
while ((await search('anything')).indexing) {
  // Each of these waits for a while itself.
}
const seconds = (performance.now() - begin) / 1000;
const found = await search('anything');
if (found.documents !== documents) throw new Error(`${found.documents} of ${documents} documents are in the index`);

const times = [];
for (let i = 0; i < queries; ++i) {
  const query = Array.from({ length: 1 + Math.floor(random() * 3) }, word).join(' ');
  const from = performance.now();
  await search(query);
  times.push(performance.now() - from);
}
times.sort((a, b) => a - b);
const at = (fraction) => times[Math.min(times.length - 1, Math.floor(times.length * fraction))].toFixed(1);
console.log(`${documents} documents are indexed in ${seconds.toFixed(1)} s`);
console.log(`${queries} searches: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, the longest ${at(1)} ms`);

// One after the other, each with a word that no other document has, until that is found.
const waits = [];
for (let i = 0; i < changes; ++i) {
  const changed = `changed${i}x`;
  const document = (i * 7) % documents;
  const from = performance.now();
  writeFileSync(path.join(folder, String(document % 100), `${document}.md`), `# Changed\n\n${changed}\n`);
  while ((await search(changed)).results.length === 0) {
    if (performance.now() - from > 60_000) throw new Error(`the change of document ${document} is not found`);
  }
  waits.push((performance.now() - from) / 1000);
}
waits.sort((a, b) => a - b);
console.log(`${changes} changed documents are found after ${waits[Math.floor(changes / 2)].toFixed(2)} s p50, ${waits.at(-1).toFixed(2)} s at most`);
await bench.end();
