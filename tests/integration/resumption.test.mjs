// Legacy streams that are broken off and resumed, by the client's network or by the host (SEP-1699).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

import { assertCounted } from './support/assertions.mjs';
import { BreakingProxy } from './support/breaking_proxy.mjs';
import { connectHttp, kinds } from './support/clients.mjs';
import { Components } from './support/components.mjs';
import { serve, serveAll } from './support/host.mjs';
import { postModern, request, Session } from './support/http.mjs';
import { untilNoted } from './support/outcomes.mjs';
import { nextWithData, sseEvents } from './support/sse.mjs';

const host = await serveAll(await Components.create('slow'));

const sdk1 = kinds.find((kind) => kind.name === 'SDK v1');

function waitRequest(label, milliseconds, reports = 0, id = 1) {
  const params = { name: 'wait', arguments: { label, milliseconds, reports }, _meta: { progressToken: 1 } };
  return request('tools/call', params, id);
}

async function outcomes() {
  const response = await postModern(host.url, 'tools/call', { name: 'outcomes' });
  return (await response.json()).result.structuredContent.result;
}

// The events of a response, until there are `count` or it ends; comments are left out.
async function eventsOf(response, count = Infinity) {
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('Content-Type'), 'text/event-stream');
  const events = [];
  for await (const event of sseEvents(response.body)) {
    if (!('comment' in event) && events.push(event) === count) break;
  }
  return events;
}

const messagesOf = (events) => events.filter((event) => event.data).map((event) => JSON.parse(event.data));
const progressOf = (events) =>
  messagesOf(events)
    .filter((message) => message.method === 'notifications/progress')
    .map((message) => message.params.progress);
const resume = (session, id, options) => session.get({ 'Last-Event-ID': id }, options);

async function assertOver(response) {
  assert.equal(response.status, 405);
  assert.match((await response.json()).error.message, /has ended, and nothing of it was missed/);
}

test('TheEventsOfALegacyStreamHaveIdsAndTheFirstHasNothingElse', async () => {
  const session = await Session.open(host.url);
  const events = await eventsOf(await session.post(waitRequest('ids', 300, 2)));
  assert.deepEqual([events[0].data, events[0].retry], ['', '1000']);
  assertCounted(progressOf(events), 2);
  for (const event of events) assert.match(event.id, /^r\d+-\d+$/);
  assert.equal(new Set(events.map((event) => event.id)).size, events.length);
});

test('AnOlderClientGetsNoEventWithoutAMessage', async () => {
  for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18']) {
    const session = await Session.open(host.url, revision);
    const events = await eventsOf(await session.post(waitRequest(revision, 300, 1)));
    assert.equal(events.length, 2, 'its progress and its reply');
    for (const event of events) assert.ok(event.id && JSON.parse(event.data));
  }
});

test('AModernStreamHasNoIds', async () => {
  const { params } = waitRequest('modern', 50, 1);
  const events = await eventsOf(await postModern(host.url, 'tools/call', params));
  assert.equal(events.length, 2, 'its progress and its reply');
  for (const event of events) assert.equal(event.id, undefined);
});

test('AnAnswerWithoutAStreamHasNothingToResume', async () => {
  const session = await Session.open(host.url);
  const response = await session.post(waitRequest('plain', 0));
  assert.equal(response.headers.get('Content-Type'), 'application/json');
});

test('ALostResponseIsResumedWithTheRestAndItsReply', async () => {
  const session = await Session.open(host.url);
  const lost = await eventsOf(await session.post(waitRequest('lost', 900, 6)), 3);
  assert.deepEqual(progressOf(lost), [1, 2]);
  await sleep(300);
  const rest = await eventsOf(await resume(session, lost.at(-1).id));
  assertCounted(progressOf(rest), 6, 3);
  assert.equal(messagesOf(rest).at(-1).result.content[0].text, 'lost');
  assert.deepEqual((await outcomes()).filter((each) => each.startsWith('lost')), ['lost begun', 'lost finished']);
});

