// Runs the benchmark and prints one table. Load rows run the host and the baseline in turn, in the same minutes on the same
// machine, and say the medians of several rounds; the ratio is what to look at, the figures themselves depend on the
// machine. With --json FILE the figures that promises are about are written there, too.
// usage: run.mjs BUILD_DIR COMPONENTS_DIR [--seconds N] [--rounds N] [--loops N] [--json FILE]
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';

const [build, components, ...rest] = process.argv.slice(2);
const option = (name, fallback) => (rest.includes(name) ? Number(rest[rest.indexOf(name) + 1]) : fallback);
const seconds = option('--seconds', 5);
const rounds = option('--rounds', 3);
const loops = option('--loops', Math.min(4, os.availableParallelism()));
const host = path.join(build, 'bin/mcp-plugin-host');
const here = path.dirname(fileURLToPath(import.meta.url));

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
const modernHeaders = (method) => ({
  'Content-Type': 'application/json', Accept: 'application/json, text/event-stream',
  'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method,
});

function firstLine(stream, pattern) {
  return new Promise((resolve) => {
    const lines = readline.createInterface({ input: stream });
    lines.on('line', (line) => { const match = pattern.exec(line); if (match) resolve(match[1]); });
  });
}

async function stop(child) {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}

async function startHost(folder, ...options) {
  const child = spawn(host, ['serve', '--components', folder, '--listen', '127.0.0.1:0', '--threads', String(loops), ...options],
    { stdio: ['ignore', 'ignore', 'pipe'] });
  child.url = await firstLine(child.stderr, /serving url=(\S+)/);
  return child;
}

async function startBaseline(era) {
  const child = spawn(path.join(build, 'bench/bench_baseline'), [String(loops), era], { stdio: ['ignore', 'pipe', 'inherit'] });
  child.url = `http://127.0.0.1:${await firstLine(child.stdout, /listening (\d+)/)}/mcp`;
  return child;
}

const rssMiB = (child) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024;

async function openSession(url) {
  const response = await fetch(url, {
    method: 'POST', headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } } }),
  });
  await response.text();
  return response.headers.get('mcp-session-id');
}

function load(script, url, connections, environment) {
  const output = execFileSync('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', path.join(here, script), url],
    { env: { ...process.env, ...environment }, encoding: 'utf8' });
  const [, perSecond, p50, p99, errors] = /RESULT (\S+) (\S+) (\S+) (\S+)/.exec(output).map(Number);
  return { perSecond, p50, p99, errors };
}

const medians = (results) => Object.fromEntries(Object.keys(results[0]).map((key) => [key, median(results.map((result) => result[key]))]));

const rows = [];
function row(what, hostFigures, baseline) {
  const cells = ({ perSecond, p50, p99 }) => [perSecond.toFixed(0), p50.toFixed(0), p99.toFixed(0)];
  rows.push([what, ...cells(hostFigures), ...(baseline ? cells(baseline) : ['', '', '']),
    baseline ? (hostFigures.perSecond / baseline.perSecond).toFixed(2) : '',
    baseline ? (hostFigures.p50 / baseline.p50).toFixed(2) : '', String(hostFigures.errors)]);
}

const facts = [];
const figures = {}; // for --json
const isolations = ['in-process', 'worker'];
for (const era of ['legacy', 'modern']) {
  const servers = { baseline: await startBaseline(era) };
  for (const isolation of isolations) {
    servers[isolation] = await startHost(path.join(build, 'bench/components'), '--isolation', isolation);
    servers[isolation].session = await openSession(servers[isolation].url);
    servers[isolation].idle = rssMiB(servers[isolation]);
  }
  for (const connections of [1, 32, 128]) {
    const results = Object.fromEntries(Object.keys(servers).map((name) => [name, []]));
    for (let round = 0; round < rounds; ++round) {
      for (const [name, { url, session = '' }] of Object.entries(servers)) {
        results[name].push(load('call.lua', url, connections, { MCP_ERA: era, MCP_SESSION: session }));
      }
    }
    const [baseline, inProcess, worker] = ['baseline', ...isolations].map((name) => medians(results[name]));
    row(`tools/call ${era}, ${connections} conn., in-process`, inProcess, baseline);
    row(`tools/call ${era}, ${connections} conn., worker`, worker, baseline);
    figures[`${era} ${connections}`] = {
      requestsToBaseline: inProcess.perSecond / baseline.perSecond,
      p50ToBaseline: inProcess.p50 / baseline.p50,
      requestsOfWorker: worker.perSecond / inProcess.perSecond,
    };
    facts.push([`worker to in-process, ${era}, ${connections} conn.`,
      `${(worker.perSecond / inProcess.perSecond).toFixed(2)} of the calls, p50 ${(worker.p50 - inProcess.p50).toFixed(0)} us more`]);
  }
  for (const isolation of isolations) {
    const { idle } = servers[isolation];
    facts.push([`RSS ${era}, ${isolation}: idle, after the load`,
      `${idle.toFixed(1)} MiB, ${rssMiB(servers[isolation]).toFixed(1)} MiB`]);
  }
  for (const server of Object.values(servers)) await stop(server);
}

