// Runs the benchmark and prints one table. Load rows run the host, the baseline and the bare loop in turn, in the same
// minutes on the same machine, and say the medians of several rounds; the ratios, medians of the rounds' ratios, are what
// to look at, the figures themselves depend on the machine. With --json FILE the figures that promises are about are
// written there, too. --only TEXT loads only the rows whose name has it, for whoever works on one of them.
// usage: run.mjs BUILD_DIR COMPONENTS_DIR [--seconds N] [--rounds N] [--loops N] [--json FILE] [--only TEXT]
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';

import { firstLine, load, median, openSession, ratioTo, stop, takeTurns } from './hosts.mjs';

const [build, components, ...rest] = process.argv.slice(2);
const word = (name) => (rest.includes(name) ? rest[rest.indexOf(name) + 1] : undefined);
const option = (name, fallback) => Number(word(name) ?? fallback);
const seconds = option('--seconds', 5);
const rounds = option('--rounds', 3);
const loops = option('--loops', Math.min(4, os.availableParallelism()));
const only = word('--only');
const host = path.join(build, 'bin/mcp-plugin-host');
const running = new Set();
const temporary = mkdtempSync(path.join(os.tmpdir(), 'bench-run-'));
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(temporary, { recursive: true, force: true });
});
// What plugins keep: none that somebody has on this machine.
const ownData = () => ['--data', mkdtempSync(path.join(temporary, 'data-'))];

const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
const modernHeaders = (method) => ({
  'Content-Type': 'application/json', Accept: 'application/json, text/event-stream',
  'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method,
});

async function startHost(folder, ...options) {
  const child = spawn(host, ['serve', '--components', folder, '--listen', '127.0.0.1:0', '--threads', String(loops), '--control', 'none', ...ownData(), ...options],
    { stdio: ['ignore', 'ignore', 'pipe'] });
  running.add(child);
  child.url = await firstLine(child.stderr, /serving url=(\S+)/);
  return child;
}

