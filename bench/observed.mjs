// What metrics and traces cost: hosts with and without them take the same load in turn. The collector is a process of
// this machine, too, and has its part of the processors. On a busy machine look at the host's own processor time for a
// request, and its ratio.
// usage: observed.mjs BUILD_DIR [--seconds N] [--rounds N] [--isolation worker]
import { spawn } from 'node:child_process';

import { Bench, firstLine, load, printTurns, readArguments, stop, takeTurns } from './hosts.mjs';

const { build, seconds, rounds, isolation } = readArguments({ seconds: 5, rounds: 5, isolation: 'in-process' });
const bench = new Bench(build, 'observed');

const swallow = `require('node:http').createServer((request, response) => {
  request.resume().on('end', () => response.end('{}'));
}).listen(0, '127.0.0.1', function () { console.log('port ' + this.address().port); })`;
const collector = spawn(process.execPath, ['-e', swallow], { stdio: ['ignore', 'pipe', 'inherit'] });
const port = await firstLine(collector.stdout, /^port (\d+)/);

const traces = (ratio) => `[traces]\nendpoint = "http://127.0.0.1:${port}/v1/traces"\nsample_ratio = ${ratio}\n`;
const admin = ['--admin-listen', '127.0.0.1:0'];
await bench.start('without', { isolation });
await bench.start('without, once more', { isolation }); // what chance makes of the ratio
const { admin: metrics } = await bench.start('metrics', { isolation, options: admin });
await bench.start('traces, none sampled', { isolation, toml: traces('0.0') });
await bench.start('traces, 1 % sampled', { isolation, toml: traces('0.01') });
const all = await bench.start('traces, all sampled', { isolation, toml: traces('1.0'), options: admin });

// Somebody asks for the page each second while its host has its turn, and rests in the turns of the others.
const scrape = `setInterval(() => fetch('${metrics}').then((page) => page.text()), 1000); console.log('begun')`;
const scraper = spawn(process.execPath, ['-e', scrape], { stdio: ['ignore', 'pipe', 'inherit'] });
await firstLine(scraper.stdout, /(begun)/);
scraper.kill('SIGSTOP');
function loadScraped(child) {
  scraper.kill('SIGCONT');
  const result = load(child, { seconds });
  scraper.kill('SIGSTOP');
  return result;
}

const loads = Object.fromEntries(Object.entries(bench.hosts).map(([name, child]) =>
  [name, () => (name === 'metrics' ? loadScraped(child) : load(child, { seconds }))]));
console.log(`${rounds} rounds of ${seconds} s, 32 connections, ${isolation}\n`);
printTurns(takeTurns(loads, rounds));
const page = await (await fetch(all.admin)).text();
for (const line of page.match(/^mcph_trace_\w+.*$/gm)) console.log(line);
await bench.end();
scraper.kill('SIGKILL');
await stop(collector);
