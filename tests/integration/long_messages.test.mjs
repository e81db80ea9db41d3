// A message may be as long as its limit says, whichever way it goes, and a longer one fails its own call and nothing
// else, with an error that names the limit and reaches the call. Otherwise a client would wait for nothing, or lose
// everything else that it has on the same stream.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';

import { connectHttp, connectStdio, connectWebSocket, kinds } from './support/clients.mjs';
import { Components } from './support/components.mjs';
import { serve, serveAll, StdioHost } from './support/host.mjs';
import {
  allMessages,
  contentHeaders,
  initializeRequest,
  modernHeaders,
  modernMeta,
  modernRequest,
  newestLegacy,
  post,
  postModern,
  request,
  Session,
} from './support/http.mjs';
import { RawConnection, requestText } from './support/raw_connection.mjs';
import { sseEvents } from './support/sse.mjs';
import { LineClient } from './support/stdio.mjs';

const megabyte = 1 << 20;
// More than the 4 MiB that a client may send unless an option says otherwise, and that a stream used to have room for.
const long = 5 * megabyte;
const tooLong = (option) => new RegExp(`the message is longer than the 4194304 bytes that ${option} allows`);

const components = await Components.create('long_messages');
const host = await serveAll(components, ['--http-sse', '--task-after-ms', '300']);

const call = (name, args, more) => ({ name, arguments: args, ...more });
const textOf = (result) => result.content[0].text;
const own = () => Components.create('long_messages');

const transports = {
  http: { option: '--max-body-bytes', connect: (kind, setup) => connectHttp(kind, host.url, setup) },
  stdio: { option: '--max-message-bytes', connect: (kind, setup) => connectStdio(kind, components, [], setup) },
  websocket: { option: '--max-body-bytes', connect: (kind, setup) => connectWebSocket(kind, host.url, setup) },
};

for (const kind of kinds) {
  for (const [transport, { option, connect }] of Object.entries(transports)) {
    const where = `${kind.name}, ${transport}`;

    test(`ARequestThatIsTooLongFailsAlone, ${where}`, async () => {
      const client = await connect(kind);
      const failed = kind.call(client, call('length', { text: 'x'.repeat(long) }), { timeout: 20_000 });
      await assert.rejects(failed, tooLong(option));
      const { content } = await kind.call(client, call('length', { text: 'short' }));
      assert.equal(content[0].text, '5 bytes');
      await client.close();
    });

    test(`AnAnswerMayBeLong, ${where}`, async () => {
      const client = await connect(kind);
      assert.equal(textOf(await kind.call(client, call('text', { bytes: 8 * megabyte }))).length, 8 * megabyte);
      await client.close();
    });

    // Says `name` to whoever asks, and remembers what was asked.
    const connectToAnswer = (asked, name) =>
      connect(kind, {
        options: { capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} } },
        prepare: (client) =>
          kind.answer(client, {
            elicit: ({ params }) => (asked.push(params), { action: 'accept', content: { name } }),
            sample: () => {},
            roots: () => {},
          }),
      });

    test(`AnInputRequestMayBeLong, ${where}`, async () => {
      const asked = [];
      const client = await connectToAnswer(asked, 'Ada');
      const result = await kind.call(client, call('ask', { bytes: long }), { timeout: 30_000 });
      assert.equal(textOf(result), '3 bytes');
      assert.equal(asked[0].message.length, long);
      await client.close();
    });

    test(`AnAnswerToAnInputRequestThatIsTooLongFailsTheCallThatAsked, ${where}`, async () => {
      const asked = [];
      const client = await connectToAnswer(asked, 'x'.repeat(long));
      const result = kind.call(client, call('ask', { bytes: 10 }), { timeout: 30_000 });
      if (kind.era === 'modern') {
        // There the answer is a request of its own.
        await assert.rejects(result, tooLong(option));
      } else {
        const { content, isError } = await result;
        assert.equal(isError, true);
        const words = `The client's answer to elicitation/create is longer than the 4194304 bytes that ${option} allows`;
        assert.equal(content[0].text, words);
      }
      assert.equal(asked.length, 1);
      const { content } = await kind.call(client, call('length', { text: 'short' }));
      assert.equal(content[0].text, '5 bytes');
      await client.close();
    });
  }
}

