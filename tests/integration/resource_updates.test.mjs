// Clients that subscribed to a resource hear that it changed; others do not.
import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { connectHttp, connectStdio, connectWebSocket, kinds } from './support/clients.mjs';
import { Components } from './support/components.mjs';
import { serve, serveAll } from './support/host.mjs';
import { legacyRevisions, modernRequest, postModern, Session } from './support/http.mjs';
import { sseMessages } from './support/sse.mjs';
import { LineClient } from './support/stdio.mjs';
import { until } from './support/until.mjs';

const subscriptionId = 'io.modelcontextprotocol/subscriptionId';

const components = await Components.create('watched');
const host = await serveAll(components);

const transports = {
  HTTP: (kind) => connectHttp(kind, host.url),
  stdio: (kind) => connectStdio(kind, components),
  WebSocket: (kind) => connectWebSocket(kind, host.url),
};
const touch = (client, uri, times = 1) => client.callTool({ name: 'touch', arguments: { uri, times } });

// What a client hears, as it comes.
async function hearing(kind, client) {
  const heard = [];
  await kind.onResourceUpdated(client, (uri) => heard.push(uri));
  return {
    heard,
    // All that was heard until `uri` was, which fails if that takes too long.
    untilHeard: (uri) => until(() => heard.includes(uri) && heard, () => `${uri}; heard ${JSON.stringify(heard)}`),
  };
}

for (const kind of kinds) {
  for (const [transport, connect] of Object.entries(transports)) {
    test(`HearsOfWhatItSubscribedTo: ${kind.name} over ${transport}`, async () => {
      const client = await connect(kind);
      assert.equal(client.getServerCapabilities().resources.subscribe, true);
      const other = await connect(kind);
      const mine = await hearing(kind, client);
      const others = await hearing(kind, other);
      await kind.subscribe(client, ['watched://one', 'watched://items/a%20b']);
      await kind.subscribe(other, ['watched://two']);

      await touch(client, 'watched://two');
      await touch(client, 'watched://one');
      assert.deepEqual(await mine.untilHeard('watched://one'), ['watched://one']);
      await touch(client, 'watched://items/a%20b');
      assert.deepEqual(await mine.untilHeard('watched://items/a%20b'), ['watched://one', 'watched://items/a%20b']);
      // Over stdio each client has a host of its own.
      if (transport === 'HTTP') assert.deepEqual(await others.untilHeard('watched://two'), ['watched://two']);
      await client.close();
      await other.close();
    });

    test(`HearsOfABurstOnce: ${kind.name} over ${transport}`, async () => {
      const client = await connect(kind);
      const { heard, untilHeard } = await hearing(kind, client);
      await kind.subscribe(client, ['watched://one', 'watched://two']);
      const begin = Date.now();
      await touch(client, 'watched://one', 1000);
      await touch(client, 'watched://two');
      // The burst may have been longer than the 50 ms that the host waits for it to be over.
      const most = 2 + Math.ceil((Date.now() - begin) / 50);
      await untilHeard('watched://two');
      assert.ok(heard.filter((uri) => uri === 'watched://one').length <= most, heard.join());
      await client.close();
    });
  }
}

test('HearsNothingMoreOnceItUnsubscribed', async () => {
  const session = await Session.open(host.url);
  const stream = sseMessages((await session.get()).body);
  for (const uri of ['watched://one', 'watched://two']) await session.ask('resources/subscribe', { uri });
  assert.deepEqual((await session.ask('resources/unsubscribe', { uri: 'watched://one' })).result, {});
  for (const uri of ['watched://one', 'watched://two']) {
    await session.ask('tools/call', { name: 'touch', arguments: { uri } });
  }
  assert.deepEqual((await stream.next()).value, {
    jsonrpc: '2.0',
    method: 'notifications/resources/updated',
    params: { uri: 'watched://two' },
  });
  await session.delete();
});

