// Two servers elsewhere, a program and one at a URL, are killed again and again while they are called, beside a plugin of
// the host's own. Only their calls may fail, each with the name of its server; they must be back within a second of
// their return, or as long as is given; the host's own plugin must not notice; and nothing may be left behind. The
// servers are hosts, too.
//
// usage: upstream_deaths.mjs BUILD_DIR [--deaths N] [--connections N] [--callers N] [--pause-ms N] [--away-ms N]
//   [--p99-ratio N] [--within-ms N]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { freePort } from '../integration/support/free_port.mjs';
import { LogLines } from '../integration/support/log_lines.mjs';
import { Client, Load, textOf } from './support/client.mjs';
import { Build, Components, Host } from './support/host.mjs';
import { ms, p50AndP99, percentile, ratios, readArguments, Report } from './support/report.mjs';

const wanted = readArguments({
  deaths: 1000, connections: 8, callers: 4, 'pause-ms': 5, 'away-ms': 1500, 'p99-ratio': 1.2, 'within-ms': 1000,
});
const build = new Build(wanted.build);
const report = new Report();
const wrong = []; // what a promise was broken by
const rssAllowanceKiB = 4096;
const backMs = wanted['within-ms'];
const everyAtUrl = 10; // of the deaths, one is of the server at the URL
const steadyMs = Math.min(5000, 1000 + 20 * wanted.deaths);

function note(what) {
  if (wrong.push(what) <= 5) console.error('wrong:', what);
}

const behind = new Components('behind');
behind.drop(build.plugin('named'), 'named.so');
const port = await freePort();
const own = ['--components', behind.root, '--data', behind.data, '--isolation', 'in-process', '--log-format', 'json'];

// The server at the URL, which is always at the same port.
let remoteProcess;
process.on('exit', () => remoteProcess?.kill('SIGKILL'));
class Remote {
  static async start() {
    const child = spawn(build.host, ['serve', ...own, '--listen', `127.0.0.1:${port}`],
      { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, XDG_RUNTIME_DIR: behind.run } });
    remoteProcess = child;
    const { url } = await new LogLines(child.stderr).until({ event: 'serving' }, { patienceMs: 30_000 });
    return new Remote(child, url);
  }

  constructor(child, url) {
    this.child = child;
    this.url = url;
  }

  async kill() {
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
    this.child.stderr.destroy();
  }
}

let remote = await Remote.start();
const components = new Components('upstream-deaths');
components.drop(build.plugin('named'), 'well.so');
const forEver = { crashes: 0, firstDelayMs: 0, lastDelayMs: 0 };
components.dropBytes(JSON.stringify({ command: path.resolve(build.host), args: ['stdio', ...own], prefix: 'program_', restarts: forEver }),
  'program.mcp.json');
components.dropBytes(JSON.stringify({ url: remote.url, prefix: 'remote_' }), 'remote.mcp.json');
const host = await Host.start(build, components);
for (const plugin of ['program', 'remote']) await host.untilCount('upstream connected', 1, { plugin });

const well = new Load(host.url, wanted.connections, async (one, i) => {
  const message = await one.call('echo', { text: `well ${i}` });
  if (textOf(message) !== `well ${i}`) return JSON.stringify(message);
}, { pauseMs: wanted['pause-ms'] });

// Whatever happens to the server, its callers hear which it was.
const failed = { program: 0, remote: 0 };
const callers = ['program', 'remote'].map((name) => new Load(host.url, wanted.callers, async (one, i) => {
  const message = await one.call(`${name}_echo`, { text: `call ${i}` });
  if (textOf(message) === `call ${i}`) return;
  const why = message.error?.message ?? textOf(message) ?? '';
  ++failed[name];
  // One that does not answer is asked again after a moment, as people do.
  if (why.startsWith(`plugin ${name}`)) return void await sleep(20);
  return JSON.stringify(message);
}, { pauseMs: wanted['pause-ms'] }));

