// A running host, of either transport, and its end. Every host that a test starts ends with the test, by its own
// process id, and must end with status 0.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { after } from 'node:test';

import { LogLines } from './log_lines.mjs';
import { patience } from './patience.mjs';
import { hear, heardAt } from './wire/wire.mjs';

export const program = process.env.MCP_HOST;
// Whether the plugins that these tests load share the host's process.
export const inProcess = process.env.MCP_ISOLATION === 'in-process';
// The sanitizer that all of it was built with, if any.
export const sanitizer = process.env.MCP_SANITIZER;
// Why a test that limits a plugin's memory is skipped then, or false.
export const memoryCannotBeLimited =
  !!sanitizer && 'a sanitizer\'s shadow memory counts, which is larger than any limit that a plugin would have';

const running = new Set();
// A test that is ended half-way leaves no host behind.
process.on('exit', () => {
  for (const host of running) host.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

export function argumentsOf(command, components, more = []) {
  return [command, '--components', components.root, '--data', components.data, '--log-format', 'json', ...more];
}

// Those that a host loads at its start. Links are left out, which may lead anywhere.
async function pluginsBelow(folder) {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found = entries.map((entry) => {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.')) return [];
    if (entry.isDirectory()) return entry.name.endsWith('.plugin') ? path : pluginsBelow(path);
    return entry.isFile() && /\.(so|mcp\.json)$/.test(entry.name) ? path : [];
  });
  return (await Promise.all(found)).flat();
}

// Until the plugins of `components` are loaded, or it is told why not. A host serves before those that take long are
// loaded, which tests do not expect, save of one that hangs.
export async function untilLoaded(log, components) {
  const event = /^plugin (loaded|refused)$|^library passed over$/;
  for (const kind of ['prompts', 'resources', 'tools']) {
    for (const file of await pluginsBelow(join(components.root, kind))) {
      if (basename(file) === 'hanging.so') continue;
      await log.until({ event, file }, { patienceMs: 90_000 }); // a server elsewhere has a minute to connect
    }
  }
}

class RunningHost {
  constructor(child) {
    this.child = child;
    this.log = new LogLines(child.stderr);
    this.exited = once(child, 'close').then(([status, signal]) => {
      running.delete(child);
      return { status, signal };
    });
    running.add(child);
  }

  signal(name) {
    this.child.kill(name);
  }

  // How it ended; fails if it does not end in time.
  async end({ patienceMs = patience } = {}) {
    const timer = setTimeout(() => this.child.kill('SIGKILL'), patienceMs);
    const end = await this.exited;
    clearTimeout(timer);
    return end;
  }

  // For a test that ends it itself: if that does not come so far, the host is killed. Its components go with it.
  killAfter(context, components) {
    context.after(async () => {
      this.signal('SIGKILL');
      await this.exited;
      await components?.discard();
    });
    return this;
  }

  async stop() {
    this.signal('SIGTERM');
    const { status, signal } = await this.end();
    assert.equal(signal ?? status, 0, this.log.text());
    assert.deepEqual(this.log.sanitizersFindings, [], this.log.text());
  }
}

export class HttpHost extends RunningHost {
  // Serves `components`, on a free port unless told otherwise; `more` are further options of `serve`, `environment`
  // further variables. Its `url` is that of somebody who listens in, its `address` that of the host itself.
  static async start(components, more = [], listen = '127.0.0.1:0', environment = {}) {
    const child = spawn(program, argumentsOf('serve', components, ['--listen', listen, ...more]), {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, ...environment },
    });
    return HttpHost.of(child, components);
  }

  // Of a process that becomes a host, with the plugins of `components`.
  static async of(child, components) {
    const host = new HttpHost(child);
    const ended = host.exited.then(({ status }) => {
      throw new Error(`the host ended with status ${status}: ${host.log.text()}`);
    });
    try {
      host.address = new URL(await Promise.race([host.#begun(components), ended]));
    } catch (error) {
      host.signal('SIGKILL');
      await host.exited;
      throw error;
    }
    host.url = await heardAt(host.address, host.exited);
    return host;
  }

  // Its URL.
  async #begun(components) {
    const { url } = await this.log.until({ event: 'serving' });
    if (components) await untilLoaded(this.log, components);
    return url;
  }
}

export class StdioHost extends RunningHost {
  static start(components, more = []) {
    const child = spawn(program, argumentsOf('stdio', components, more), { stdio: ['pipe', 'pipe', 'pipe'] });
    hear(child);
    return new StdioHost(child);
  }
}

// The host with its components folder, for the length of the test or suite that `context` belongs to.
export async function serve(context, components, more = []) {
  const host = await HttpHost.start(components, more);
  context.after(() => host.stop().finally(() => components.discard()));
  return host;
}

// In the same way, for all tests of a file.
export async function serveAll(components, more = []) {
  const host = await HttpHost.start(components, more);
  after(() => host.stop().finally(() => components.discard()));
  return host;
}
