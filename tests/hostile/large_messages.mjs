// Ordinary clients send the largest messages that are legal, or ask for large answers, without pause. Another client
// must not notice more of it than of processes that only burn processor time.
//
// usage: large_messages.mjs BUILD_DIR [--seconds N] [--rounds N] [--clients N] [--p99-ratio N]
// Each round measures each kind of load for so many seconds, beside as many burning processes, too. A ratio of 0 is told
// and not promised.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { Build, Components, Host } from './support/host.mjs';
import { p50AndP99Of, ratioOf, readArguments, Report } from './support/report.mjs';
import { SteadyLoad } from './support/steady_load.mjs';

const wanted = readArguments({ seconds: 5, rounds: 3, clients: 4, 'p99-ratio': 3 });
const build = new Build(wanted.build);
const report = new Report();
const kinds = ['arrays', 'text', 'patterns', 'answers'];

const components = new Components('large-messages');
components.drop(build.plugin('replaced_one'), 'replaced.so');
components.drop(build.plugin('large'), 'large.so');
const host = await Host.start(build, components);
const load = await SteadyLoad.start(host.url, 'build', ['alone', 'burning', ...kinds], 1, { pauseMs: 2 });

async function measure(phase) {
  load.phase = phase;
  await sleep(1000 * wanted.seconds);
  load.phase = 'none';
}

async function besideBurning() {
  const burning = Array.from({ length: wanted.clients }, () => fork(new URL('support/burn.mjs', import.meta.url)));
  await Promise.all(burning.map((process) => once(process, 'message')));
  await measure('burning');
  for (const process of burning) process.kill();
}

async function beside(kind) {
  const clients = fork(new URL('support/heavy_clients.mjs', import.meta.url), [host.url.href, kind, wanted.clients]);
  await sleep(500);
  await measure(kind);
  clients.send('how many?');
  const [answers] = await Promise.race([once(clients, 'message'), once(clients, 'exit').then(() => [0])]);
  return answers;
}

const answers = Object.fromEntries(kinds.map((kind) => [kind, 0]));
for (let round = 0; round < wanted.rounds; ++round) {
  await measure('alone');
  await besideBurning();
  for (const kind of kinds) answers[kind] += await beside(kind);
}
const found = await load.stop();
const peak = host.peakRssKiB;
const end = await host.stop();

const { alone, burning } = load.times;
report.promise('calls, failed', `${found.sent}, ${found.wrong}`, found.wrong === 0);
report.row('p50 / p99 alone', p50AndP99Of(alone));
report.row(`p50 / p99 beside ${wanted.clients} burning processes`, p50AndP99Of(burning));
for (const kind of kinds) {
  const times = load.times[kind];
  const ratio = ratioOf(times, burning, 0.99);
  report.promise(`p50 / p99 beside ${kind}, ratio, answered`,
    `${p50AndP99Of(times)}, ${ratioOf(times, burning, 0.5).toFixed(2)} / ${ratio.toFixed(2)}, ${answers[kind]}`,
    answers[kind] > 0 && (wanted['p99-ratio'] === 0 || ratio <= wanted['p99-ratio']));
}
report.row('RSS at its peak', `${peak} KiB`);
report.promise('the host ends with', end, end === 0);
components.discard();
process.exit(report.end());
