// A running host, of either transport, and its end. Every host that a test starts ends with the test, by its own
// process id, and must end with status 0.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
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
    return HttpHost.of(child);
  }

  // Of a process that becomes a host.
  static async of(child) {
    const host = new HttpHost(child);
    const serving = host.log.until({ event: 'serving' });
    const ended = host.exited.then(({ status }) => {
      throw new Error(`the host ended with status ${status}: ${host.log.text()}`);
    });
    const { url } = await Promise.race([serving, ended]);
    host.address = new URL(url);
    host.url = await heardAt(host.address, host.exited);
    return host;
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
