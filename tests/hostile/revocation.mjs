// Tokens are revoked while their owner calls and listens: the next request must be refused within 250 ms, and what is
// open must end within a second. And clients of an issuer go on with one token after the other, as they do when they refresh
// them: no session may be lost by that, and no stream may end before its token does.
//
// usage: revocation.mjs BUILD_DIR [--revocations N] [--refreshes N] [--sessions N] [--expiries N] [--refused-ms N]
//   [--within-ms N]
// So many refreshes in all, of so many sessions with a stream each; and so many sessions whose token expires. How soon a
// token is refused, and that a stream has ended, is measured to where this process hears of it, which a busy machine
// delays.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { newestLegacy, post, request, Session } from '../integration/support/http.mjs';
import { ask } from '../integration/support/node_http.mjs';
import { Build, Components, Host } from './support/host.mjs';
import { ListListener } from './support/list_listener.mjs';
import { ms, p50AndP99, readArguments, Report } from './support/report.mjs';
import { bearer, expiryMsOf, Issuer, TokenCommand } from './support/team.mjs';

const wanted = readArguments({
  revocations: 200, refreshes: 1000, sessions: 10, expiries: 10, 'refused-ms': 250, 'within-ms': 1000,
});
const build = new Build(wanted.build);
const report = new Report();
const patienceMs = 60_000;

const components = new Components('revocation');
components.drop(build.plugin('named'), 'named.so');
const issuer = new Issuer('https://issuer.example', 'https://mcp.example/mcp');
const file = path.join(components.base, 'team.toml');
writeFileSync(path.join(components.base, 'keys.json'), issuer.keys);
writeFileSync(file, `[server]
url = "https://mcp.example"
[tokens]
file = "tokens.json"
[issuers.company]
issuer = "${issuer.url}"
jwks_file = "keys.json"
leeway_s = 0
[roles.user]
issuers = ["company"]
allow = ["*"]
`);
const host = await Host.start(build, components, { options: ['--config', file] });
const tokens = new TokenCommand(build, file);

const statusWith = async (token) => (await ask(host.url, 'tools/list', {}, { headers: bearer(token) })).status;

// The moment at which it holds.
async function momentWhen(holds, what) {
  for (const deadline = performance.now() + patienceMs; ; await sleep(1)) {
    if (await holds()) return performance.now();
    if (performance.now() > deadline) throw new Error(`${what} after ${patienceMs} ms`);
  }
}

const times = { refused: [], refusedSinceBegin: [], ended: [] };

async function revoke(name) {
  const token = await tokens.create(name, 'user');
  await momentWhen(async () => (await statusWith(token)) === 200, 'a new token is not known');
  const kinds = [ListListener.modern, ListListener.legacy];
  const streams = await Promise.all(kinds.map((open) => open(host.url, bearer(token))));
  const begin = performance.now();
  const revoked = tokens.revoke(name).then(() => performance.now());
  const refused = momentWhen(async () => (await statusWith(token)) === 401, 'a revoked token is taken');
  const ended = momentWhen(() => streams.every(({ isClosed }) => isClosed), 'a stream of a revoked token is open');
  const [end, ...moments] = await Promise.all([revoked, refused, ended]);
  times.refusedSinceBegin.push(moments[0] - begin);
  times.refused.push(Math.max(0, moments[0] - end));
  times.ended.push(Math.max(0, moments[1] - end));
}
for (let i = 0; i < wanted.revocations; ++i) await revoke(`user-${i}`);

// Sessions with a stream each, which is opened with the first token of all.
const sessions = await Promise.all(Array.from({ length: wanted.sessions }, async (_, number) => {
  const session = await Session.open(host.url, newestLegacy, bearer(issuer.token(`user-${number}`)));
  return { number, session, stream: await ListListener.ofSession(session) };
}));
const refreshed = { good: 0, lost: 0 };

async function refresh({ number, session }) {
  const headers = { ...session.headers, ...bearer(issuer.token(`user-${number}`)) };
  const response = await post(host.url, request('tools/list'), headers);
  const { result } = await response.json();
  ++refreshed[response.status === 200 && result.tools.length > 0 ? 'good' : 'lost'];
}
const each = wanted.refreshes / wanted.sessions;
await Promise.all(sessions.map(async (one) => {
  for (let i = 0; i < each; ++i) await refresh(one);
}));
// They have not only stayed open.
components.drop(build.plugin('replaced_one'), 'replaced.so');
await momentWhen(() => sessions.every(({ stream }) => stream.heard > 0 || stream.isClosed), 'a stream hears nothing')
  .catch((error) => console.error(error.message));
const deaf = sessions.filter(({ stream }) => stream.isClosed || stream.heard === 0).length;

// A token expires: its stream ends, and the session goes on with the next one.
const expired = { lost: 0, late: [] };
await Promise.all(Array.from({ length: wanted.expiries }, async (_, number) => {
  const subject = `expiring-${number}`;
  const token = issuer.token(subject, 10);
  const session = await Session.open(host.url, newestLegacy, bearer(token));
  const stream = await ListListener.ofSession(session);
  await momentWhen(() => stream.isClosed, 'the stream of an expired token is open');
  expired.late.push(Date.now() - expiryMsOf(token));
  const headers = { ...session.headers, ...bearer(issuer.token(subject)) };
  if ((await post(host.url, request('ping'), headers)).status !== 200) ++expired.lost;
}));

for (const { stream } of sessions) stream.close();
const status = await host.stop();
components.discard();

const most = (list) => Math.max(...list);
const shown = (list) => `${p50AndP99(list)}, at most ${ms(most(list))}`;
const refreshes = refreshed.good + refreshed.lost;
report.row('revocations, refreshes, expiries', `${wanted.revocations}, ${refreshes}, ${wanted.expiries}`);
report.promise('refused after the command, p50 / p99', shown(times.refused), most(times.refused) <= wanted['refused-ms']);
report.row('later than that', times.refused.filter((time) => time > wanted['refused-ms']).length);
report.row('since the command began', shown(times.refusedSinceBegin));
report.promise('streams ended after the command, p50 / p99', shown(times.ended), most(times.ended) <= wanted['within-ms']);
report.promise('sessions lost by a refresh', refreshed.lost, refreshed.lost === 0 && refreshed.good > 0);
report.promise('streams lost by a refresh', deaf, deaf === 0);
report.promise('sessions lost by an expiry', expired.lost, expired.lost === 0);
report.promise('streams ended after the expiry, p50 / p99', shown(expired.late),
  most(expired.late) <= wanted['within-ms'] && Math.min(...expired.late) >= 0);
report.promise('status at the end', status, status === 0);
process.exit(report.end());
