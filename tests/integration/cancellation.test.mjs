// A client that gives a call up: the plugin sees it, in every era and over every transport.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { assertInFlight } from './support/assertions.mjs';
import { connectHttp, connectStdio, connectWebSocket, kinds } from './support/clients.mjs';
import { Components } from './support/components.mjs';
import { serve, serveAll } from './support/host.mjs';
import {
  contentHeaders,
  initializeRequest,
  modernHeaders,
  modernRequest,
  post,
  postModern,
  request,
  Session,
} from './support/http.mjs';
import { patience } from './support/patience.mjs';
import { RawConnection, requestText } from './support/raw_connection.mjs';
import { LineClient } from './support/stdio.mjs';

const components = await Components.create('slow');
const host = await serveAll(components);

const longCall = (label) => ({ name: 'wait', arguments: { label, milliseconds: 30_000 } });

// Until the plugin has said `outcome` of a call.
async function untilOutcome(outcome, outcomes) {
  for (const end = Date.now() + patience; Date.now() < end; await sleep(20)) {
    if ((await outcomes()).includes(outcome)) return;
  }
  assert.fail(`the plugin says ${JSON.stringify(await outcomes())}, not ${outcome}`);
}

async function outcomesOverHttp() {
  const response = await postModern(host.url, 'tools/call', { name: 'outcomes' });
  return (await response.json()).result.structuredContent.result;
}

for (const kind of kinds) {
  const transports = {
    HTTP: () => connectHttp(kind, host.url),
    stdio: () => connectStdio(kind, components),
    WebSocket: () => connectWebSocket(kind, host.url),
  };
  for (const [transport, connect] of Object.entries(transports)) {
    test(`ReachesThePlugin: ${kind.name} over ${transport}`, async () => {
      const client = await connect();
      const outcomes = async () =>
        (await client.callTool({ name: 'outcomes', arguments: {} })).structuredContent.result;
      const label = `${kind.name} ${transport}`;
      const givingUp = new AbortController();
      const rejected = assert.rejects(kind.call(client, longCall(label), { signal: givingUp.signal }));
      await untilOutcome(`${label} begun`, outcomes);
      givingUp.abort('no longer needed');
      await rejected;
      await untilOutcome(`${label} cancelled: client`, outcomes);
      await client.close();
    });
  }
}

for (const kind of kinds) {
  const transports = {
    HTTP: () => connectHttp(kind, host.url),
    stdio: () => connectStdio(kind, components),
    WebSocket: () => connectWebSocket(kind, host.url),
  };
  for (const [transport, connect] of Object.entries(transports)) {
    test(`IsToldToAPluginThatDoesNotAsk: ${kind.name} over ${transport}`, async () => {
      const client = await connect();
      const outcomes = async () =>
        (await client.callTool({ name: 'outcomes', arguments: {} })).structuredContent.result;
      const label = `waiting, ${kind.name} ${transport}`;
      const givingUp = new AbortController();
      const call = { name: 'until_cancelled', arguments: { label } };
      const rejected = assert.rejects(kind.call(client, call, { signal: givingUp.signal }));
      await untilOutcome(`${label} begun`, outcomes);
      givingUp.abort();
      await rejected;
      await untilOutcome(`${label} told: client`, outcomes);
      await client.close();
    });
  }
}

test('AModernCallIsCancelledWhenItsStreamIsClosed', async () => {
  const givingUp = new AbortController();
  const params = { name: 'wait', arguments: { label: 'streamed', milliseconds: 30_000, reports: 1000 } };
  const withProgress = { ...params, _meta: { progressToken: 1 } };
  const response = await postModern(host.url, 'tools/call', withProgress, { signal: givingUp.signal });
  assert.equal(response.headers.get('Content-Type'), 'text/event-stream');
  givingUp.abort();
  await untilOutcome('streamed cancelled: client', outcomesOverHttp);
});

test('AModernCallIsCancelledWhenItsClientGoesThoughMoreIsOnTheWire', async () => {
  const params = { name: 'wait', arguments: { label: 'pipelined', milliseconds: 30_000 } };
  const headers = { ...contentHeaders, ...modernHeaders('tools/call', 'wait') };
  const connection = await RawConnection.open(host.url);
  connection.write(requestText(host.url, 'POST', headers, JSON.stringify(modernRequest('tools/call', params))));
  connection.write('P');
  await untilOutcome('pipelined begun', outcomesOverHttp);
  connection.socket.end();
  await untilOutcome('pipelined cancelled: client', outcomesOverHttp);
});

