// Servers elsewhere behind the host, over HTTP: those of the official SDKs in both eras, and ones that do what none should.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { createRemoteJWKSet, jwtVerify } from 'jose';

import { Authority } from './support/authority.mjs';
import { AuthorizationServer } from './support/authorization_server.mjs';
import { connectHttp, kinds } from './support/clients.mjs';
import { Components } from './support/components.mjs';
import { freePort } from './support/free_port.mjs';
import { HttpHost } from './support/host.mjs';
import { postModern } from './support/http.mjs';
import { HttpServer } from './support/http_server.mjs';
import { startEverything, startV1, startV2 } from './support/sdk_servers.mjs';
import { bearer, Team } from './support/team.mjs';
import { addUpstream } from './support/upstreams.mjs';

const text = (result) => result.content[0].text;

// A host with one upstream, "far", whose components have no prefix.
async function serve(context, settings, more = []) {
  const components = await Components.create();
  await addUpstream(components, 'far', { prefix: '', ...settings });
  const host = await HttpHost.start(components, more);
  context.after(() => host.stop().finally(() => components.discard()));
  return Object.assign(host, { components });
}
// Why it is not served.
async function refusal(context, settings) {
  const host = await serve(context, settings);
  const line = await host.log.until({ event: 'plugin refused' });
  return line.reason;
}

const servers = {
  'SDK v1, sessions, streams': (context) => startV1(context),
  'SDK v1, sessions, JSON': (context) => startV1(context, { json: true }),
  'SDK v1, no sessions, streams': (context) => startV1(context, { sessions: false }),
  'SDK v1, no sessions, JSON': (context) => startV1(context, { sessions: false, json: true }),
  'SDK v2, modern': (context) => startV2(context),
  'SDK v2, modern, streams': (context) => startV2(context, { responseMode: 'sse' }),
};

for (const [name, start] of Object.entries(servers)) {
  test(`IsServedThroughTheHost: ${name}`, async (context) => {
    const server = await start(context);
    const host = await serve(context, { url: server.url, headers: { 'X-Key': 'secret' } });
    for (const kind of kinds) {
      const client = await connectHttp(kind, host.url);
      const { tools } = await client.listTools();
      assert.deepEqual(tools.map((tool) => tool.name), ['count', 'echo', 'wait', 'whoami']);
      assert.equal(text(await kind.call(client, { name: 'echo', arguments: { text: 'grüß\ngott' } })), 'grüß\ngott');
      const heard = [];
      const onprogress = ({ progress }) => heard.push(progress);
      const counted = await kind.call(client, { name: 'count', arguments: { to: 3 } }, { onprogress });
      assert.equal(text(counted), 'counted to 3');
      if (!name.includes('JSON')) assert.deepEqual(heard, [1, 2, 3]);
      const greeting = await client.getPrompt({ name: 'greet', arguments: { name: 'Ada' } });
      assert.equal(greeting.messages[0].content.text, 'Hello Ada');
      const motto = await client.readResource({ uri: 'test://motto' });
      assert.equal(motto.contents[0].text, 'Onward');
      const { agent } = JSON.parse(text(await kind.call(client, { name: 'whoami', arguments: {} })));
      assert.match(agent, /^mcp-plugin-host\//);
      await client.close();
    }
    assert.ok(server.requests.every(({ headers }) => headers['x-key'] === 'secret'));
    assert.ok(server.sockets.size < 10, `${server.sockets.size} connections for ${server.requests.length} requests`);
  });
}

test('TheReferenceServerIsServedOverBothOfItsTransports', async (context) => {
  for (const transport of ['streamableHttp', 'sse']) {
    const server = await startEverything(context, transport);
    const host = await serve(context, { url: server.url, ...(transport === 'sse' && { type: 'sse' }) });
    const client = await connectHttp(kinds[0], host.url);
    const echoed = await client.callTool({ name: 'echo', arguments: { message: transport } });
    assert.match(text(echoed), new RegExp(transport));
    const { resources } = await client.listResources();
    assert.ok(resources.length > 0);
    await client.close();
  }
});

test('AChangeOfItsToolsIsHeard', async (context) => {
  const server = await startV1(context);
  const host = await serve(context, { url: server.url });
  const [kind] = kinds;
  const changed = Promise.withResolvers();
  const client = await connectHttp(kind, host.url, { prepare: (each) => kind.onListChanged(each, changed.resolve) });
  await client.listTools();
  server.grow('grown');
  await changed.promise;
  assert.ok((await client.listTools()).tools.some(({ name }) => name === 'grown'));
});

for (const start of [startV1, startV2]) {
  test(`ACallThatIsCancelledIsCancelledThere: ${start.name}`, async (context) => {
    const server = await start(context);
    const waits = new Promise((resolve) => { server.connection.waits = resolve; });
    const cancelled = new Promise((resolve) => { server.connection.cancelled = resolve; });
    const host = await serve(context, { url: server.url });
    const client = await connectHttp(kinds[0], host.url);
    const abort = new AbortController();
    const call = client.callTool({ name: 'wait' }, undefined, { signal: abort.signal });
    await waits;
    abort.abort();
    await assert.rejects(call);
    await cancelled;
  });
}

for (const kind of kinds) {
  test(`AModernServerAsksTheClientOfTheCall: ${kind.name}`, async (context) => {
    const server = await startV2(context, { asks: true });
    const host = await serve(context, { url: server.url });
    const asked = [];
    const client = await connectHttp(kind, host.url, {
      options: { capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} } },
      prepare: (each) => kind.answer(each, {
        elicit: ({ params }) => {
          asked.push(params.message);
          return { action: 'accept', content: { name: 'Ada' } };
        },
        sample: ({ params }) => {
          asked.push([params.messages[0].content].flat()[0].text);
          return { role: 'assistant', model: 'tester', content: { type: 'text', text: 'Well met' }, stopReason: 'endTurn' };
        },
        roots: () => assert.fail(),
      }),
    });
    for (let i = 0; i < 2; ++i) {
      asked.length = 0;
      const result = await kind.call(client, { name: 'introduce', arguments: {} });
      assert.equal(text(result), 'nobody yet, then Ada: Well met');
      assert.deepEqual(asked, ['Who?', 'Say something to Ada']);
    }
    await client.close();
  });
}