const client = new Client(host.url);
const recoveries = { program: [], remote: [] };
async function untilBack(name, from) {
  for (const deadline = from + 60_000; ; await sleep(2)) {
    if (textOf(await client.call(`${name}_echo`, { text: 'back' })) === 'back') break;
    if (performance.now() > deadline) return note(`${name} is not back`);
  }
  recoveries[name].push(performance.now() - from);
}

const programs = () => host.log.entries.filter(({ event, plugin }) => event === 'upstream connected' && plugin === 'program');
async function killProgram() {
  const { pid } = programs().at(-1);
  const before = programs().length;
  process.kill(pid, 'SIGKILL');
  const from = performance.now();
  await host.untilCount('upstream connected', before + 1, { plugin: 'program' });
  await untilBack('program', from);
}

async function killRemote() {
  await remote.kill();
  await sleep(wanted['away-ms']);
  remote = await Remote.start();
  await untilBack('remote', performance.now());
}

async function dieOften(begin, end) {
  for (let i = begin; i < end; ++i) {
    await (i % everyAtUrl === everyAtUrl - 1 ? killRemote() : killProgram());
    await sleep(10); // for calls that are under way when it dies next
  }
}

const warmUp = Math.floor(Math.min(wanted.deaths / 2, Math.max(20, wanted.deaths / 5)));
const steadyBefore = await well.timesWithin(steadyMs / 2);
await dieOften(0, warmUp);
const before = await host.remains(1);
const deathsSoFar = () => recoveries.program.length + recoveries.remote.length;
const warmUpDeaths = deathsSoFar();
well.takeTimes();
const begin = performance.now();
await dieOften(warmUp, wanted.deaths);
const seconds = (performance.now() - begin) / 1000;
const troubled = well.takeTimes();
const after = await host.remains(1);
const steady = steadyBefore.concat(await well.timesWithin(steadyMs / 2));
await Promise.all([well, ...callers].map((load) => load.stop()));
client.close();
const end = await host.stop();
await remote.kill();

report.row('deaths of the program, of the server at the URL', `${recoveries.program.length}, ${recoveries.remote.length}`);
const measured = deathsSoFar() - warmUpDeaths;
report.promise('deaths that were measured', measured, measured === wanted.deaths - warmUp && measured > 0);
report.promise('what was not as promised', wrong.length, wrong.length === 0);
report.promise("calls of the host's own plugin, wrong", `${well.calls}, ${well.wrong.length}`, well.wrong.length === 0);
report.row('its p50 / p99 without deaths', p50AndP99(steady));
report.row('its p50 / p99 with deaths', p50AndP99(troubled));
const ratio = percentile(troubled, 0.99) / percentile(steady, 0.99);
report.promise('ratios', ratios(troubled, steady), wanted['p99-ratio'] === 0 || ratio <= wanted['p99-ratio']);
callers.forEach((load, i) => {
  const name = ['program', 'remote'][i];
  report.promise(`other calls of the ${name}, failed with its name, wrong`,
    `${load.calls}, ${failed[name]}, ${load.wrong.length}`, load.wrong.length === 0);
});
report.promise('a killed program serves again within, p50 / p99', p50AndP99(recoveries.program),
  percentile(recoveries.program, 1) <= backMs);
report.promise('a server at a URL after its return, p50 / p99', p50AndP99(recoveries.remote),
  percentile(recoveries.remote, 1) <= backMs);
report.row('deaths a second', ((wanted.deaths - warmUp) / seconds).toFixed(1));
report.row('longest return', ms(Math.max(...recoveries.program, ...recoveries.remote)));
report.promise('zombies before, after', `${before.zombies}, ${after.zombies}`, after.zombies === 0);
report.promise('descriptors before, after',
  `${before.descriptors}, ${after.descriptors}`, after.descriptors <= before.descriptors + 2);
report.promise('RSS before, after', `${before.rss}, ${after.rss} KiB`, after.rss - before.rss <= rssAllowanceKiB);
report.promise('the host ends with', end, end === 0);
components.discard();
behind.discard();
process.exit(report.end());