test('ARequestThatComesWhileAnotherIsAnsweredIsAnsweredAfterIt', async () => {
  const params = { name: 'wait', arguments: { label: 'first of two', milliseconds: 5000 } };
  const connection = await RawConnection.open(host.url);
  const ask = (headers, body) =>
    connection.write(requestText(host.url, 'POST', { ...contentHeaders, ...headers }, JSON.stringify(body)));
  ask(modernHeaders('tools/call', 'wait'), modernRequest('tools/call', params, 1));
  await untilOutcome('first of two begun', outcomesOverHttp);
  const first = connection.response();
  await assertInFlight(first);
  ask(modernHeaders('tools/list'), modernRequest('tools/list', {}, 2));
  assert.equal(JSON.parse((await first).body).id, 1);
  assert.equal(JSON.parse((await connection.response()).body).id, 2);
  connection.end();
});

test('ALegacyCallIsNotCancelledByALostConnection', async () => {
  const session = await Session.open(host.url);
  const givingUp = new AbortController();
  const params = { name: 'wait', arguments: { label: 'disconnected', milliseconds: 12_000 } };
  const call = assert.rejects(session.post(request('tools/call', params), {}, { signal: givingUp.signal }));
  await untilOutcome('disconnected begun', outcomesOverHttp);
  await assertInFlight(call);
  givingUp.abort();
  await call;
  await untilOutcome('disconnected finished', outcomesOverHttp);
});

test('ACancellationOfAnotherSessionsRequestIsIgnored', async () => {
  const mine = await Session.open(host.url);
  const other = await Session.open(host.url);
  const params = { name: 'wait', arguments: { label: 'mine', milliseconds: 5000 } };
  const call = mine.ask('tools/call', params, 'same-id');
  await untilOutcome('mine begun', outcomesOverHttp);
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'same-id' } };
  await assertInFlight(call);
  assert.equal((await other.post(cancelled)).status, 202);
  assert.equal((await call).result.content[0].text, 'mine');
});

test('ACancellationOfAnUnknownRequestIsIgnored', async () => {
  const session = await Session.open(host.url);
  for (const params of [{ requestId: 'nothing' }, {}, { requestId: { an: 'object' } }]) {
    const response = await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    assert.equal(response.status, 202);
  }
});

test('ACancelledLegacyRequestIsNotAnswered', async () => {
  const session = await Session.open(host.url);
  const response = session.post(request('tools/call', longCall('unanswered'), 'unanswered'));
  await untilOutcome('unanswered begun', outcomesOverHttp);
  await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'unanswered' } });
  await untilOutcome('unanswered cancelled: client', outcomesOverHttp);
  const ended = await response;
  assert.equal(await ended.text(), '');
});

test('TheReasonOfACancellationIsLoggedForWhoeverDebugs', async (context) => {
  const own = await Components.create('slow');
  const talkative = await serve(context, own, ['--log-level', 'debug']);
  const session = await Session.open(talkative.url);
  const cancelled = { requestId: 'x', reason: 'The user has "changed" their mind' };
  await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: cancelled });
  const entry = await talkative.log.until({ event: 'request cancelled' });
  assert.deepEqual([entry.id, entry.reason], ['x', cancelled.reason]);

  const client = LineClient.start(context, await Components.create('slow'), ['--log-level', 'debug']);
  client.send(modernRequest('tools/call', longCall('y'), 7));
  client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7, reason: 'enough' } });
  const logged = await client.host.log.until({ event: 'request cancelled' });
  assert.deepEqual([logged.id, logged.reason], ['7', 'enough']);
});

const stdioEras = {
  legacy: async (client) => {
    await client.ask(initializeRequest('2025-11-25'));
    client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return request;
  },
  modern: async () => modernRequest,
};
for (const [era, open] of Object.entries(stdioEras)) {
  test(`ACancelledRequestOverStdioIsNotAnswered, ${era}`, async (context) => {
    const client = LineClient.start(context, await Components.create('slow'));
    const make = await open(client);
    const outcomes = async () =>
      (await client.ask(make('tools/call', { name: 'outcomes' }, 'outcomes'))).result.structuredContent.result;
    client.send(make('tools/call', longCall('x'), 'long'));
    await untilOutcome('x begun', outcomes);
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'long' } });
    await untilOutcome('x cancelled: client', outcomes);
    client.endInput();
    assert.deepEqual(await client.rest(), []);
  });
}