test('ALongerLineIsTakenWhereAnOptionSaysSo', async (context) => {
  const client = LineClient.start(context, await own(), ['--max-message-bytes', String(2 * long)]);
  client.send(modernRequest('tools/call', call('length', { text: 'x'.repeat(long) }), 1));
  assert.equal(textOf((await client.next()).result), `${long} bytes`);
});

test('ALineThatIsTooLongIsAnsweredByItsIdWhereverThatStands', async (context) => {
  const client = LineClient.start(context, await own());
  const params = { padding: 'x'.repeat(long), nested: { id: 'not this one' } };
  for (const [message, id] of [
    [{ jsonrpc: '2.0', id: 7, method: 'tools/call', params }, 7],
    [{ method: 'tools/call', params, jsonrpc: '2.0', id: 'last' }, 'last'],
    [[{ jsonrpc: '2.0', id: 8, method: 'tools/call', params }], undefined],
  ]) {
    client.send(message);
    const { error, ...rest } = await client.next();
    assert.deepEqual(rest, { jsonrpc: '2.0', ...(id !== undefined && { id }) });
    assert.equal(error.code, -32600);
    assert.match(error.message, tooLong('--max-message-bytes'));
  }
  client.sendLine(`{"jsonrpc":"2.0","id":1,"params":{"a":"${'x'.repeat(long)}"},"method":"ping","id":2}`);
  assert.equal('id' in (await client.next()), false, 'an id that stands twice is none');
});

test('ANotificationThatIsTooLongIsLoggedAndNotAnswered', async (context) => {
  const client = LineClient.start(context, await own());
  client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'x'.repeat(long) } });
  client.send(modernRequest('tools/list', {}, 1));
  assert.equal((await client.next()).id, 1);
  const { reason } = await client.host.log.until({ event: 'message refused' });
  assert.equal(reason, 'it is longer than the 4194304 bytes that --max-message-bytes allows');
});

test('TheAnswer413HasTheIdOfItsRequest', async () => {
  const params = call('length', { text: 'x'.repeat(long) }, { _meta: modernMeta() });
  const first = { jsonrpc: '2.0', id: 'mine', method: 'tools/call', params };
  const last = { method: 'tools/call', params, jsonrpc: '2.0', id: 'mine' };
  for (const message of [first, last]) {
    const response = await post(host.url, message, modernHeaders('tools/call', 'length'));
    assert.equal(response.status, 413);
    const { id, error } = await response.json();
    assert.equal(id, 'mine');
    assert.match(error.message, tooLong('--max-body-bytes'));
  }
  const notification = { jsonrpc: '2.0', method: 'notifications/x', params: { padding: 'x'.repeat(long) } };
  const session = await Session.open(host.url);
  const refused = await session.post(notification);
  assert.equal(refused.status, 413);
  assert.equal('id' in (await refused.json()), false);
});

test('TheAnswer413ComesAsSoonAsItIsKnownWhichRequestItIs', async () => {
  const connection = await RawConnection.open(host.url);
  const headers = { ...contentHeaders, ...modernHeaders('tools/call', 'length'), 'Content-Length': long };
  connection.write(requestText(host.url, 'POST', headers));
  connection.write('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"length","arguments":{"text":"x');
  const response = await connection.response();
  assert.equal(response.status, 413);
  assert.equal(JSON.parse(response.body).id, 7);
  assert.equal(response.headers.connection, 'close');
  await connection.closed;
});