async function startBaseline(mode) {
  const child = spawn(path.join(build, 'bench/bench_baseline'), [String(loops), mode], { stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  child.url = `http://127.0.0.1:${await firstLine(child.stdout, /listening (\d+)/)}/mcp`;
  return child;
}

async function end(child) {
  await stop(child);
  running.delete(child);
}

const rssMiB = (child) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024;

const rows = [];
// `results` are name -> what each round has measured; ratios are left empty where the other is not there.
function addRows(what, results) {
  const { baseline, fixed, 'in-process': inProcess } = results;
  for (const [name, each] of Object.entries(results)) {
    const errors = each.reduce((sum, result) => sum + result.errors, 0);
    figures.errors += errors;
    const of = (figure, digits = 0) => median(each.map((result) => result[figure])).toFixed(digits);
    const ratio = (base, figure) => (base === undefined || base === each ? '' : ratioTo(base, each, figure).toFixed(2));
    rows.push([`${what}, ${name}`, of('perSecond'), of('p50'), of('p99'), of('processor', 1), ratio(baseline, 'perSecond'),
      ratio(baseline, 'p50'), ratio(fixed, 'perSecond'), name === 'worker' ? ratio(inProcess, 'perSecond') : '',
      of('ofLoad', 1), String(errors)]);
  }
}

const facts = [];
const figures = { errors: 0 }; // for --json; and how many requests failed
const isolations = ['in-process', 'worker'];

// The servers that `kinds` names take the load in turn.
function measure(servers, kinds, options) {
  return takeTurns(Object.fromEntries(kinds.map((name) => [name, () => load(servers[name], {
    seconds, mayFail: true, ...options, 'any-id': name === 'fixed' ? 'yes' : 'no', session: servers[name].session ?? '',
  })])), rounds);
}

function compareCalls(servers, era, connections) {
  const what = `tools/call ${era}, ${connections} conn.`;
  if (only !== undefined && !what.includes(only)) return;
  const results = measure(servers, ['baseline', 'fixed', ...isolations], { era, connections });
  addRows(what, results);
  const { baseline, fixed, 'in-process': inProcess, worker } = results;
  const processor = (each) => median(each.map((result) => result.processor));
  figures[`${era} ${connections}`] = {
    requestsToBaseline: ratioTo(baseline, inProcess, 'perSecond'),
    p50ToBaseline: ratioTo(baseline, inProcess, 'p50'),
    requestsToFixed: ratioTo(fixed, inProcess, 'perSecond'),
    requestsOfWorker: ratioTo(inProcess, worker, 'perSecond'),
    p50OfWorker: ratioTo(inProcess, worker, 'p50'),
    processor: processor(inProcess),
    ofLoad: median(baseline.map((result) => result.ofLoad)),
    processorMoreOfWorker: processor(worker) - processor(inProcess),
  };
}

const mib = 1 << 20;
const large = {
  '1 MiB arguments': { tool: 'count', 'text-bytes': mib },
  '1 MiB result': { tool: 'make', arguments: JSON.stringify({ bytes: mib }), 'answer-bytes': mib },
};
function compareLarge(servers, era, name) {
  const what = `${name}, ${era}, 8 conn.`;
  if (only !== undefined && !what.includes(only)) return;
  const results = measure(servers, ['baseline', ...isolations], { era, connections: 8, ...large[name] });
  addRows(what, results);
  figures[`${era} ${name}`] = Object.fromEntries(isolations.map((isolation) =>
    [isolation, ratioTo(results.baseline, results[isolation], 'perSecond')]));
}

for (const era of ['legacy', 'modern']) {
  const servers = { baseline: await startBaseline(era), fixed: await startBaseline('fixed') };
  for (const isolation of isolations) {
    servers[isolation] = await startHost(path.join(build, 'bench/components'), '--isolation', isolation);
    if (era === 'legacy') servers[isolation].session = await openSession(servers[isolation].url);
    servers[isolation].idle = rssMiB(servers[isolation]);
  }
  for (const connections of [1, 32, 128]) compareCalls(servers, era, connections);
  for (const isolation of isolations) {
    const { idle } = servers[isolation];
    facts.push([`RSS ${era}, ${isolation}: idle, after the load`,
      `${idle.toFixed(1)} MiB, ${rssMiB(servers[isolation]).toFixed(1)} MiB`]);
  }
  if (era === 'modern') for (const name of Object.keys(large)) compareLarge(servers, era, name);
  for (const server of Object.values(servers)) await end(server);
}

if (only === undefined) {
  const server = await startHost(path.join(build, 'bench/many'), '--page-size', '100');
  addRows('tools/list of 100, 32 conn.', takeTurns({ host: () => load(server, { seconds, method: 'list' }) }, rounds));
  await end(server);
}

async function stdioStartMs(data) {
  const begin = process.hrtime.bigint();
  const child = spawn(host, ['stdio', '--components', components, '--log-level', 'error', '--data', data], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } })}\n`);
  await firstLine(child.stdout, /("id":1,"result")/);
  const ms = Number(process.hrtime.bigint() - begin) / 1e6;
  const gone = new Promise((resolve) => { child.once('exit', resolve); });
  child.stdin.end();
  await gone;
  return ms;
}
async function compareStarts() {
  const starts = [];
  const [, data] = ownData();
  for (let i = 0; i < 15; ++i) starts.push(await stdioStartMs(data));
  figures.stdioStartMs = median(starts);
  facts.push(['stdio: start to first tools/list answer', `median ${median(starts).toFixed(1)} ms of ${starts.length}`]);
}
if (only === undefined || 'stdio'.includes(only)) await compareStarts();

async function replacedToHeardMs() {
  const folder = mkdtempSync(path.join(temporary, 'replaced-'));
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
  await end(server);
  return heard;
}
if (only === undefined) {
  const heard = await replacedToHeardMs();
  figures.heardMs = Math.max(...heard);
  facts.push(['file replaced to list_changed received', `median ${median(heard).toFixed(0)} ms, worst ${Math.max(...heard).toFixed(0)} ms of ${heard.length}`]);
}

console.log(`\nmedians of ${rounds} rounds of ${seconds} s; ${loops} loops; ${os.cpus()[0].model}, ${os.availableParallelism()} processors\n`);
const table = [['', 'req/s', 'p50 us', 'p99 us', 'processor us', 'of baseline', 'p50 of it', 'of fixed', 'of in-process', 'load us', 'errors'], ...rows];
const widths = table[0].map((_, column) => Math.max(...table.map((cells) => cells[column].length)));
for (const cells of table) console.log(cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  '));
console.log();
for (const [what, figure] of facts) console.log(`${what.padEnd(42)} ${figure}`);
if (rest.includes('--json')) writeFileSync(word('--json'), JSON.stringify(figures));