{
  const server = await startHost(path.join(build, 'bench/many'), '--page-size', '100');
  row('tools/list of 100, 32 conn.', medians(Array.from({ length: rounds }, () => load('list.lua', server.url, 32, {}))));
  await stop(server);
}

async function stdioStartMs() {
  const begin = process.hrtime.bigint();
  const child = spawn(host, ['stdio', '--components', components, '--log-level', 'error'], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } })}\n`);
  await firstLine(child.stdout, /("id":1)/);
  const ms = Number(process.hrtime.bigint() - begin) / 1e6;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.stdin.end();
  await gone;
  return ms;
}
const starts = [];
for (let i = 0; i < 15; ++i) starts.push(await stdioStartMs());
figures.stdioStartMs = median(starts);
facts.push(['stdio: start to first tools/list answer', `median ${median(starts).toFixed(1)} ms of ${starts.length}`]);

async function replacedToHeardMs() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mcp-bench-'));
  const served = path.join(folder, 'tools/replaced.so');
  mkdirSync(path.dirname(served));
  const builds = ['one', 'two'].map((name) => path.join(build, `bench/replaced/bench_replaced_${name}.so`));
  copyFileSync(builds[0], served);
  const server = await startHost(folder);
  const heard = [];
  let hear = () => {};
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true }, _meta: meta } });
  const request = http.request(server.url, { method: 'POST', headers: modernHeaders('subscriptions/listen') });
  const acknowledged = new Promise((resolve) => {
    request.on('response', (response) => response.on('data', (chunk) => {
      if (String(chunk).includes('acknowledged')) resolve();
      if (String(chunk).includes('list_changed')) hear();
    }));
  });
  request.end(body);
  await acknowledged;
  for (let i = 0; i < 15; ++i) {
    const next = path.join(folder, 'next');
    copyFileSync(builds[(i + 1) % 2], next);
    const told = new Promise((resolve) => { hear = resolve; });
    const begin = process.hrtime.bigint();
    renameSync(next, served);
    await told;
    heard.push(Number(process.hrtime.bigint() - begin) / 1e6);
  }
  request.destroy();
  await stop(server);
  rmSync(folder, { recursive: true });
  return heard;
}
const heard = await replacedToHeardMs();
figures.heardMs = Math.max(...heard);
facts.push(['file replaced to list_changed received', `median ${median(heard).toFixed(0)} ms, worst ${Math.max(...heard).toFixed(0)} ms of ${heard.length}`]);

console.log(`\nmedians of ${rounds} rounds of ${seconds} s; ${loops} loops; ${os.cpus()[0].model}, ${os.availableParallelism()} processors\n`);
const table = [['', 'host req/s', 'p50 us', 'p99 us', 'baseline req/s', 'p50 us', 'p99 us', 'req/s ratio', 'p50 ratio', 'errors'], ...rows];
const widths = table[0].map((_, column) => Math.max(...table.map((cells) => cells[column].length)));
for (const cells of table) console.log(cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  '));
console.log();
for (const [what, figure] of facts) console.log(`${what.padEnd(42)} ${figure}`);
if (rest.includes('--json')) writeFileSync(rest[rest.indexOf('--json') + 1], JSON.stringify(figures));
