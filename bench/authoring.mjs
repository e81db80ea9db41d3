// What an author waits for: the first build of the project that `new` makes, in processor time; and, with `dev`, the time
// from a saved change until a client has its answer, and what calls that come meanwhile meet. Compiler caches are off.
// usage: authoring.mjs BUILD_DIR [--edits N] [--more-tools N]
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { Bench, firstLine, median, readArguments, stop } from './hosts.mjs';

const { build, ...counts } = readArguments({ edits: 20, 'more-tools': 20 });
const bench = new Bench(path.resolve(build), 'authoring');
const env = { ...process.env, CCACHE_DISABLE: '1', PATH: [path.dirname(bench.program), process.env.PATH].join(path.delimiter) };
execFileSync(bench.program, ['new', 'weather', '--in', bench.folder]);
const project = path.join(bench.folder, 'weather');
const source = path.join(project, 'src', 'weather.cpp');
const original = readFileSync(source, 'utf8');

// Seconds of the processor, of the command and what it starts.
function processorTime(...command) {
  const script = 'TIMEFORMAT="%U %S"; time "$@" > /dev/null 2> /dev/null';
  const words = execFileSync('bash', ['-c', `{ ${script}; } 2>&1`, 'bash', ...command], { cwd: project, env, encoding: 'utf8' });
  return words.trim().split(/\s+/).slice(-2).reduce((sum, word) => sum + Number(word), 0);
}

for (const preset of ['debug', 'release']) {
  execFileSync('cmake', ['--preset', preset], { cwd: project, env });
  const first = processorTime('cmake', '--build', '--preset', preset);
  const again = Array.from({ length: 3 }, () => {
    writeFileSync(source, original);
    return processorTime('cmake', '--build', '--preset', preset);
  });
  const tool = (i) => `plugin.tool("more_${i}", "Adds.", [](double a, double b) { return a + b + ${i}; }, mcp::arg("a"), mcp::arg("b"));\n`;
  const tools = Array.from({ length: counts['more-tools'] }, (_, i) => tool(i)).join('');
  writeFileSync(source, original.replace('(mcp::Plugin& plugin) {\n', `(mcp::Plugin& plugin) {\n${tools}`));
  const more = processorTime('cmake', '--build', '--preset', preset);
  writeFileSync(source, original);
  console.log(`${preset}: the first build takes ${first.toFixed(1)} s of the processor, a change ${median(again).toFixed(1)} s, ` +
    `a tool more ${((more - median(again)) / counts['more-tools']).toFixed(2)} s`);
}

rmSync(path.join(project, 'build'), { recursive: true });
const begin = performance.now();
const dev = spawn(bench.program, ['dev', project, '--listen', '127.0.0.1:0', '--log-level', 'info', '--data',
  path.join(bench.folder, 'data')], { stdio: ['ignore', 'ignore', 'pipe'], env });
bench.hosts.dev = dev;
const url = await firstLine(dev.stderr, /serving url=(\S+)/);
dev.stderr.resume();

const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
const params = { name: 'hello', arguments: { name: 'Ada' }, _meta: meta };
let refused = 0;
let failed = 0;
let isServed = false;
async function hello() {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', Connection: 'close',
        'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'hello' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
    const { result } = await response.json();
    const isGood = result !== undefined && result.isError !== true;
    if (!isGood && isServed) failed += 1;
    return isGood ? result.content[0].text : undefined;
  } catch {
    refused += 1;
    return undefined;
  }
}
async function until(text) {
  for (const end = performance.now() + 120_000; await hello() !== text; await sleep(10)) {
    if (performance.now() > end) throw new Error(`${text} does not come`);
  }
}

await until('Hello, Ada!');
isServed = true;
console.log(`dev: from nothing to the first answer ${((performance.now() - begin) / 1000).toFixed(1)} s`);
await sleep(2000);
// Somebody calls all the time.
let isOver = false;
const calling = (async () => {
  while (!isOver) {
    await hello();
    await sleep(10);
  }
})();
const times = [];
for (let i = 0; i < counts.edits; i += 1) {
  writeFileSync(source, original.replace('"Hello, "', `"Hello ${i}, "`));
  const saved = performance.now();
  await until(`Hello ${i}, Ada!`);
  times.push(performance.now() - saved);
  await sleep(500);
}
isOver = true;
await calling;
await stop(dev);
times.sort((a, b) => a - b);
console.log(`dev: ${times.length} changes are live after ${(median(times) / 1000).toFixed(2)} s p50, ` +
  `${(times.at(-1) / 1000).toFixed(2)} s at most; ${refused} connections refused, ${failed} calls failed`);
