// Servers elsewhere over HTTP that are busy, slow, or end what they are asked to keep open.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ElicitRequestSchema, LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

import { connectHttp, kinds } from './support/clients.mjs';
import { Components } from './support/components.mjs';
import { HttpHost } from './support/host.mjs';
import { allMessages, modernHeaders, modernRequest, post, postModern } from './support/http.mjs';
import { legacy, modern, said, startScripted, stream, tool } from './support/scripted_http_upstream.mjs';
import { sseEvents } from './support/sse.mjs';
import { until } from './support/until.mjs';
import { addUpstream } from './support/upstreams.mjs';

const text = (result) => result.content[0].text;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// A host with one upstream, "far", whose components have no prefix, and a client of it.
async function serve(context, server, settings = {}, options = []) {
  const components = await Components.create();
  await addUpstream(components, 'far', { url: server.url, prefix: '', ...settings });
  const host = await HttpHost.start(components, options);
  context.after(() => host.stop().finally(() => components.discard()));
  const connected = await host.log.until({ event: 'upstream connected' }, { patienceMs: 30_000 });
  const client = await connectHttp(kinds[0], host.url);
  const call = (name) => client.callTool({ name, arguments: {} }).then(text, ({ message }) => message);
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  return { host, connected, client, call, names };
}

// The broken connections make the host ask whether it is there, which it refuses as it does the call.
for (const status of [429, 503]) {
  test(`AServerThatIsBusyIsThere: ${status}`, async (context) => {
    const slow = Promise.withResolvers();
    const begun = Promise.withResolvers();
    let isBusy = false;
    const server = await startScripted(context, {
      ...legacy({ tools: {} }),
      ping: (params, response, id) => {
        const error = { code: -32000, message: 'ask later' };
        if (isBusy) response.writeHead(status).end(JSON.stringify({ jsonrpc: '2.0', id, error }));
        return {};
      },
      'tools/list': () => ({ tools: ['slow', 'busy', 'broken'].map(tool) }),
      'tools/call': async ({ name }, response) => {
        if (name === 'broken') return void response.destroy();
        if (name === 'busy') {
          isBusy = true;
          return void response.writeHead(status).end();
        }
        begun.resolve();
        await slow.promise;
        return said('slow');
      },
    });
    const { host, call } = await serve(context, server);
    const answer = call('slow');
    await begun.promise;
    assert.match(await call('busy'), new RegExp(`HTTP status ${status}`));
    assert.match(await call('broken'), /closed|ended|answer/);
    await server.until(() => server.count('ping') > 0);
    // What it would lose its calls for comes right after the answer.
    assert.match(await call('broken'), /closed|ended|answer/);
    await server.until(() => server.count('ping') > 1);
    slow.resolve();
    assert.equal(await answer, 'slow');
    assert.equal(server.count('initialize'), 1);
    assert.deepEqual(host.log.matching({ event: 'upstream lost' }), []);
  });
}

test('AServerThatIsBusyWhenItIsProbedIsNotTakenForALegacyOne', async (context) => {
  let probes = 0;
  const server = await startScripted(context, {
    ...legacy({ tools: {} }),
    'server/discover': (params, response) => {
      if (++probes === 1) return void response.writeHead(503).end();
      return modern({ tools: {} })['server/discover']();
    },
    'tools/list': () => ({ tools: [tool('echo')] }),
  });
  const { host, connected } = await serve(context, server);
  const [{ reason }] = host.log.matching({ event: 'plugin refused' });
  assert.match(reason, /HTTP status 503, when it is asked whether it is modern; if it is not, .* write "legacy": true$/);
  assert.equal(connected.protocol, '2026-07-28');
  assert.equal(server.count('initialize'), 0);
});

test('AServerThatFailsAtWhatItDoesNotKnowIsALegacyOne', async (context) => {
  const server = await startScripted(context, {
    ...legacy({ tools: {} }),
    'server/discover': (params, response) => void response.writeHead(500).end(),
    'tools/list': () => ({ tools: [tool('echo')] }),
  });
  const { connected } = await serve(context, server);
  assert.equal(connected.protocol, '2025-11-25');
});

