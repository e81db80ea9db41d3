// The components folder on every kind of file system that people put one on, and renamed, recreated and mounted over
// while it is watched: what is done to it must be served soon. It mounts in a namespace of its own, so that nothing
// is left behind.
//
// usage: watched_folders.mjs BUILD_DIR [--within-ms N]
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { Client, textOf } from './support/client.mjs';
import { Build, Components, Host } from './support/host.mjs';
import { ms, readArguments, Report } from './support/report.mjs';

const wanted = readArguments({ 'within-ms': 3000 });
const skipped = 77;

if (!process.env.MOUNTS_ARE_ITS_OWN) {
  const namespace = ['--mount', ...(process.getuid() === 0 ? [] : ['--map-root-user'])];
  if (spawnSync('unshare', [...namespace, 'mount', '-t', 'tmpfs', 'none', '/mnt']).status !== 0) {
    console.log('skipped: this user may not mount, not even in a namespace of its own (unshare --mount)');
    process.exit(skipped);
  }
  const { status } = spawnSync('unshare', [...namespace, process.execPath, ...process.argv.slice(1)], {
    stdio: 'inherit',
    env: { ...process.env, MOUNTS_ARE_ITS_OWN: '1' },
  });
  process.exit(status ?? 1);
}

const build = new Build(wanted.build);
const report = new Report();
const one = build.plugin('replaced_one');
const two = build.plugin('replaced_two');
const run = (program, ...args) => execFileSync(program, args);

// Watches a folder, and tells what is served of it.
class Watched {
  static async start(place, components) {
    return new Watched(place, components, await Host.start(build, components));
  }

  constructor(place, components, host) {
    Object.assign(this, { place, components, host, client: new Client(host.url) });
  }

  // Changes something, and waits until the build that is expected answers.
  async step(what, expected, change = () => {}) {
    const begin = performance.now();
    change();
    let served;
    do {
      await sleep(5);
      served = textOf(await this.client.call('build', { text: 'x' }))?.split(' ')[0] ?? 'none';
    } while (served !== expected && performance.now() - begin < wanted['within-ms']);
    report.promise(`${this.place}: ${what}`, `${served} after ${ms(performance.now() - begin)}`, served === expected);
  }

  async stop() {
    this.client.close();
    const end = await this.host.stop();
    const degraded = this.host.count('watching degraded');
    report.promise(`${this.place}: the host ends with, has warned of its watch`, `${end}, ${degraded}`,
      end === 0 && degraded === 0);
  }
}

// What people do to one file.
async function changeFile(watched, components) {
  await watched.step('a new file', 'one', () => components.copy(one, 'replaced.so'));
  await watched.step('another one renamed over it', 'two', () => components.drop(two, 'replaced.so'));
  await watched.step('overwritten', 'one', () => components.copy(one, 'replaced.so'));
  await watched.step('taken away', 'none', () => rmSync(components.file('replaced.so')));
}

// Renames `folder` away and makes it anew.
async function recreate(watched, components, name, folder) {
  await watched.step(`a file before ${name} goes`, 'one', () => components.copy(one, 'replaced.so'));
  const aside = path.join(path.dirname(folder), `.old ${name}`);
  await watched.step(`${name} renamed away`, 'none', () => run('mv', folder, aside));
  await watched.step(`${name} recreated`, 'two', () => {
    mkdirSync(path.dirname(components.file('replaced.so')), { recursive: true });
    components.copy(two, 'replaced.so');
  });
  await watched.step('overwritten there', 'one', () => components.copy(one, 'replaced.so'));
  await watched.step('taken away there', 'none', () => rmSync(components.file('replaced.so')));
}

async function recreateAll(watched, components) {
  await recreate(watched, components, 'tools', path.join(components.root, 'tools'));
  await recreate(watched, components, 'the whole folder', components.root);
}

async function onDisk() {
  const components = new Components('disk');
  const watched = await Watched.start('disk', components);
  const tools = path.join(components.root, 'tools');
  await changeFile(watched, components);
  await recreateAll(watched, components);
  await watched.step('a file below', 'one', () => components.copy(one, 'replaced.so'));
  await watched.step('mounted over', 'two', () => {
    run('mount', '-t', 'tmpfs', 'none', tools);
    components.copy(two, 'replaced.so');
  });
  await watched.step('overwritten in the mount', 'one', () => components.copy(one, 'replaced.so'));
  await watched.step('taken away in the mount', 'none', () => rmSync(components.file('replaced.so')));
  await watched.step('unmounted', 'one', () => run('umount', '--lazy', tools));
  await watched.stop();
  components.discard();
}

async function onTmpfs() {
  const components = new Components('tmpfs', (base) => run('mount', '-t', 'tmpfs', 'none', base));
  const watched = await Watched.start('tmpfs', components);
  await changeFile(watched, components);
  await recreateAll(watched, components);
  await watched.stop();
  run('umount', '--lazy', components.base);
  components.discard();
}

async function onBindMount() {
  const components = new Components('bind');
  const source = path.join(components.base, 'source');
  const changeAtSource = (plugin) => copyFileSync(plugin, path.join(source, 'tools/replaced.so'));
  const mount = () => run('mount', '--bind', source, components.root);
  mkdirSync(path.join(source, 'tools'), { recursive: true });
  mount();
  const watched = await Watched.start('bind mount', components);
  await changeFile(watched, components);
  await recreate(watched, components, 'tools', path.join(components.root, 'tools'));
  await watched.step('a new file at its source', 'two', () => changeAtSource(two));
  await watched.step('overwritten at its source', 'one', () => changeAtSource(one));
  await watched.step('unmounted', 'none', () => run('umount', '--lazy', components.root));
  await watched.step('mounted again', 'one', mount);
  await watched.step('taken away at its source', 'none', () => rmSync(path.join(source, 'tools/replaced.so')));
  await watched.stop();
  run('umount', '--lazy', components.root);
  components.discard();
}

// As in a container: the lower layer is the image.
async function onOverlay() {
  const layers = new Components('layers');
  const [upper, work] = ['upper', 'work'].map((name) => path.join(layers.base, name));
  for (const folder of [upper, work]) mkdirSync(folder);
  layers.copy(one, 'replaced.so');
  const options = `lowerdir=${layers.root},upperdir=${upper},workdir=${work}`;
  const components = new Components('overlay', (base) => {
    mkdirSync(path.join(base, 'components'));
    run('mount', '-t', 'overlay', 'none', '-o', options, path.join(base, 'components'));
  });
  const watched = await Watched.start('overlay', components);
  await watched.step('a file of the lower layer', 'one');
  await watched.step('overwritten, in the upper one then', 'two', () => components.copy(two, 'replaced.so'));
  await watched.step('taken away, though it is in the lower one', 'none', () => rmSync(components.file('replaced.so')));
  await changeFile(watched, components);
  await recreate(watched, components, 'tools', path.join(components.root, 'tools'));
  await watched.stop();
  run('umount', '--lazy', components.root);
  components.discard();
  layers.discard();
}

for (const each of [onDisk, onTmpfs, onBindMount, onOverlay]) await each();
process.exit(report.end());
