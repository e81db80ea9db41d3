// subscriptions/listen, as it goes over the wire.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Components } from './support/components.mjs';
import { serveAll } from './support/host.mjs';
import { modernRequest, postModern } from './support/http.mjs';
import { sseEvents } from './support/sse.mjs';
import { LineClient } from './support/stdio.mjs';

const subscriptionId = 'io.modelcontextprotocol/subscriptionId';
const everything = { toolsListChanged: true, resourcesListChanged: true, promptsListChanged: true };

const components = await Components.create('plain_c');
const host = await serveAll(components);
// The messages of a new stream, from its acknowledgment on.
async function listen(notifications, id, signal) {
  const response = await postModern(host.url, 'subscriptions/listen', { notifications }, { id, signal });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('Content-Type'), 'text/event-stream');
  const events = sseEvents(response.body);
  return {
    next: async () => {
      for (;;) {
        const { value } = await events.next();
        if (value.data) return JSON.parse(value.data);
      }
    },
  };
}

test('BeginsWithTheAcknowledgmentOfWhatIsHonoured', async () => {
  const closing = new AbortController();
  const stream = await listen(
    { ...everything, resourceSubscriptions: ['a://b'], unheardOf: true },
    'x',
    closing.signal,
  );
  assert.deepEqual(await stream.next(), {
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { _meta: { [subscriptionId]: 'x' }, notifications: { ...everything, resourceSubscriptions: [] } },
  });
  closing.abort();
});

test('TellsOnlyWhatWasAskedForAndWhoseItIs', async () => {
  const closing = new AbortController();
  const tools = await listen({ toolsListChanged: true }, 1, closing.signal);
  const prompts = await listen({ promptsListChanged: true, toolsListChanged: false }, 'two', closing.signal);
  await tools.next();
  await prompts.next();
  await components.add('sample_v1', 'sample.so');
  const changed = (list, id) => ({
    jsonrpc: '2.0',
    method: `notifications/${list}/list_changed`,
    params: { _meta: { [subscriptionId]: id } },
  });
  assert.deepEqual(await tools.next(), changed('tools', 1));
  assert.deepEqual(await prompts.next(), changed('prompts', 'two'));
  // A replacement that changes the tools alone, then the removal of all: what comes next tells what was between.
  await components.overwrite('sample.so', 'sample_v2');
  assert.deepEqual(await tools.next(), changed('tools', 1));
  await components.removeFile('sample.so');
  assert.deepEqual(await tools.next(), changed('tools', 1));
  assert.deepEqual(await prompts.next(), changed('prompts', 'two'));
  closing.abort();
});

test('AnEmptyFilterIsHonouredAsItIs', async () => {
  const closing = new AbortController();
  const stream = await listen({}, 1, closing.signal);
  assert.deepEqual((await stream.next()).params.notifications, {});
  closing.abort();
});

for (const [what, params] of [
  ['NoFilter', {}],
  ['AFilterThatIsNoObject', { notifications: ['toolsListChanged'] }],
]) {
  test(`${what} IsInvalid`, async () => {
    const response = await postModern(host.url, 'subscriptions/listen', params);
    assert.equal((await response.json()).error.code, -32602);
  });
}

test('SeveralOverStdioAreKeptApartAndEndedOneByOne', async (context) => {
  const own = await Components.create();
  const client = LineClient.start(context, own);
  for (const [id, notifications] of [
    ['tools', { toolsListChanged: true }],
    ['prompts', { promptsListChanged: true }],
  ]) {
    client.send(modernRequest('subscriptions/listen', { notifications }, id));
    assert.equal((await client.next()).params._meta[subscriptionId], id);
  }
  await own.add('sample_v1', 'sample.so');
  const heard = [await client.next(), await client.next()].map((each) => each.params._meta[subscriptionId]);
  assert.deepEqual(heard.sort(), ['prompts', 'tools']);

  client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'tools' } });
  // What comes later is answered later.
  await client.ask(modernRequest('tools/list', {}, 'after'));
  await own.removeFile('sample.so');
  assert.equal((await client.next()).params._meta[subscriptionId], 'prompts');
  client.endInput();
  const [end, cancelled] = await client.rest();
  assert.deepEqual([end.id, cancelled.params.requestId], ['prompts', 'prompts']);
});
