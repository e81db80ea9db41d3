// What metrics and traces cost: hosts with and without them run in turn, in the same minutes on the same machine, and
// the ratio of their requests a second to those of the host without is what to look at. The collector is a process of
// this machine, too, and has its part of the processors. On a busy machine look at the host's own processor time for a
// request, and its ratio.
// usage: observed.mjs BUILD_DIR [--seconds N] [--rounds N] [--isolation worker]
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';

const [build, ...rest] = process.argv.slice(2);
const option = (name, fallback) => (rest.includes(name) ? rest[rest.indexOf(name) + 1] : fallback);
const seconds = option('--seconds', 5);
const rounds = Number(option('--rounds', 5));
const isolation = option('--isolation', 'in-process');
const here = path.dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(path.join(os.tmpdir(), 'observed-'));

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

function firstLine(stream, pattern) {
  return new Promise((resolve) => {
    readline.createInterface({ input: stream }).on('line', (line) => {
      const match = pattern.exec(line);
      if (match) resolve(match[1]);
    });
  });
}

const swallow = `require('node:http').createServer((request, response) => {
  request.resume().on('end', () => response.end('{}'));
}).listen(0, '127.0.0.1', function () { console.log('port ' + this.address().port); })`;
const collector = spawn(process.execPath, ['-e', swallow], { stdio: ['ignore', 'pipe', 'inherit'] });
const port = await firstLine(collector.stdout, /^port (\d+)/);

async function startHost(name, more, toml = '') {
  const config = path.join(folder, `${name}.toml`);
  writeFileSync(config, toml);
  const args = ['serve', '--components', path.join(build, 'bench/components'), '--listen', '127.0.0.1:0',
    '--isolation', isolation, '--control', 'none', '--config', config, ...more];
  const child = spawn(path.join(build, 'bin/mcp-plugin-host'), args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const [url, admin] = await Promise.all([
    firstLine(child.stderr, / serving url=(\S+)/),
    more.includes('--admin-listen') ? firstLine(child.stderr, /serving the operator url=(\S+)/) : undefined,
  ]);
  child.stderr.resume();
  return Object.assign(child, { url, admin });
}

const traces = (ratio) => `[traces]\nendpoint = "http://127.0.0.1:${port}/v1/traces"\nsample_ratio = ${ratio}\n`;
const hosts = {
  'without': await startHost('without', []),
  'without, once more': await startHost('again', []), // what chance makes of the ratio
  'metrics': await startHost('metrics', ['--admin-listen', '127.0.0.1:0']),
  'traces, none sampled': await startHost('none', [], traces('0.0')),
  'traces, 1 % sampled': await startHost('some', [], traces('0.01')),
  'traces, all sampled': await startHost('all', ['--admin-listen', '127.0.0.1:0'], traces('1.0')),
};

// In seconds, of all threads of a process.
function processorTime(child) {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').replace(/^.*\) /, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function load(child) {
  const before = processorTime(child);
  const output = execFileSync('wrk', ['-t1', '-c32', `-d${seconds}s`, '-s', path.join(here, 'call.lua'), child.url],
    { env: { ...process.env, MCP_ERA: 'modern' }, encoding: 'utf8' });
  const [, perSecond, p50, p99, errors] = /RESULT (\S+) (\S+) (\S+) (\S+)/.exec(output).map(Number);
  if (errors > 0) throw new Error(`${errors} errors`);
  return { perSecond, p50, p99, processor: (processorTime(child) - before) / (perSecond * seconds) };
}

const scrape = `setInterval(() => fetch('${hosts.metrics.admin}').then((page) => page.text()), 1000)`;
const scraper = spawn(process.execPath, ['-e', scrape], { stdio: 'inherit' });

const results = Object.fromEntries(Object.keys(hosts).map((name) => [name, []]));
const names = Object.keys(hosts);
for (let round = 0; round < rounds; ++round) {
  // Each has each place in the turn.
  for (let i = 0; i < names.length; ++i) {
    const name = names[(round + i) % names.length];
    results[name].push(load(hosts[name]));
  }
}

console.log(`${rounds} rounds of ${seconds} s, 32 connections, ${isolation}\n`);
for (const [name, each] of Object.entries(results)) {
  const ratios = each.map(({ perSecond }, round) => perSecond / results.without[round].perSecond);
  const figures = ['perSecond', 'p50', 'p99'].map((figure) => median(each.map((result) => result[figure])).toFixed(0));
  console.log(`${name.padEnd(22)} ${figures[0].padStart(7)} req/s  p50 ${figures[1]} us  p99 ${figures[2]} us  ratio ${median(ratios).toFixed(3)}`
    + ` (${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)})`
    + `  processor ${(median(each.map(({ processor }) => processor)) * 1e6).toFixed(1)} us/req`
    + `  ratio ${median(each.map(({ processor }, round) => results.without[round].processor / processor)).toFixed(3)}`);
}
const page = await (await fetch(hosts['traces, all sampled'].admin)).text();
for (const line of page.match(/^mcph_trace_\w+.*$/gm)) console.log(line);
for (const child of [...Object.values(hosts), collector, scraper]) child.kill('SIGTERM');
rmSync(folder, { recursive: true });
