// Streams over HTTP: signs of life, who is told what, and readers that are too slow.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { Components } from './support/components.mjs';
import { serve, serveAll } from './support/host.mjs';
import { contentHeaders, modernHeaders, modernRequest, postModern, request, Session } from './support/http.mjs';
import { RawConnection, requestText } from './support/raw_connection.mjs';
import { sseEvents } from './support/sse.mjs';
import { until } from './support/until.mjs';

const heartbeat = ['--heartbeat-ms', '100'];

const host = await serveAll(await Components.create('slow'), heartbeat);

async function assertSignsOfLife(response, count) {
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('Content-Type'), 'text/event-stream');
  assert.equal(response.headers.get('X-Accel-Buffering'), 'no');
  assert.match(response.headers.get('Cache-Control'), /no-cache/);
  let seen = 0;
  for await (const event of sseEvents(response.body)) {
    if ('comment' in event && ++seen === count) break;
  }
  assert.equal(seen, count);
}

test('AQuietGetStreamGivesSignsOfLife', async () => {
  const session = await Session.open(host.url);
  const begin = Date.now();
  await assertSignsOfLife(await session.get(), 4);
  const took = Date.now() - begin;
  assert.ok(took >= 250 && took < 30_000, `${took} ms`);
});

test('AQuietSubscriptionGivesSignsOfLife', async () => {
  await assertSignsOfLife(await postModern(host.url, 'subscriptions/listen', { notifications: {} }), 3);
});

test('ACallThatIsSilentForLongGivesSignsOfLifeAndThenItsResult', async () => {
  const params = { name: 'wait', arguments: { label: 'late', milliseconds: 1500 } };
  const response = await postModern(host.url, 'tools/call', params);
  assert.equal(response.headers.get('Content-Type'), 'text/event-stream');
  const events = [];
  for await (const event of sseEvents(response.body)) events.push(event);
  assert.ok(events.filter((event) => 'comment' in event).length >= 2);
  assert.equal(JSON.parse(events.at(-1).data).result.content[0].text, 'late');
});

test('AChangeIsToldOnOneStreamOfASessionOnly', async (context) => {
  const own = await Components.create('plain_c');
  const host = await serve(context, own);
  const session = await Session.open(host.url);
  const heard = [];
  let hear;
  const heardAll = new Promise((resolve) => (hear = resolve));
  const streams = await Promise.all([1, 2].map(() => session.get()));
  const reading = streams.map(async (stream, number) => {
    for await (const event of sseEvents(stream.body)) {
      if (event.data) heard.push([number, JSON.parse(event.data).method]);
      if (heard.length === 3) hear();
    }
  });
  await own.add('sample_v1');
  await heardAll;
  // What is on its way comes before the end of a stream.
  await session.delete();
  await Promise.all(reading);
  assert.deepEqual(
    heard.map(([, method]) => method).sort(),
    ['prompts', 'resources', 'tools'].map((list) => `notifications/${list}/list_changed`),
  );
});

test('AChangeWithoutAStreamIsToldOnTheNextOne', async (context) => {
  const own = await Components.create('plain_c');
  const host = await serve(context, own);
  const session = await Session.open(host.url);
  await own.add('sample_v1');
  const isServed = async () => (await session.ask('tools/list')).result.tools.some(({ name }) => name === 'only_in_v1');
  await until(isServed, () => host.log.text());
  const stream = await session.get();
  const methods = [];
  for await (const event of sseEvents(stream.body)) {
    if (event.data && methods.push(JSON.parse(event.data).method) === 3) break;
  }
  assert.equal(new Set(methods).size, 3);
});

// More than fits into the queue of a stream and the buffers of the operating system.
const flood = { name: 'flood', arguments: { count: 2000, size: 20_000 } };
const hearing = { _meta: { 'io.modelcontextprotocol/logLevel': 'debug' } };

for (const [era, text] of [
  [
    'modern',
    (url) => {
      const body = modernRequest('tools/call', { ...flood, ...hearing });
      return requestText(
        url,
        'POST',
        { ...contentHeaders, ...modernHeaders('tools/call', 'flood') },
        JSON.stringify(body),
      );
    },
  ],
  [
    'legacy',
    async (url) => {
      const session = await Session.open(url);
      await session.ask('logging/setLevel', { level: 'debug' });
      const body = request('tools/call', flood);
      return requestText(url, 'POST', { ...contentHeaders, ...session.headers }, JSON.stringify(body));
    },
  ],
]) {
  test(`AReaderThatIsTooSlowMissesMessagesButNotItsAnswerAndDisturbsNobody, ${era}`, async () => {
    const slow = await RawConnection.open(host.url);
    slow.socket.pause();
    slow.write(await text(host.url));
    for (let tries = 0; tries < 25; ++tries) {
      assert.equal((await postModern(host.url, 'tools/list')).status, 200);
      await sleep(20);
    }
    slow.socket.resume();
    const received = await slow.textUntil('\r\n0\r\n\r\n');
    assert.match(received, /"text":"flooded"/);
    const messages = received.split('notifications/message').length - 1;
    assert.ok(messages > 0 && messages < flood.arguments.count, `${messages} messages`);
    slow.end();
  });
}

test('AnHttp10ClientReadsItsStreamUntilTheConnectionIsClosed', async () => {
  const params = {
    name: 'wait',
    arguments: { label: 'old', milliseconds: 50, reports: 2 },
    _meta: { progressToken: 1 },
  };
  const headers = { ...contentHeaders, ...modernHeaders('tools/call', 'wait') };
  const text = requestText(host.url, 'POST', headers, JSON.stringify(modernRequest('tools/call', params)));
  const connection = await RawConnection.open(host.url);
  connection.write(text.replace('HTTP/1.1', 'HTTP/1.0'));
  const response = await connection.response();
  assert.deepEqual([response.status, response.headers['transfer-encoding']], [200, undefined]);
  assert.match(await connection.textUntil('"old"'), /notifications\/progress.*notifications\/progress/s);
  await connection.closed;
});

test('AReaderThatKeepsUpGetsEverything', async () => {
  const params = { name: 'flood', arguments: { count: 500, size: 1000 }, ...hearing };
  const response = await postModern(host.url, 'tools/call', params);
  const heard = [];
  let result;
  for await (const event of sseEvents(response.body)) {
    if (!event.data) continue;
    const message = JSON.parse(event.data);
    if (message.method) heard.push(parseInt(message.params.data));
    else result = message.result;
  }
  assert.deepEqual(
    heard,
    Array.from({ length: 500 }, (_, i) => i + 1),
  );
  assert.equal(result.content[0].text, 'flooded');
});