test('AReplyThatCameInTheMeantimeIsKept', async () => {
  const session = await Session.open(host.url);
  const [primer] = await eventsOf(await session.post(waitRequest('kept', 300, 2)), 1);
  await untilNoted(host.url, 'kept finished');
  for (const again of [1, 2]) {
    const rest = await eventsOf(await resume(session, primer.id));
    assertCounted(progressOf(rest), 2);
    assert.equal(messagesOf(rest).at(-1).result.content[0].text, 'kept', `time ${again}`);
  }
});

test('AStreamReplaysItsOwnEventsOnly', async () => {
  const session = await Session.open(host.url);
  const begun = await Promise.all(
    ['one', 'two'].map(async (label, i) => eventsOf(await session.post(waitRequest(label, 300, 1, i)), 1)),
  );
  for (const label of ['one', 'two']) await untilNoted(host.url, `${label} finished`);
  for (const [i, label] of ['one', 'two'].entries()) {
    const messages = messagesOf(await eventsOf(await resume(session, begun[i][0].id)));
    assert.deepEqual(messages.filter((each) => each.result).map((each) => each.result.content[0].text), [label]);
  }
});

// As where the network is gone, of which the host hears nothing.
test('AStreamThatIsOpenGoesOnOnTheConnectionThatResumesIt', async () => {
  const session = await Session.open(host.url);
  const before = sseEvents((await session.post(waitRequest('mine', 2000, 4))).body);
  const { value: primer } = await before.next();
  const events = await eventsOf(await resume(session, primer.id));
  assertCounted(progressOf(events), 4);
  assert.equal(messagesOf(events).at(-1).result.content[0].text, 'mine');
  await assert.rejects(async () => {
    for await (const event of before) assert.ok(event);
  }, 'the connection before is cut off');
});

test('AStreamThatIsHandedOnAgainAndAgainLosesNothing', async () => {
  const session = await Session.open(host.url);
  let response = await session.post(waitRequest('handed on', 4000, 40));
  const kept = []; // so that nobody but the host ends a connection
  const heard = [];
  const isWhole = () => messagesOf(heard).some(({ result }) => result);
  for (;;) {
    assert.equal(response.status, 200);
    const events = sseEvents(response.body);
    kept.push(events);
    for (let i = 0; i < 4 && !isWhole(); ++i) {
      const { value } = await events.next();
      if (!('comment' in value)) heard.push(value);
    }
    if (isWhole()) break;
    response = await resume(session, heard.at(-1).id);
  }
  assertCounted(progressOf(heard), 40);
  assert.ok(kept.length > 5, `${kept.length} connections`);
  assert.deepEqual((await outcomes()).filter((each) => each.startsWith('handed on')), ['handed on begun', 'handed on finished']);
});

test('AStreamIsTakenFromAConnectionWhoseClientReadsNothing', async () => {
  const session = await Session.open(host.url);
  await session.ask('logging/setLevel', { level: 'debug' });
  const flood = { name: 'flood', arguments: { count: 3000, size: 10_000 } };
  const before = sseEvents((await session.post(request('tools/call', flood, 'flood'))).body);
  const { value: primer } = await before.next();
  await sleep(500); // for more than sockets hold
  const events = await eventsOf(await resume(session, primer.id));
  assert.equal(messagesOf(events).at(-1).result.content[0].text, 'flooded');
  await before.return().catch(() => {}); // it may have heard of its end by now
});

test('AListeningStreamThatIsOpenGoesOnOnTheConnectionThatResumesIt', async (context) => {
  const own = await Components.create('plain_c');
  const host = await serve(context, own);
  const session = await Session.open(host.url);
  const before = sseEvents((await session.get()).body);
  const { value: primer } = await before.next();
  const events = sseEvents((await resume(session, primer.id)).body);
  assert.equal((await events.next()).value.id, primer.id);
  await own.add('sample_v1');
  const told = new Set();
  while (told.size < 3) told.add(JSON.parse((await nextWithData(events)).data).method);
  const rest = [];
  await assert.rejects(async () => {
    for await (const event of before) rest.push(event);
  }, 'the connection before is cut off');
  assert.deepEqual(messagesOf(rest), []);
  await events.return();
});

