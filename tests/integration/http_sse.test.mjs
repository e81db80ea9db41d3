// The deprecated HTTP+SSE transport of 2024-11-05, for clients that know no other.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { ProgressNotificationSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

import { assertCounted, assertInFlight } from './support/assertions.mjs';
import { Components } from './support/components.mjs';
import { HttpHost, serve, serveAll } from './support/host.mjs';
import { initializeRequest, post, postModern, request } from './support/http.mjs';
import { untilNoted } from './support/outcomes.mjs';
import { RawConnection, requestText } from './support/raw_connection.mjs';
import { sseEvents } from './support/sse.mjs';
import { until } from './support/until.mjs';

const option = ['--http-sse'];

const components = await Components.create('catalogue', 'slow');
const host = await serveAll(components, [...option, '--max-body-bytes', '20000', '--heartbeat-ms', '100']);
const sse = new URL('/sse', host.url);

async function connect(url = sse) {
  const client = new Client({ name: 'integration', version: '1' });
  await client.connect(new SSEClientTransport(url));
  return client;
}

// A stream as it goes over the wire.
class Stream {
  static async open(url = sse) {
    const stream = new Stream();
    stream.closing = new AbortController();
    stream.response = await fetch(url, { headers: { Accept: 'text/event-stream' }, signal: stream.closing.signal });
    stream.events = sseEvents(stream.response.body);
    const first = await stream.next();
    assert.equal(first.event, 'endpoint');
    stream.endpoint = new URL(first.data, url);
    return stream;
  }

  async next() {
    for (;;) {
      const { value, done } = await this.events.next();
      if (done || !('comment' in value)) return value;
    }
  }

  say(message, headers = {}) {
    return post(this.endpoint, message, { Accept: '*/*', ...headers });
  }

  async ask(message) {
    assert.equal((await this.say(message)).status, 202);
    return JSON.parse((await this.next()).data);
  }
}

test('IsNotThereUnlessItIsAskedFor', async (context) => {
  const host = await serve(context, await Components.create());
  assert.equal((await fetch(new URL('/sse', host.url))).status, 404);
  assert.equal((await post(new URL('/messages?sessionId=1', host.url), request('ping'))).status, 404);
});

test('ServesTheOfficialClient', async () => {
  const client = await connect();
  assert.ok((await client.listTools()).tools.some((tool) => tool.name === 'add'));
  const sum = await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } });
  assert.deepEqual(sum.structuredContent, { result: 3 });
  const text = await client.readResource({ uri: 'catalogue://text' });
  assert.equal(text.contents[0].text, 'text');
  // Not by `onprogress`, which the client forgets with the reply: what comes in one piece with that would be lost.
  const progress = [];
  client.setNotificationHandler(ProgressNotificationSchema, ({ params }) => void progress.push(params.progress));
  const waiting = { name: 'wait', arguments: { label: 'x', milliseconds: 100, reports: 3 } };
  const waited = await client.callTool(waiting, undefined, { onprogress: () => {} });
  assert.equal(waited.content[0].text, 'x');
  assertCounted(progress, 3);
  await assert.rejects(client.readResource({ uri: 'nothing://here' }));
  await client.close();
});

test('TellsTheOfficialClientOfChanges', async (context) => {
  const own = await Components.create('plain_c');
  const host = await serve(context, own, option);
  const client = await connect(new URL('/sse', host.url));
  const changed = new Promise((resolve) => client.setNotificationHandler(ToolListChangedNotificationSchema, resolve));
  await own.add('sample_v1');
  await changed;
  await client.close();
});

test('AnswersOnTheStreamWhatIsPosted', async () => {
  const stream = await Stream.open();
  assert.equal(stream.response.headers.get('Content-Type'), 'text/event-stream');
  assert.match(stream.endpoint.pathname + stream.endpoint.search, /^\/messages\?sessionId=[\w-]{43}$/);
  const { result } = await stream.ask(initializeRequest('2024-11-05'));
  assert.equal(result.protocolVersion, '2024-11-05');
  const accepted = await stream.say({ jsonrpc: '2.0', method: 'notifications/initialized' });
  assert.deepEqual([accepted.status, await accepted.text()], [202, '']);
  assert.deepEqual((await stream.ask(request('ping', {}, 'x'))).result, {});
  assert.equal((await stream.ask(request('no/such/method'))).error.code, -32601);
  stream.closing.abort();
});

