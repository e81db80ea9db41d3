// A plugin may write URIs with what RFC 3986 forbids: clients read them percent-encoded, and are understood in either form.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { connectHttp, connectStdio, connectWebSocket, kinds } from './support/clients.mjs';
import { Components } from './support/components.mjs';
import { serveAll } from './support/host.mjs';
import { Session } from './support/http.mjs';
import { patience } from './support/patience.mjs';

const raw = 'raw://über uns';
const encoded = 'raw://%C3%BCber%20uns';
const template = 'raw://gr%C3%B6%C3%9Fe%20%3C{name}%3E';

const components = await Components.create('raw_uris');
const host = await serveAll(components);

const transports = {
  HTTP: (kind) => connectHttp(kind, host.url),
  stdio: (kind) => connectStdio(kind, components),
  WebSocket: (kind) => connectWebSocket(kind, host.url),
};

for (const kind of kinds) {
  for (const [transport, connect] of Object.entries(transports)) {
    test(`IsListedAndAnsweredEncoded: ${kind.name} over ${transport}`, async () => {
      const client = await connect(kind);
      assert.deepEqual((await client.listResources()).resources.map(({ uri }) => uri), [encoded]);
      const { resourceTemplates } = await client.listResourceTemplates();
      assert.deepEqual(resourceTemplates.map(({ uriTemplate }) => uriTemplate), [template]);
      const { content } = await client.callTool({ name: 'link', arguments: {} });
      assert.deepEqual([content[0].uri, content[1].resource.uri], [encoded, encoded]);
      // What clients of other languages make of it is the same.
      assert.equal(new URL(encoded).href, encoded);
      await client.close();
    });

    test(`IsReadInEitherForm: ${kind.name} over ${transport}`, async () => {
      const client = await connect(kind);
      const read = async (uri) => (await client.readResource({ uri })).contents;
      for (const uri of [raw, encoded, 'raw://%c3%bcber uns']) {
        assert.deepEqual(await read(uri), [{ uri: encoded, text: 'about us' }]);
      }
      for (const uri of ['raw://größe <sehr groß>', 'raw://gr%C3%B6%C3%9Fe%20%3Csehr%20gro%C3%9F%3E']) {
        const [{ uri: answered, text }] = await read(uri);
        assert.equal(answered, 'raw://gr%C3%B6%C3%9Fe%20%3Csehr%20gro%C3%9F%3E');
        assert.equal(text, 'sehr groß');
      }
      await client.close();
    });

    test(`IsSubscribedToInEitherForm: ${kind.name} over ${transport}`, async () => {
      for (const uri of [raw, encoded]) {
        const client = await connect(kind);
        const heard = [];
        await kind.onResourceUpdated(client, (updated) => heard.push(updated));
        await kind.subscribe(client, [uri]);
        await client.callTool({ name: 'touch', arguments: {} });
        for (const end = Date.now() + patience; heard.length === 0 && Date.now() < end;) await sleep(20);
        assert.deepEqual(heard, [encoded]);
        await client.close();
      }
    });

    test(`IsCompletedInEitherForm: ${kind.name} over ${transport}`, async () => {
      const client = await connect(kind);
      for (const uri of [template, 'raw://größe <{name}>']) {
        const ref = { type: 'ref/resource', uri };
        const { completion } = await client.complete({ ref, argument: { name: 'name', value: 'gr' } });
        assert.deepEqual(completion.values, ['groß']);
      }
      await client.close();
    });
  }
}

test('IsUnsubscribedFromInEitherForm', async () => {
  const session = await Session.open(host.url);
  for (const [one, other] of [
    [raw, encoded],
    [encoded, raw],
  ]) {
    await session.ask('resources/subscribe', { uri: one });
    assert.deepEqual((await session.ask('resources/unsubscribe', { uri: other })).result, {});
  }
  await session.delete();
});