for (const revision of legacyRevisions) {
  test(`IsRefusedForAnUnknownResourceIn ${revision}`, async () => {
    const session = await Session.open(host.url, revision);
    const { error } = await session.ask('resources/subscribe', { uri: 'nothing://here' });
    assert.deepEqual(error, {
      code: -32002,
      message: 'Resource not found: nothing://here',
      data: { uri: 'nothing://here' },
    });
    assert.deepEqual((await session.ask('resources/subscribe', { uri: 'watched://one' })).result, {});
    await session.delete();
  });
}

test('IsNotAMethodOfTheModernEra', async () => {
  const response = await postModern(host.url, 'resources/subscribe', { uri: 'watched://one' });
  assert.equal((await response.json()).error.code, -32601);
});

test('AModernRequestIsAcknowledgedForWhatIsServed', async () => {
  const closing = new AbortController();
  const filter = { resourceSubscriptions: ['watched://one', 'nothing://here', 'watched://items/x'] };
  const response = await postModern(
    host.url,
    'subscriptions/listen',
    { notifications: filter },
    { id: 'l', signal: closing.signal },
  );
  const stream = sseMessages(response.body);
  const acknowledged = (await stream.next()).value.params;
  assert.deepEqual(acknowledged.notifications, { resourceSubscriptions: ['watched://one', 'watched://items/x'] });
  await postModern(host.url, 'tools/call', { name: 'touch', arguments: { uri: 'watched://items/x' } });
  assert.deepEqual((await stream.next()).value.params, { _meta: { [subscriptionId]: 'l' }, uri: 'watched://items/x' });
  closing.abort();
});

test('SubscriptionsStayWhenThePluginIsReplaced', async (context) => {
  const own = await Components.create('watched');
  const ownHost = await serve(context, own);
  const session = await Session.open(ownHost.url);
  const stream = sseMessages((await session.get()).body);
  await session.ask('resources/subscribe', { uri: 'watched://one' });
  await own.write('watched.json', '{"any": "thing"}');
  await ownHost.log.until({ event: 'plugin replaced' });
  await session.ask('tools/call', { name: 'touch', arguments: { uri: 'watched://one' } });
  assert.equal((await stream.next()).value.params.uri, 'watched://one');
  await session.delete();
});

test('OverStdioEachSubscriptionSaysWhoseItIs', async (context) => {
  const client = LineClient.start(context, await Components.create('watched'));
  for (const [id, uri] of [
    ['one', 'watched://one'],
    ['two', 'watched://two'],
  ]) {
    client.send(modernRequest('subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } }, id));
    assert.equal((await client.next()).method, 'notifications/subscriptions/acknowledged');
  }
  client.send(modernRequest('tools/call', { name: 'touch', arguments: { uri: 'watched://two' } }, 'call'));
  const messages = [await client.next(), await client.next()];
  const update = messages.find((each) => each.method);
  assert.deepEqual(update.params, { _meta: { [subscriptionId]: 'two' }, uri: 'watched://two' });
});

test('AFileThatOthersWriteIsTold', async (context) => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'mcp-files-')));
  context.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'a b.txt');
  await writeFile(file, 'before');
  const own = await Components.create();
  await own.addShipped('resources/files', { roots: [{ name: 'here', path: folder }] });
  const ownHost = await serve(context, own);
  const uri = `file://${folder}/a%20b.txt`;
  const session = await Session.open(ownHost.url);
  const stream = sseMessages((await session.get()).body);
  assert.deepEqual((await session.ask('resources/subscribe', { uri })).result, {});
  // The plugin begins to watch on a thread of its own.
  const told = stream.next();
  const isTold = async () => {
    await writeFile(file, 'after');
    return Promise.race([told, sleep(100)]);
  };
  const { value } = await until(isTold, () => ownHost.log.text());
  assert.equal(value.params.uri, uri);
  await session.delete();
});