test('AModernServerMayWantToBeAskedAgainAndNothingElse', async (context) => {
  const server = await startV2(context, { asks: true });
  const host = await serve(context, { url: server.url });
  const client = await connectHttp(kinds[0], host.url);
  assert.equal(text(await client.callTool({ name: 'again', arguments: {} })), 'asked again 3 times');
  await client.close();
});

// Each question is answered by itself, though the server gives the next one the same name.
test('AnAnswerIsNotTakenForOneToALaterQuestion', async (context) => {
  const server = await startV2(context, { asks: true });
  const host = await serve(context, { url: server.url });
  const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
  const call = async (more = {}) => {
    const response = await postModern(host.url, 'tools/call', { name: 'remove', arguments: {}, _meta: meta, ...more });
    return (await response.json()).result;
  };
  const yes = { confirm: { action: 'accept', content: { confirm: true } } };
  const first = await call();
  assert.equal(first.inputRequests.confirm.params.message, 'a?');
  const second = await call({ requestState: first.requestState, inputResponses: yes });
  assert.equal(second.inputRequests.confirm.params.message, 'b?');
  const again = await call({ requestState: second.requestState });
  assert.equal(again.inputRequests?.confirm.params.message, 'b?', JSON.stringify(again));
  const end = await call({ requestState: again.requestState, inputResponses: yes });
  assert.equal(end.content[0].text, 'removed a and b');
});

