// The configuration of a host is changed again and again, roles, limits and virtual servers, by writing the file in
// place and by renaming another one over it, while clients call on connections that they keep and listen on streams. No
// call may fail, no connection may be closed, no stream may end, and each change must count within a second.
//
// usage: configuration_changes.mjs BUILD_DIR [--changes N] [--connections N] [--streams N] [--within-ms N]
// So many streams of a principal whose tools change each time, and as many of one who notices nothing of it. On a busy
// machine a change may have longer than a second.
import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { ask } from '../integration/support/node_http.mjs';
import { Build, Components, Host } from './support/host.mjs';
import { ListListener } from './support/list_listener.mjs';
import { ms, p50AndP99, p50AndP99Of, readArguments, Report } from './support/report.mjs';
import { SteadyLoad } from './support/steady_load.mjs';
import { bearer, TokenCommand } from './support/team.mjs';

const wanted = readArguments({ changes: 1000, connections: 16, streams: 8, 'within-ms': 1000 });
const build = new Build(wanted.build);
const report = new Report();
const patienceMs = 60_000;

const components = new Components('configuration-changes');
components.drop(build.plugin('replaced_one'), 'replaced.so');
components.drop(build.plugin('named'), 'named.so');
const file = path.join(components.base, 'team.toml');

// Every second one lets guests see what they have not seen before. Another text each time.
const seen = (change) => change % 2 === 1;
function configuration(change) {
  return `[tokens]
file = "tokens.json"
[roles.user]
allow = ["tool:build", "prompt:made-up-${change}"]
[roles.guest]
allow = ["tool:build"${seen(change) ? ', "tool:*"' : ''}]
[servers.part]
allow = ["tool:build", "prompt:made-up-${change}"]
[limits.per_principal]
rate = "${900_000 - change}/s"
concurrent = ${1000 + change}
[limits.component.build]
match = "tool:build"
rate = "${800_000 - change}/s"
`;
}

function change(number) {
  const isInPlace = number % 4 < 2;
  const target = isInPlace ? file : `${file}.next`;
  writeFileSync(target, configuration(number));
  if (!isInPlace) renameSync(target, file);
}

change(0);
const tokens = new TokenCommand(build, file);
const [user, guest] = [await tokens.create('ada', 'user'), await tokens.create('bob', 'guest')].map(bearer);
const host = await Host.start(build, components, { options: ['--config', file] });
const toolsOf = async (headers) => {
  const { status, json } = await ask(host.url, 'tools/list', {}, { headers });
  return status === 200 ? json.result.tools.length : NaN;
};
const few = await toolsOf(guest);

const load = await SteadyLoad.start(host.url, 'build', ['calm', 'changing'], wanted.connections, {
  headersOf: Array.from({ length: wanted.connections }, () => user), sessionHeaders: user,
});
const streamsOf = (headers) => Promise.all(Array.from({ length: wanted.streams }, (_, i) =>
  i % 2 === 0 ? ListListener.modern(host.url, headers) : ListListener.legacy(host.url, headers)));
const [told, untold] = [await streamsOf(guest), await streamsOf(user)];

load.phase = 'calm';
await sleep(1000);
load.phase = 'changing';
const times = [];
let heardBefore;
for (let number = 1; number <= wanted.changes; ++number) {
  heardBefore = told.map(({ heard }) => heard);
  const began = performance.now();
  change(number);
  while ((await toolsOf(guest) > few) !== seen(number)) {
    if (performance.now() - began > patienceMs) throw new Error(`change ${number} never counts`);
    await sleep(1);
  }
  times.push(performance.now() - began);
}
load.phase = 'none';
const heardOfLast = await host.settle(() => told.every(({ heard }, i) => heard > heardBefore[i]), patienceMs);
const found = await load.stop();
const closed = [...told, ...untold].filter(({ isClosed }) => isClosed).length;
const wronglyTold = untold.filter(({ heard }) => heard > 0).length;
const leastHeard = Math.min(...told.map(({ heard }) => heard));
const refused = host.count('configuration not taken');
for (const stream of [...told, ...untold]) stream.close();
const status = await host.stop();
components.discard();

report.row('changes, calls', `${wanted.changes}, ${found.sent}`);
report.promise('calls that failed', `${found.wrong} ${found.examples.join('; ')}`, found.wrong === 0 && found.sent > 0);
report.promise('connections closed, streams ended', `${found.closed}, ${closed}`, found.closed + closed === 0);
report.promise('streams of whom nothing changed that were told', wronglyTold, wronglyTold === 0);
report.promise('notices that a stream has got, at least', `${leastHeard}, one of the last change`, heardOfLast);
// Half of a file is none, and the whole of it follows.
report.row('texts that were not taken', refused);
const longest = Math.max(...times);
report.promise('until a change counts, p50 / p99', `${p50AndP99(times)}, at most ${ms(longest)}`, longest <= wanted['within-ms']);
report.row('p50 / p99 of calls, while nothing changes', p50AndP99Of(load.times.calm));
report.row('p50 / p99 of calls, while it does', p50AndP99Of(load.times.changing));
report.promise('status at the end', status, status === 0);
process.exit(report.end());
