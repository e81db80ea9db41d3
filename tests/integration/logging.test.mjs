// What a plugin logs during a call reaches the client of that call, if it asked for messages of that severity.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

import { Components } from './support/components.mjs';
import { serve, serveAll } from './support/host.mjs';
import { allMessages, legacyRevisions, postModern, request, Session } from './support/http.mjs';

const host = await serveAll(await Components.create('slow'));

const call = { name: 'log', arguments: {} };
const levelKey = 'io.modelcontextprotocol/logLevel';
const logged = (messages) =>
  messages.filter(({ method }) => method === 'notifications/message').map(({ params }) => params);
const message = (level) => ({ level, logger: 'slow', data: level });

test('ReachesTheSdkThatSetALevel', async () => {
  const client = new Client({ name: 'integration', version: '1' });
  const heard = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => heard.push(params));
  await client.connect(new StreamableHTTPClientTransport(host.url));
  await client.callTool(call);
  assert.deepEqual(heard, [], 'nothing that nobody asked for');
  await client.setLoggingLevel('warning');
  await client.callTool(call);
  assert.deepEqual(heard, ['warning', 'error'].map(message));
  await client.close();
});

for (const revision of legacyRevisions) {
  test(`IsHeardFromTheLevelOnThatTheSessionHas, ${revision}`, async () => {
    const session = await Session.open(host.url, revision);
    assert.deepEqual(session.result.capabilities.logging, {});
    const levelled = await session.post(request('logging/setLevel', { level: 'info' }));
    assert.deepEqual((await levelled.json()).result, {});
    const messages = await allMessages(await session.post(request('tools/call', call, 2)));
    assert.deepEqual(logged(messages), ['info', 'warning', 'error'].map(message));
    assert.equal(messages.at(-1).id, 2);

    const other = await Session.open(host.url, revision);
    assert.deepEqual(logged(await allMessages(await other.post(request('tools/call', call)))), []);
  });
}

test('IsHeardFromTheLevelOnThatTheModernRequestHas', async () => {
  const messages = await allMessages(await postModern(host.url, 'tools/call', { ...call, _meta: { [levelKey]: 'error' } }));
  assert.deepEqual(logged(messages), [message('error')]);
  assert.equal(messages.at(-1).result.resultType, 'complete');
  const silent = await postModern(host.url, 'tools/call', call);
  assert.equal(silent.headers.get('Content-Type'), 'application/json');
});

test('ALevelThatDoesNotExistIsRefused', async () => {
  const session = await Session.open(host.url);
  for (const level of ['loud', 3, undefined]) {
    const { error } = await (await session.post(request('logging/setLevel', { level }))).json();
    assert.equal(error.code, -32602);
    assert.match(error.message, /is no log level; it is one of debug, info, notice, warning, error, critical, alert, emergency$/);
  }
  const refused = await postModern(host.url, 'tools/call', { ...call, _meta: { [levelKey]: 'loud' } });
  assert.equal((await refused.json()).error.code, -32602);
});

test('ALineForEachCallIsInTheHostsLogAtDebugAndNoneAtInfo', async (context) => {
  const own = await Components.create('slow');
  const debugging = await serve(context, own, ['--log-level', 'debug']);
  const wait = { name: 'wait', arguments: { label: 'a', milliseconds: 20, reports: 0 } };
  for (const asked of [debugging, host]) {
    await (await postModern(asked.url, 'tools/call', wait)).json();
    await (await postModern(asked.url, 'tools/call', { name: 'wait', arguments: { label: 1 } })).json();
  }
  const { ms, ...line } = await debugging.log.until({ event: 'call', outcome: 'ok' });
  assert.ok(ms >= 20, `${ms}`);
  assert.deepEqual(
    { method: line.method, component: line.component, plugin: line.plugin, level: line.level },
    { method: 'tools/call', component: 'wait', plugin: 'slow', level: 'debug' },
  );
  const refused = await debugging.log.until({ event: 'call', outcome: 'refused' });
  assert.match(refused.error, /^Invalid arguments for tool wait: /);
  assert.deepEqual(host.log.matching({ event: 'call' }), []);
});
