// Plugins whose configuration says that their sandbox is strict and required, and everything that people, editors and
// deployments do to two files: write in place and in pieces, rename over, rename away and back, remove, link, break
// links, remove and write both in either order, in any order and at any pace, while the operator reloads and the host is
// killed and started again. No library must ever be loaded without its sandbox, and each must be served in the end.
//
// usage: configuration_races.mjs BUILD_DIR [--interleavings N] [--plugins N] [--seed N]
// So many interleavings in all, each of a few steps with one plugin, for so many plugins at once.
import {
  closeSync, existsSync, lstatSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync, writeSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { Client, listTools } from './support/client.mjs';
import { Build, Components, Host } from './support/host.mjs';
import { Operator } from './support/operator.mjs';
import { randomNumbers } from './support/random.mjs';
import { readArguments, Report } from './support/report.mjs';

const wanted = readArguments({ interleavings: 1000, plugins: 50, seed: 1 });
const build = new Build(wanted.build);
const report = new Report();
const patienceMs = 60_000 + 1000 * wanted.plugins; // a machine may be busy, and plugins are loaded one after the other

const components = new Components('configuration-races');
const escapes = path.join(components.base, 'escapes');
process.env.MCP_TEST_ESCAPES = escapes;
const escaped = () => (existsSync(escapes) ? readFileSync(escapes, 'utf8').trim().split('\n').length : 0);
const library = readFileSync(build.plugin('named'));

// Sleeps of every length that matters to the host: less than it waits for anything, about as long, and more.
const pauses = [[0, 0], [0, 10], [20, 60], [90, 130], [200, 400], [900, 1300], [1900, 2400]];

// One plugin in a folder of its own, with its configuration.
class Victim {
  constructor(number) {
    this.tool = `named_${number}`;
    this.folder = path.join(components.root, 'tools', this.tool);
    this.so = path.join(this.folder, 'named.so');
    this.json = path.join(this.folder, 'named.json');
    this.aside = path.join(components.base, this.tool);
    this.target = path.join(this.folder, 'settings', 'production.json');
    this.random = randomNumbers(wanted.seed * 1_000_003 + number);
    mkdirSync(path.dirname(this.target), { recursive: true });
  }

  // Another text each time, which all say the same.
  get text() {
    return JSON.stringify({ tool: this.tool, edition: ++this.#edition, sandbox: { profile: 'strict', required: true } });
  }
  #edition = 0;

  async pause() {
    const [least, most] = pauses[this.random(pauses.length)];
    await sleep(least + this.random(most - least + 1));
  }
  inPlace(file, bytes) {
    this.makeRoom(file);
    writeFileSync(file, bytes);
  }
  async inPieces(file, bytes) {
    this.makeRoom(file);
    const descriptor = openSync(file, 'w');
    const half = bytes.length >> 1;
    writeSync(descriptor, bytes.subarray(0, half));
    await this.pause();
    writeSync(descriptor, bytes.subarray(half));
    closeSync(descriptor);
  }
  over(file, bytes) {
    this.makeRoom(file);
    writeFileSync(`${this.aside}.next`, bytes);
    renameSync(`${this.aside}.next`, file);
  }
  // What is no file cannot be written, and what a link leads to is another file.
  makeRoom(file) {
    if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) this.clear(file);
  }
  clear(file) {
    rmSync(file, { recursive: true, force: true });
  }
  async away(file) {
    if (!existsSync(file)) return;
    renameSync(file, `${this.aside}.away`);
    await this.pause();
    this.clear(file);
    renameSync(`${this.aside}.away`, file);
  }
  link(to) {
    this.clear(this.json);
    symlinkSync(to, this.json);
  }

  steps = [
    () => this.clear(this.json),
    () => this.clear(this.json),
    () => this.inPlace(this.json, this.text),
    () => this.inPieces(this.json, Buffer.from(this.text)),
    () => this.over(this.json, this.text),
    () => this.away(this.json),
    () => this.link('nowhere.json'),
    () => { writeFileSync(this.target, this.text); this.link(this.target); },
    () => this.clear(this.target),
    () => { this.clear(this.json); mkdirSync(this.json); },
    () => this.inPlace(this.json, '{"tool": '),
    () => this.clear(this.so),
    () => this.over(this.so, library),
    () => this.inPlace(this.so, library),
    () => this.inPieces(this.so, library),
    () => this.away(this.so),
    () => this.away(this.folder),
    // As a version control system does: first one file, then the other.
    async () => {
      for (const file of [this.json, this.so]) this.clear(file);
      await this.pause();
      writeFileSync(this.so, library);
      await this.pause();
      writeFileSync(this.json, this.text);
    },
    async () => {
      for (const file of [this.so, this.json]) this.clear(file);
      await this.pause();
      writeFileSync(this.json, this.text);
      await this.pause();
      writeFileSync(this.so, library);
    },
    async () => { await ask('reload', this.tool); },
    async () => { await ask('reload', undefined); },
    async () => { await ask('disable', this.tool); await this.pause(); await ask('enable', this.tool); },
  ];

  async interleave() {
    for (let left = 3 + this.random(5); left > 0; --left) {
      await this.steps[this.random(this.steps.length)]();
      await this.pause();
    }
  }

  restore() {
    this.clear(this.target);
    this.over(this.json, this.text);
    this.over(this.so, library);
  }
}

let host = await Host.start(build, components);

// What comes of it is of no matter, and neither is a host that has just been killed.
async function ask(command, tool) {
  const file = tool && path.join(components.root, 'tools', tool, 'named.so');
  try {
    const operator = await Operator.connect(host);
    await operator.ask({ command, plugin: file });
    operator.close();
  } catch {
    // It is away.
  }
}

const whenToKill = randomNumbers(wanted.seed);
async function restart() {
  await sleep(whenToKill(2000));
  await host.kill();
  host = await Host.start(build, components);
}

// Waits until all of them are served.
async function untilServed(victims) {
  const client = new Client(host.url);
  const tools = victims.map(({ tool }) => tool);
  let missing = tools;
  for (const deadline = Date.now() + patienceMs; missing.length > 0 && Date.now() < deadline; await sleep(50)) {
    const listed = new Set(await listTools(client));
    missing = tools.filter((tool) => !listed.has(tool));
  }
  client.close();
  return missing;
}

const victims = Array.from({ length: wanted.plugins }, (_, number) => new Victim(number));
for (const victim of victims) victim.restore();
const notServed = await untilServed(victims);
report.promise('plugins that are not served at first', notServed.length, notServed.length === 0);

const counts = { interleavings: 0, restarts: 0, lost: 0 };
const loads = () => host.count('plugin loaded') + host.count('plugin replaced');
let [loaded, refused] = [0, 0];
for (let round = 1; counts.interleavings < wanted.interleavings; ++round) {
  const count = Math.min(wanted.plugins, wanted.interleavings - counts.interleavings);
  const restarts = round % 2 === 0;
  const before = { loaded: loads(), refused: host.count('plugin refused') };
  await Promise.all([...victims.slice(0, count).map((victim) => victim.interleave()), ...(restarts ? [restart()] : [])]);
  counts.interleavings += count;
  counts.restarts += restarts ? 1 : 0;
  for (const victim of victims) {
    await ask('enable', victim.tool);
    victim.restore();
  }
  const missing = await untilServed(victims);
  counts.lost += missing.length;
  for (const tool of missing) console.error(`not served after round ${round}: ${tool}`);
  loaded += loads() - (restarts ? 0 : before.loaded);
  refused += host.count('plugin refused') - (restarts ? 0 : before.refused);
}
const escapedInRaces = escaped();

// That an escape would be seen: the operator says that there is to be no sandbox.
victims[0].over(victims[0].json, JSON.stringify({ tool: 'free' }));
const free = await untilServed([{ tool: 'free' }]);
const escapedWhenFree = escaped() - escapedInRaces;
const end = await host.stop();

report.row('interleavings, with seed, kills of the host', `${counts.interleavings}, ${wanted.seed}, ${counts.restarts}`);
report.row('loads, refusals', `${loaded}, ${refused}`);
report.promise('loads without a sandbox', escapedInRaces, escapedInRaces === 0);
report.promise('plugins that are not served in the end', counts.lost, counts.lost === 0);
report.promise('loads without a sandbox when the configuration says so', escapedWhenFree,
  escapedWhenFree > 0 && free.length === 0);
report.promise('the host ends with', end, end === 0);
components.discard();
process.exit(report.end());
