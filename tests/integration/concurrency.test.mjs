// Many clients at once: each gets its own answers, and a slow tool holds up nobody.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { assertInFlight } from './support/assertions.mjs';
import { Components } from './support/components.mjs';
import { serveAll } from './support/host.mjs';
import { allMessages, modernRequest, postModern, request, Session } from './support/http.mjs';
import { LineClient } from './support/stdio.mjs';

const host = await serveAll(await Components.create('slow', 'catalogue'));

const waitCall = (label, milliseconds) => ({ name: 'wait', arguments: { label, milliseconds } });

test('SessionsThatUseTheSameIdsGetTheirOwnAnswers', async () => {
  const sessions = await Promise.all(Array.from({ length: 8 }, () => Session.open(host.url)));
  const asked = sessions.flatMap((session, s) =>
    Array.from({ length: 5 }, async (_, id) => {
      // The later ones answer first.
      const answer = await session.ask('tools/call', waitCall(`${s}/${id}`, 100 - 20 * id), id);
      assert.deepEqual([answer.id, answer.result.content[0].text], [id, `${s}/${id}`]);
    }),
  );
  await Promise.all(asked);
});

test('ModernRequestsThatUseTheSameIdGetTheirOwnAnswers', async () => {
  const asked = Array.from({ length: 40 }, async (_, i) => {
    const response = await postModern(host.url, 'tools/call', waitCall(`modern ${i}`, 50 + (i % 3) * 10), {
      id: 'same',
    });
    const answer = await response.json();
    assert.deepEqual([answer.id, answer.result.content[0].text], ['same', `modern ${i}`]);
  });
  await Promise.all(asked);
});

test('OneSessionMayHaveTheSameIdInFlightTwice', async () => {
  const session = await Session.open(host.url);
  const answers = await Promise.all(
    ['first', 'second'].map((label) => session.ask('tools/call', waitCall(label, 80), 1)),
  );
  assert.deepEqual(
    answers.map((answer) => answer.result?.content[0].text ?? answer.error.code),
    ['first', 'second'],
  );
});

test('ASlowToolHoldsUpNoOther', async () => {
  // The answer of each begins with its progress, once it has begun.
  const params = { ...waitCall('slow', 30_000), _meta: { progressToken: 1 } };
  params.arguments.reports = 1;
  const givingUp = new AbortController();
  const { signal } = givingUp;
  const begun = Array.from({ length: 16 }, () => postModern(host.url, 'tools/call', params, { signal }));
  const slow = begun.map(async (response) => allMessages(await response));
  await Promise.race(begun);
  for (let i = 0; i < 20; ++i) {
    const response = await postModern(host.url, 'tools/call', { name: 'add', arguments: { a: i, b: 1 } });
    assert.equal((await response.json()).result.structuredContent.result, i + 1);
  }
  await assertInFlight(Promise.race(slow));
  givingUp.abort();
  await Promise.allSettled(slow);
});

test('RequestsOverStdioAreAnsweredAsTheyFinish', async (context) => {
  const client = LineClient.start(context, await Components.create('slow'));
  for (const [id, milliseconds] of [
    ['slow', 10_000],
    ['quick', 0],
  ]) {
    client.send(modernRequest('tools/call', waitCall(id, milliseconds), id));
  }
  assert.deepEqual([(await client.next()).id, (await client.next()).id], ['quick', 'slow']);
});

test('BothErasMaySpeakOnOneStdioProcess', async (context) => {
  const client = LineClient.start(context, await Components.create('catalogue'));
  const initialize = request(
    'initialize',
    { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    1,
  );
  assert.equal((await client.ask(initialize)).result.protocolVersion, '2025-06-18');
  const modern = await client.ask(modernRequest('tools/call', { name: 'caller', arguments: {} }, 2));
  assert.equal(modern.result.structuredContent.protocolVersion, '2026-07-28');
  const legacy = await client.ask(request('tools/call', { name: 'caller', arguments: {} }, 3));
  assert.equal(legacy.result.structuredContent.protocolVersion, '2025-06-18');
});