test('AServerIsAskedNothingBeforeItHasHeardThatItIsInitialized', async (context) => {
  let isInitialized = false;
  const before = [];
  const server = await startScripted(context, {
    ...legacy({ tools: {} }),
    'notifications/initialized': async () => {
      await pause(300);
      isInitialized = true;
    },
    'tools/list': () => {
      if (!isInitialized) before.push('tools/list');
      return { tools: [tool('echo')] };
    },
  });
  await serve(context, server);
  assert.deepEqual(before, []);
});

test('AServerThatDoesNotTakeItThatItIsInitializedIsConnectedToAnew', async (context) => {
  let notices = 0;
  const server = await startScripted(context, {
    ...legacy({ tools: {} }),
    'notifications/initialized': (params, response) => {
      if (++notices === 1) response.writeHead(503).end();
    },
    'tools/list': () => ({ tools: [tool('echo')] }),
  });
  const { host } = await serve(context, server);
  const [{ reason }] = host.log.matching({ event: 'plugin refused' });
  assert.match(reason, /it did not take notifications\/initialized: .*: it answers with the HTTP status 503/);
  assert.equal(server.count('initialize'), 2);
});

test('WhatChangesBeforeItListensIsListed', async (context) => {
  const tools = ['first'];
  const server = await startScripted(context, {
    ...modern({ tools: { listChanged: true } }),
    'tools/list': () => ({ resultType: 'complete', tools: tools.map(tool) }),
    'subscriptions/listen': (params, response) => {
      tools.push('grown');
      stream(response, { method: 'notifications/subscriptions/acknowledged', params: { notifications: params.notifications } });
    },
  });
  const { names } = await serve(context, server);
  await until(async () => (await names()).includes('grown'), names);
  assert.equal(server.count('subscriptions/listen'), 1);
  assert.equal(server.count('tools/list'), 2);
});

test('WhatChangesBeforeItSaysThatItListensIsListed', async (context) => {
  const tools = ['first'];
  const server = await startScripted(context, {
    ...modern({ tools: { listChanged: true } }),
    'tools/list': () => ({ resultType: 'complete', tools: tools.map(tool) }),
    'subscriptions/listen': async ({ notifications }, response) => {
      // They are listed for the second time because it should listen by now.
      await server.until(() => server.count('tools/list') > 1);
      tools.push('grown');
      stream(response, { method: 'notifications/subscriptions/acknowledged', params: { notifications } });
    },
  });
  const { names } = await serve(context, server);
  await until(async () => (await names()).includes('grown'), names);
});

// Of those its ttlMs counts, which is known from the next time on.
test('ListsOfWhoseChangesItWillNotTellAreListedAgain', async (context) => {
  const server = await startScripted(context, {
    ...modern({ tools: { listChanged: true }, prompts: { listChanged: true } }),
    'tools/list': () => ({ resultType: 'complete', tools: [tool('echo')] }),
    'prompts/list': () => ({ resultType: 'complete', prompts: [] }),
    'subscriptions/listen': async (params, response) => {
      // They are listed for the second time because it is listened to from now on.
      await server.until(() => server.count('tools/list') > 1);
      const notifications = { toolsListChanged: true };
      stream(response, { method: 'notifications/subscriptions/acknowledged', params: { notifications } });
    },
  });
  await serve(context, server);
  await server.until(() => server.count('tools/list') > 2);
});

test('WhatChangesWhileItIsListedFirstIsListedAgain', async (context) => {
  const tools = ['first'];
  const server = await startScripted(context, {
    ...legacy({ tools: { listChanged: true }, prompts: {} }),
    'tools/list': () => ({ tools: tools.map(tool) }),
    'prompts/list': (params, response, id) => {
      const isFirst = tools.length === 1;
      if (isFirst) tools.push('grown');
      stream(response, ...(isFirst ? [{ method: 'notifications/tools/list_changed' }] : []), { id, result: { prompts: [] } });
      response.end();
    },
  });
  const { names } = await serve(context, server);
  await until(async () => (await names()).includes('grown'), names);
});

