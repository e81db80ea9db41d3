// The host ends in an orderly way: calls in flight are answered, streams end, and the status is 0.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { assertInFlight } from './support/assertions.mjs';
import { connectHttp, kinds } from './support/clients.mjs';
import { Components } from './support/components.mjs';
import { HttpHost, argumentsOf, inProcess, program } from './support/host.mjs';
import {
  allMessages,
  contentHeaders,
  initializeRequest,
  modernHeaders,
  modernRequest,
  postModern,
  request,
  Session,
} from './support/http.mjs';
import { untilNoted } from './support/outcomes.mjs';
import { RawConnection, requestText } from './support/raw_connection.mjs';
import { sseEvents } from './support/sse.mjs';
import { LineClient } from './support/stdio.mjs';
import { until } from './support/until.mjs';

const waitCall = (milliseconds, reports = 0) => ({ name: 'wait', arguments: { label: 'done', milliseconds, reports } });
const orderly = { status: 0, signal: null };
// So long that the host has begun to stop meanwhile, and much less than the grace.
const whileStoppingMs = 10_000;
const longGrace = ['--shutdown-grace-s', '60'];
const signals = ['SIGTERM', 'SIGINT'];

async function start(context, more = []) {
  const components = await Components.create('slow');
  const host = (await HttpHost.start(components, more)).killAfter(context, components);
  return Object.assign(host, { components });
}

// All of it takes as long as one call.
suite('WhileTheHostStops', { concurrency: true }, () => {
  for (const signal of signals) {
    test(`${signal} LetsACallInFlightFinish`, async (context) => {
      const host = await start(context, longGrace);
      const call = postModern(host.url, 'tools/call', waitCall(whileStoppingMs));
      await untilNoted(host.url, 'done begun');
      host.signal(signal);
      // Nobody new is let in, sooner or later.
      await until(() => postModern(host.url, 'tools/list').then(() => false, () => true), () => host.log.text());
      await assertInFlight(call);
      assert.equal((await (await call).json()).result.content[0].text, 'done');
      assert.deepEqual(await host.end(), orderly);
    });
  }

  test('ACallThatStreamsProgressFinishesToo', async (context) => {
    const host = await start(context, longGrace);
    const params = { ...waitCall(whileStoppingMs, 4), _meta: { progressToken: 1 } };
    const all = allMessages(await postModern(host.url, 'tools/call', params));
    host.signal('SIGTERM');
    await host.log.until({ event: 'stopping' });
    await assertInFlight(all);
    const messages = await all;
    assert.equal(messages.at(-1).result.content[0].text, 'done');
    assert.equal(messages.length, 5);
    assert.deepEqual(await host.end(), orderly);
  });

  test('ASignalEndsAStdioHostAsTheEndOfInputDoes', (context) => Promise.all([...signals, 'SIGHUP'].map(async (signal) => {
    const client = LineClient.start(context, await Components.create('slow'), longGrace);
    await client.ask(initializeRequest('2025-11-25'));
    client.send(request('tools/call', waitCall(whileStoppingMs), 'last'));
    const outcomes = request('tools/call', { name: 'outcomes', arguments: {} }, 'outcomes');
    const noted = async () => JSON.stringify(await client.ask(outcomes));
    await until(async () => (await noted()).includes('done begun'), noted);
    const answer = client.next();
    client.host.signal(signal);
    await sleep(500); // it says nothing of having heard it
    await assertInFlight(answer);
    assert.equal((await answer).result.content[0].text, 'done');
    assert.deepEqual(await client.rest(), []);
    assert.deepEqual(await client.host.end(), orderly);
  })));
});

