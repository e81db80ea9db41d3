// Clients of the tests in a file, which are closed with the last of them.
import { after } from 'node:test';

import { kinds } from './client_kinds.mjs';
import { argumentsOf, program } from './host.mjs';
import { websocketUrl } from './websocket.mjs';
import { heardCommand } from './wire/wire.mjs';

export { kinds };

// A test that fails half-way does not close its client, whose host would keep the process of the test from ending.
const created = [];
after(() => Promise.all(created.map((client) => client.close())));

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
  await client.connect(kind.stdio({ command, args, stderr: 'ignore' }));
  return client;
}