test('AnIdThatIsNoneOfTheSessionIsRefused', async () => {
  const mine = await Session.open(host.url);
  const [primer] = await eventsOf(await mine.post(waitRequest('secret', 100, 1)));
  const other = await Session.open(host.url);
  for (const id of [primer.id, 'r999999-1', 'made up', primer.id.replace('-0', '-9')]) {
    const response = await resume(other, id);
    assert.equal(response.status, 400, id);
    assert.match((await response.json()).error.message, /names no stream of this session/);
  }
  assert.equal((await other.post(request('ping'))).status, 200);
});

test('AnEndedSessionHasNothingToResume', async () => {
  const session = await Session.open(host.url);
  const [primer] = await eventsOf(await session.post(waitRequest('ended', 100, 1)));
  await session.delete();
  assert.equal((await resume(session, primer.id)).status, 404);
});

test('ACancelledCallEndsItsStreamWithoutAReply', async () => {
  const session = await Session.open(host.url);
  const [primer] = await eventsOf(await session.post(waitRequest('given up', 30_000, 100, 'long')), 1);
  await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'long' } });
  const rest = await eventsOf(await resume(session, primer.id));
  assert.deepEqual(messagesOf(rest).filter((each) => each.id), []);
  await assertOver(await resume(session, rest.at(-1).id));
});

test('AStreamWhoseReplyHasBeenHeardIsNotResumed', async () => {
  const session = await Session.open(host.url);
  const events = await eventsOf(await session.post(waitRequest('heard', 300, 1)));
  await assertOver(await resume(session, events.at(-1).id));
});

// It counts nothing but a result as the end of a stream.
test('SdkV1ComesBackNoMoreAfterACallThatItHasCancelled', async (context) => {
  const proxy = await BreakingProxy.start(context, host.url);
  const client = await connectHttp(sdk1, proxy.url);
  const params = { name: 'wait', arguments: { label: 'cancelled', milliseconds: 30_000, reports: 100 } };
  const options = { timeout: 1000, onprogress() {} };
  await assert.rejects(sdk1.call(client, params, options), /timed out/i);
  await proxy.until((said) => said.startsWith('HTTP/1.1 405'));
  await sleep(2500); // it would come back after a second
  assert.equal(proxy.count((said) => said.startsWith('HTTP/1.1 405')), 1);
  await client.close();
});

test('AListeningStreamIsResumedWithWhatWasMissed', async (context) => {
  const own = await Components.create('plain_c');
  const host = await serve(context, own);
  const session = await Session.open(host.url);
  const lost = new AbortController();
  const first = await session.get({}, { signal: lost.signal });
  const events = sseEvents(first.body);
  const primer = (await events.next()).value;
  assert.equal(primer.data, '');
  await own.add('sample_v1');
  const told = (await events.next()).value;
  lost.abort();
  await own.removeFile('sample_v1.so');
  await host.log.until({ event: 'plugin withdrawn' });
  const seen = [];
  for await (const event of sseEvents((await resume(session, told.id)).body)) {
    if (event.data && seen.push(JSON.parse(event.data).method) === 5) break;
  }
  assert.ok(!seen.slice(0, 2).includes(JSON.parse(told.data).method), 'what was heard is not repeated');
  assert.equal(new Set(seen.slice(2)).size, 3, 'what changed while nobody listened');
});

test('AListeningStreamThatIsForgottenBeginsAnew', async () => {
  const session = await Session.open(host.url);
  const closing = new AbortController();
  const response = await resume(session, 'l999999-7', { signal: closing.signal });
  assert.equal(response.status, 200);
  const { value } = await sseEvents(response.body).next();
  assert.match(value.id, /^l\d+-0$/);
  closing.abort();
});

