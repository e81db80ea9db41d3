// Plugins read resources by the host, whatever the client of the call can, and no more than it may read itself.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

import { connectHttp, connectStdio, connectWebSocket, kinds } from './support/clients.mjs';
import { Components } from './support/components.mjs';
import { program, serveAll } from './support/host.mjs';
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

test('TheCommandLineReadsThemToo', () => {
  const command = (...args) => {
    const here = ['--components', components.root, '--data', components.data];
    const { status, stdout, stderr } = spawnSync(program, [args[0], ...here, ...args.slice(1)], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    return stdout;
  };
  assert.equal(command('call', 'read', '{"uri": "reading://it"}'), 'text/plain|what it contains0\n');
  assert.match(command('call', 'read', '{"uri": "config://server"}'), /"name":"mcp-plugin-host"/);
  assert.match(command('prompt', 'sum_up'), /Sum up: what it contains/);
  assert.equal(command('call', '--answer', 'Ada', 'read_and_ask'), 'what one contains, what two contains: Ada\n');
});

test('TheCheckerReadsThemToo', () => {
  const { status, stdout } = spawnSync(program, ['check', `${components.root}/tools/reading.so`], { encoding: 'utf8' });
  assert.equal(status, 0, stdout);
  assert.doesNotMatch(stdout, /nobody can say/);
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