test('WhatChangesWhileNobodyListensIsListed', async (context) => {
  const tools = ['first'];
  let open;
  const server = await startScripted(context, {
    ...modern({ tools: { listChanged: true } }),
    'tools/list': () => ({ resultType: 'complete', tools: tools.map(tool) }),
    'subscriptions/listen': (params, response) => {
      open = response;
      stream(response, { method: 'notifications/subscriptions/acknowledged', params: { notifications: params.notifications } });
    },
  });
  const { names } = await serve(context, server);
  await server.until(() => open && server.count('tools/list') > 1);
  tools.push('grown');
  open.end();
  await server.until(() => server.count('subscriptions/listen') > 1);
  await until(async () => (await names()).includes('grown'), names);
});

// Its events have no ids, so that none is told again.
test('WhatChangesWhileTheStreamOfALegacyServerIsAwayIsListedAndTold', async (context) => {
  const tools = ['first'];
  const streams = [];
  const server = await startScripted(context, {
    ...legacy({ tools: { listChanged: true }, resources: { subscribe: true } }),
    GET: (request, response) => {
      stream(response);
      response.flushHeaders();
      streams.push(response);
    },
    'tools/list': () => ({ tools: tools.map(tool) }),
    'resources/list': () => ({ resources: [{ uri: 'test://a', name: 'a' }] }),
    'resources/subscribe': () => ({}),
  });
  const { client, names } = await serve(context, server);
  const updated = [];
  await kinds[0].onResourceUpdated(client, (uri) => updated.push(uri));
  await kinds[0].subscribe(client, ['test://a']);
  // The first stream may have been open only after they were listed.
  await server.until(() => server.count('tools/list') > 1);
  tools.push('grown');
  streams[0].end();
  await until(async () => (await names()).includes('grown'), names);
  await until(() => updated.includes('test://a'), () => JSON.stringify(updated));
});

for (const subscribe of [true, false]) {
  test(`ResourcesAreWatchedWhereTheirServerTellsOfUpdates: ${subscribe}`, async (context) => {
    const server = await startScripted(context, {
      ...modern({ resources: { subscribe } }),
      'resources/list': () => ({ resultType: 'complete', resources: [{ uri: 'test://a', name: 'a' }] }),
      'resources/templates/list': () => ({ resultType: 'complete', resourceTemplates: [{ uriTemplate: 'test://items/{id}', name: 'item' }] }),
      'subscriptions/listen': (params, response) =>
        stream(response, { method: 'notifications/subscriptions/acknowledged', params: { notifications: params.notifications } }),
    });
    const { host } = await serve(context, server);
    const resourceSubscriptions = ['test://a', 'test://items/1'];
    const { body } = await postModern(host.url, 'subscriptions/listen', { notifications: { resourceSubscriptions } });
    const { value } = await sseEvents(body).next();
    const { notifications } = JSON.parse(value.data).params;
    assert.deepEqual(notifications.resourceSubscriptions ?? [], subscribe ? resourceSubscriptions : []);
  });
}

test('AServerThatRefusesToTellOfChangesIsAskedAgainUnlessItCannot', async (context) => {
  const refusing = (code) => startScripted(context, {
    ...modern({ tools: { listChanged: true }, resources: { subscribe: true } }),
    'tools/list': () => ({ resultType: 'complete', tools: [tool('echo')] }),
    'resources/list': () => ({ resultType: 'complete', resources: [] }),
    'resources/templates/list': () => ({ resultType: 'complete', resourceTemplates: [{ uriTemplate: 'test://items/{id}', name: 'item' }] }),
    'subscriptions/listen': () => ({ error: { code, message: 'not now' } }),
  });
  const [passing, unable] = await Promise.all([refusing(-32603), refusing(-32601)]);
  const { client } = await serve(context, unable);
  await unable.until(() => unable.count('subscriptions/listen') === 1);
  await kinds[0].subscribe(client, ['test://items/1']);
  await serve(context, passing);
  await passing.until(() => passing.count('subscriptions/listen') > 2);
  // The client may have subscribed before the first refusal was there.
  assert.ok(unable.count('subscriptions/listen') <= 2);
});

