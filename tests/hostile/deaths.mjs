// A plugin dies in every way again and again, others misbehave, and one that is well is called all the time. Its calls
// must not notice, every fatal call must say what happened, the next call must be served, and nothing may be left
// behind.
//
// usage: deaths.mjs BUILD_DIR [--deaths N] [--connections N] [--impatient N] [--pause-ms N]
import { setTimeout as sleep } from 'node:timers/promises';

import { Client, Load, textOf } from './support/client.mjs';
import { Build, Components, Host } from './support/host.mjs';
import { ms, p50AndP99, ratios, readArguments, Report } from './support/report.mjs';

const wanted = readArguments({ deaths: 100, connections: 8, impatient: 2, 'pause-ms': 2 });
const build = new Build(wanted.build);
const report = new Report();
const wrong = []; // what a promise was broken by

const rssAllowanceKiB = 4096;
const callTimeMs = 500;
const steadyMs = Math.min(5000, 1000 + 20 * wanted.deaths);

const killed = (name, words) => `was killed by SIG${name} (${words})`;
const quickDeaths = {
  'segmentation fault': `${killed('SEGV', 'Segmentation fault')} through a null pointer`,
  abort: killed('ABRT', 'Aborted'),
  exit: 'exited with status 3',
  'quick exit': 'exited with status 0',
  kill: 'was killed by SIGKILL, perhaps because memory ran out',
  'stack overflow': `${killed('SEGV', 'Segmentation fault')}, because its stack overflowed`,
  'exception on a thread': killed('ABRT', 'Aborted'),
  'out of memory': killed('ABRT', 'Aborted'),
  'close every descriptor':
    'lost its connection to the host; perhaps the plugin closed a descriptor that is not its own',
  'leave a child': killed('ABRT', 'Aborted'),
};
const fromOutside = 'kill from outside';
const ways = [...Object.keys(quickDeaths), fromOutside];
// Each takes its time, so that there are few of them.
const everyHundred = 100;
const everyFiveHundred = 500;

function note(what) {
  if (wrong.push(what) <= 5) console.error('wrong:', what);
}

const components = new Components('deaths');
components.drop(build.plugin('named'), 'well.so');
components.drop(build.plugin('careless'), 'careless.so');
components.configure('dying', {
  restarts: { crashes: 0, firstDelayMs: 0, lastDelayMs: 0 },
  limits: { callTimeMs },
});
components.drop(build.fixture('dying'), 'dying.so');
components.drop(build.fixture('stopping'), 'stopping.so');

const host = await Host.start(build, components);
const client = new Client(host.url);
const recoveries = [];
let pid = await pidOf(client);

async function pidOf(one) {
  const message = await one.call('pid');
  const found = message.result?.structuredContent?.result;
  if (!Number.isInteger(found)) throw new Error(`pid answers ${JSON.stringify(message)}`);
  return found;
}

// One death, and the first call after it.
async function die(way, tool, args, end, during = () => {}, when = [` while it served ${tool}`]) {
  const fatal = client.call(tool, args);
  await during();
  const { error } = await fatal;
  const failed = performance.now();
  const expected = when.map((each) => `plugin dying: its process ${end}${each}`);
  if (!expected.some((each) => error?.message?.startsWith(each)))
    note(`${way}: ${JSON.stringify(error)} instead of ${expected.join(' or ')}`);
  const next = await pidOf(client).catch((reason) => note(`after ${way}: ${reason.message}`));
  recoveries.push(performance.now() - failed);
  if (next === pid) note(`after ${way}: it has not died`);
  pid = next ?? pid;
}

function dieIn(way) {
  if (way !== fromOutside) return die(way, 'die', { how: way }, quickDeaths[way]);
  return die(way, 'sleep', { milliseconds: 60_000 }, quickDeaths.kill, async () => {
    await sleep(20);
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      note(`${way}: ${error.message}`); // it has died before
    }
  }, [' while it served sleep', ' before it was given the call']); // which is on its way for long on a busy machine
}

const overdue = `was killed, because die took longer than the ${callTimeMs / 1000} s that limits.callTimeMs allows and did not heed its cancellation`;
const loopForEver = () => die('endless loop', 'die', { how: 'endless loop' }, overdue, () => {}, ['']);

// None of these is a death.
async function misbehave() {
  const twice = await client.call('complete_twice');
  if (textOf(twice) !== 'once') note(`complete_twice: ${JSON.stringify(twice)}`);
  for (const tool of ['answer_no_json', 'answer_no_result']) {
    const { error } = await client.call(tool);
    if (!/careless/.test(error?.message) || !error.message.includes(tool)) note(`${tool}: ${JSON.stringify(error)}`);
  }
}

async function flood() {
  for (const tool of ['print_much', 'log_much', 'update_much', 'change_much']) {
    const message = await client.call(tool);
    if (textOf(message) !== 'once') note(`${tool}: ${JSON.stringify(message)}`);
  }
}

// The version that is replaced does not come back from its stop; nobody waits for it.
let hangs = 0;
async function hangInStop() {
  components.configure('stopping', { comes_back: false, number: ++hangs });
  await host.untilCount('plugin replaced', hangs, { plugin: 'stopping' });
  const message = await client.call('hello');
  if (textOf(message) !== 'hello') note(`hello: ${JSON.stringify(message)}`);
}

