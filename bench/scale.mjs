// Many of everything, each with what it takes of the memory: streams that listen and are told of a change, tools of one
// plugin, plugins in the host's process, and plugins in workers. Not beside other work: 10,000 streams are 20,000 sockets.
// usage: scale.mjs BUILD_DIR [--streams N] [--tools 1] [--plugins N] [--workers N]; 0 leaves one out
import { spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { Client, listTools } from '../tests/hostile/support/client.mjs';
import { Build, Components, Host } from '../tests/hostile/support/host.mjs';
import { ms, readArguments, Report } from '../tests/hostile/support/report.mjs';
import { firstLine, load, median } from './hosts.mjs';

const wanted = readArguments({ streams: 10_000, tools: 1, plugins: 1000, workers: 200 });
const build = new Build(wanted.build);
const report = new Report();
const quietMs = 3000; // longer than the host takes to give back what is free

async function measureStreams(count) {
  const components = new Components('scale-streams');
  const versions = ['one', 'two'].map((name) => path.join(build.folder, `bench/replaced/bench_replaced_${name}.so`));
  components.drop(versions[0], 'replaced.so');
  const host = await Host.start(build, components, { isolation: 'in-process', options: ['--max-connections', '20000'] });
  await sleep(quietMs);
  const before = host.anonymousKiB;
  const listeners = spawn(path.join(build.folder, 'bench/bench_streams'), [host.url.origin, String(count)],
    { stdio: ['pipe', 'pipe', 'inherit'] });
  await firstLine(listeners.stdout, /^listening (\d+)/);
  await sleep(quietMs);
  const each = (host.anonymousKiB - before) / count;
  const heard = [];
  for (let i = 1; i <= 7; ++i) {
    const told = firstLine(listeners.stdout, /^heard (.*)/);
    listeners.stdin.write('next\n');
    await sleep(200);
    const begin = process.hrtime.bigint();
    components.drop(versions[i % 2], 'replaced.so');
    heard.push((await told).split(' ').map((time) => Number(BigInt(time) - begin) / 1e6));
  }
  listeners.stdin.end();
  await host.stop();
  components.discard();
  const [first, p50, p99, last] = [0, 1, 2, 3].map((part) => ms(median(heard.map((times) => times[part]))));
  report.row(`memory of each of ${count} streams`, `${each.toFixed(1)} KiB`);
  report.row('a replaced file is heard of by the first, p50, p99, last', [first, p50, p99, last].join(', '));
}

async function measureTools() {
  const components = new Components('scale-tools');
  components.drop(path.join(build.folder, 'bench/ten_thousand/tools/bench_ten_thousand.so'), 'many.so');
  const begin = performance.now();
  const host = await Host.start(build, components, { isolation: 'in-process', options: ['--page-size', '100'] });
  const serving = performance.now() - begin;
  const { perSecond, p50 } = load({ url: `${host.url.href}`, pid: host.child.pid }, { seconds: 2, method: 'list', connections: 1 });
  report.row('10,000 tools: served after, memory of each', `${ms(serving)}, ${(host.anonymousKiB / 10_000).toFixed(2)} KiB`);
  report.row('a page of 100: p50 at one connection, pages a second', `${p50.toFixed(0)} us, ${perSecond.toFixed(0)}`);
  await host.stop();
  components.discard();
}

async function measurePlugins(count, isolation) {
  const components = new Components('scale-plugins');
  for (let i = 0; i < count; ++i) {
    components.configure(`named_${i}`, { tool: `named_${i}` });
    components.drop(build.plugin('named'), `named_${i}.so`);
  }
  const begin = performance.now();
  const host = await Host.start(build, components, { isolation, options: ['--page-size', '1000'] });
  const client = new Client(host.url);
  let listed = 0;
  while (listed < count && performance.now() - begin < 120_000) listed = (await listTools(client)).length;
  const listedAfter = performance.now() - begin;
  client.close();
  await sleep(quietMs);
  const mebibytes = (pids) => pids.reduce((sum, pid) => sum + host.pssKiB(pid), 0) / 1024;
  const ofHost = mebibytes([host.child.pid]);
  const ofWorkers = mebibytes(host.workers);
  report.row(`${count} plugins, ${isolation}: listed after`, `${ms(listedAfter)}, ${listed} of them`);
  report.row(`${count} plugins, ${isolation}: PSS of the host, of all workers`, `${ofHost.toFixed(1)} MiB, ${ofWorkers.toFixed(1)} MiB`);
  await host.stop();
  components.discard();
}

if (wanted.streams > 0) await measureStreams(wanted.streams);
if (wanted.tools > 0) await measureTools();
if (wanted.plugins > 0) await measurePlugins(wanted.plugins, 'in-process');
if (wanted.workers > 0) await measurePlugins(wanted.workers, 'worker');
process.exit(report.end());
