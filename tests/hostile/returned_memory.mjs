// Many clients come at once, with large messages or large heads, and go. The memory that the host took for them must go
// back to the system, however long the clients stay idle before they go.
//
// What counts is the anonymous part of RSS: pages of the program's file come and go with the kernel's cache of files.
//
// usage: returned_memory.mjs BUILD_DIR [--bodies N] [--heads N] [--left-mib N]
// After each burst the host may hold so many MiB more than before the first one. It is not nothing, because Asio keeps
// what it knows of each socket for the next one: some 200 bytes, but they may be the last ones in use of a page.
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { contentHeaders, modernHeaders, modernRequest } from '../integration/support/http.mjs';
import { Client } from './support/client.mjs';
import { Build, Components, Host } from './support/host.mjs';
import { HttpConnection } from './support/http_connection.mjs';
import { readArguments, Report } from './support/report.mjs';

const wanted = readArguments({ bodies: 64, heads: 2000, 'left-mib': 16 });
const report = new Report();
const components = new Components('returned-memory');
const host = await Host.start(new Build(wanted.build), components);

const patienceMs = 60_000;
const idleMs = 4000; // longer than the host takes for quiet
const mib = (kib) => `${(kib / 1024).toFixed(1)} MiB`;

function request(headers, body) {
  const lines = HttpConnection.headerLines({ ...contentHeaders, ...modernHeaders('tools/list'), ...headers });
  return Buffer.from(`POST ${host.url.pathname} HTTP/1.1\r\nHost: ${host.url.host}\r\n${lines}` +
    `Content-Length: ${body.length}\r\n\r\n${body}`);
}

// Small pieces, because malloc gives large ones back at once.
const pieces = JSON.stringify(Array.from({ length: 180_000 }, (_, i) => `a small text ${i}`));
const withLargeBody = request({}, JSON.stringify(modernRequest('tools/list', { a: 'HERE' })).replace('"HERE"', pieces));
const withLargeHead = request({ 'X-Large': 'a'.repeat(31_000) }, JSON.stringify(modernRequest('tools/list')));

// A client on a connection of its own that has been answered.
async function answered(message) {
  const socket = net.connect({ host: host.url.hostname, port: host.url.port });
  socket.write(message);
  const [bytes] = await once(socket, 'data');
  return { socket, status: Number(bytes.toString('latin1', 9, 12)) };
}

// How many were answered as they should be, and the host's memory then. All are connected at once, and go at once.
async function burst(clients, message, stayMs) {
  const all = await Promise.all(Array.from({ length: clients }, () => answered(message)));
  const { anonymousKiB } = host;
  await sleep(stayMs);
  for (const { socket } of all) socket.destroy();
  return { good: all.filter(({ status }) => status === 200).length, anonymousKiB };
}

const client = new Client(host.url);
await client.ask('tools/list');
const before = host.anonymousKiB;
report.row('memory before', `${mib(before)}, with pages of files ${mib(host.rssKiB)}`);

async function returnsMemory(what, clients, message, stayMs) {
  const { good, anonymousKiB } = await burst(clients, message, stayMs);
  const isReturned = () => host.anonymousKiB - before <= 1024 * wanted['left-mib'];
  const isKept = await host.settle(isReturned, patienceMs);
  report.promise(`${what}: answered`, `${good} of ${clients}`, good === clients);
  const after = `${mib(anonymousKiB)}, ${mib(host.anonymousKiB)}`;
  report.promise(`${what}: memory when all were answered, after they went`, after, isKept);
}
await returnsMemory('large bodies', wanted.bodies, withLargeBody, 0);
await returnsMemory('large heads', wanted.heads, withLargeHead, 0);
await returnsMemory('large heads, idle for a while', wanted.heads, withLargeHead, idleMs);

client.close();
const peak = host.peakRssKiB;
const { threads } = host;
const end = await host.stop();
report.row('RSS at its peak, threads', `${mib(peak)}, ${threads}`);
report.promise('the host ends with', end, end === 0);
components.discard();
process.exit(report.end());
