// Clients of the tests in a file, which are closed with the last of them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after } from 'node:test';

import { kinds } from './client_kinds.mjs';
import { argumentsOf, program } from './host.mjs';
import { LogLines } from './log_lines.mjs';
import { websocketUrl } from './websocket.mjs';
import { heardCommand } from './wire/wire.mjs';

export { kinds };

// A test that fails half-way does not close its client, whose host would keep the process of the test from ending.
const created = [];
// Hosts that clients have started must have ended well: what each wrote to its log, and how its process ended.
const started = [];
after(async () => {
  await Promise.all(created.map((client) => client.close()));
  for (const { log, ended } of started) {
    const [status, signal] = await ended;
    // A client does not wait for long.
    if (signal !== 'SIGKILL') assert.equal(signal ?? status, 0, log.text());
    assert.deepEqual(log.sanitizersFindings, [], log.text());
  }
});

function create(kind, options) {
  const client = kind.create(options);
  created.push(client);
  return client;
}

// `prepare` sees the client before it connects. Every client is closed with the last test of the file, if not before.
export async function connectHttp(kind, url, { options, prepare = () => {} } = {}) {
  const client = create(kind, options);
  prepare(client);
  await client.connect(kind.http(url));
  return client;
}

// The same over WebSocket, at the same endpoint.
export async function connectWebSocket(kind, url, { options, prepare = () => {} } = {}) {
  const client = create(kind, options);
  prepare(client);
  await client.connect(kind.websocket(websocketUrl(url)));
  return client;
}

// With a host process of its own, on `components`.
export async function connectStdio(kind, components, more = [], { options, prepare = () => {} } = {}) {
  const client = create(kind, options);
  prepare(client);
  const { command, args } = heardCommand(program, argumentsOf('stdio', components, more));
  const transport = kind.stdio({ command, args, stderr: 'pipe' });
  const log = new LogLines(transport.stderr);
  await client.connect(transport);
  // The transport keeps its process to itself.
  started.push({ log, ended: once(transport._process, 'close') });
  return client;
}
