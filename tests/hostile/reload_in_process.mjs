// Loads a plugin into the host's own process and unloads it, again and again, as the operator asks. Its library must
// be mapped anew each time, and the version before must go. The host must not grow once it is warm, which takes some
// hundreds of reloads, because it keeps the last lines of its log. It runs without the caches that malloc keeps for each
// thread: they fill as threads meet, by chance and over hours, and would hide a leak of a few bytes a reload. Now and
// then two versions are there at once for longer than ever before, which takes some 100 KiB for good. So the reloads
// have parts: a leak in each reload is in the median of what the parts have added, and all together must not add much
// more than such chances do.
//
// usage: reload_in_process.mjs BUILD_DIR [--reloads N] [--warm-up N] [--part-kib N]
import { setTimeout as sleep } from 'node:timers/promises';

import { Client, textOf } from './support/client.mjs';
import { Build, Components, Host } from './support/host.mjs';
import { Operator } from './support/operator.mjs';
import { ms, p50AndP99, percentile, readArguments, Report } from './support/report.mjs';

const wanted = readArguments({ reloads: 2000, 'warm-up': 2000, 'part-kib': 12 });
const build = new Build(wanted.build);
const report = new Report();

const callEvery = 100;
const parts = 5;
const chanceKiB = 256;
const environment = { GLIBC_TUNABLES: 'glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1' };

const components = new Components('reload-in-process');
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

// When nothing is on its way out. Not what /proc/PID/status says, which is off by some pages for each processor. The
// median of some versions: of the host's buffers now fewer are in use, and the system maps now more and now fewer pages
// of a library's file at once.
async function memory() {
  const [rss, anonymous] = [[], []];
  for (let i = 0; i < 25; ++i) {
    await reload();
    await host.settle(() => host.mappedCopies.length === 1 && host.workers.length === 0);
    rss.push(host.pssKiB(host.child.pid, 'Rss'));
    anonymous.push(host.pssKiB(host.child.pid, 'Anonymous'));
  }
  return [rss, anonymous].map((values) => percentile(values, 0.5));
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

const rss = memories.map((each) => each[0]);
const growth = percentile(rss.slice(1).map((each, part) => each - rss[part]), 0.5);
report.row('reloads, a second', `${times.length}, ${(times.length / seconds).toFixed(0)}`);
report.row('p50 / p99 of one', p50AndP99(times));
report.row('processor time of the host for one', ms(cpu / times.length));
report.promise('reloads that failed or mapped nothing new, calls that failed', wrong.length, wrong.length === 0);
report.promise('copies mapped at the end', copies, copies === 1);
report.promise('descriptors before, after', `${descriptorsBefore}, ${descriptorsAfter}`,
  descriptorsAfter <= descriptorsBefore);
report.row('RSS without pages of files, after each part', `${memories.map((each) => each[1]).join(', ')} KiB`);
report.promise('RSS after each part, growth in a part', `${rss.join(', ')}, ${growth} KiB`,
  growth <= wanted['part-kib']);
const growthOfAll = rss.at(-1) - rss[0];
report.promise('RSS growth of all', `${growthOfAll} KiB`, growthOfAll <= parts * wanted['part-kib'] + chanceKiB);
report.promise('the host ends with', end, end === 0);
components.discard();
process.exit(report.end());
