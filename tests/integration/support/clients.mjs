// Clients of the tests in a file, which are closed with the last of them.
import { after } from 'node:test';

import { kinds } from './client_kinds.mjs';
import { argumentsOf, program, untilLoaded } from './host.mjs';
import { LogLines } from './log_lines.mjs';
import { websocketUrl } from './websocket.mjs';
import { heardCommand } from './wire/wire.mjs';

export { kinds };

// A test that fails half-way does not close its client, whose host would keep the process of the test from ending.
const created = [];
after(() => Promise.all(created.map((client) => client.close())));

// A host that a client has started must end well; one that has not fails the process, so the test file.
const started = [];
process.on('exit', () => {
  for (const { log, end } of started) {
    // A client does not wait for long.
    if ([undefined, 0, 'SIGKILL'].includes(end) && log.sanitizersFindings.length === 0) continue;
    console.error(`a host that a client has started ended with ${end}:\n${log.text()}`);
    process.exitCode = 1;
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
  const host = { log, end: undefined };
  // The transport keeps its process to itself.
  transport._process.once('close', (status, signal) => (host.end = signal ?? status));
  started.push(host);
  await untilLoaded(log, components);
  return client;
}
