// What clients may take of the host together: memory for large messages, descriptors. Whatever they do, small requests
// are served, plugins are started again, and the operator is heard.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { adminOf, Metrics } from './support/admin.mjs';
import { command } from './support/command.mjs';
import { Components } from './support/components.mjs';
import { argumentsOf, HttpHost, inProcess, program, serve } from './support/host.mjs';
import { contentHeaders, modernHeaders, modernRequest, newestLegacy, postModern, Session } from './support/http.mjs';
import { RawConnection, requestText } from './support/raw_connection.mjs';
import { until } from './support/until.mjs';

const budget = 4 << 20;
const bounded = ['--max-buffered-bytes', String(budget), '--max-body-bytes', String(1 << 20)];

async function servedSmall(host) {
  const response = await postModern(host.url, 'tools/list');
  assert.equal(response.status, 200);
  await response.arrayBuffer();
}

// A connection that ends with the test, whatever becomes of it.
async function open(context, host) {
  const connection = await RawConnection.open(host.url);
  context.after(() => connection.end());
  return connection;
}

// A request with a body of so many bytes.
function padded(host, bytes, method, params) {
  const body = JSON.stringify(modernRequest(method, params)).padEnd(bytes);
  return requestText(host.url, 'POST', { ...contentHeaders, ...modernHeaders(method, params?.name) }, body);
}

// The request with a body of so many bytes, all but the last of them sent.
async function sendAllButOneByte(context, host, bytes) {
  const connection = await open(context, host);
  const text = padded(host, bytes, 'tools/list');
  connection.write(text.slice(0, -1));
  return { connection, finish: () => connection.write(text.slice(-1)) };
}

// So many calls of the tool `wait` with a body of a megabyte each, once all of them run.
async function callsInFlight(context, host, count, milliseconds) {
  const connections = await Promise.all(Array.from({ length: count }, async (_, i) => {
    const connection = await open(context, host);
    connection.write(padded(host, 1_000_000, 'tools/call', { name: 'wait', arguments: { label: `${i}`, milliseconds } }));
    return connection;
  }));
  for (let begun = 0; begun < count;) {
    const response = await postModern(host.url, 'tools/call', { name: 'outcomes', arguments: {} });
    const outcomes = (await response.json()).result.structuredContent.result;
    begun = outcomes.filter((outcome) => outcome.endsWith(' begun')).length;
    await sleep(50);
  }
  return connections;
}

test('BodiesOfAllClientsHaveOneBound', async (t) => {
  const host = await serve(t, await Components.create('slow'), [...bounded, '--heartbeat-ms', '60000']);
  const calls = await callsInFlight(t, host, 4, 60_000);
  await servedSmall(host);
  const late = await sendAllButOneByte(t, host, 1_000_000);
  const refusal = await late.connection.response();
  assert.equal(refusal.status, 503);
  assert.equal(refusal.headers['retry-after'], '1');
  assert.match(JSON.parse(refusal.body).error.message, /no memory left .* 4194304 bytes; try again later/);
  await servedSmall(host);
  for (const connection of calls) connection.end();
});

test('ABodyThatFindsNoRoomWaitsForIt', async (t) => {
  const host = await serve(t, await Components.create('slow'), bounded);
  const first = await callsInFlight(t, host, 4, 1500);
  const late = await sendAllButOneByte(t, host, 1_000_000);
  late.finish();
  assert.equal((await late.connection.response()).status, 200);
  for (const connection of first) assert.equal((await connection.response()).status, 200);
});

test('ABodyThatIsOnlyAnnouncedTakesNothingFromOthers', async (t) => {
  const host = await serve(t, await Components.create('sample_v1'), bounded);
  for (let i = 0; i < 6; ++i) {
    const connection = await open(t, host);
    const text = padded(host, 1_000_000, 'tools/list');
    connection.write(text.slice(0, text.indexOf('\r\n\r\n') + 100));
  }
  await servedSmall(host);
  const { connection, finish } = await sendAllButOneByte(t, host, 1_000_000);
  finish();
  assert.equal((await connection.response()).status, 200);
});

test('WhoIsSlowToSendALargeBodyMakesRoomForOthers', async (t) => {
  const host = await serve(t, await Components.create('sample_v1'), bounded);
  const slow = await Promise.all(Array.from({ length: 4 }, () => sendAllButOneByte(t, host, 1_000_000)));
  const answers = Promise.all(slow.map(({ connection }) => connection.response()));
  await sleep(300);
  const late = await sendAllButOneByte(t, host, 1_000_000);
  late.finish();
  assert.equal((await late.connection.response()).status, 200);
  await host.log.until({ event: 'connection closed', reason: 'its client is slow to send a large request, and others need the memory' });
  for (const { finish } of slow) finish();
  const statuses = (await answers).map(({ status }) => status);
  assert.ok(statuses.includes(503), 'one has made room');
  assert.deepEqual(statuses.filter((status) => status !== 503 && status !== 200), []);
});

