// What systemd is told, and the sockets that it hands over.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { limited } from './support/command.mjs';
import { Components } from './support/components.mjs';
import { freePort } from './support/free_port.mjs';
import { argumentsOf, HttpHost, program } from './support/host.mjs';
import { toolsOf, untilReached } from './support/node_http.mjs';

const tools = ['only_in_v1', 'version'];
const activates = spawnSync('systemd-socket-activate', ['--version']).error === undefined;
const skip = !activates && 'systemd-socket-activate is not installed';

// Prints each datagram that reaches a socket; Node has none of this kind.
const listener = `
use Socket; $| = 1;
socket(my $socket, AF_UNIX, SOCK_DGRAM, 0); bind($socket, pack_sockaddr_un($ARGV[0])) or die; print "listening\\n";
while (defined recv($socket, my $text, 1024, 0)) { print "$text\\n" }`;

class NotifySocket {
  static async open(context, path) {
    const socket = new NotifySocket();
    const child = spawn('perl', ['-e', listener, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    context.after(() => child.kill());
    child.stdout.setEncoding('utf8').on('data', (text) => {
      socket.heard += text;
      socket.wake?.();
    });
    await socket.until(/listening/);
    return socket;
  }
  heard = '';
  async until(pattern) {
    while (!pattern.test(this.heard)) await new Promise((resolve) => (this.wake = resolve));
  }
}

test('IsToldThatTheHostServesLivesAndStops', async (context) => {
  const components = await Components.create('sample_v1');
  const path = join(components.folder, 'notify');
  const socket = await NotifySocket.open(context, path);
  const environment = { NOTIFY_SOCKET: path, WATCHDOG_USEC: '400000' };
  const host = (await HttpHost.start(components, [], '127.0.0.1:0', environment)).killAfter(context, components);
  assert.deepEqual(await toolsOf(host.address), tools);
  await socket.until(/READY=1\n[^]*(WATCHDOG=1\n){3}/);
  await socket.until(/STATUS=plugins: 1 serving\n/);
  await components.add('bad_schema');
  await socket.until(/STATUS=plugins: 1 serving, 1 refused\n/);
  await host.stop();
  await socket.until(/STOPPING=1\nEXTEND_TIMEOUT_USEC=45000000\n/);
});

function activate(components, listens, more = []) {
  const child = spawn(
    'systemd-socket-activate',
    [...listens.flatMap((each) => ['-l', each]), program, ...argumentsOf('serve', components, more)],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  // It starts the host when somebody comes.
  return child;
}

// The host, started by the first who asks, until the test that `context` belongs to has ended.
async function activated(context, components, listens, more, ask) {
  const child = activate(components, listens, more);
  const answer = untilReached(ask);
  const host = await HttpHost.of(child, components);
  context.after(() => host.stop());
  await answer;
  assert.deepEqual(await ask(), tools);
  return host;
}

test('SocketsAreHandedOver', { skip }, async (context) => {
  const components = await Components.create('sample_v1');
  context.after(() => components.discard());
  const port = await freePort();
  const socketPath = join(components.folder, 'activated.sock');
  const url = `http://127.0.0.1:${port}/mcp`;
  const host = await activated(context, components, [`127.0.0.1:${port}`, socketPath], [], () => toolsOf(url));
  assert.equal(host.address.href, url);
  assert.deepEqual(await toolsOf('http://localhost/mcp', { socketPath }), tools);
});

test('TheHostSaysWhereItsSocketsAre', { skip }, async (context) => {
  const components = await Components.create('sample_v1');
  context.after(() => components.discard());
  const [near, reached] = [await freePort(), await freePort()];
  const name = `@mcp-test-${process.pid}`;
  for (const { listens, options = [], way, url } of [
    { listens: [name], way: { socketPath: name.replace('@', '\0') }, url: `unix:${name}` },
    {
      listens: [`127.0.0.1:${near}`, `0.0.0.0:${reached}`],
      options: ['--allow-remote-without-authentication'],
      way: { port: near },
      url: `http://0.0.0.0:${reached}/mcp`,
    },
  ]) {
    const host = await activated(context, components, listens, options, () => toolsOf('http://localhost/mcp', way));
    assert.equal(host.address.href, url);
  }
});

test('ASocketThatOthersReachHasManyNames', { skip }, async (context) => {
  const components = await Components.create('sample_v1');
  context.after(() => components.discard());
  const file = join(components.folder, 'host.toml');
  writeFileSync(file, '[server]\nurl = "https://mcp.example.com"\n');
  const port = await freePort();
  const options = ['--config', file, '--allow-remote-without-authentication'];
  await activated(context, components, [`0.0.0.0:${port}`], options, () => toolsOf(`http://127.0.0.1:${port}/mcp`));
});

test('ASocketThatOthersReachNeedsProofOfWhoTheyAre', { skip }, async (context) => {
  const components = await Components.create('sample_v1');
  context.after(() => components.discard());
  const port = await freePort();
  const child = activate(components, [`0.0.0.0:${port}`]);
  context.after(() => child.kill('SIGKILL'));
  let said = '';
  child.stderr.on('data', (text) => (said += text));
  const ended = new Promise((resolve) => child.on('close', resolve));
  await untilReached(() => toolsOf(`http://127.0.0.1:${port}/mcp`)).catch(() => {});
  assert.equal(await ended, 2);
  assert.match(said, new RegExp(`0\\.0\\.0\\.0:${port} is reached by others`));
});

test('WhatIsNoSocketThatListensIsRefused', async (context) => {
  const components = await Components.create('sample_v1');
  context.after(() => components.discard());
  const file = join(components.folder, 'file');
  writeFileSync(file, '');
  const script = 'export LISTEN_FDS=1 LISTEN_PID=$$; exec "$@" 3<"$0"';
  const words = ['-c', script, file, program, ...argumentsOf('serve', components)];
  const { status, stderr } = spawnSync('sh', words, limited);
  assert.equal(status, 2);
  assert.match(stderr, /the descriptor 3 that LISTEN_FDS speaks of is no socket of TCP or Unix that listens/);
});

test('TheUnitsAreWhatSystemdTakes', { skip: spawnSync('systemd-analyze', ['--version']).error && 'no systemd' }, async (context) => {
  const components = await Components.create();
  context.after(() => components.discard());
  const units = ['mcp-plugin-host.service', 'mcp-plugin-host.socket'].map((name) => {
    const text = readFileSync(new URL(`../../share/systemd/${name}`, import.meta.url), 'utf8');
    const file = join(components.folder, name);
    writeFileSync(file, text.replaceAll('/usr/local/bin/mcp-plugin-host', program));
    return file;
  });
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...units], limited);
  assert.equal(stderr, '');
  assert.equal(status, 0);
});
