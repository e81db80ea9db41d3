// The life of a legacy session over HTTP.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { Components } from './support/components.mjs';
import { serve, serveAll } from './support/host.mjs';
import { initializeRequest, post, request, Session } from './support/http.mjs';
import { untilNoted } from './support/outcomes.mjs';
import { sseEvents } from './support/sse.mjs';

const host = await serveAll(await Components.create('catalogue'));

async function assertRefused(response, status, reason) {
  assert.equal(response.status, status);
  assert.equal(response.headers.get('Content-Type'), 'application/json');
  const { error } = await response.json();
  assert.equal(error.data.reason, reason);
}

test('IdsAreLongAndNeverTheSame', async () => {
  const ids = new Set();
  for (let i = 0; i < 50; ++i) ids.add((await Session.open(host.url)).id);
  assert.equal(ids.size, 50);
  for (const id of ids) assert.match(id, /^[\x21-\x7e]{22,}$/);
});

test('InitializeTellsWhenTheSessionExpires', async () => {
  const session = await Session.open(host.url);
  const expires = session.initializeHeaders.get('X-Session-Expires-At');
  assert.match(expires, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  const hours = (new Date(expires) - Date.now()) / 3_600_000;
  assert.ok(hours > 23.9 && hours <= 24, expires);
});

test('ARequestWithoutASessionIsRefused', async () => {
  await assertRefused(await post(host.url, request('tools/list', undefined, 9)), 400, 'missing_session_id');
  await assertRefused(await fetch(host.url, { headers: { Accept: 'text/event-stream' } }), 400, 'missing_session_id');
  await assertRefused(await fetch(host.url, { method: 'DELETE' }), 400, 'missing_session_id');
});

test('ARefusalCarriesTheIdOfTheRequest', async () => {
  const response = await post(host.url, request('tools/list', undefined, 'nine'));
  assert.equal((await response.json()).id, 'nine');
});

test('ARequestOfAnUnknownSessionIsRefused', async () => {
  const headers = { 'Mcp-Session-Id': 'unknown' };
  await assertRefused(await post(host.url, request('ping'), headers), 404, 'session_not_found');
  const get = await fetch(host.url, { headers: { Accept: 'text/event-stream', ...headers } });
  await assertRefused(get, 404, 'session_not_found');
  await assertRefused(await fetch(host.url, { method: 'DELETE', headers }), 404, 'session_not_found');
});

test('DeleteEndsTheSession', async () => {
  const session = await Session.open(host.url);
  const response = await session.delete();
  assert.equal(response.status, 204);
  assert.equal(await response.text(), '');
  await assertRefused(await session.post(request('ping')), 404, 'session_not_found');
  await assertRefused(await session.delete(), 404, 'session_not_found');
});

test('DeleteEndsTheStreamsOfTheSession', async () => {
  const session = await Session.open(host.url);
  const stream = await session.get();
  await session.delete();
  for await (const event of sseEvents(stream.body)) assert.ok(!event.data);
});

test('DeleteLetsACallInFlightFinish', async (context) => {
  const host = await serve(context, await Components.create('slow'));
  const session = await Session.open(host.url);
  const call = session.ask('tools/call', { name: 'wait', arguments: { label: 'done', milliseconds: 300 } });
  await untilNoted(host.url, 'done begun');
  assert.equal((await session.delete()).status, 204);
  assert.equal((await call).result.content[0].text, 'done');
});

suite('Idle', { concurrency: true }, () => {
  test('AnIdleSessionExpires', async (context) => {
    const host = await serve(context, await Components.create(), ['--session-idle-s', '8']);
    const session = await Session.open(host.url);
    for (const end = Date.now() + 9600; Date.now() < end; ) {
      await sleep(1000);
      assert.equal((await session.post(request('ping'))).status, 200, 'use keeps it alive');
    }
    await sleep(9500);
    await assertRefused(await session.post(request('ping')), 404, 'session_not_found');
  });

  test('ASessionWithAStreamDoesNotExpire', async (context) => {
    const host = await serve(context, await Components.create(), ['--session-idle-s', '4']);
    const session = await Session.open(host.url);
    const closing = new AbortController();
    assert.equal((await session.get({}, { signal: closing.signal })).status, 200);
    await sleep(6000);
    assert.equal((await session.post(request('ping'))).status, 200);
    closing.abort();
  });
});

test('TheIdlestSessionMakesRoomForANewOne', async (context) => {
  const host = await serve(context, await Components.create(), ['--max-sessions', '2']);
  const first = await Session.open(host.url);
  const second = await Session.open(host.url);
  await sleep(5);
  assert.equal((await first.post(request('ping'))).status, 200);
  const third = await Session.open(host.url);
  await assertRefused(await second.post(request('ping')), 404, 'session_not_found');
  for (const session of [first, third]) assert.equal((await session.post(request('ping'))).status, 200);
});

test('WithoutRoomForASessionInitializeIsRefused', async (context) => {
  const host = await serve(context, await Components.create(), ['--max-sessions', '1']);
  const session = await Session.open(host.url);
  const closing = new AbortController();
  await session.get({}, { signal: closing.signal });
  await assertRefused(await post(host.url, initializeRequest('2025-11-25')), 503, 'too_many_sessions');
  closing.abort();
});

test('InitializeWithinASessionOpensAnother', async () => {
  const session = await Session.open(host.url);
  const response = await session.post(initializeRequest('2025-06-18'), { 'MCP-Protocol-Version': '2025-06-18' });
  assert.equal(response.status, 200);
  assert.notEqual(response.headers.get('Mcp-Session-Id'), session.id);
  assert.equal((await session.post(request('ping'))).status, 200);
});