test('ABodyThatIsGivenUpLeavesItsRoom', async (t) => {
  const host = await serve(t, await Components.create('sample_v1'), bounded);
  for (let round = 0; round < 3; ++round) {
    const all = await Promise.all(Array.from({ length: 4 }, () => sendAllButOneByte(t, host, 1_000_000)));
    await sleep(100);
    for (const { connection } of all) connection.end();
  }
  const { connection, finish } = await sendAllButOneByte(t, host, 1_000_000);
  finish();
  assert.equal((await connection.response()).status, 200);
});

test('AStreamKeepsNothingOfTheRequestThatOpenedIt', async (t) => {
  const host = await serve(t, await Components.create('sample_v1'), bounded);
  for (let i = 0; i < 6; ++i) {
    const stream = await open(t, host);
    stream.write(padded(host, 1_000_000, 'subscriptions/listen', { notifications: { toolsListChanged: true } }));
    await stream.textUntil('notifications/subscriptions/acknowledged');
  }
  const session = await Session.open(host.url, newestLegacy);
  for (let i = 0; i < 6; ++i) {
    const stream = await open(t, host);
    stream.write(requestText(host.url, 'GET', { ...contentHeaders, ...session.headers }, ' '.repeat(1_000_000)));
    assert.match(await stream.textUntil('\n\n'), /^HTTP\/1\.1 200 .*text\/event-stream/s);
  }
  const { connection, finish } = await sendAllButOneByte(t, host, 1_000_000);
  finish();
  assert.equal((await connection.response()).status, 200);
});

test('LargeAnswersThatNobodyReadsHaveOneBound', async (t) => {
  const host = await serve(t, await Components.create('dying'),
    ['--max-buffered-bytes', '25000000', '--admin-listen', '127.0.0.1:0']);
  const admin = await adminOf(host);
  const ask = async ({ reads }) => {
    const connection = await open(t, host);
    // Before anything has come: the kernel keeps more for a client that has begun to read.
    if (!reads) connection.socket.pause();
    const message = JSON.stringify(modernRequest('tools/call', { name: 'say', arguments: { bytes: 10_000_000 } }, 'the id'));
    connection.write(requestText(host.url, 'POST', { ...contentHeaders, ...modernHeaders('tools/call', 'say') }, message));
    return connection;
  };
  const kept = async () => (await Metrics.read(admin)).sum('mcph_http_buffered_bytes');
  const keeps = (isTrue) => until(async () => isTrue(await kept()), kept);
  const silent = await Promise.all(Array.from({ length: 2 }, () => ask({ reads: false })));
  await keeps((bytes) => bytes > 20_000_000);
  const refusal = await (await ask({ reads: true })).response();
  assert.equal(refusal.status, 503);
  const { id, error } = JSON.parse(refusal.body);
  assert.equal(id, 'the id');
  assert.match(error.message, /no memory left for this answer of 10000\d\d\d bytes/);
  await servedSmall(host);
  // Whoever reads after all gets it whole.
  silent[0].socket.resume();
  assert.equal((await silent[0].response()).status, 200);
  // A client may have the last byte before the host knows that it has been taken.
  await keeps((bytes) => bytes < 15_000_000);
  const later = await (await ask({ reads: true })).response();
  assert.equal(later.status, 200);
  silent[1].end(); // a host that stops would wait for it
});

test('IdleConnectionsLeaveDescriptorsForRestartsReloadsAndTheOperator', { skip: inProcess && 'nothing restarts' },
  async (t) => {
    const components = await Components.create('dying', 'sample_v1');
    const control = join(components.folder, 'control.sock');
    const limited = spawn('sh', [
      ...['-c', 'ulimit -n 256 && exec "$0" "$@"', program],
      ...argumentsOf('serve', components, ['--listen', '127.0.0.1:0', '--control', control]),
    ], { stdio: ['ignore', 'ignore', 'pipe'] });
    const host = await HttpHost.of(limited, components);
    t.after(() => host.stop().finally(() => components.discard()));
    const served = await open(t, host); // by a client that was there before
    const call = async (name, args) => {
      const message = JSON.stringify(modernRequest('tools/call', { name, arguments: args }));
      served.write(requestText(host.url, 'POST', { ...contentHeaders, ...modernHeaders('tools/call', name) }, message));
      return JSON.parse((await served.response()).body);
    };
    const pid = (await call('pid', {})).result.structuredContent.result;
    const idle = await Promise.all(Array.from({ length: 400 }, async () => {
      const socket = connect({ host: host.url.hostname, port: host.url.port });
      socket.on('error', () => {});
      await once(socket, 'connect');
      return socket;
    }));
    t.after(() => idle.forEach((socket) => socket.destroy()));
    await host.log.until({ event: 'connection refused' });
    assert.match((await call('die', { how: 'abort' })).error.message, /SIGABRT/);
    const again = (await call('pid', {})).result.structuredContent.result;
    assert.notEqual(again, pid);
    for (const args of [['status'], ['reload', 'dying'], ['reload']]) {
      const { status, stderr } = await command(...args, '--control', control);
      assert.equal(status, 0, stderr);
    }
    await components.add('sample_v2', 'sample_v1.so');
    await host.log.until({ event: 'plugin replaced', file: components.file('sample_v1.so') });
  });
