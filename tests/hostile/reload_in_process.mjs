// Loads a plugin into the host's own process and unloads it, again and again, as the operator asks. Its library must
// be mapped anew each time, and the version before must go. The host must not grow once it is warm, which takes some
// hundreds of reloads, because it keeps the last lines of its log. A probe in its process says what of its heap is in
// use, to the byte; malloc has no caches for each thread, whose content counts as in use. A table that grows takes some
// 70 KiB at once, so the reloads have parts: a leak in each reload is in the median of what the parts have added. The
// system's count of pages would hide it: that rises by chance, because memory is in pieces, so it has a bound alone.
//
// usage: reload_in_process.mjs BUILD_DIR [--reloads N] [--warm-up N] [--part-bytes N] [--rss-kib N]
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { Client, textOf } from './support/client.mjs';
import { Build, Components, Host } from './support/host.mjs';
import { Operator } from './support/operator.mjs';
import { ms, p50AndP99, percentile, readArguments, Report } from './support/report.mjs';

const wanted = readArguments({ reloads: 2000, 'warm-up': 2000, 'part-bytes': 1024, 'rss-kib': 316 });
const build = new Build(wanted.build);
const report = new Report();

const callEvery = 100;
const parts = 5;
const probeEveryMs = 5; // plugins/heap_probe.c

const components = new Components('reload-in-process');
const heapFile = path.join(components.base, 'heap');
const environment = {
  GLIBC_TUNABLES: 'glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1',
  LD_PRELOAD: build.plugin('heap_probe'),
  MCP_HEAP_PROBE: heapFile,
};
components.drop(build.plugin('named'), 'named.so');
const host = await Host.start(build, components, { isolation: 'in-process', environment });
const operator = await Operator.connect(host);
const client = new Client(host.url);

const wrong = [];
const times = [];
const seen = new Set(host.mappedCopies);

async function reload() {
  const begin = performance.now();
  const answer = await operator.ask({ command: 'reload', plugin: 'named' });
  const took = performance.now() - begin;
  if (!answer.ok) wrong.push(JSON.stringify(answer));
  // Those before may not be gone yet.
  const fresh = host.mappedCopies.filter((each) => !seen.has(each));
  if (fresh.length !== 1) wrong.push(`new are ${fresh.length} of those that are mapped: ${host.mappedCopies}`);
  for (const each of fresh) seen.add(each);
  return took;
}

async function reloadOften(count) {
  for (let i = 0; i < count; ++i) {
    times.push(await reload());
    if (i % callEvery !== 0) continue;
    const answer = await client.call('echo', { text: `after ${i}` });
    if (textOf(answer) !== `after ${i}`) wrong.push(JSON.stringify(answer));
  }
}

// When nothing is on its way out. The median of some versions: of the host's buffers now fewer are in use, and the system
// maps now more and now fewer pages of a library's file at once.
async function memory() {
  const rssKiB = [];
  const heapBytes = [];
  for (let i = 0; i < 25; ++i) {
    await reload();
    await host.settle(() => host.mappedCopies.length === 1 && host.workers.length === 0);
    await sleep(4 * probeEveryMs);
    // Not what /proc/PID/status says, which is off by some pages for each processor.
    rssKiB.push(host.pssKiB(host.child.pid, 'Rss'));
    heapBytes.push(Number(readFileSync(heapFile, 'utf8')));
  }
  return { rssKiB: percentile(rssKiB, 0.5), heapBytes: percentile(heapBytes, 0.5) };
}

await reloadOften(wanted['warm-up']);
const ofPart = Math.ceil(wanted.reloads / parts);
const memories = [await memory()];
const descriptorsBefore = host.descriptors;
times.length = 0;
let seconds = 0;
let cpu = 0;
for (let part = 0; part < parts; ++part) {
  const cpuBefore = host.cpuMs;
  const begin = performance.now();
  await reloadOften(ofPart);
  seconds += (performance.now() - begin) / 1000;
  cpu += host.cpuMs - cpuBefore;
  memories.push(await memory());
}
const copies = host.mappedCopies.length;
// The worker in which the last version was tried ends beside the answer, and has three.
const patience = performance.now() + 30_000;
while (host.descriptors > descriptorsBefore && performance.now() < patience) await sleep(10);
const descriptorsAfter = host.descriptors;
operator.close();
client.close();
const end = await host.stop();
for (const each of wrong.slice(0, 5)) console.error('wrong:', each);

const heap = memories.map(({ heapBytes }) => heapBytes);
const growth = percentile(heap.slice(1).map((each, part) => each - heap[part]), 0.5);
const rss = memories.map(({ rssKiB }) => rssKiB);
const growthOfAll = rss.at(-1) - rss[0];
report.row('reloads, a second', `${times.length}, ${(times.length / seconds).toFixed(0)}`);
report.row('p50 / p99 of one', p50AndP99(times));
report.row('processor time of the host for one', ms(cpu / times.length));
report.promise('reloads that failed or mapped nothing new, calls that failed', wrong.length, wrong.length === 0);
report.promise('copies mapped at the end', copies, copies === 1);
report.promise('descriptors before, after', `${descriptorsBefore}, ${descriptorsAfter}`,
  descriptorsAfter <= descriptorsBefore);
report.promise('heap in use after each part, growth in a part', `${heap.join(', ')}, ${growth} bytes`,
  growth <= wanted['part-bytes']);
report.promise('RSS after each part, growth of all', `${rss.join(', ')}, ${growthOfAll} KiB`,
  growthOfAll <= wanted['rss-kib']);
report.promise('the host ends with', end, end === 0);
components.discard();
process.exit(report.end());
