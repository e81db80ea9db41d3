// Loads a plugin into the host's own process and unloads it, again and again, as the operator asks. Its library must
// be mapped anew each time, and the version before must go. The host must not grow once it is warm, which takes some
// hundreds of reloads, because it keeps the last lines of its log. It runs without the caches that malloc keeps for each
// thread: they fill as threads meet, by chance and over hours, and would hide a leak of a few bytes a reload.
//
// usage: reload_in_process.mjs BUILD_DIR [--reloads N] [--warm-up N] [--rss-kib N]
import { setTimeout as sleep } from 'node:timers/promises';

import { Client, textOf } from './support/client.mjs';
import { Build, Components, Host } from './support/host.mjs';
import { Operator } from './support/operator.mjs';
import { ms, p50AndP99, readArguments, Report } from './support/report.mjs';

const wanted = readArguments({ reloads: 2000, 'warm-up': 2000, 'rss-kib': 16 });
const build = new Build(wanted.build);
const report = new Report();

const callEvery = 100;
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
  times.push(performance.now() - begin);
  if (!answer.ok) wrong.push(JSON.stringify(answer));
  // Those before may not be gone yet.
  const fresh = host.mappedCopies.filter((each) => !seen.has(each));
  if (fresh.length !== 1) wrong.push(`new are ${fresh.length} of those that are mapped: ${host.mappedCopies}`);
  for (const each of fresh) seen.add(each);
}

async function reloadOften(count) {
  for (let i = 0; i < count; ++i) {
    await reload();
    if (i % callEvery !== 0) continue;
    const answer = await client.call('echo', { text: `after ${i}` });
    if (textOf(answer) !== `after ${i}`) wrong.push(JSON.stringify(answer));
  }
}

// When nothing is on its way out. Not what /proc/PID/status says, which is off by some pages for each processor. The
// least of some versions, because the system maps now more and now fewer pages of a library's file at once.
async function memory() {
  let least = [Infinity, Infinity];
  for (let i = 0; i < 10; ++i) {
    await reload();
    await host.settle(() => host.mappedCopies.length === 1 && host.workers.length === 0);
    const now = ['Rss', 'Anonymous'].map((kind) => host.pssKiB(host.child.pid, kind));
    if (now[0] < least[0]) least = now;
  }
  return least;
}

await reloadOften(wanted['warm-up']);
const before = await memory();
const descriptorsBefore = host.descriptors;
times.length = 0;
const cpuBefore = host.cpuMs;
const begin = performance.now();
await reloadOften(wanted.reloads);
const seconds = (performance.now() - begin) / 1000;
const cpu = host.cpuMs - cpuBefore;
const after = await memory();
const copies = host.mappedCopies.length;
// The worker in which the last version was tried ends beside the answer, and has three.
const patience = performance.now() + 2000;
while (host.descriptors > descriptorsBefore && performance.now() < patience) await sleep(10);
const descriptorsAfter = host.descriptors;
operator.close();
client.close();
const end = await host.stop();
for (const each of wrong.slice(0, 5)) console.error('wrong:', each);

const growth = after[0] - before[0];
report.row('reloads, a second', `${wanted.reloads}, ${(wanted.reloads / seconds).toFixed(0)}`);
report.row('p50 / p99 of one', p50AndP99(times));
report.row('processor time of the host for one', ms(cpu / wanted.reloads));
report.promise('reloads that failed or mapped nothing new, calls that failed', wrong.length, wrong.length === 0);
report.promise('copies mapped at the end', copies, copies === 1);
report.promise('descriptors before, after', `${descriptorsBefore}, ${descriptorsAfter}`,
  descriptorsAfter <= descriptorsBefore);
report.row('of it no pages of files', `${before[1]}, ${after[1]} KiB`);
report.promise('RSS before, after, growth', `${before[0]}, ${after[0]}, ${growth} KiB`, growth <= wanted['rss-kib']);
report.promise('the host ends with', end, end === 0);
components.discard();
process.exit(report.end());
