// Many clients open a WebSocket each, say who they are, and then say nothing. What the host keeps for one of them is
// bounded, and all of them are still answered.
//
// What counts is the anonymous memory of the host's process: pages of the program's file come and go.
//
// usage: idle_websockets.mjs BUILD_DIR [--connections N] [--kib N]
// By hand: idle_websockets.mjs BUILD_DIR --connections 10000 (and `ulimit -n 20000` before it)
import { setTimeout as sleep } from 'node:timers/promises';

import { initializeRequest, request } from '../integration/support/http.mjs';
import { RawWebSocket } from '../integration/support/websocket.mjs';
import { Build, Components, Host } from './support/host.mjs';
import { readArguments, Report } from './support/report.mjs';

const wanted = readArguments({ connections: 1000, kib: 16 });
const report = new Report();
const components = new Components('idle-websockets');
const options = ['--max-connections', '20000', '--heartbeat-ms', '5000'];
const host = await Host.start(new Build(wanted.build), components, { options });

const atOnce = 50;
const quietMs = 3000; // longer than the host takes to give back what is free, unless the machine is busy

async function open() {
  const client = await RawWebSocket.open(host.url);
  await client.ask(initializeRequest('2025-11-25'));
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  await client.ask(request('tools/list', {}, 1));
  // Signs of life are answered, so that they count, too.
  client.socket.on('data', (bytes) => {
    if (bytes[0] === 0x89) client.socket.write(Buffer.from([0x8a, 0x80, 0, 0, 0, 0]));
  });
  return client;
}

async function openMany(count) {
  const clients = [];
  while (clients.length < count) {
    const some = Math.min(atOnce, count - clients.length);
    clients.push(...(await Promise.all(Array.from({ length: some }, open))));
  }
  return clients;
}

// The first ones pay for what all have together.
const first = await openMany(100);
await sleep(quietMs);
const before = host.anonymousKiB;
const clients = await openMany(wanted.connections);
const busy = host.anonymousKiB;
await sleep(quietMs);
const kibOfEach = () => (host.anonymousKiB - before) / wanted.connections;
await host.settle(() => kibOfEach() <= wanted.kib, 60_000);
const each = kibOfEach();

report.row('memory before, with all, with all after a while',
  [before, busy, host.anonymousKiB].map((kib) => `${(kib / 1024).toFixed(1)} MiB`).join(', '));
report.promise(`memory of each of ${wanted.connections}`, `${each.toFixed(1)} KiB`, each <= wanted.kib);
const answers = await Promise.all(clients.map((client) => client.ask(request('ping', undefined, 'alive'))));
report.promise('still answered', answers.length, answers.every(({ result }) => result !== undefined));
for (const client of [...first, ...clients]) client.end();
const end = await host.stop();
report.promise('the host ends with', end, end === 0);
components.discard();
process.exit(report.end());