test('AStreamThatStaysOpenAfterItsAnswerKeepsNoConnection', async (context) => {
  const server = await HttpServer.start(context, async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const { id, method } = JSON.parse(body || '{}');
    if (request.method !== 'POST') return void response.writeHead(405).end();
    if (id === undefined) return void response.writeHead(202).end();
    const result = {
      initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'open', version: '1' } },
      'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: 'here' }] },
    }[method];
    const answer = result ? { result } : { error: { code: -32601, message: 'no' } };
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n\n`);
    const life = setInterval(() => response.write(': still here\n\n'), 100);
    response.on('close', () => clearInterval(life));
  });
  const host = await serve(context, { url: server.url });
  const client = await connectHttp(kinds[0], host.url);
  for (let i = 0; i < 150; ++i) assert.equal(text(await client.callTool({ name: 'echo', arguments: {} })), 'here');
  await client.close();
});

test('ASessionThatIsGoneIsBegunAnew', async (context) => {
  const server = await startV1(context);
  const host = await serve(context, { url: server.url });
  const client = await connectHttp(kinds[0], host.url);
  await client.callTool({ name: 'echo', arguments: { text: 'a' } });
  const [first] = server.sessions();
  server.forget();
  const again = host.log.next({ event: 'upstream connected' });
  const echo = async (words) => text(await client.callTool({ name: 'echo', arguments: { text: words } }));
  assert.equal(await echo('b'), 'b', 'made once more in the next session');
  await again;
  assert.equal(await echo('c'), 'c');
  assert.notEqual(server.sessions()[0], first);
});

test('WhatAServerHasIsWithdrawnAfterItsGraceAndComesBackWithIt', async (context) => {
  const port = await freePort();
  const server = await startV1(context, { port });
  const host = await serve(context, { url: server.url, graceMs: 200 });
  const [kind] = kinds;
  let changed;
  const listener = (list) => list === 'tools' && changed?.resolve();
  const client = await connectHttp(kind, host.url, { prepare: (each) => kind.onListChanged(each, listener) });
  const path = new URL('/upstream/far/mcp', host.url);
  const namesAt = async (url) => (await (await postModern(url, 'tools/list')).json()).result.tools.map(({ name }) => name);
  const all = ['count', 'echo', 'wait', 'whoami'];
  for (const url of [host.url, path]) assert.deepEqual(await namesAt(url), all);

  changed = Promise.withResolvers();
  await server.stop();
  // A call that fails makes the host look whether it is there; else it would at the next ping.
  const echo = (words) => kind.call(client, { name: 'echo', arguments: { text: words } });
  await assert.rejects(echo('a'), /far/);
  const lost = await host.log.until({ event: 'upstream lost', plugin: 'far' });
  const withdrawn = await host.log.until({ event: 'upstream withdrawn', plugin: 'far' });
  const awayMs = Date.parse(withdrawn.time) - Date.parse(lost.time);
  // Those of a server that does not say how long stay for 10 s.
  assert.ok(awayMs >= 200 && awayMs < 10_000, `${awayMs} ms`);
  await changed.promise;
  for (const url of [host.url, path]) assert.deepEqual(await namesAt(url), []);
  await assert.rejects(echo('b'), /Unknown tool/);

  changed = Promise.withResolvers();
  await startV1(context, { port });
  await host.log.until({ event: 'upstream is back', plugin: 'far' });
  await changed.promise;
  for (const url of [host.url, path]) assert.deepEqual(await namesAt(url), all);
  assert.equal(text(await echo('c')), 'c');
});

test('ItsSessionEndsWithTheHost', async (context) => {
  const server = await startV1(context);
  const host = await serve(context, { url: server.url });
  const [session] = server.sessions();
  await host.stop();
  const ends = server.requests.filter(({ method }) => method === 'DELETE');
  assert.deepEqual(ends.map(({ headers }) => headers['mcp-session-id']), [session]);
});

test('AServerThatDoesNotAnswerTheEndOfItsSessionDoesNotKeepTheHost', async (context) => {
  const deleted = Promise.withResolvers();
  const server = await startV1(context, {
    guard: (request) => {
      if (request.method === 'DELETE') deleted.resolve();
      return request.method !== 'DELETE';
    },
  });
  const host = await serve(context, { url: server.url }, ['--shutdown-grace-s', '60']);
  const begin = Date.now();
  await host.stop();
  assert.ok(Date.now() - begin < 30_000, 'in less than the grace');
  await deleted.promise;
});

test('TheHostHasATokenOfItsOwn', async (context) => {
  const issuer = await AuthorizationServer.start(context);
  const keys = createRemoteJWKSet(new URL(`${issuer.url}/jwks`));
  let resource;
  const server = await startV1(context, {
    guard: async (request, response) => {
      const metadata = '/.well-known/oauth-protected-resource/mcp';
      if (request.url === metadata) {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify({ resource, authorization_servers: [issuer.url] }));
        return false;
      }
      const token = /^Bearer (.*)$/.exec(request.headers.authorization ?? '')?.[1];
      const verified = token && (await jwtVerify(token, keys, { audience: resource }).catch(() => undefined));
      if (verified) return true;
      response.writeHead(401, { 'WWW-Authenticate': `Bearer resource_metadata="${new URL(metadata, resource)}"` }).end();
      return false;
    },
  });
  resource = server.url;
  for (const found of [{ issuer: issuer.url }, { tokenUrl: `${issuer.url}/token` }]) {
    const components = await Components.create();
    await writeFile(join(components.folder, 'secret'), issuer.secret, { mode: 0o600 });
    await addUpstream(components, 'far', {
      url: server.url,
      prefix: '',
      oauth: { clientId: 'robot', clientSecret: { file: '../../secret' }, scope: 'mcp:use', ...found },
    });
    const host = await HttpHost.start(components);
    context.after(() => host.stop().finally(() => components.discard()));
    const client = await connectHttp(kinds[0], host.url);
    const { authorization } = JSON.parse(text(await client.callTool({ name: 'whoami' })));
    assert.match(authorization, /^Bearer ey/);
    await client.close();
  }
});

test('TheTokenOfAClientIsNotPassedOn', async (context) => {
  const server = await startV1(context);
  for (const headers of [{}, { Authorization: 'Bearer of the operator' }]) {
    const components = await Components.create();
    await addUpstream(components, 'far', { url: server.url, prefix: '', headers });
    const team = await Team.serve(context, components, '[roles.user]\nallow = ["*"]\n');
    await team.host.log.until({ event: 'plugin loaded', file: components.file('far.mcp.json') });
    const token = await team.token('ada', 'user');
    const answer = await postModern(team.url, 'tools/call', { name: 'whoami', arguments: {} }, { headers: bearer(token) });
    const { result } = await answer.json();
    assert.equal(JSON.parse(text(result)).authorization, headers.Authorization ?? null);
    assert.ok(!JSON.stringify(result).includes(token));
  }
});

test('AServerOfTlsMustProveWhoItIs', async (context) => {
  const authority = new Authority('upstreams');
  after(() => authority.discard());
  const pair = authority.issue('localhost');
  const server = await startV1(context, { tls: pair });
  const components = await Components.create();
  await writeFile(join(components.folder, 'ca.pem'), authority.pem);
  await addUpstream(components, 'far', { url: server.url, prefix: '', caFile: '../../ca.pem' });
  const host = await HttpHost.start(components);
  context.after(() => host.stop().finally(() => components.discard()));
  const client = await connectHttp(kinds[0], host.url);
  assert.equal(text(await client.callTool({ name: 'echo', arguments: { text: 'a' } })), 'a');
  assert.match(await refusal(context, { url: server.url }), /TLS: certificate verify failed/);
});

test('NobodyIsAskedWhomAServerNames', async (context) => {
  for (const location of ['http://169.254.169.254/latest/meta-data', 'file:///etc/passwd']) {
    const server = await HttpServer.start(context,
      (request, response) => response.writeHead(307, { Location: location }).end());
    assert.match(await refusal(context, { url: server.url }), /no redirect is followed/);
  }
  const server = await HttpServer.start(context, (request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write('event: endpoint\ndata: http://169.254.169.254/messages\n\n');
  });
  assert.match(await refusal(context, { url: server.url, type: 'sse' }), /another origin, which no upstream may/);
});

test('WhatIsNoServerIsSaidToBeNone', async (context) => {
  const answers = {
    'HTTP status 401: it wants credentials': (response) => response.writeHead(401).end(),
    'HTTP status 403: the credentials do not allow this': (response) => response.writeHead(403).end(),
    'HTTP status 500': (response) => response.writeHead(500).end('<html>'),
    'in the middle of its answer': (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 100 });
      response.write('{', () => response.destroy());
    },
    'did not answer': () => {},
  };
  for (const [why, answer] of Object.entries(answers)) {
    const server = await HttpServer.start(context, (request, response) => answer(response));
    const brief = why === 'did not answer' && { connectMs: 3000 };
    assert.match(await refusal(context, { url: server.url, ...brief }), new RegExp(why));
  }
});

test('CredentialsThatAreNotTakenAreShownOnce', async (context) => {
  const asked = [];
  const server = await HttpServer.start(context, (request, response) => {
    asked.push(request.headers['mcp-method']);
    response.writeHead(401).end();
  });
  assert.match(await refusal(context, { url: server.url }), /HTTP status 401: it wants credentials/);
  assert.deepEqual(asked, ['server/discover']);
});
