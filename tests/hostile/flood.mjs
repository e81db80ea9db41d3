// One principal asks a hundred times as often as he may, and then somebody sends tokens that are none, as many as the
// machine can. What is admitted must be what the limits say, and the other principals, who keep to theirs, must not
// notice.
//
// usage: flood.mjs BUILD_DIR [--seconds N] [--rounds N] [--principals N] [--limit N] [--bad-tokens N]
//                  [--p99-ratio N] [--bad-p99-ratio N]
// Each round measures so many seconds without a flood and with each of the two. The limit is in requests a second, and so
// are the bad tokens. Who floods is a process of its own, which takes processor time, too. A ratio of 0 is told and not
// promised.
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { Build, Components, Host } from './support/host.mjs';
import { p50AndP99Of, ratioOf, readArguments, Report } from './support/report.mjs';
import { SteadyLoad } from './support/steady_load.mjs';

const wanted = readArguments({
  seconds: 5, rounds: 5, principals: 8, limit: 10, 'bad-tokens': 20_000, 'p99-ratio': 1.2, 'bad-p99-ratio': 2,
});
const build = new Build(wanted.build);
const report = new Report();

const components = new Components('flood');
components.drop(build.plugin('replaced_one'), 'replaced.so');
const file = path.join(components.base, 'team.toml');
writeFileSync(file, `[tokens]\nfile = "tokens.json"\n[roles.user]\nallow = ["*"]\n` +
  `[limits.per_principal]\nrate = "${wanted.limit}/s"\n[limits.failures]\nrate = "${wanted.limit}/s"\n`);
const tokens = Array.from({ length: wanted.principals + 1 }, (_, i) =>
  execFileSync(build.host, ['token', 'create', `user-${i}`, '--role', 'user', '--config', file], { encoding: 'utf8' })
    .trimEnd().split('\n').at(-1));
const host = await Host.start(build, components, { options: ['--config', file] });

// Somewhat less than the limit, one connection each.
const pauseMs = Math.ceil(1200 / wanted.limit);
const authorizations = tokens.slice(1).map((token) => ({ Authorization: `Bearer ${token}` }));
const load = await SteadyLoad.start(host.url, 'build', ['alone', 'flooded', 'badTokens'], wanted.principals,
  { pauseMs, legacySessions: 0, headersOf: authorizations });

async function measure(phase) {
  await sleep(200);
  load.phase = phase;
  await sleep(1000 * wanted.seconds);
  load.phase = 'none';
}

// Returns the count of answers by their status, and for how many seconds they came.
async function beside(phase, what) {
  const flood = fork(new URL('support/flood_client.mjs', import.meta.url), [JSON.stringify({ url: host.url, ...what })]);
  await once(flood, 'message');
  const before = host.cpuMs;
  await measure(phase);
  flood.send('stop');
  const [counted] = await once(flood, 'message');
  flood.disconnect();
  cpuMs[phase] += host.cpuMs - before;
  return counted;
}

// A bucket may have been full, and one more is on its way at either end.
const mostAdmitted = ({ seconds }) => wanted.limit * (1 + seconds) + 2;
const cpuMs = { flooded: 0, badTokens: 0 };
const sums = { flooded: {}, badTokens: {} };
let exceeded = 0;
for (let round = 0; round < wanted.rounds; ++round) {
  await measure('alone');
  const flooded = await beside('flooded', { token: tokens[0], rate: 100 * wanted.limit });
  const bad = await beside('badTokens', { localAddress: '127.0.0.2', rate: wanted['bad-tokens'] });
  if ((flooded.statuses[200] ?? 0) > mostAdmitted(flooded)) ++exceeded;
  if ((bad.statuses[401] ?? 0) > mostAdmitted(bad)) ++exceeded;
  for (const [phase, { statuses, seconds }] of Object.entries({ flooded, badTokens: bad })) {
    for (const [status, count] of Object.entries({ ...statuses, seconds }))
      sums[phase][status] = (sums[phase][status] ?? 0) + count;
  }
}
const found = await load.stop();

const words = ({ seconds, ...statuses }) =>
  Object.entries(statuses).map(([status, count]) => `${status}: ${(count / seconds).toFixed(1)}/s`).join(', ');
report.row('calls of the others', found.sent);
report.promise('answered wrongly', `${found.wrong} ${found.examples.join('; ')}`, found.wrong === 0);
report.promise('flood of one principal', words(sums.flooded),
  sums.flooded[429] > 0 && Object.keys(sums.flooded).every((key) => ['200', '429', 'seconds'].includes(key)));
report.promise('flood of bad tokens', words(sums.badTokens),
  sums.badTokens[429] > 0 && Object.keys(sums.badTokens).every((key) => ['401', '429', 'seconds'].includes(key)));
const refused = sums.badTokens[401] + sums.badTokens[429];
report.row('processor time of the host for a bad token, with all else', `${((1000 * cpuMs.badTokens) / refused).toFixed(1)} us`);
report.promise('rounds in which more was admitted than may be', exceeded, exceeded === 0);
report.row('p50 / p99 of the others, without a flood', p50AndP99Of(load.times.alone));
for (const [phase, what, promised] of [
  ['flooded', 'beside one principal', wanted['p99-ratio']],
  ['badTokens', 'beside bad tokens', wanted['bad-p99-ratio']],
]) {
  const ratio = ratioOf(load.times[phase], load.times.alone, 0.99);
  report.row(`p50 / p99 ${what}`, p50AndP99Of(load.times[phase]));
  report.promise(`p99 ${what}, as a ratio`, ratio.toFixed(2), promised === 0 || ratio <= promised);
}
const status = await host.stop();
report.promise('status of the host at its end', status, status === 0);
components.discard();
process.exit(report.end());