test('OfTheFirstHundredResourcesAreUpdatesAskedForInAnyCase', async (context) => {
  let first = 0;
  const uris = (begin, end) => Array.from({ length: end - begin }, (_, i) => `test://${String(begin + i).padStart(4, '0')}`);
  const server = await startScripted(context, {
    ...legacy({ tools: {}, resources: { subscribe: true, listChanged: true } }),
    'tools/list': () => ({ tools: [tool('move')] }),
    'tools/call': (params, response, id) => {
      first += 50;
      stream(response, { method: 'notifications/resources/list_changed' }, { id, result: said('moved') });
      response.end();
    },
    'resources/list': () => ({ resources: uris(first, first + 120).map((uri) => ({ uri, name: uri })) }),
    'resources/subscribe': () => ({}),
    'resources/unsubscribe': () => ({}),
  });
  const subscribed = () => {
    const now = new Set();
    for (const { method, params } of server.heard) {
      if (method === 'resources/subscribe') now.add(params.uri);
      if (method === 'resources/unsubscribe') now.delete(params.uri);
    }
    return [...now].sort();
  };
  const { call } = await serve(context, server);
  for (const begin of [0, 50, 100]) {
    const wanted = JSON.stringify(uris(begin, begin + 100));
    await server.until(() => JSON.stringify(subscribed()) === wanted);
    assert.equal(await call('move'), 'moved');
  }
});

for (const [era, of] of Object.entries({ legacy, modern })) {
  test(`UpdatesAreAskedForOfWhateverClientsAreSubscribedTo: ${era}`, async (context) => {
    const uris = Array.from({ length: 120 }, (_, i) => `test://${String(i).padStart(4, '0')}`);
    const complete = (result) => (era === 'modern' ? { resultType: 'complete', ...result } : result);
    let updates; // of the modern era
    const server = await startScripted(context, {
      ...of({ tools: {}, resources: { subscribe: true } }),
      'tools/list': () => complete({ tools: [tool('touch')] }),
      'tools/call': (params, response, id) => {
        const told = ['test://0000', 'test://items/8', 'test://items/7', 'test://0119']
          .map((uri) => ({ method: 'notifications/resources/updated', params: { uri } }));
        if (era === 'modern') for (const message of told) updates.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
        stream(response, ...(era === 'modern' ? [] : told), { id, result: complete(said('touched')) });
        response.end();
      },
      'resources/list': () => complete({ resources: uris.map((uri) => ({ uri, name: uri })) }),
      'resources/templates/list': () => complete({ resourceTemplates: [{ uriTemplate: 'test://items/{id}', name: 'item' }] }),
      'resources/subscribe': () => ({}),
      'resources/unsubscribe': () => ({}),
      'subscriptions/listen': ({ notifications }, response) => {
        updates = response;
        stream(response, { method: 'notifications/subscriptions/acknowledged', params: { notifications } });
      },
    });
    const asked = () => {
      let now = new Set();
      for (const { method, params } of server.heard) {
        if (method === 'resources/subscribe') now.add(params.uri);
        if (method === 'resources/unsubscribe') now.delete(params.uri);
        if (method === 'subscriptions/listen') now = new Set(params.notifications.resourceSubscriptions);
      }
      return now;
    };
    const { client, call } = await serve(context, server);
    const heard = [];
    await kinds[0].onResourceUpdated(client, (uri) => heard.push(uri));
    await kinds[0].subscribe(client, ['test://0119', 'test://items/7']);
    await server.until(() => asked().size >= 102 && asked().has('test://0119') && asked().has('test://items/7'));
    assert.equal(asked().size, 102);
    assert.equal(await call('touch'), 'touched');
    await until(() => heard.length >= 2, () => JSON.stringify(heard));
    assert.deepEqual(heard.sort(), ['test://0119', 'test://items/7']);
    await client.unsubscribeResource({ uri: 'test://items/7' });
    await server.until(() => !asked().has('test://items/7'));
    assert.equal(asked().size, 101);
  });
}