test('TheAnswer413HasTheIdOfARequestThatIsLongInComing', async () => {
  const connection = await RawConnection.open(host.url);
  const headers = { ...contentHeaders, ...modernHeaders('tools/call', 'length'), 'Content-Length': long };
  connection.write(requestText(host.url, 'POST', headers));
  connection.write('{"method":"tools/call","params":{"name":"length","arguments":{"text":"');
  for (let i = 0; i < 36; ++i) {
    connection.write('x');
    await sleep(100);
  }
  connection.write('"}},"jsonrpc":"2.0","id":7');
  connection.write('}');
  const response = await connection.response();
  assert.equal(response.status, 413);
  assert.equal(JSON.parse(response.body).id, 7);
  await connection.closed;
});

test('AClientThatAsksWhetherToGoOnIsRefusedAtOnce', async () => {
  const connection = await RawConnection.open(host.url);
  connection.write(requestText(host.url, 'POST', { ...contentHeaders, 'Content-Length': long, Expect: '100-continue' }));
  assert.equal((await connection.response()).status, 413);
  await connection.closed;
});

test('AConnectionWhoseLongBodyWasReadIsUsedAgain', async () => {
  const connection = await RawConnection.open(host.url);
  const headers = { ...contentHeaders, ...modernHeaders('tools/list') };
  const body = `{"method":"tools/list","params":{"padding":"${'x'.repeat(long)}"},"jsonrpc":"2.0","id":7}`;
  connection.write(requestText(host.url, 'POST', headers, body));
  assert.equal((await connection.response()).status, 413);
  connection.write(requestText(host.url, 'POST', headers, JSON.stringify(modernRequest('tools/list'))));
  assert.equal((await connection.response()).status, 200);
  connection.end();
});

test('LongAnswersComeOnTheStreamOfHttpSse', async () => {
  const client = new Client({ name: 'integration', version: '1' });
  await client.connect(new SSEClientTransport(new URL('/sse', host.url)));
  const asked = [6, 12, 3, 4, 5].map((size) => size * megabyte);
  const results = await Promise.all(asked.map((bytes) => client.callTool(call('text', { bytes }))));
  assert.deepEqual(results.map((result) => textOf(result).length), asked);
  await assert.rejects(client.callTool(call('length', { text: 'x'.repeat(long) })), tooLong('--max-body-bytes'));
  assert.equal(textOf(await client.callTool(call('length', { text: 'short' }))), '5 bytes');
  await client.close();
  assert.deepEqual(host.log.matching({ event: 'stream closed' }), []);
});

const tasks = 'io.modelcontextprotocol/tasks';
const knowing = { 'io.modelcontextprotocol/clientCapabilities': { extensions: { [tasks]: {} } } };
const ask = async (url, method, params, name) => {
  const body = modernRequest(method, { ...params, _meta: knowing });
  return (await allMessages(await post(url, body, modernHeaders(method, name)))).at(-1);
};

test('ASubscriptionTellsOfTasksWithLongResults', async () => {
  const ids = [];
  for (const bytes of [long, long]) {
    const { result } = await ask(host.url, 'tools/call', call('text_later', { bytes, milliseconds: 800 }), 'text_later');
    assert.equal(result.resultType, 'task');
    ids.push(result.taskId);
  }
  const filter = { taskIds: ids, toolsListChanged: true };
  // Once with tasks that run, and once with tasks that have ended before.
  for (const id of ['first', 'second']) {
    const body = modernRequest('subscriptions/listen', { notifications: filter, _meta: knowing }, id);
    const stream = await post(host.url, body, modernHeaders('subscriptions/listen'));
    const sizes = new Map();
    for await (const { data } of sseEvents(stream.body)) {
      const { params } = data ? JSON.parse(data) : {};
      if (params?.status === 'completed') sizes.set(params.taskId, textOf(params.result).length);
      if (sizes.size === ids.length) break;
    }
    assert.deepEqual(ids.map((each) => sizes.get(each)), [long, long]);
  }
  assert.deepEqual(host.log.matching({ event: 'stream closed' }), []);
  for (const taskId of ids) {
    const { result } = await ask(host.url, 'tasks/get', { taskId }, taskId);
    assert.equal(result.status, 'completed');
  }
});

