// A call that takes its time tells how far it is, to a client that asked.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { connectHttp, connectStdio, connectWebSocket, kinds } from './support/clients.mjs';
import { Components } from './support/components.mjs';
import { serveAll } from './support/host.mjs';
import { allMessages, postModern, Session } from './support/http.mjs';

const components = await Components.create('slow');
const host = await serveAll(components);

const transports = {
  HTTP: (kind) => connectHttp(kind, host.url),
  stdio: (kind) => connectStdio(kind, components),
  WebSocket: (kind) => connectWebSocket(kind, host.url),
};
const slowCall = { name: 'wait', arguments: { label: 'progress', milliseconds: 500, reports: 3 } };
const expected = [1, 2, 3].map((step) => ({ progress: step, total: 3, message: `step ${step}` }));

for (const kind of kinds) {
  for (const [transport, connect] of Object.entries(transports)) {
    test(`IsHeardInOrderBeforeTheResult: ${kind.name} over ${transport}`, async () => {
      const client = await connect(kind);
      const heard = [];
      const result = await kind.call(client, slowCall, { onprogress: (progress) => heard.push(progress) });
      assert.equal(result.content[0].text, 'progress');
      assert.deepEqual(heard, expected);
      await client.close();
    });
  }
}

const eras = {
  legacy: async (params) =>
    (await Session.open(host.url)).post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  modern: (params) => postModern(host.url, 'tools/call', params),
};

for (const [era, call] of Object.entries(eras)) {
  for (const progressToken of ['a "token"', 7]) {
    test(`CarriesTheToken ${progressToken}, ${era}`, async () => {
      const response = await call({ ...slowCall, _meta: { progressToken } });
      assert.equal(response.headers.get('Content-Type'), 'text/event-stream');
      assert.equal(response.headers.get('X-Accel-Buffering'), 'no');
      const messages = await allMessages(response);
      assert.deepEqual(
        messages.slice(0, -1),
        expected.map((params) => ({
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progressToken, ...params },
        })),
      );
      assert.equal(messages.at(-1).id, 1);
    });
  }

  test(`ComesAtABearablePaceAndEndsWithTheLast, ${era}`, async () => {
    const params = { name: 'hurry', arguments: { count: 10_000 }, _meta: { progressToken: 1 } };
    const messages = await allMessages(await call(params));
    const values = messages.slice(0, -1).map((each) => each.params.progress);
    assert.ok(values.length >= 20 && values.length < 1000, `${values.length} reports`);
    assert.deepEqual(values, values.toSorted((a, b) => a - b));
    assert.equal(values.at(-1), 10_000);
    assert.equal(messages.at(-1).result.content[0].text, 'hurried');
  });

  test(`IsNotToldWithoutAToken, ${era}`, async () => {
    const response = await call(slowCall);
    assert.equal(response.headers.get('Content-Type'), 'application/json');
    assert.equal((await allMessages(response)).length, 1);
  });

  test(`ATokenOfAnotherTypeIsRefused, ${era}`, async () => {
    const messages = await allMessages(await call({ ...slowCall, _meta: { progressToken: { an: 'object' } } }));
    assert.deepEqual(messages.map(({ error }) => error.code), [-32602]);
  });
}