// Over a connection on which nothing tells which call asks, it would keep all others from asking.
for (const [how, words, code] of [['refuses', 'User rejected it', -1], ['fills in wrongly', 'must be a string', -1], ['cancels', 'ended before', -1]]) {
  test(`AnUpstreamIsToldThatAClient ${how}`, async (context) => {
    const abort = new AbortController();
    const elicit = () => {
      if (how === 'refuses') throw Object.assign(new Error('User rejected it'), { code: -1 });
      if (how !== 'cancels') return { action: 'accept', content: { a: 5 } };
      abort.abort();
      return new Promise(() => {}); // an answer could be there first
    };
    let call;
    const server = await startScripted(context, {
      ...legacy({ tools: {} }),
      'tools/list': () => ({ tools: [tool('ask')] }),
      'tools/call': (params, response, id) => {
        call = id;
        const requestedSchema = { type: 'object', properties: { a: { type: 'string' } } };
        stream(response, { id: 'q', method: 'elicitation/create', params: { message: '?', requestedSchema } });
      },
    });
    const { host } = await serve(context, server);
    const client = await connectHttp(kinds[0], host.url, {
      options: { capabilities: { elicitation: { form: {} } } },
      prepare: (made) => made.setRequestHandler(ElicitRequestSchema, elicit),
    });
    const ended = client.callTool({ name: 'ask', arguments: {} }, undefined, { signal: abort.signal }).catch(String);
    await server.until((heard) => heard.some(({ id, method }) => id === 'q' && method === undefined));
    const { error } = server.heard.find(({ id }) => id === 'q');
    assert.equal(error.code, code);
    assert.match(error.message, new RegExp(words));
    await server.until(() => server.count('notifications/cancelled') > 0);
    assert.equal(server.heard.find(({ method }) => method === 'notifications/cancelled').params.requestId, call);
    await ended;
  });
}

test('AModernServerThatAsksIsNotAnswered', async (context) => {
  const server = await startScripted(context, {
    ...modern({ tools: {} }),
    'tools/list': () => ({ resultType: 'complete', tools: [tool('ask')] }),
    'tools/call': (params, response, id) => {
      stream(response, { id: 'q', method: 'ping' }, { id, result: { resultType: 'complete', ...said('asked') } });
      response.end();
    },
  });
  const { host, call } = await serve(context, server);
  assert.equal(await call('ask'), 'asked');
  const { reason } = await host.log.until({ event: 'plugin misbehaved' });
  assert.match(reason, /it asked ping, which a server of 2026-07-28 does not/);
  assert.ok(server.heard.every(({ method }) => method !== undefined));
});

test('AServerThatEndsItsSubscriptionIsAskedAgain', async (context) => {
  const server = await startScripted(context, {
    ...modern({ tools: { listChanged: true } }),
    'tools/list': () => ({ resultType: 'complete', tools: [tool('echo')] }),
    'subscriptions/listen': (params, response, id) =>
      stream(response, { method: 'notifications/cancelled', params: { requestId: id, reason: 'the notifier restarts' } }),
  });
  await serve(context, server);
  await server.until(() => server.count('subscriptions/listen') > 1);
});

test('AServerThatIsReplacedByOneOfTheOtherEraIsConnectedToAnew', async (context) => {
  const refuse = (code, message) => (params, response, id) => {
    response.writeHead(400, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }));
  };
  const unsupported = refuse(-32000, 'Bad Request: Unsupported protocol version');
  const mismatch = refuse(-32020, 'Header mismatch: Mcp-Method is missing');
  const eras = {
    modern: {
      ...modern({ tools: {} }), initialize: mismatch, ping: mismatch,
      'tools/list': () => ({ resultType: 'complete', tools: [tool('era')] }),
      'tools/call': ({ _meta }, response, id) =>
        _meta?.['io.modelcontextprotocol/protocolVersion'] ? { resultType: 'complete', ...said('modern') } : mismatch({}, response, id),
    },
    legacy: {
      ...legacy({ tools: {} }), 'server/discover': unsupported,
      'tools/list': () => ({ tools: [tool('era')] }),
      'tools/call': ({ _meta }, response, id) =>
        _meta?.['io.modelcontextprotocol/protocolVersion'] ? unsupported({}, response, id) : said('legacy'),
    },
  };
  const answers = { ...eras.modern };
  const server = await startScripted(context, answers);
  const { call } = await serve(context, server);
  for (const era of ['modern', 'legacy', 'modern']) {
    Object.assign(answers, eras[era]);
    await until(async () => (await call('era')) === era, () => era);
  }
});

