// Batches came with 2025-03-26 and went with 2025-06-18.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { Components } from './support/components.mjs';
import { serveAll } from './support/host.mjs';
import {
  allMessages,
  initializeRequest,
  legacyRevisions,
  modernHeaders,
  modernRequest,
  post,
  request,
  Session,
} from './support/http.mjs';
import { LineClient } from './support/stdio.mjs';

const host = await serveAll(await Components.create('catalogue', 'slow'));

const withBatches = '2025-03-26';
const ping = (id) => request('ping', undefined, id);
const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
const byId = (answers) => Object.fromEntries(answers.map((answer) => [answer.id, answer]));

test('EveryRequestIsAnsweredOnceInOneArray', async () => {
  const session = await Session.open(host.url, withBatches);
  const add = request('tools/call', { name: 'add', arguments: { a: 1, b: 2 } }, 'add');
  const response = await session.post([ping(1), notification, add, request('no/such/method', undefined, 3)]);
  assert.equal(response.status, 200);
  const answers = byId(await response.json());
  assert.deepEqual(Object.keys(answers).sort(), ['1', '3', 'add']);
  assert.deepEqual(answers[1].result, {});
  assert.equal(answers.add.result.content[0].text, '3');
  assert.equal(answers[3].error.code, -32601);
});

test('NotificationsAloneAreTakenWithoutABody', async () => {
  const session = await Session.open(host.url, withBatches);
  const response = await session.post([notification, { jsonrpc: '2.0', id: 4, result: {} }]);
  assert.equal(response.status, 202);
  assert.equal(await response.text(), '');
});

test('ABrokenPartIsAnsweredByAnErrorOfItsOwn', async () => {
  const session = await Session.open(host.url, withBatches);
  const answers = await (await session.post([ping(1), 7, { jsonrpc: '2.0', id: 'x' }])).json();
  assert.equal(answers.length, 3);
  assert.deepEqual(byId(answers)[1].result, {});
  assert.deepEqual(
    answers.filter((answer) => answer.error).map((answer) => answer.error.code),
    [-32600, -32600],
  );
});

test('InitializeIsNoPartOfABatch', async () => {
  const session = await Session.open(host.url, withBatches);
  const answers = await (await session.post([initializeRequest(withBatches), ping(2)])).json();
  assert.equal(byId(answers).initialize.error.code, -32600);
  assert.deepEqual(byId(answers)[2].result, {});
});

test('ThirtyTwoMessagesAreTheMost', async () => {
  const session = await Session.open(host.url, withBatches);
  const batch = Array.from({ length: 32 }, (_, i) => ping(i));
  assert.equal((await (await session.post(batch)).json()).length, 32);
  const refused = await session.post([...batch, ping(32)]);
  assert.equal(refused.status, 400);
  assert.equal((await refused.json()).error.code, -32600);
});

test('AnEmptyBatchIsInvalid', async () => {
  const session = await Session.open(host.url, withBatches);
  const response = await session.post([]);
  assert.equal(response.status, 400);
  assert.equal((await response.json()).error.code, -32600);
});

test('ProgressOfAPartComesBeforeTheAnswers', async () => {
  const session = await Session.open(host.url, withBatches);
  const params = {
    name: 'wait',
    arguments: { label: 'part', milliseconds: 50, reports: 2 },
    _meta: { progressToken: 1 },
  };
  const messages = await allMessages(await session.post([request('tools/call', params, 1), ping(2)]));
  const answers = messages.pop();
  assert.deepEqual(Object.keys(byId(answers)).sort(), ['1', '2']);
  assert.deepEqual(
    messages.map((message) => message.params.progress),
    [1, 2],
  );
});

for (const revision of legacyRevisions.filter((each) => each !== withBatches)) {
  test(`ARevisionWithoutBatchesRefusesThem: ${revision}`, async () => {
    const session = await Session.open(host.url, revision);
    const response = await session.post([ping(1)]);
    assert.equal(response.status, 400);
    assert.equal((await response.json()).error.code, -32600);
  });
}

test('TheModernEraRefusesThem', async () => {
  const response = await post(host.url, [modernRequest('tools/list')], modernHeaders('tools/list'));
  assert.equal(response.status, 400);
  assert.equal((await response.json()).error.code, -32600);
});

test('StdioAnswersThemInOneLine', async (context) => {
  const client = LineClient.start(context, await Components.create('catalogue'));
  client.send([ping(1)]);
  assert.equal((await client.next()).error.code, -32600, 'not before initialize');
  await client.ask(initializeRequest(withBatches));
  client.send(notification);
  client.send([ping(1), ping(2)]);
  assert.deepEqual(Object.keys(byId(await client.next())).sort(), ['1', '2']);
});