test('KeepsSessionsApart', async () => {
  const [one, two] = [await Stream.open(), await Stream.open()];
  await one.ask(initializeRequest('2024-11-05'));
  const early = await two.say(request('tools/list'));
  assert.equal(early.status, 400, 'the other has not been initialized');
  await two.ask(initializeRequest('2024-11-05'));
  assert.equal((await two.ask(request('ping', {}, 'two'))).id, 'two');
  assert.equal((await one.ask(request('ping', {}, 'one'))).id, 'one');
  for (const stream of [one, two]) stream.closing.abort();
});

test('EndsTheSessionWithTheStream', async () => {
  const stream = await Stream.open();
  await stream.ask(initializeRequest('2024-11-05'));
  stream.closing.abort();
  await until(async () => (await stream.say(request('ping'))).status === 404, () => 'the end of the session');
});

test('RefusesWhatIsNoMessageOfASession', async () => {
  const stream = await Stream.open();
  const messages = new URL('/messages', host.url);
  assert.equal((await post(messages, request('ping'))).status, 400);
  assert.equal((await post(new URL('?sessionId=made-up', messages), request('ping'))).status, 404);
  assert.equal((await stream.say('{')).status, 400);
  assert.equal((await stream.say('7')).status, 400);
  assert.equal((await stream.say(request('ping'), { 'Content-Type': 'text/plain' })).status, 415);
  assert.equal((await stream.say(request('ping', { padding: 'x'.repeat(20_000) }))).status, 413);
  assert.equal((await fetch(messages)).status, 405);
  assert.equal((await post(sse, request('ping'))).status, 405);
  assert.equal((await fetch(sse, { headers: { Accept: 'application/json' } })).status, 406);
  stream.closing.abort();
});

test('ChecksHostAndOriginAsEverywhere', async () => {
  const asks = async (method, path, headers) => {
    const connection = await RawConnection.open(host.url);
    connection.write(requestText(new URL(path, host.url), method, { Accept: 'text/event-stream', ...headers }));
    const { status } = await connection.response();
    connection.end();
    return status;
  };
  assert.equal(await asks('GET', '/sse', { Host: 'evil.example' }), 403);
  assert.equal(await asks('GET', '/sse', { Origin: 'http://evil.example' }), 403);
  assert.equal(await asks('POST', '/messages', { Origin: 'http://evil.example' }), 403);
  assert.equal(await asks('GET', '/sse', { Origin: 'http://localhost:5173' }), 200);
});

test('GivesSignsOfLife', async () => {
  const stream = await Stream.open();
  const { value } = await stream.events.next();
  assert.ok('comment' in value);
  stream.closing.abort();
});

test('LetsACallFinishWhenTheHostStops', async (context) => {
  const own = await Components.create('slow');
  const stopping = (await HttpHost.start(own, [...option, '--shutdown-grace-s', '60'])).killAfter(context, own);
  const stream = await Stream.open(new URL('/sse', stopping.url));
  await stream.ask(initializeRequest('2024-11-05'));
  await stream.say(request('tools/call', { name: 'wait', arguments: { label: 'last', milliseconds: 9000 } }));
  await untilNoted(stopping.url, 'last begun');
  const answer = stream.next();
  const stopped = stopping.stop();
  await stopping.log.until({ event: 'stopping' });
  await assertInFlight(answer);
  assert.equal(JSON.parse((await answer).data).result.content[0].text, 'last');
  assert.equal(await stream.next(), undefined, 'and then the stream ends');
  await stopped;
});

test('LeavesTheOtherTransportAsItIs', async () => {
  assert.equal((await postModern(host.url, 'tools/list')).status, 200);
});