test('AStreamThatIsOpenTooLongIsLeftToBePolled', async (context) => {
  const host = await serve(context, await Components.create('slow'), ['--close-streams-after-ms', '400']);
  const session = await Session.open(host.url);
  let events = await eventsOf(await session.post(waitRequest('polled', 10_000)));
  assert.deepEqual(messagesOf(events), [], 'left before the call is over');
  assert.equal(events[0].retry, '1000');
  let polls = 0;
  while (messagesOf(events).length === 0) {
    ++polls;
    events = await eventsOf(await resume(session, events.at(-1).id));
  }
  assert.ok(polls > 1, `${polls} polls`);
  assert.equal(messagesOf(events).at(-1).result.content[0].text, 'polled');

  const older = await Session.open(host.url, '2025-06-18');
  const whole = messagesOf(await eventsOf(await older.post(waitRequest('whole', 900, 2))));
  assert.equal(whole.at(-1).result.content[0].text, 'whole', 'an older client does not expect to be left');
  const quick = await session.post(waitRequest('quick', 0));
  assert.equal(quick.headers.get('Content-Type'), 'application/json');
});

test('SdkV1PollsForItsResult', async (context) => {
  const host = await serve(context, await Components.create('slow'), ['--close-streams-after-ms', '300']);
  const client = await connectHttp(sdk1, host.url);
  const result = await sdk1.call(client, { name: 'wait', arguments: { label: 'polled', milliseconds: 2500 } });
  assert.equal(result.content[0].text, 'polled');
  await client.close();
});

test('SdkV1GetsEverythingThoughItsConnectionsAreReset', async (context) => {
  const proxy = await BreakingProxy.start(context, host.url);
  const client = await connectHttp(sdk1, proxy.url);
  const progress = [];
  const onprogress = (report) => {
    progress.push(report.progress);
    if (report.progress === 2 || report.progress === 5) proxy.break();
  };
  const params = { name: 'wait', arguments: { label: 'through', milliseconds: 3000, reports: 10 } };
  const result = await sdk1.call(client, params, { onprogress });
  assert.equal(result.content[0].text, 'through');
  assertCounted(progress, 10);
  await client.close();
});

// It tries again after a second, and once more, and that is all.
test('SdkV1GetsItsAnswerThoughTheHostHearsNothingOfItsLostConnection', async (context) => {
  const proxy = await BreakingProxy.start(context, host.url);
  const client = await connectHttp(sdk1, proxy.url);
  const progress = [];
  const onprogress = (report) => {
    progress.push(report.progress);
    if (report.progress === 2) proxy.lose();
  };
  const params = { name: 'wait', arguments: { label: 'unheard', milliseconds: 3000, reports: 10 } };
  const result = await sdk1.call(client, params, { onprogress });
  assert.equal(result.content[0].text, 'unheard');
  assertCounted(progress, 10);
  await client.close();
});

test('SdkV1IsAskedThoughItsConnectionsAreReset', async (context) => {
  const proxy = await BreakingProxy.start(context, host.url);
  const client = new Client({ name: 'integration', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } }));
  await client.connect(new StreamableHTTPClientTransport(proxy.url));
  const onprogress = () => proxy.break();
  const params = { name: 'ask_later', arguments: { milliseconds: 300 } };
  const result = await client.callTool(params, undefined, { onprogress });
  assert.equal(result.content[0].text, '{"name":"Ada"}');
  await client.close();
});

test('SdkV1HearsOfChangesThoughItsConnectionsAreReset', async (context) => {
  const own = await Components.create('plain_c');
  const host = await serve(context, own);
  const proxy = await BreakingProxy.start(context, host.url);
  const client = await connectHttp(sdk1, proxy.url);
  const changed = new Promise((resolve) => client.setNotificationHandler(ToolListChangedNotificationSchema, resolve));
  const isStream = (said) => said.includes('Content-Type: text/event-stream');
  await proxy.until(isStream);
  await sleep(200); // from the proxy to the client
  proxy.break();
  await own.add('sample_v1');
  await changed;
  assert.ok(proxy.count(isStream) > 1, 'the client came back');
  await client.close();
});