async function dieOften(begin, end) {
  for (let i = begin; i < end; ++i) {
    await dieIn(ways[i % ways.length]);
    if (i % ways.length === 0) await misbehave();
    if (i % everyHundred === everyHundred / 2) await loopForEver();
    if (i % everyHundred === everyHundred / 4) await flood();
    if (i % everyFiveHundred === 0) await hangInStop();
  }
}

// The one that is well.
const well = new Load(host.url, wanted.connections, async (one, i) => {
  const message = await one.call('echo', { text: `well ${i}` });
  if (textOf(message) !== `well ${i}`) return JSON.stringify(message);
}, { pauseMs: wanted['pause-ms'] });

// Callers of the one that dies: whatever happens to it, they hear which plugin it was.
const hit = /^plugin dying: its process .* (while it served pid|before it was given the call)/;
const missed = /^plugin dying did not get the call: /;
let alsoFailed = 0;
const impatient = new Load(host.url, wanted.impatient, async (one) => {
  const message = await one.call('pid');
  if (Number.isInteger(message.result?.structuredContent?.result)) return;
  ++alsoFailed;
  const why = message.error?.message;
  if (!hit.test(why) && !missed.test(why)) return JSON.stringify(message);
});

// A plugin that cannot be kept running costs the host next to nothing once it is given up.
async function crashLoop() {
  const doomed = new Components('crash-loop');
  doomed.configure('doomed', { dies: 'after start' });
  const loop = await Host.start(build, doomed);
  const before = loop.cpuMs;
  doomed.drop(build.plugin('doomed'), 'doomed.so');
  // It may also die before its start is known to have succeeded: then that version is refused.
  const over = () => loop.count('plugin quarantined') + loop.count('plugin refused') > 0;
  await sleep(5000);
  report.promise('crash loop: processor time of the host over 5 s',
    ms(loop.cpuMs - before), loop.cpuMs - before < 1000);
  await loop.settle(over, 60_000);
  report.promise('crash loop: crashes, then given up', `${loop.count('plugin crashed')}, ${over()}`, over());
  // Again and again: it dies at another moment each time.
  const drops = Math.ceil(wanted.deaths / 10);
  const taken = () => loop.count('plugin loaded') + loop.count('plugin replaced') + loop.count('plugin refused');
  for (let i = 0; i < drops; ++i) {
    const next = taken() + 1;
    if (i % 4 === 3) doomed.configure('doomed', { dies: i % 8 === 3 ? 'in start' : 'after start' });
    doomed.drop(build.plugin('doomed'), 'doomed.so');
    await loop.settle(() => taken() >= next, 60_000);
  }
  report.row('crash loop: drops of a plugin that dies when it starts', drops);
  report.promise('crash loop: zombies', loop.zombies, loop.zombies === 0);
  const end = await loop.stop();
  report.promise('crash loop: the host ends with', end, end === 0);
  doomed.discard();
}

const warmUp = Math.min(wanted.deaths, Math.max(2 * ways.length, Math.floor(wanted.deaths / 5)));
const steadyBefore = await well.timesWithin(steadyMs / 2);
await dieOften(0, warmUp);
const before = await host.remains(4);
well.takeTimes();
const begin = performance.now();
await dieOften(warmUp, wanted.deaths);
const seconds = (performance.now() - begin) / 1000;
const troubled = well.takeTimes();
const after = await host.remains(4);
const steady = steadyBefore.concat(await well.timesWithin(steadyMs / 2));
await Promise.all([well.stop(), impatient.stop()]);
client.close();
components.configure('stopping', { comes_back: true });
await host.untilCount('plugin replaced', hangs + 1, { plugin: 'stopping' });
const last = await host.settle(() => host.workers.length === 4, 60_000);
const end = await host.stop();

report.row('deaths, by ways', `${recoveries.length}, ${ways.length + 1}`);
report.promise('answers and errors that were not as promised', wrong.length, wrong.length === 0);
report.promise('calls of the plugin that is well, wrong',
  `${well.calls}, ${well.wrong.length}`, well.wrong.length === 0);
report.promise('connections of its clients closed', well.connectionsClosed, well.connectionsClosed === 0);
report.row('its p50 / p99 without deaths', p50AndP99(steady));
report.row('its p50 / p99 with deaths', p50AndP99(troubled));
report.row('ratios', ratios(troubled, steady));
report.promise('other calls of the dying plugin, failed with it, wrong',
  `${impatient.calls}, ${alsoFailed}, ${impatient.wrong.length}`, impatient.wrong.length === 0);
report.row('from the failed answer to the next good one, p50 / p99', p50AndP99(recoveries));
report.row('deaths a second', ((wanted.deaths - warmUp) / seconds).toFixed(1));
report.promise('versions that hung in stop, processes left',
  `${hangs}, ${host.workers.length}`, last && host.workers.length === 0);
report.promise('zombies before, after', `${before.zombies}, ${after.zombies}`, after.zombies === 0);
report.promise('descriptors before, after',
  `${before.descriptors}, ${after.descriptors}`, after.descriptors <= before.descriptors + 2);
report.promise('RSS before, after', `${before.rss}, ${after.rss} KiB`, after.rss - before.rss <= rssAllowanceKiB);
report.promise('the host ends with', end, end === 0);
components.discard();
await crashLoop();
process.exit(report.end());
