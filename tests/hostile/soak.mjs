// What a day brings, for as long as is wanted: official clients of both eras come, call and go, half of the legacy ones
// without a word; streams open and close; one plugin is replaced and another one crashes. No call may fail, and what
// the host holds when all have gone must not grow: descriptors, threads, memory.
//
// usage: soak.mjs BUILD_DIR [--seconds N] [--rss-kib N]
// A tenth of that time goes first, to warm up. Memory is promised to grow by less than --rss-kib.
import { setTimeout as sleep } from 'node:timers/promises';

import { kinds } from '../integration/support/client_kinds.mjs';
import { ListListener } from './support/list_listener.mjs';
import { Build, Components, Host } from './support/host.mjs';
import { readArguments, Report } from './support/report.mjs';

const wanted = readArguments({ seconds: 60, 'rss-kib': 1024 });
const build = new Build(wanted.build);
const report = new Report();
const sessionIdleS = 3;
const kindOf = (name) => kinds.find((kind) => kind.name === name);
const [modern, legacy] = [kindOf('SDK v2, modern'), kindOf('SDK v1')];

const components = new Components('soak');
components.drop(build.plugin('named'), 'well.so');
components.drop(build.plugin('replaced_one'), 'replaced.so');
components.configure('dying', { restarts: { crashes: 0, firstDelayMs: 0, lastDelayMs: 0 } });
components.drop(build.fixture('dying'), 'dying.so');
const host = await Host.start(build, components, { options: ['--session-idle-s', sessionIdleS] });

const counts = { 'modern calls': 0, 'legacy calls': 0, sessions: 0, streams: 0, replacements: 0, crashes: 0 };
const errors = [];
let isRunning = false;

async function connect(kind) {
  const client = kind.create();
  await client.connect(kind.http(host.url));
  return client;
}

async function call(kind, client, name, text, answer) {
  const { content } = await client.callTool({ name, arguments: { text } });
  if (!answer.test(content[0].text)) throw new Error(`${name} answers ${JSON.stringify(content)}`);
  ++counts[kind];
}

async function callBoth(kind, client, text) {
  await call(kind, client, 'echo', text, new RegExp(`^${text}$`));
  await call(kind, client, 'build', text, new RegExp(`^(one|two) ${text}$`));
}

async function modernVisit() {
  const client = await connect(modern);
  for (let i = 0; i < 10; ++i) {
    await callBoth('modern calls', client, `modern-${counts['modern calls']}`);
    await sleep(10);
  }
  await client.close();
}

async function legacyVisit() {
  const client = await connect(legacy);
  const number = ++counts.sessions;
  for (let i = 0; i < 2; ++i) await callBoth('legacy calls', client, `legacy-${counts['legacy calls']}`);
  if (number % 2 === 0) await client.transport.terminateSession();
  await client.close();
  await sleep(10);
}

async function listen() {
  const listener = await ListListener[counts.streams % 2 === 0 ? 'modern' : 'legacy'](host.url);
  ++counts.streams;
  await sleep(Math.random() * 2000);
  if (listener.isClosed) throw new Error('a stream was closed');
  listener.close();
}

async function replace() {
  await sleep(2000);
  components.drop(build.plugin(counts.replacements % 2 === 0 ? 'replaced_two' : 'replaced_one'), 'replaced.so');
  await host.untilCount('plugin replaced', ++counts.replacements, { plugin: 'replaced' });
}

async function crash() {
  await sleep(5000);
  const client = await connect(modern);
  const end = await client.callTool({ name: 'die', arguments: { how: 'segmentation fault' } }).catch(String);
  if (!/^\w*Error: .*plugin dying: its process was killed by SIGSEGV/.test(end)) {
    throw new Error(`a crash is told as ${JSON.stringify(end)}`);
  }
  ++counts.crashes;
  await client.callTool({ name: 'pid', arguments: {} });
  await client.close();
}

async function again(what) {
  while (isRunning) {
    await what().catch((error) => {
      if (errors.push(error) <= 5) console.error('wrong:', error);
      return sleep(100);
    });
  }
}

// With the fewest descriptors and threads in a while: some belong to a restart or to a connection on its way out.
async function remains() {
  await sleep(1000 * (sessionIdleS + 2));
  let [descriptors, threads] = [Infinity, Infinity];
  for (let i = 0; i < 50; ++i) {
    descriptors = Math.min(descriptors, host.descriptors);
    threads = Math.min(threads, host.threads);
    await sleep(20);
  }
  return { descriptors, threads, rss: host.rssKiB, workers: host.workers.length };
}

const actors = [
  modernVisit, modernVisit, modernVisit, legacyVisit, legacyVisit, listen, listen, listen, replace, crash,
];

async function runFor(seconds) {
  isRunning = true;
  const ended = Promise.all(actors.map(again));
  await sleep(1000 * seconds);
  isRunning = false;
  await ended;
  return remains();
}

const before = await runFor(wanted.seconds / 10);
const after = await runFor(wanted.seconds);
const end = await host.stop();

const perHour = (figure) => (((after[figure] - before[figure]) * 3600) / wanted.seconds).toFixed(1);
for (const [what, count] of Object.entries(counts)) report.promise(what, count, count > 0);
report.promise('errors', errors.length, errors.length === 0);
for (const [figure, unit, allowance] of [
  ['descriptors', '', 0],
  ['threads', '', actors.length], // the host keeps as many as have once been blocked together
  ['workers', '', 0],
  ['rss', ' KiB', wanted['rss-kib']],
]) {
  report.promise(`${figure} before, after, growth an hour`,
    `${before[figure]}, ${after[figure]}${unit}, ${perHour(figure)}`,
    after[figure] - before[figure] <= allowance);
}
report.promise('the host ends with', end, end === 0);
components.discard();
process.exit(report.end());