test('AnAnswerMayComeInABatch', async (context) => {
  const server = await startScripted(context, {
    ...legacy({ tools: {}, logging: {} }),
    initialize: () => ({ protocolVersion: '2025-03-26', capabilities: { tools: {}, logging: {} }, serverInfo: { name: 'old', version: '1' } }),
    'logging/setLevel': () => ({}),
    'tools/list': () => ({ tools: [tool('echo')] }),
    'tools/call': (params, response, id) => {
      const said = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'first' } };
      const answer = { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'batched' }] } };
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify([said, answer]));
    },
  });
  const { call } = await serve(context, server);
  assert.equal(await call('echo'), 'batched');
});

test('AnUpstreamTakesItsQuestionBackAndItsClientIsToldSo', async (context) => {
  const asked = Promise.withResolvers();
  const aborted = Promise.withResolvers();
  const server = await startScripted(context, {
    ...legacy({ tools: {} }),
    'tools/list': () => ({ tools: [tool('ask')] }),
    'tools/call': async (params, response, id) => {
      const requestedSchema = { type: 'object', properties: { a: { type: 'string' } } };
      stream(response, { id: 'q', method: 'elicitation/create', params: { message: '?', requestedSchema } });
      await asked.promise;
      const send = (message) => response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
      send({ method: 'notifications/cancelled', params: { requestId: 'q' } });
      await aborted.promise;
      send({ id, result: said('went on') });
      response.end();
    },
  });
  const { host } = await serve(context, server);
  const client = await connectHttp(kinds[0], host.url, {
    options: { capabilities: { elicitation: { form: {} } } },
    prepare: (made) => made.setRequestHandler(ElicitRequestSchema, (request, { signal }) => {
      asked.resolve();
      signal.addEventListener('abort', aborted.resolve);
      return new Promise(() => {});
    }),
  });
  assert.equal(text(await client.callTool({ name: 'ask', arguments: {} })), 'went on');
  assert.ok(server.heard.every(({ id }) => id !== 'q'));
});

test('AListThatFailsCostsOnlyItself', async (context) => {
  const answers = {
    ...legacy({ tools: {}, prompts: {} }),
    'tools/list': () => ({ tools: [tool('echo')] }),
    'prompts/list': () => ({ error: { code: -32603, message: 'the prompts are away' } }),
  };
  const { host, names } = await serve(context, await startScripted(context, answers));
  assert.deepEqual(await names(), ['echo']);
  const { remark } = await host.log.until({ event: 'plugin remark' });
  assert.equal(remark, 'a list of the upstream is left out: it answered prompts/list with the error -32603: the prompts are away');
});

test('AServerAllOfWhoseListsFailIsRefused', async (context) => {
  const server = await startScripted(context, { ...legacy({ tools: {}, prompts: {} }), 'tools/list': () => ({ tools: null }), 'prompts/list': () => ({}) });
  const components = await Components.create();
  await addUpstream(components, 'far', { url: server.url });
  const host = await HttpHost.start(components);
  context.after(() => host.stop().finally(() => components.discard()));
  const { reason } = await host.log.until({ event: 'plugin refused' });
  assert.match(reason, /its answer to tools\/list has no array "tools"/);
});

test('ACallThatMeetsAnExpiredSessionIsMadeInTheNextOne', async (context) => {
  let sessions = 0;
  let expired = 0;
  const server = await startScripted(context, {
    ...legacy({ tools: {} }),
    initialize: (params, response, id) => {
      const result = legacy({ tools: {} }).initialize();
      response.writeHead(200, { 'Content-Type': 'application/json', 'Mcp-Session-Id': `session-${++sessions}` });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    },
    'tools/list': () => ({ tools: [tool('echo')] }),
    'tools/call': (params, response) => {
      if (sessions > expired) return said(`in session ${sessions}`);
      return void response.writeHead(404).end();
    },
  });
  const { call } = await serve(context, server);
  assert.equal(await call('echo'), 'in session 1');
  expired = 1;
  assert.equal(await call('echo'), 'in session 2');
  assert.equal(server.count('tools/call'), 3);
});

