// Plugins read resources by the host, whatever the client of the call can, and no more than it may read itself.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { connectHttp, connectStdio, connectWebSocket, kinds } from './support/clients.mjs';
import { Components } from './support/components.mjs';
import { serveAll } from './support/host.mjs';
import { postModern } from './support/http.mjs';
import { bearer, Team } from './support/team.mjs';

const components = await Components.create('reading', 'annotated');
await components.addShipped('resources/server');
const host = await serveAll(components);

const textOf = ({ content }) => content[0].text;

for (const kind of kinds) {
  const transports = {
    HTTP: () => connectHttp(kind, host.url),
    stdio: () => connectStdio(kind, components),
    WebSocket: () => connectWebSocket(kind, host.url),
  };
  for (const [transport, connect] of Object.entries(transports)) {
    test(`AToolReadsResourcesOfItsOwnAndOfOthers: ${kind.name} over ${transport}`, async () => {
      const client = await connect();
      const read = async (uri) => kind.call(client, { name: 'read', arguments: { uri } });
      assert.equal(textOf(await read('reading://it')), 'text/plain|what it contains0');
      assert.match(textOf(await read('config://server')), /"name":"mcp-plugin-host"/);
      const absent = await read('config://absent');
      assert.equal(absent.isError, true);
      assert.equal(textOf(absent), 'Resource not found: config://absent');
      const asking = await read('asking://someone');
      assert.equal(asking.isError, true);
      assert.match(textOf(asking), /it asks the client, which one that a plugin reads cannot/);
      const { messages } = await client.getPrompt({ name: 'sum_up' });
      assert.equal(messages[0].content.text, 'Sum up: what it contains');
      await client.close();
    });
  }
}

const elicit = ({ params }) => {
  const [field] = Object.keys(params.requestedSchema.properties);
  return { action: 'accept', content: { [field]: 'Ada' } };
};
const nobody = () => { throw new Error('nobody asks for that'); };

test('WhatIsReadAndWhatIsAskedGoTogether', async () => {
  for (const kind of kinds) {
    const capabilities = { elicitation: { form: {} }, sampling: {}, roots: {} };
    const client = await connectHttp(kind, host.url, {
      options: { capabilities },
      prepare: (created) => kind.answer(created, { elicit, sample: nobody, roots: nobody }),
    });
    const result = await kind.call(client, { name: 'read_and_ask', arguments: {} });
    assert.equal(textOf(result), 'what one contains, what two contains: Ada', kind.name);
    await client.close();
  }
});

test('APluginReadsNoMoreThanItsCallerMay', async (context) => {
  const own = await Components.create('reading');
  await own.addShipped('resources/server');
  const team = await Team.serve(context, own, '[roles.user]\nallow = ["tool:read", "resource:reading://public*"]\n');
  const token = await team.token('ada', 'user');
  const read = async (uri) => {
    const response = await postModern(team.url, 'tools/call', { name: 'read', arguments: { uri } }, { headers: bearer(token) });
    return textOf((await response.json()).result);
  };
  assert.equal(await read('reading://public'), 'text/plain|what public contains0');
  assert.equal(await read('reading://secret'), 'Resource not found: reading://secret');
  assert.equal(await read('config://server'), 'Resource not found: config://server');
});
