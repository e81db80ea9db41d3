// A server of HTTPS whose certificate and key are replaced again and again, one file after the other, while clients call
// on connections that they keep, open new ones all the time, and listen on streams. No call may fail, no connection may
// be closed, no handshake may fail, and what is new must be shown within a second, or as long as is given.
//
// usage: certificate_swaps.mjs BUILD_DIR [--swaps N] [--connections N] [--streams N] [--within-ms N]
import { writeFileSync } from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';

import { Authority, writePair } from '../integration/support/authority.mjs';
import { ask, listen } from '../integration/support/node_http.mjs';
import { Build, Components, Host } from './support/host.mjs';
import { p50AndP99, ms, readArguments, Report } from './support/report.mjs';

const wanted = readArguments({ swaps: 1000, connections: 8, streams: 8, 'within-ms': 1000 });
const build = new Build(wanted.build);
const report = new Report();
const patienceMs = 60_000;
const authority = new Authority();
const ca = authority.pem;
const pairs = Array.from({ length: 10 }, () => authority.issue('localhost'));
const components = new Components('certificate-swaps', (base) => {
  writePair(base, pairs[0]);
  writeFileSync(path.join(base, 'host.toml'), '[tls]\ncertificate = "server.pem"\nkey = "server.key"\n');
});
components.copy(build.plugin('named'), 'named.so');
const host = await Host.start(build, components, { options: ['--config', path.join(components.base, 'host.toml')] });
const url = host.url.href;

const found = { calls: 0, handshakes: 0, failed: [], closed: 0, ended: 0 };
let ends = false;

// On one connection for all of its calls.
async function keepCalling() {
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1, ca });
  const sockets = new Set();
  while (!ends) {
    try {
      const { status } = await ask(url, 'tools/list', {}, { agent });
      if (status !== 200) found.failed.push(`status ${status}`);
      ++found.calls;
      await sleep(2);
      for (const socket of Object.values(agent.freeSockets).flat()) sockets.add(socket);
    } catch (error) {
      found.failed.push(error.message);
    }
  }
  found.closed += sockets.size - 1;
  agent.destroy();
}

// Undefined where the handshake fails.
function shownSerial() {
  return new Promise((resolve) => {
    const socket = tls.connect({ host: host.url.hostname, port: host.url.port, ca }, () => {
      ++found.handshakes;
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
    socket.on('error', (error) => {
      found.failed.push(`handshake: ${error.message}`);
      resolve();
    });
  });
}

async function keepConnecting() {
  while (!ends) {
    await shownSerial();
    await sleep(5);
  }
}

async function keepListening() {
  for await (const _ of await listen(url, { ca, agent: false }));
  if (!ends) ++found.ended;
}

const streams = Array.from({ length: wanted.streams }, keepListening);
const load = [...Array.from({ length: wanted.connections }, keepCalling), keepConnecting()];
const times = [];
for (let swap = 1; swap <= wanted.swaps; ++swap) {
  const before = await shownSerial();
  const began = performance.now();
  writePair(components.base, pairs[swap % pairs.length]);
  while ([before, undefined].includes(await shownSerial())) {
    if (performance.now() - began > patienceMs) throw new Error('the new certificate is never shown');
  }
  times.push(performance.now() - began);
}
ends = true;
await Promise.all(load);
const rssKiB = host.peakRssKiB;
const status = await host.stop();
await Promise.allSettled(streams);
components.discard();
authority.discard();

report.row('swaps, calls, handshakes', `${wanted.swaps}, ${found.calls}, ${found.handshakes}`);
report.promise('calls and handshakes that failed', `${found.failed.length} ${found.failed.slice(0, 3)}`, found.failed.length === 0);
report.promise('connections closed, streams ended', `${found.closed}, ${found.ended}`, found.closed + found.ended === 0);
report.promise('until the new certificate is shown, p50 / p99', `${p50AndP99(times)}, at most ${ms(Math.max(...times))}`, Math.max(...times) < wanted['within-ms']);
report.row('memory at most', `${rssKiB} KiB`);
report.promise('status at the end', status, status === 0);
process.exit(report.end());