test('ASessionThatIsRefusedByAnErrorIsBegunAnew', async (context) => {
  let session = 1;
  const known = (result) => (params, response) => {
    if (response.req.headers['mcp-session-id'] === `session-${session}`) return result();
    response.writeHead(400, { 'Content-Type': 'application/json' });
    const error = { code: -32000, message: 'Bad Request: No valid session ID provided' };
    response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
  };
  const server = await startScripted(context, {
    initialize: (params, response, id) => {
      const result = legacy({ tools: {} }).initialize();
      response.writeHead(200, { 'Content-Type': 'application/json', 'Mcp-Session-Id': `session-${session}` });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    },
    ping: known(() => ({})),
    'tools/list': known(() => ({ tools: [tool('echo')] })),
    'tools/call': known(() => said(`in session ${session}`)),
  });
  const { host, call } = await serve(context, server);
  assert.equal(await call('echo'), 'in session 1');
  session = 2;
  assert.match(await call('echo'), /No valid session ID provided/);
  await until(async () => (await call('echo')) === 'in session 2', () => 'in session 1');
  const { reason } = await host.log.until({ event: 'upstream lost' });
  assert.match(reason, /it does not know the session any more$/);
});

test('ACallWithOtherFieldsThanItsToolWantsIsMadeOnceMoreWhenTheToolsAreListed', async (context) => {
  let field = 'Region';
  const server = await startScripted(context, {
    ...modern({ tools: {} }),
    'tools/list': () => {
      const inputSchema = { type: 'object', properties: { where: { type: 'string', 'x-mcp-header': field } } };
      return { resultType: 'complete', tools: [{ name: 'go', inputSchema }] };
    },
    'tools/call': (params, response, id) => {
      if (response.req.headers['mcp-param-zone'] === 'x') return { resultType: 'complete', ...said('gone') };
      response.writeHead(400, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32020, message: 'Mcp-Param-Zone is missing' } }));
    },
  });
  const { client } = await serve(context, server);
  field = 'Zone';
  assert.equal(text(await client.callTool({ name: 'go', arguments: { where: 'x' } })), 'gone');
  assert.equal(server.count('tools/call'), 2);
});

test('WhatAServerLogsStaysWhatItIs', async (context) => {
  const data = { table: 'a', rows: [1, 2] };
  const server = await startScripted(context, {
    ...legacy({ tools: {}, logging: {} }),
    'logging/setLevel': () => ({}),
    'tools/list': () => ({ tools: [tool('log')] }),
    'tools/call': (params, response, id) => {
      stream(response, { method: 'notifications/message', params: { level: 'error', logger: 'db', data } }, { id, result: said('logged') });
      response.end();
    },
  });
  const { host } = await serve(context, server);
  const heard = [];
  const client = await connectHttp(kinds[0], host.url, {
    prepare: (made) => made.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => { heard.push(params); }),
  });
  await client.setLoggingLevel('debug');
  assert.equal(text(await client.callTool({ name: 'log', arguments: {} })), 'logged');
  assert.deepEqual(heard.map((each) => each.data), [data]);
});

test('ATaskThatIsCancelledWhileItsClientIsAskedIsOverForTheUpstream', async (context) => {
  const server = await startScripted(context, {
    ...legacy({ tools: {} }),
    'tools/list': () => ({ tools: [tool('ask')] }),
    'tools/call': async (params, response, id) => {
      await pause(300);
      const requestedSchema = { type: 'object', properties: { a: { type: 'string' } } };
      stream(response, { id: 'q', method: 'elicitation/create', params: { message: '?', requestedSchema } });
    },
  });
  const { host } = await serve(context, server, {}, ['--task-after-ms', '50']);
  const capabilities = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };
  const ask = async (method, params, name) => {
    const body = modernRequest(method, { ...params, _meta: { 'io.modelcontextprotocol/clientCapabilities': capabilities } });
    return (await allMessages(await post(host.url, body, modernHeaders(method, name)))).at(-1).result;
  };
  const { taskId } = await ask('tools/call', { name: 'ask', arguments: {} }, 'ask');
  const task = () => ask('tasks/get', { taskId }, taskId);
  await until(async () => (await task()).status === 'input_required', async () => JSON.stringify(await task()));
  assert.equal(server.count('notifications/cancelled'), 0);
  await ask('tasks/cancel', { taskId }, taskId);
  await server.until((heard) => heard.some(({ id, error }) => id === 'q' && error));
  await server.until(() => server.count('notifications/cancelled') > 0);
});
