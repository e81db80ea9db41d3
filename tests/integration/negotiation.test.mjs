// How a client and the server find a revision that both speak.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

import { Components } from './support/components.mjs';
import { serveAll } from './support/host.mjs';
import { initializeRequest, legacyRevisions, post, postModern, request, Session } from './support/http.mjs';

const revisions = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const host = await serveAll(await Components.create('catalogue'));

for (const revision of legacyRevisions) {
  describe(`initialize of ${revision}`, () => {
    test('IsAnsweredInThatRevision', async () => {
      const session = await Session.open(host.url, revision);
      assert.equal(session.result.protocolVersion, revision);
      assert.equal(session.result.serverInfo.name, 'mcp-plugin-host');
      assert.equal(session.result.instructions, 'One of everything.');
      assert.deepEqual(session.result.capabilities, {
        tools: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        prompts: { listChanged: true },
        logging: {},
        completions: {},
        extensions: { 'io.modelcontextprotocol/ui': {} },
      });
    });

    test('OpensASessionThatCallsTools', async () => {
      const session = await Session.open(host.url, revision);
      const answer = await session.ask('tools/call', { name: 'add', arguments: { a: 1, b: 2 } }, 7);
      assert.equal(answer.id, 7);
      assert.equal(answer.result.content[0].text, '3');
    });

    test('OpensASessionThatNeedsNoVersionHeader', async () => {
      const session = await Session.open(host.url, revision);
      const response = await post(host.url, request('ping'), { 'Mcp-Session-Id': session.id });
      assert.deepEqual(await response.json(), { jsonrpc: '2.0', id: 1, result: {} });
    });

    test('GivesOnlyContentThatTheRevisionHas', async () => {
      const session = await Session.open(host.url, revision);
      const { result } = await session.ask('tools/call', { name: 'contents', arguments: {} });
      const types = result.content.map((each) => each.type);
      const audio = revision >= '2025-03-26' ? 'audio' : 'text';
      const link = revision >= '2025-06-18' ? 'resource_link' : 'text';
      assert.deepEqual(types, ['text', 'image', audio, link, 'resource']);
    });

    test('ReportsWrongArgumentsAsTheRevisionPrescribes', async () => {
      const session = await Session.open(host.url, revision);
      const answer = await session.ask('tools/call', { name: 'add', arguments: { a: 1 } });
      if (revision >= '2025-11-25') {
        assert.equal(answer.result.isError, true);
        assert.match(answer.result.content[0].text, /"b"|\bb\b/);
      } else {
        assert.equal(answer.error.code, -32602);
        assert.match(answer.error.message, /"b"|\bb\b/);
      }
    });
  });
}

for (const unknown of ['1999-01-01', '2026-07-28', 'nonsense']) {
  test(`InitializeOf ${unknown} IsAnsweredWithTheNewestLegacyRevision`, async () => {
    const response = await post(host.url, initializeRequest(unknown));
    assert.equal((await response.json()).result.protocolVersion, '2025-11-25');
  });
}

for (const [what, params] of [
  ['params', undefined],
  ['protocolVersion', { capabilities: {}, clientInfo: { name: 'x', version: '1' } }],
]) {
  test(`InitializeWithout ${what} IsInvalid`, async () => {
    const response = await post(host.url, request('initialize', params));
    assert.equal((await response.json()).error.code, -32602);
  });
}

test('InitializeWithMoreThanIsRememberedOfAClientIsInvalid', async () => {
  const words = 'Invalid params: clientInfo and capabilities have more than 16384 bytes together';
  const initialize = async (name, capabilities) => {
    const { params } = initializeRequest(legacyRevisions[0]);
    const clientInfo = { ...params.clientInfo, name };
    return (await post(host.url, request('initialize', { ...params, clientInfo, capabilities }))).json();
  };
  const long = 'x'.repeat(16_384);
  assert.equal((await initialize(long, {})).error.message, words);
  assert.equal((await initialize('short', { experimental: { [long]: {} } })).error.message, words);
  const half = long.slice(0, 9000);
  assert.deepEqual((await initialize(half, { experimental: { [half]: {} } })).error, { code: -32602, message: words });
  assert.ok((await initialize(half, {})).result);
  const values = { experimental: Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`x${i}`, {}])) };
  const many = words.replace('16384 bytes', '500 values');
  assert.equal((await initialize('short', values)).error.message, many);
});

test('DiscoverTellsEverythingThatAClientNeeds', async () => {
  const { result } = await (await postModern(host.url, 'server/discover')).json();
  assert.deepEqual(result.supportedVersions, revisions);
  assert.equal(result.resultType, 'complete');
  assert.equal(result.instructions, 'One of everything.');
  assert.equal(result._meta['io.modelcontextprotocol/serverInfo'].name, 'mcp-plugin-host');
  assert.deepEqual(result.capabilities, {
    tools: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    prompts: { listChanged: true },
    logging: {},
    completions: {},
    extensions: { 'io.modelcontextprotocol/tasks': {}, 'io.modelcontextprotocol/ui': {} },
  });
});

test('ModernRequestOfAnUnknownRevisionIsToldTheSupportedOnes', async () => {
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
  const response = await postModern(
    host.url,
    'tools/list',
    { _meta: meta },
    {
      headers: { 'MCP-Protocol-Version': '2099-01-01' },
    },
  );
  assert.equal(response.status, 400);
  const { error } = await response.json();
  assert.equal(error.code, -32022);
  assert.deepEqual(error.data, { supported: revisions, requested: '2099-01-01' });
});

test('LegacyRequestWithAnUnknownVersionHeaderIsRefused', async () => {
  const session = await Session.open(host.url);
  const response = await session.post(request('ping'), { 'MCP-Protocol-Version': '1999-01-01' });
  assert.equal(response.status, 400);
  assert.equal((await response.json()).error.data.requested, '1999-01-01');
});

const automatic = { versionNegotiation: { mode: 'auto' } };
const identity = { name: 'integration', version: '1' };

test('AClientThatSpeaksBothErasSettlesOnTheModernOne', async () => {
  const client = new Client(identity, automatic);
  await client.connect(new StreamableHTTPClientTransport(host.url));
  assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
  await client.close();
});

test('AClientThatSpeaksBothErasFallsBackWhenDiscoverDoesNotGetThrough', async () => {
  const withoutDiscover = (url, init) => {
    if (!init?.body?.includes('server/discover')) return fetch(url, init);
    const error = { code: -32601, message: 'Method not found' };
    return new Response(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(init.body).id, error }), {
      status: 404,
      headers: { 'Content-Type': 'application/json' },
    });
  };
  const client = new Client(identity, automatic);
  await client.connect(new StreamableHTTPClientTransport(host.url, { fetch: withoutDiscover }));
  assert.equal(client.getNegotiatedProtocolVersion(), '2025-11-25');
  const result = await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } });
  assert.deepEqual(result.structuredContent, { result: 3 });
  await client.close();
});