// The messages of a legacy stream until one `isLast`.
async function messagesUntil(isLast, events) {
  const messages = [];
  for (;;) {
    const { value, done } = await events.next();
    if (value?.data) messages.push(JSON.parse(value.data));
    if (done || messages.some(isLast)) return messages;
  }
}

// The events behind one, whether or not the host knows that the connection before is lost.
async function comeBack(session, id) {
  const response = await session.get({ 'Last-Event-ID': id });
  assert.equal(response.status, 200);
  return sseEvents(response.body);
}

test('ALongInputRequestIsHeardAgainByAClientThatComesBack', async () => {
  const session = await openAnsweringSession(host.url);
  const response = await session.post(request('tools/call', call('ask', { bytes: long }), 'asking'));
  const events = sseEvents(response.body);
  const { id: primer } = (await events.next()).value;
  await events.return(); // the connection is lost before the question has come
  for (let time = 1; time <= 2; ++time) {
    const again = await comeBack(session, primer);
    const [question] = await messagesUntil((message) => message.method === 'elicitation/create', again);
    assert.equal(question.params.message.length, long, `time ${time}`);
    if (time === 1) {
      await again.return();
      continue;
    }
    await session.post({ jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { name: 'Ada' } } });
    const answer = (await messagesUntil((message) => message.id === 'asking', again)).at(-1);
    assert.equal(textOf(answer.result), '3 bytes');
  }
});

async function openAnsweringSession(url) {
  const initialize = initializeRequest(newestLegacy);
  initialize.params.capabilities = { elicitation: {} };
  const response = await post(url, initialize);
  const session = new Session(url, newestLegacy, response.headers, (await response.json()).result);
  await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return session;
}

test('AnAnswerOfThePluginThatIsTooLongFailsItsCallOnEveryPath', async (context) => {
  const limited = await Components.create();
  await limited.write('long_messages.json', JSON.stringify({ limits: { resultBytes: 1_000_000 } }));
  await limited.add('long_messages');
  const host = await serve(context, limited, ['--http-sse', '--task-after-ms', '100']);
  const words = /^plugin long answered with \d+ bytes, more than the 1000000 that limits.resultBytes allows$/;
  const assertRefused = ({ id, error }, wanted) => {
    assert.equal(id, wanted);
    assert.match(error.message, words);
  };

  const plain = await postModern(host.url, 'tools/call', call('text', { bytes: long }), { id: 'json' });
  assertRefused(await plain.json(), 'json');

  const session = await Session.open(host.url);
  assertRefused(await session.ask('tools/call', call('text', { bytes: long }), 'legacy'), 'legacy');

  const sse = new Client({ name: 'integration', version: '1' });
  await sse.connect(new SSEClientTransport(new URL('/sse', host.url)));
  await assert.rejects(sse.callTool(call('text', { bytes: long })), /limits.resultBytes allows/);
  assert.equal(textOf(await sse.callTool(call('text', { bytes: 5 }))), 'xxxxx');
  await sse.close();

  const { result } = await ask(host.url, 'tools/call', call('text_later', { bytes: long, milliseconds: 800 }), 'text_later');
  for (let task = result; ; task = (await ask(host.url, 'tasks/get', { taskId: result.taskId }, result.taskId)).result) {
    if (task.status !== 'working') {
      assert.equal(task.status, 'failed');
      assert.match(task.error.message, words);
      break;
    }
    await sleep(50);
  }

  const over = new LineClient(StdioHost.start(limited).killAfter(context));
  assertRefused(await over.ask(modernRequest('tools/call', call('text', { bytes: long }), 'line')), 'line');
  over.endInput();
  assert.deepEqual(await over.host.end(), { status: 0, signal: null });
});
