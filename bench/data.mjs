// What the plugin data takes for a large CSV file: how long it is loaded, and the most memory that its worker has had
// until it is described and asked (VmHWM, which counts its libraries too).
// usage: data.mjs BUILD_DIR [--mib N]
import { closeSync, copyFileSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';

import { Bench, processesOf, readArguments } from './hosts.mjs';

const { build, mib } = readArguments({ mib: 1024 });
const bench = new Bench(path.resolve(build), 'data');
const folder = path.join(bench.folder, 'tables');
const components = path.join(bench.folder, 'components');
const tools = path.join(components, 'tools');
mkdirSync(folder);
mkdirSync(tools, { recursive: true });

// Rows of some 90 bytes; each part differs from the others in the first column and the last one.
const file = openSync(path.join(folder, 'large.csv'), 'w');
writeSync(file, 'id,day,city,amount,note\n');
let rows = 0;
for (let written = 0; written < mib * 1_048_576;) {
  const part = [];
  for (let i = 0; i < 20_000; ++i, ++rows) {
    part.push(`${rows},2026-${String((rows % 12) + 1).padStart(2, '0')}-01,city ${rows % 1000},${((rows * 7919) % 100_003) / 100},` +
      `"order ${rows * 31} of somebody, who wrote that it is to be sent soon"\n`);
  }
  written += writeSync(file, part.join(''));
}
closeSync(file);
copyFileSync(path.join(build, '../../mcp_components/tools/data.so'), path.join(tools, 'data.so'));
writeFileSync(path.join(tools, 'data.json'), JSON.stringify({ folder, querySeconds: 60, host: { callTimeMs: 600_000 } }));

const host = await bench.start('data', { components, isolation: 'worker' });
const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
async function call(name, args) {
  const begin = performance.now();
  const response = await fetch(host.url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': name },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta: meta } }),
  });
  // A long call is answered by a stream of events, of which the answer is the last.
  const text = await response.text();
  const isStream = response.headers.get('Content-Type').startsWith('text/event-stream');
  const { result, error } = JSON.parse(isStream ? text.split('\n').findLast((line) => line.startsWith('data: {')).slice(6) : text);
  if (error || result.isError) throw new Error(JSON.stringify(error ?? result));
  return { ...result.structuredContent, seconds: (performance.now() - begin) / 1000 };
}
function workerPeakKib() {
  const isOfPlugin = (pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').some((word) => word.endsWith('data.so'));
  const workers = processesOf(host.pid).filter(isOfPlugin);
  if (workers.length !== 1) throw new Error(`the plugin has ${workers.length} workers`);
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${workers[0]}/status`, 'utf8'))[1]);
}

const loaded = await call('load_csv', { file_path: 'large.csv' });
if (loaded.rows !== rows) throw new Error(`${loaded.rows} of ${rows} rows`);
const described = await call('describe', { table: loaded.table });
const asked = await call('query', { sql: `SELECT city, sum(amount) FROM ${loaded.table} GROUP BY city ORDER BY 2 DESC`, max_rows: 5 });
console.log(`${mib} MiB, ${rows} rows: loaded in ${loaded.seconds.toFixed(1)} s, described in ${(described.seconds * 1000).toFixed(0)} ms, ` +
  `asked in ${asked.seconds.toFixed(1)} s`);
console.log(`the worker has taken ${(workerPeakKib() / 1024).toFixed(1)} MiB at most`);
await bench.end();
