// What peers.sh prints: echo servers of other SDKs, a bare loop and this host take the same load in turn, in each revision
// that they speak. Each is checked for right answers first.
// usage: peers.mjs BUILD_DIR [--seconds N] [--rounds N] [--connections N] [--only NAME[,NAME]...]
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { freePort } from '../tests/integration/support/free_port.mjs';
import { firstLine, load, median, openSession, processesOf, ratioTo, readArguments, stop, takeTurns } from './hosts.mjs';

const { build, seconds, rounds, connections, only } = readArguments({ seconds: 3, rounds: 5, connections: 32, only: '' });
const here = path.dirname(fileURLToPath(import.meta.url));
const peers = path.resolve(build, '../peers');
const processors = 2; // what those that need to be told are given
const revisions = { modern: '2026-07-28', legacy: '2025-11-25' };
const both = Object.keys(revisions);
const data = mkdtempSync(path.join(os.tmpdir(), 'bench-peers-')); // of the plugins of this host
const host = (isolation) => ({
  eras: both,
  command: () => [path.resolve(build, 'bin/mcp-plugin-host'), 'serve', '--components', path.resolve(build, 'bench/components'),
    '--listen', '127.0.0.1:0', '--threads', String(processors), '--isolation', isolation, '--control', 'none',
    '--data', path.join(data, isolation)],
});
const node = (version) => () => [process.execPath, path.join(peers, `typescript-v${version}/server.mjs`)];

// `command` gets the era and a free port. A server says its port itself, or is waited for.
const kinds = {
  'bare loop': { eras: both, command: (era) => [path.resolve(build, 'bench/bench_baseline'), String(processors), era] },
  'this host, in-process': host('in-process'),
  'this host, worker': host('worker'),
  'Rust, rmcp': { eras: both, command: () => [path.join(peers, 'rust/release/echo-server')] },
  'Go, go-sdk': { eras: both, command: () => [path.join(peers, 'go/echo-server')] },
  'Python, FastMCP': {
    eras: both,
    command: (era, port) => [path.join(peers, 'python/bin/uvicorn'), '--app-dir', path.join(here, 'peers/python'), 'server:app',
      '--host', '127.0.0.1', '--port', String(port), '--workers', String(processors), '--loop', 'uvloop', '--http', 'httptools',
      '--log-level', 'warning', '--no-access-log'],
    picksNoPort: true,
  },
  'TypeScript, SDK v1': { eras: ['legacy'], command: node(1) },
  'TypeScript, SDK v2': { eras: both, command: node(2) },
};
const wanted = Object.keys(kinds).filter((name) => only === '' || only.split(',').some((part) => name.includes(part)));

const running = new Set();
process.once('exit', () => {
  rmSync(data, { recursive: true, force: true });
  for (const pid of [...running].flatMap((child) => processesOf(child.pid))) process.kill(pid, 'SIGKILL');
});

async function untilItAnswers(url) {
  for (let i = 0; i < 300; ++i) {
    try {
      await (await fetch(url)).text();
      return;
    } catch {
      await new Promise((resolve) => { setTimeout(resolve, 100); });
    }
  }
  throw new Error(`${url} does not answer`);
}

async function start(name, era) {
  const { command, picksNoPort } = kinds[name];
  const port = picksNoPort ? await freePort() : undefined;
  const [program, ...rest] = command(era, port);
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NODE_ENV: 'production' } });
  running.add(child);
  const says = (stream) => firstLine(stream, /(?:^listening |serving url=http:\/\/127\.0\.0\.1:)(\d+)/);
  child.url = `http://127.0.0.1:${port ?? await Promise.any([says(child.stdout), says(child.stderr)])}/mcp`;
  child.stdout.resume();
  child.stderr.resume();
  if (picksNoPort) await untilItAnswers(child.url);
  if (era === 'legacy') child.session = await openSession(child.url);
  return child;
}

async function end(child) {
  await stop(child);
  running.delete(child);
}

async function call(child, era, tool, text) {
  const modern = era === 'modern';
  const response = await fetch(child.url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': revisions[era],
      ...(modern && { 'Mcp-Method': 'tools/call', 'Mcp-Name': tool }), ...(child.session && { 'Mcp-Session-Id': child.session }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: text, method: 'tools/call', params: { name: tool, arguments: { text },
      ...(modern && { _meta: { 'io.modelcontextprotocol/protocolVersion': revisions.modern, 'io.modelcontextprotocol/clientCapabilities': {} } }) } }),
  });
  const body = await response.text();
  // As one event of a stream, or as it is.
  return JSON.parse(/^data: ?(\{.*)$/m.exec(body)?.[1] ?? body);
}

// What it is given comes back, whatever it is, under its own id; and there is no tool that there is not.
async function check(name, child, era) {
  for (const text of ['hello', 'a "quoted" \\ line\nand ünïcödé 🎉', '']) {
    const answer = await call(child, era, 'echo', text);
    const said = answer.result?.content?.[0];
    if (answer.id !== text || answer.result.isError === true || said?.type !== 'text' || said.text !== text)
      throw new Error(`${name}, ${era}: a wrong answer to ${JSON.stringify(text)}: ${JSON.stringify(answer)}`);
  }
  if (name === 'bare loop') return; // it looks at nothing
  const unknown = await call(child, era, 'nothing', 'text');
  if (unknown.error === undefined && unknown.result?.isError !== true)
    throw new Error(`${name}, ${era}: it has a tool that it does not have: ${JSON.stringify(unknown)}`);
}

// Of all processes; what they share counts once.
function memoryMiB(child) {
  return processesOf(child.pid).reduce((sum, pid) =>
    sum + Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]) / 1024, 0);
}

function print(era, results, memory) {
  const base = results['bare loop'];
  const rows = Object.entries(results).map(([name, each]) => {
    const of = (figure, digits = 0) => median(each.map((result) => result[figure])).toFixed(digits);
    return [name, of('perSecond'), base ? ratioTo(base, each, 'perSecond').toFixed(2) : '', of('p50'), of('p99'), of('processor', 1), memory[name].toFixed(0)];
  });
  const table = [[`revision ${revisions[era]}`, 'req/s', 'of the loop', 'p50 us', 'p99 us', 'processor us', 'PSS MiB'], ...rows];
  const widths = table[0].map((_, column) => Math.max(...table.map((cells) => cells[column].length)));
  console.log();
  for (const cells of table) console.log(cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  '));
}

// Of the fastest peer, which is what promises are about.
const fastest = 'Rust, rmcp';
function printRatios(era, results) {
  for (const [name, each] of Object.entries(results)) {
    if (name.startsWith('this host') && results[fastest] !== undefined)
      console.log(`${name}: ${ratioTo(results[fastest], each, 'perSecond').toFixed(2)} of the requests of ${fastest}, ${revisions[era]}`);
  }
}

console.log(`tools/call of echo, ${connections} connections, medians of ${rounds} rounds of ${seconds} s;`
  + ` ${os.cpus()[0].model}, ${os.availableParallelism()} processors`);
for (const era of both) {
  const servers = {};
  for (const name of wanted.filter((each) => kinds[each].eras.includes(era))) {
    servers[name] = await start(name, era);
    await check(name, servers[name], era);
  }
  const results = takeTurns(Object.fromEntries(Object.entries(servers).map(([name, child]) =>
    [name, () => load(child, { seconds, connections, era, session: child.session ?? '' })])), rounds);
  print(era, results, Object.fromEntries(Object.entries(servers).map(([name, child]) => [name, memoryMiB(child)])));
  printRatios(era, results);
  for (const child of Object.values(servers)) await end(child);
}
process.exit(0);
