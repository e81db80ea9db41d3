// Replaces a plugin again and again while clients call it and others listen. No call may fail, no connection and no
// stream may close, both builds must answer, and memory must not creep.
//
// usage: reload_under_load.mjs BUILD_DIR [--replacements N] [--connections N] [--streams N] [--pause-ms N]
import { setTimeout as sleep } from 'node:timers/promises';

import { Client, Load, Stream, textOf } from './support/client.mjs';
import { Build, Components, Host } from './support/host.mjs';
import { p50AndP99, ratios, readArguments, Report } from './support/report.mjs';

const wanted = readArguments({ replacements: 200, connections: 16, streams: 16, 'pause-ms': 0 });
const build = new Build(wanted.build);
const report = new Report();

const rssAllowanceKiB = 4096;
const warmUp = Math.min(20, Math.floor(wanted.replacements / 2));
const steadyMs = Math.min(5000, 1000 + 5 * wanted.replacements);

const components = new Components('reload-under-load');
components.drop(build.plugin('replaced_one'), 'replaced.so');
const host = await Host.start(build, components);

const streams = Array.from({ length: wanted.streams }, () => new Stream(host.url));
await Promise.all(streams.map((stream) => stream.opened));

const answers = { one: 0, two: 0 };
const load = new Load(host.url, wanted.connections, async (client) => {
  const message = await client.call('build');
  const answer = textOf(message);
  if (!(answer in answers)) return JSON.stringify(message);
  ++answers[answer];
}, { pauseMs: wanted['pause-ms'] });

async function replace(begin, end) {
  for (let i = begin; i < end; ++i) {
    components.drop(build.plugin(i % 2 === 0 ? 'replaced_two' : 'replaced_one'), 'replaced.so');
    await host.untilCount('plugin replaced', i + 1);
  }
}

async function steadyTimes() {
  await sleep(300); // for whatever goes faster after a while
  load.takeTimes();
  await sleep(steadyMs / 2);
  return load.takeTimes();
}

const steady = await steadyTimes();
await replace(0, warmUp);
const rssBefore = host.rssKiB;
load.takeTimes();
const begin = performance.now();
await replace(warmUp, wanted.replacements);
const seconds = (performance.now() - begin) / 1000;
const reloading = load.takeTimes();
const rssAfter = host.rssKiB;
steady.push(...(await steadyTimes()));
await load.stop();
const streamsClosed = streams.filter(({ isClosed }) => isClosed).length;
for (const stream of streams) stream.close();
const end = await host.stop();

report.row('replacements, a second',
  `${wanted.replacements}, ${((wanted.replacements - warmUp) / seconds).toFixed(1)}`);
report.promise('calls, failed', `${load.calls}, ${load.wrong.length}`, load.wrong.length === 0);
report.promise('answered by one, by two', `${answers.one}, ${answers.two}`, answers.one > 0 && answers.two > 0);
report.promise('connections, closed', `${wanted.connections}, ${load.connectionsClosed}`, load.connectionsClosed === 0);
report.promise('streams, closed', `${wanted.streams}, ${streamsClosed}`, streamsClosed === 0);
report.row('p50 / p99 without reloads', p50AndP99(steady));
report.row('p50 / p99 with reloads', p50AndP99(reloading));
report.row('ratios', ratios(reloading, steady));
report.promise('RSS before, after', `${rssBefore}, ${rssAfter} KiB`, rssAfter - rssBefore <= rssAllowanceKiB);
report.promise('the host ends with', end, end === 0);
components.discard();
process.exit(report.end());
