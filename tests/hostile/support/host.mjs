// A host that a script starts and treats badly, and what the system says of it and of its workers.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { hasFields, LogLines } from '../../integration/support/log_lines.mjs';
import { workersOf } from '../../integration/support/workers.mjs';

const msOfTick = 10; // USER_HZ is 100 wherever Linux has plugins

// What lies in a build folder.
export class Build {
  constructor(folder) {
    this.folder = folder;
  }
  get host() {
    return path.join(this.folder, 'bin/mcp-plugin-host');
  }
  plugin(name) {
    return path.join(this.folder, 'tests/hostile/plugins', `${name}.so`);
  }
  fixture(name) {
    return path.join(this.folder, 'tests/integration/plugins', `${name}.so`);
  }
}

const kept = new Set();

// A components folder of the script's own, in a folder with all else that a host keeps.
export class Components {
  // `prepare` is given that folder when it is empty.
  constructor(name, prepare = () => {}) {
    this.base = mkdtempSync(path.join(os.tmpdir(), `hostile-${name}-`));
    kept.add(this);
    prepare(this.base);
    mkdirSync(path.join(this.root, 'tools'), { recursive: true });
    mkdirSync(this.run, { recursive: true });
  }

  get root() {
    return path.join(this.base, 'components');
  }
  get data() {
    return path.join(this.base, 'data');
  }
  get run() {
    return path.join(this.base, 'run');
  }

  file(name) {
    return path.join(this.root, 'tools', name);
  }

  // As cp does.
  copy(source, name) {
    copyFileSync(source, this.file(name));
  }

  // Another file takes the name, with the bytes of `source`.
  drop(source, name) {
    copyFileSync(source, this.file('.next'));
    renameSync(this.file('.next'), this.file(name));
  }

  dropBytes(bytes, name) {
    writeFileSync(this.file('.next'), bytes);
    renameSync(this.file('.next'), this.file(name));
  }

  configure(name, configuration) {
    this.dropBytes(JSON.stringify(configuration), `${name}.json`);
  }

  discard() {
    kept.delete(this);
    rmSync(this.base, { recursive: true, force: true, maxRetries: 10 });
  }
}

// Its state and its parent, as proc_pid_stat(5) has them.
function statusOf(pid) {
  return readOrNothing(`/proc/${pid}/stat`).split(') ').at(-1).split(' ');
}

function readOrNothing(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // a process that is gone
  }
}

function processes() {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
}

const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  for (const components of kept) components.discard();
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

export class Host {
  static async start(build, components, { isolation = 'worker', options = [], environment = {} } = {}) {
    const child = spawn(
      build.host,
      [
        ...['serve', '--components', components.root, '--data', components.data],
        ...['--listen', '127.0.0.1:0', '--log-format', 'json', '--isolation', isolation],
        ...options,
      ],
      // The folder of its control socket, beside others of its own.
      { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, XDG_RUNTIME_DIR: components.run, ...environment } },
    );
    running.add(child);
    const host = new Host(child);
    const { url } = await host.log.until({ event: 'serving' }, { patienceMs: 60_000 });
    host.url = new URL(url);
    host.controlSocket = path.join(components.run, 'mcp-plugin-host', `${child.pid}.sock`);
    return host;
  }

  constructor(child) {
    this.child = child;
    this.log = new LogLines(child.stderr);
    this.exited = once(child, 'close').then(([status, signal]) => {
      running.delete(child);
      if (!this.#stopping) this.#hasDied(signal ?? status);
      return signal ?? status;
    });
  }
  #stopping = false;

  // Which is what no plugin may bring about.
  #hasDied(how) {
    console.error(`BROKEN: the host has ended with ${how}; its last words:\n${this.log.text().slice(-2000)}`);
    process.exit(1);
  }

  // How many events of this name there have been, with these fields. What has been looked at is not looked at again.
  count(event, fields = {}) {
    const wanted = { event, ...fields };
    const key = JSON.stringify(wanted);
    const counted = this.#counted.get(key) ?? { entries: 0, found: 0 };
    for (; counted.entries < this.log.entries.length; ++counted.entries) {
      if (hasFields(this.log.entries[counted.entries], wanted)) ++counted.found;
    }
    this.#counted.set(key, counted);
    return counted.found;
  }
  #counted = new Map();

  async untilCount(event, least, fields = {}, patienceMs = 30_000) {
    for (const deadline = Date.now() + patienceMs; this.count(event, fields) < least; await sleep(5)) {
      if (Date.now() > deadline) throw new Error(`there is no ${event} number ${least} in the host's log`);
    }
  }

  // What it ends with; 0 is good.
  async stop() {
    this.#stopping = true;
    this.child.kill('SIGTERM');
    const patience = setTimeout(() => this.child.kill('SIGKILL'), 30_000);
    const end = await this.exited;
    clearTimeout(patience);
    return end;
  }

  get peakRssKiB() {
    return this.#status('VmHWM');
  }

  // Without a word before.
  async kill() {
    this.#stopping = true;
    this.child.kill('SIGKILL');
    await this.exited;
  }

  get rssKiB() {
    return this.#status('VmRSS');
  }

  // Without the pages of files, which the kernel maps and unmaps as the cache of files has them.
  get anonymousKiB() {
    return this.#status('RssAnon');
  }

  get threads() {
    return this.#status('Threads');
  }

  #status(field) {
    return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readOrNothing(`/proc/${this.child.pid}/status`))?.[1]);
  }

  get descriptors() {
    return readdirSync(`/proc/${this.child.pid}/fd`).length;
  }

  // What it has when so many workers are left and the dead are buried. The fewest descriptors in a while: some belong to
  // a restart that is under way.
  async remains(workers) {
    await this.settle(() => this.workers.length === workers && this.children.length <= workers + 1);
    let descriptors = Infinity;
    for (let i = 0; i < 20; ++i) {
      descriptors = Math.min(descriptors, this.descriptors);
      await sleep(20);
    }
    return { descriptors, rss: this.rssKiB, zombies: this.zombies };
  }

  // Of processor time so far.
  get cpuMs() {
    const fields = readOrNothing(`/proc/${this.child.pid}/stat`).split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) * msOfTick;
  }

  // The private copies of plugins that are mapped.
  get mappedCopies() {
    const copies = readOrNothing(`/proc/${this.child.pid}/maps`).matchAll(/ (\/.*\/mcp-plugin-host-[^/]+\/.*)$/gm);
    return [...new Set(Array.from(copies, ([, copy]) => copy))];
  }

  // What the process takes of the memory, with its share of what others map too; or a part of it.
  pssKiB(pid = this.child.pid, kind = 'Pss') {
    return Number(new RegExp(`^${kind}:\\s+(\\d+)`, 'm').exec(readOrNothing(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0);
  }

  // Processes that were started as its workers, and what those have left: their command line names this host. The one that
  // forks them is none.
  get workers() {
    return workersOf(this.child.pid).filter(({ forks }) => !forks).map(({ pid }) => pid);
  }

  // Whatever it has started: workers, the one that forks them, and who finds the lines of a crash while that is told.
  get children() {
    return processes().filter((pid) => Number(statusOf(pid)[1]) === this.child.pid);
  }

  // Children that have ended and have not been waited for.
  get zombies() {
    return this.children.filter((pid) => statusOf(pid)[0] === 'Z').length;
  }

  // Waits until what is on its way out has gone: `isQuiet` says so.
  async settle(isQuiet, patienceMs = 15_000) {
    for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(20)) {
      if (isQuiet()) return true;
    }
    return isQuiet();
  }
}
