// Damaged libraries are renamed over those that are served, many at once, while clients call all of them. The host
// must not die, and where a damaged file is refused, the last good version must answer every call. A damaged file that
// can be loaded is served, as nobody can know better, and may answer anything until the good one is there again.
//
// usage: damaged_files.mjs BUILD_DIR [--files N] [--names N] [--connections N] [--constructors N] [--seed N]
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { damages } from './support/damages.mjs';
import { Client, Load, textOf } from './support/client.mjs';
import { Build, Components, Host } from './support/host.mjs';
import { p50AndP99, readArguments, Report } from './support/report.mjs';

const wanted = readArguments({ files: 160, names: 16, connections: 8, constructors: 1, seed: 1 });
const build = new Build(wanted.build);
const report = new Report();

// One that hangs while it is loaded keeps the others of its round waiting for as long.
const patienceMs = 10_000 * wanted.names + 30_000;

const good = readFileSync(build.plugin('named'));
const components = new Components('damaged-files');
const files = Array.from({ length: wanted.names }, (_, i) => ({
  name: `named_${i}`,
  so: `named_${i}.so`,
  isGood: true, // what is served, by all that the host has said
  calls: new Set(), // that are in flight
  wrong: [], // calls that have been answered wrongly, and nobody blamed for it
}));
for (const file of files) {
  components.configure(file.name, { tool: file.name });
  components.dropBytes(good, file.so);
}
const host = await Host.start(build, components);
await host.untilCount('plugin loaded', wanted.names);
const goodDigest = host.log.matching({ event: 'plugin loaded' })[0].digest;

const counts = { refused: 0, served: 0, unchanged: 0, wrongOfDamaged: 0, wrongOfGood: 0, crashed: 0 };
const answersOfGood = new Set();

const load = new Load(host.url, wanted.connections, async (client, i) => {
  const file = files[i % files.length];
  // A damaged version may keep a call for as long as it drains, when the good one is served again.
  const call = { mayBeOfDamaged: !file.isGood };
  file.calls.add(call);
  const message = await client.call(file.name, { text: `call ${i}` }).finally(() => file.calls.delete(call));
  if (textOf(message) !== `call ${i}` || message.result.isError) file.wrong.push(Object.assign(call, { message }));
  else answersOfGood.add(file.name);
}, { pauseMs: 1 });

// What the host says of this file once it has looked at what has been dropped.
const verdicts = new Set(['plugin refused', 'plugin replaced', 'plugin loaded']);
function verdictsOf(file, begin) {
  const path = components.file(file.so);
  return host.log.entries.slice(begin).filter((entry) => verdicts.has(entry.event) && entry.file === path);
}

function blame(file, what) {
  for (const { message, mayBeOfDamaged } of file.wrong.splice(0)) {
    ++counts[mayBeOfDamaged ? 'wrongOfDamaged' : 'wrongOfGood'];
    if (!mayBeOfDamaged) console.error(`wrong answer of a good version, after ${what}: ${JSON.stringify(message)}`);
  }
}

// Drops them all and waits until each has been judged. Where the log begins to speak of them.
async function drop(round) {
  const begin = host.log.entries.length;
  for (const { file, bytes } of round) components.dropBytes(bytes, file.so);
  const isOver = () => round.every(({ file }) => verdictsOf(file, begin).length > 0);
  if (!(await host.settle(isOver, patienceMs))) {
    const silent = round.filter(({ file }) => verdictsOf(file, begin).length === 0);
    report.promise('files of which the host says nothing', silent.map(({ what }) => what).join(', '), false);
  }
  return begin;
}

function judge({ file, what }, begin) {
  const loaded = verdictsOf(file, begin).filter(({ event }) => event !== 'plugin refused');
  file.isGood = loaded.every(({ digest }) => digest === goodDigest);
  if (loaded.length === 0) ++counts.refused;
  else if (file.isGood) ++counts.unchanged;
  else ++counts.served;
  if (!file.isGood) for (const call of [...file.calls, ...file.wrong]) call.mayBeOfDamaged = true;
  blame(file, what);
}

// After each round every file is good again, so that what comes of the next one is its own doing.
async function mend() {
  const damaged = files.filter((file) => !file.isGood);
  await drop(damaged.map((file) => ({ file, bytes: good, what: 'the good file' })));
  for (const file of damaged) file.isGood = true;
}

async function round(variants) {
  const dropped = variants.map((variant, i) => ({ ...variant, file: files[i] }));
  for (const file of files) blame(file, 'the good file');
  const begin = await drop(dropped);
  await sleep(20); // for calls that are on their way
  for (const each of dropped) judge(each, begin);
  await mend();
}

const remains = () => ({ descriptors: host.descriptors, rss: host.rssKiB });
await sleep(500);
const before = remains();
const begin = performance.now();
const damage = damages(good, wanted.seed);
for (let done = 0; done < wanted.files; done += files.length) {
  await round(Array.from({ length: Math.min(files.length, wanted.files - done) }, () => damage.next().value));
}
for (let i = 0; i < wanted.constructors; ++i) {
  const constructors = ['crashes', 'exits', 'hangs'].map((what) => `constructor_${what}`);
  await round(constructors.map((name) => ({ what: name, bytes: readFileSync(build.plugin(name)) })));
}
const seconds = (performance.now() - begin) / 1000;

await drop(files.map((file) => ({ file, bytes: good, what: 'the good file at the end' })));
const client = new Client(host.url);
let served = 0;
for (const { name } of files) {
  if (textOf(await client.call(name, { text: name })) === name) ++served;
}
client.close();
const times = load.takeTimes();
await load.stop();
for (const file of files) blame(file, 'the good file at the end');
const isQuiet = await host.settle(() => host.workers.length === files.length && host.zombies === 0);
const after = remains();
counts.crashed = host.count('plugin crashed');
const end = await host.stop();

const dropped = wanted.files + 3 * wanted.constructors;
report.row('files dropped, of them refused, served, unharmed',
  `${dropped}, ${counts.refused}, ${counts.served}, ${counts.unchanged}`);
report.row('files judged a second', (dropped / seconds).toFixed(1));
report.row('calls, p50 / p99', `${load.calls}, ${p50AndP99(times)}`);
report.promise('wrong answers of good versions',
  counts.wrongOfGood, counts.wrongOfGood === 0 && answersOfGood.size === files.length);
report.promise('calls without an answer', load.wrong.length, load.wrong.length === 0);
report.promise('connections of clients closed', load.connectionsClosed, load.connectionsClosed === 0);
report.row('wrong answers of damaged versions that were served', counts.wrongOfDamaged);
report.row('crashes of such versions', counts.crashed);
report.promise('good files served at the end', `${served} of ${files.length}`, served === files.length);
report.promise('workers and zombies are as they were', isQuiet, isQuiet);
report.promise('descriptors before, after',
  `${before.descriptors}, ${after.descriptors}`, after.descriptors <= before.descriptors + 2);
report.row('RSS before, after', `${before.rss}, ${after.rss} KiB`);
report.promise('the host ends with', end, end === 0);
components.discard();
process.exit(report.end());
