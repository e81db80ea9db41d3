// Replaces a plugin again and again while clients call it and others listen. Every call must be answered once, by its
// own answer, and given to the plugin once; no connection and no stream may close, every stream must hear of each
// change, calls must not become slow, and memory must not creep.
//
// usage: reload_under_load.mjs BUILD_DIR [--replacements N] [--calls N] [--connections N] [--streams N] [--pause-ms N]
//        [--p99-ratio N] [--rss-kib N]
// The calls are those during the replacements, which are spread over them; half as many are made without. A ratio of 0
// is told and not promised.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { ListListener } from './support/list_listener.mjs';
import { Build, Components, Host } from './support/host.mjs';
import { p50AndP99Of, ratioOf, readArguments, Report } from './support/report.mjs';
import { SteadyLoad } from './support/steady_load.mjs';

const wanted = readArguments({
  replacements: 200, calls: 200_000, connections: 64, streams: 100, 'pause-ms': 0, 'p99-ratio': 1.5, 'rss-kib': 4096,
});
const build = new Build(wanted.build);
const report = new Report();

const warmUp = 20; // replacements, and thousands of calls
// With reloads and without by turns, because a machine is faster at one time than at another.
const rounds = Math.min(10, wanted.replacements);

const components = new Components('reload-under-load');
components.drop(build.plugin('replaced_one'), 'replaced.so');
const host = await Host.start(build, components);
const listeners = await Promise.all(Array.from({ length: wanted.streams }, (_, i) =>
  (i % 2 === 0 ? ListListener.modern(host.url) : ListListener.legacy(host.url))));
const load = await SteadyLoad.start(host.url, 'build', ['steady', 'reloading'], wanted.connections,
  { pauseMs: wanted['pause-ms'] });

let replacements = 0;
async function replace() {
  const next = replacements % 2 === 0 ? 'replaced_two' : 'replaced_one';
  components.drop(build.plugin(next), 'replaced.so');
  await host.untilCount('plugin replaced', ++replacements);
}

async function withoutReloads(calls) {
  await sleep(200); // for the version that has been replaced
  load.phase = 'steady';
  await load.until(load.calls + calls);
}

async function withReloads(count, calls) {
  load.phase = 'reloading';
  const before = load.calls;
  for (let i = 0; i < count; ++i) {
    await load.until(before + (calls * (i + 0.5)) / count);
    await replace();
  }
  await load.until(before + calls);
  load.phase = 'none';
  return load.calls - before;
}

for (let i = 0; i < warmUp; ++i) await replace();
await load.until(1000 * warmUp);
const rssBefore = host.rssKiB;
const callsBefore = load.calls;
const begin = performance.now();
let callsWithReloads = 0;
let secondsOfReloads = 0;
for (let round = 0; round < rounds; ++round) {
  const share = (whole) => Math.floor((whole * (round + 1)) / rounds) - Math.floor((whole * round) / rounds);
  await withoutReloads(share(wanted.calls / 4));
  const roundBegin = performance.now();
  callsWithReloads += await withReloads(share(wanted.replacements), share(wanted.calls));
  secondsOfReloads += (performance.now() - roundBegin) / 1000;
  await withoutReloads(share(wanted.calls / 4));
}
const seconds = (performance.now() - begin) / 1000;
const callsAfter = load.calls;
const rssAfter = host.rssKiB;
const found = await load.stop();
await host.settle(() => listeners.every(({ heard }) => heard >= replacements));
await sleep(100); // for what is told twice
const streamsClosed = listeners.filter(({ isClosed }) => isClosed).length;
const unheard = listeners.filter(({ heard }) => heard !== replacements).length;
for (const listener of listeners) listener.close();
const end = await host.stop();

// Each version has left the number of its calls.
const counts = readFileSync(`${components.data}/tools/replaced/calls`, 'utf8').trim().split('\n').map(Number);
const given = counts.reduce((sum, count) => sum + count, 0);
const { one = 0, two = 0 } = found.answeredBy;
const { steady, reloading } = load.times;
const ratio = ratioOf(reloading, steady, 0.99);
for (const example of found.examples) console.error('wrong answer:', example);

report.row('replacements, a second during them',
  `${replacements - warmUp}, ${((replacements - warmUp) / secondsOfReloads).toFixed(1)}`);
report.row('calls with reloads, without, a second',
  `${reloading.count}, ${steady.count}, ${((callsAfter - callsBefore) / seconds).toFixed(0)}`);
report.promise('calls in all, failed',
  `${found.sent}, ${found.wrong}`, found.wrong === 0 && callsWithReloads >= wanted.calls);
report.promise('answers, by one, by two', `${one + two}, ${one}, ${two}`,
  one + two === found.sent && one > 0 && two > 0);
report.promise('answers that nobody asked for', found.unasked, found.unasked === 0);
report.promise('calls that the plugin was given, of so many versions', `${given}, ${counts.length}`,
  given === found.sent && counts.length === replacements + 1);
report.promise('connections, closed', `${wanted.connections}, ${found.closed}`, found.closed === 0);
report.promise('streams, closed', `${wanted.streams}, ${streamsClosed}`, streamsClosed === 0);
report.promise('streams that did not hear of each replacement once', unheard, unheard === 0);
report.row('p50 / p99 without reloads', p50AndP99Of(steady));
report.row('p50 / p99 with reloads', p50AndP99Of(reloading));
report.promise('ratios', `${ratioOf(reloading, steady, 0.5).toFixed(2)} / ${ratio.toFixed(2)}`,
  wanted['p99-ratio'] === 0 || ratio <= wanted['p99-ratio']);
report.promise('RSS before, after', `${rssBefore}, ${rssAfter} KiB`, rssAfter - rssBefore <= wanted['rss-kib']);
report.promise('the host ends with', end, end === 0);
components.discard();
process.exit(report.end());