test('AServiceWithoutATerminalGoesOnAfterSighup', async (context) => {
  const components = await Components.create('slow');
  // In a session of its own, which has no terminal.
  const child = spawn(program, argumentsOf('serve', components, ['--listen', '127.0.0.1:0']),
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  const host = (await HttpHost.of(child, components)).killAfter(context, components);
  for (let times = 0; times < 2; ++times) {
    const ignored = host.log.next({ event: 'signal ignored', signal: 'SIGHUP' });
    host.signal('SIGHUP');
    await ignored;
    assert.equal((await postModern(host.url, 'tools/list')).status, 200);
  }
  host.signal('SIGTERM');
  assert.deepEqual(await host.end(), orderly);
});

// The host waits 15 s for plugins that do not stop; one that has cut a call off does not, however busy the machine is.
const waitedForMs = 12_000;

test('ACallThatTakesTooLongIsCancelled', async (context) => {
  const host = await start(context, ['--shutdown-grace-s', '1']);
  const call = postModern(host.url, 'tools/call', waitCall(30_000));
  await untilNoted(host.url, 'done begun');
  const begin = Date.now();
  host.signal('SIGTERM');
  const { result } = await (await call).json();
  assert.equal(result.isError, true);
  assert.deepEqual(await host.end(), orderly);
  assert.ok(Date.now() - begin < waitedForMs);
  assert.equal(host.log.matching({ event: 'calls cancelled' }).length, 1);
  assert.equal(host.log.matching({ event: 'plugin says', text: 'cancelled: shutdown' }).length, 1);
});

test('APluginThatDoesNotAskIsToldThatTheHostEnds', async (context) => {
  const host = await start(context, ['--shutdown-grace-s', '1']);
  const call = postModern(host.url, 'tools/call', { name: 'until_cancelled', arguments: { label: 'x' } });
  await untilNoted(host.url, 'x begun');
  host.signal('SIGTERM');
  assert.equal((await (await call).json()).result.isError, true);
  assert.deepEqual(await host.end(), orderly);
  assert.equal(host.log.matching({ event: 'plugin says', text: 'told: shutdown' }).length, 1);
});

test('ACallThatHeedsNothingIsAnsweredInItsPluginsStead', async (context) => {
  const host = await start(context, ['--shutdown-grace-s', '1']);
  await host.components.write('stopping.json', JSON.stringify({ file: host.components.file('stopped') }));
  await host.components.add('stopping');
  await host.log.until({ event: 'plugin loaded', plugin: 'stopping' });
  const call = postModern(host.url, 'tools/call', { name: 'ignore', arguments: { milliseconds: 60_000 } });
  await host.log.until({ event: 'plugin says', text: 'ignoring' });
  const begin = Date.now();
  host.signal('SIGTERM');
  const { error } = await (await call).json();
  assert.equal(error.code, -32603);
  assert.equal(error.message, 'plugin slow: the call was cut off, because this server is stopping');
  assert.deepEqual(await host.end(), orderly);
  assert.ok(Date.now() - begin < waitedForMs);
  const [line] = host.log.matching({ event: 'calls cut off' });
  assert.match(line.file, /slow\.so$/);
  // A process that does not stop can be ended; a thread cannot.
  assert.equal(host.log.matching({ event: 'exit without unwinding' }).length, inProcess ? 1 : 0);
  // A plugin that is well is stopped all the same.
  assert.equal(String(await host.components.read('stopped')), 'stopped');
});

test('WhatAPluginPutsIntoItsStoreWhileTheHostEndsIsThereAfterwards', async (context) => {
  const components = await Components.create();
  await components.write('stopping.json', JSON.stringify({ keeps: 'a value' }));
  await components.add('stopping');
  const host = (await HttpHost.start(components)).killAfter(context);
  host.signal('SIGTERM');
  assert.deepEqual(await host.end(), orderly);
  assert.deepEqual(host.log.matching({ event: 'plugin did not stop well' }), [], host.log.text());
  const next = (await HttpHost.start(components)).killAfter(context, components);
  const { result } = await (await postModern(next.url, 'tools/call', { name: 'kept', arguments: {} })).json();
  assert.equal(result.content[0].text, 'a value');
});

test('ALoadThatHangsDoesNotKeepTheHost', async (context) => {
  const components = await Components.create('hanging');
  const host = (await HttpHost.start(components)).killAfter(context, components);
  host.signal('SIGTERM');
  assert.deepEqual(await host.end(), orderly);
  assert.equal(host.log.matching({ event: 'plugin loaded' }).length, 0);
});

test('ACallWhoseClientIsGoneDoesNotHoldTheEndUpForLonger', async (context) => {
  const host = await start(context, ['--shutdown-grace-s', '1']);
  const client = new AbortController();
  const params = { name: 'ignore', arguments: { milliseconds: 60_000 } };
  const call = postModern(host.url, 'tools/call', params, { signal: client.signal });
  await host.log.until({ event: 'plugin says', text: 'ignoring' });
  client.abort();
  await assert.rejects(call);
  const begin = Date.now();
  host.signal('SIGTERM');
  assert.deepEqual(await host.end(), orderly);
  assert.ok(Date.now() - begin < waitedForMs);
  const [line] = host.log.matching({ event: 'calls cut off' });
  assert.match(line.file, /slow\.so$/);
});

test('OverStdioACallThatWasCancelledHasTheSameEnd', async (context) => {
  const client = LineClient.start(context, await Components.create('slow'), ['--shutdown-grace-s', '1']);
  client.send(modernRequest('tools/call', { name: 'ignore', arguments: { milliseconds: 60_000 } }, 7));
  await client.host.log.until({ event: 'plugin says', text: 'ignoring' });
  client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
  const begin = Date.now();
  client.endInput();
  assert.deepEqual(await client.host.end(), orderly);
  assert.ok(Date.now() - begin < waitedForMs);
  assert.equal(client.host.log.matching({ event: 'calls cut off' }).length, 1);
});

for (const era of ['modern', 'legacy']) {
  test(`LongAnswersWhoseClientsHaveGoneHoldNothingUp, ${era}`, async (context) => {
    const components = await Components.create();
    const stopped = components.file('stopped');
    await components.write('long_messages.json', JSON.stringify({ file: stopped }));
    await components.add('long_messages');
    const temporary = join(components.folder, 'tmp');
    await mkdir(temporary);
    const host = await HttpHost.start(components, longGrace, undefined, { TMPDIR: temporary });
    host.killAfter(context, components);
    assert.equal((await readdir(temporary)).length, 1, 'the folder with the copies of plugins');
    const params = { name: 'text', arguments: { bytes: 10_000_000 } };
    const session = era === 'legacy' && (await Session.open(host.url));
    const headers = session ? session.headers : modernHeaders('tools/call', 'text');
    const message = session ? request('tools/call', params) : modernRequest('tools/call', params);
    const clients = await Promise.all(Array.from({ length: 16 }, () => RawConnection.open(host.url)));
    for (const client of clients) {
      client.write(requestText(host.url, 'POST', { ...contentHeaders, ...headers }, JSON.stringify(message)));
    }
    await sleep(400);
    for (const client of clients) client.end();
    await sleep(100);
    host.signal('SIGTERM');
    assert.deepEqual(await host.end({ patienceMs: 90_000 }), orderly);
    assert.deepEqual(host.log.matching({ event: 'exit without unwinding' }), [], host.log.text());
    assert.equal(String(await readFile(stopped)), 'stopped');
    assert.deepEqual(await readdir(temporary), []);
  });
}

test('ASecondSignalEndsTheHostAtOnce', async (context) => {
  const host = await start(context);
  const call = assert.rejects(postModern(host.url, 'tools/call', waitCall(30_000)));
  await untilNoted(host.url, 'done begun');
  // Another one at once. Not the same: of that the kernel may make one.
  for (const signal of ['SIGTERM', 'SIGINT']) host.signal(signal);
  await host.log.until({ event: 'stopping' });
  await sleep(600);
  assert.equal(host.child.exitCode, null, 'one that comes right after it is the same wish');
  host.signal('SIGTERM');
  assert.deepEqual(await host.end(), { status: 128 + 15, signal: null });
  await call;
});

test('AGetStreamEndsWithItsLastChunk', async (context) => {
  const host = await start(context);
  const session = await Session.open(host.url);
  const stream = await session.get();
  host.signal('SIGTERM');
  // A stream that is cut off would throw.
  for await (const event of sseEvents(stream.body)) assert.ok(!event.data);
  assert.deepEqual(await host.end(), orderly);
});

test('ASubscriptionEndsWithItsResult', async (context) => {
  const host = await start(context);
  const stream = await postModern(
    host.url,
    'subscriptions/listen',
    { notifications: { toolsListChanged: true } },
    { id: 'mine' },
  );
  const events = sseEvents(stream.body);
  await events.next();
  host.signal('SIGTERM');
  const rest = [];
  for await (const event of events) if (event.data) rest.push(JSON.parse(event.data));
  assert.equal(rest.length, 1);
  assert.equal(rest[0].id, 'mine');
  assert.equal(rest[0].result.resultType, 'complete');
  assert.equal(rest[0].result._meta['io.modelcontextprotocol/subscriptionId'], 'mine');
  assert.deepEqual(await host.end(), orderly);
});

test('TheSdkIsToldThatItsSubscriptionEndedGracefully', async (context) => {
  const host = await start(context);
  const kind = kinds.find((each) => each.era === 'modern');
  const client = await connectHttp(kind, host.url);
  const subscription = await client.listen({ toolsListChanged: true });
  host.signal('SIGTERM');
  assert.equal(await subscription.closed, 'graceful');
  assert.deepEqual(await host.end(), orderly);
  await client.close();
});

test('AnIdleConnectionHoldsNothingUp', async (context) => {
  const host = await start(context, longGrace);
  const idle = await RawConnection.open(host.url);
  const begin = Date.now();
  host.signal('SIGTERM');
  await idle.closed;
  assert.deepEqual(await host.end(), orderly);
  assert.ok(Date.now() - begin < 30_000);
});

test('AHalfSentRequestHoldsUpForNoLongerThanHeadersMayTake', async (context) => {
  const host = await start(context, ['--header-time-ms', '500', ...longGrace]);
  const half = await RawConnection.open(host.url);
  half.write('POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n');
  await sleep(50);
  const begin = Date.now();
  host.signal('SIGTERM');
  assert.deepEqual(await host.end(), orderly);
  assert.ok(Date.now() - begin < 8_000); // without the option headers may take 10 s
  half.end();
});

test('TheEndOfInputLetsCallsInFlightFinish', async (context) => {
  const client = LineClient.start(context, await Components.create('slow'), ['--shutdown-grace-s', '10']);
  client.send(modernRequest('tools/call', waitCall(400), 'last'));
  client.endInput();
  assert.deepEqual(
    (await client.rest()).map((message) => [message.id, message.result.content[0].text]),
    [['last', 'done']],
  );
  assert.deepEqual(await client.host.end(), orderly);
});

test('TheEndOfInputIsNoReasonToWaitForever', async (context) => {
  const client = LineClient.start(context, await Components.create('slow'), ['--shutdown-grace-s', '1']);
  client.send(modernRequest('tools/call', waitCall(30_000), 'last'));
  client.endInput();
  const [answer] = await client.rest();
  assert.deepEqual([answer.id, answer.result.isError], ['last', true]);
  assert.deepEqual(await client.host.end(), orderly);
});

test('ACallHasASecondAfterTheEndOfInput', async (context) => {
  const client = LineClient.start(context, await Components.create('slow'));
  client.send(modernRequest('tools/call', waitCall(60_000), 'last'));
  await client.host.log.until({ event: 'plugin loaded' });
  const begin = Date.now();
  client.endInput();
  const [answer] = await client.rest();
  assert.deepEqual([answer.id, answer.result.isError], ['last', true]);
  assert.deepEqual(await client.host.end(), orderly);
  const took = Date.now() - begin;
  assert.ok(took >= 1000 && took < 9000, `${took} ms, where the grace of a signal is ten seconds`);
});

test('ASubscriptionOverStdioEndsWithItsResult', async (context) => {
  const client = LineClient.start(context, await Components.create('slow'));
  client.send(modernRequest('subscriptions/listen', { notifications: { toolsListChanged: true } }, 'mine'));
  assert.equal((await client.next()).method, 'notifications/subscriptions/acknowledged');
  client.endInput();
  const [end, cancelled] = await client.rest();
  assert.deepEqual([end.id, end.result.resultType], ['mine', 'complete']);
  const _meta = { 'io.modelcontextprotocol/subscriptionId': 'mine' };
  assert.deepEqual([cancelled.method, cancelled.params], ['notifications/cancelled', { _meta, requestId: 'mine' }]);
  assert.deepEqual(await client.host.end(), orderly);
});

test('AClientThatGoesAwayEndsTheStdioHost', async (context) => {
  const client = LineClient.start(context, await Components.create('slow'));
  await client.ask(initializeRequest('2025-11-25'));
  client.host.child.stdout.destroy();
  client.send(request('ping'));
  assert.deepEqual(await client.host.end(), orderly);
});
