// From no token to a call, as a user's client does it: by a certified authorization server and unedited official
// clients.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { AuthorizationServer, Visitor } from './support/authorization_server.mjs';
import { kinds } from './support/client_kinds.mjs';
import { Components } from './support/components.mjs';
import { freePort } from './support/free_port.mjs';
import { HttpHost } from './support/host.mjs';
import { postModern } from './support/http.mjs';
import { bearer } from './support/team.mjs';

const roles = `
[oauth]
extensions = ["oauth-client-credentials"]
scopes = ["mcp:use"]
[roles.user]
scopes = ["mcp:use"]
allow = ["tool:version"]
[roles.admin]
scopes = ["mcp:admin"]
allow = ["tool:*"]
`;

// A host at the address that its tokens are for.
async function serve(context, server, more = '') {
  const components = await Components.create('sample_v1');
  const origin = `http://127.0.0.1:${await freePort()}`;
  const file = join(components.folder, 'team.toml');
  await writeFile(join(components.folder, 'secret'), server.secret, { mode: 0o600 });
  await writeFile(file, `[server]\nurl = "${origin}"\n[issuers.company]\nissuer = "${server.url}"\n${more}\n${roles}`);
  const host = await HttpHost.start(components, ['--config', file], new URL(origin).host);
  context.after(() => host.stop().finally(() => components.discard()));
  return { resource: `${origin}/mcp` };
}

// What the authorization server has sent the client's user back with.
function answerOf(kind, visitor) {
  return kind.name === 'SDK v1' ? visitor.callback.get('code') : visitor.callback;
}

for (const kind of kinds) {
  test(`AClientGetsATokenAndThenABetterOne: ${kind.name}`, async (context) => {
    const server = await AuthorizationServer.start(context);
    const { resource } = await serve(context, server);
    const visitor = new Visitor();
    const transport = kind.http(resource, { authProvider: visitor });
    const client = kind.create();
    context.after(() => client.close());
    await assert.rejects(client.connect(transport), /Unauthorized/);
    assert.deepEqual(visitor.asked, ['mcp:use']);
    await transport.finishAuth(answerOf(kind, visitor));

    const again = kind.http(resource, { authProvider: visitor });
    const signedIn = kind.create();
    context.after(() => signedIn.close());
    await signedIn.connect(again);
    assert.deepEqual((await signedIn.listTools()).tools.map(({ name }) => name), ['only_in_v1', 'version']);
    assert.ok(!(await signedIn.callTool({ name: 'version' })).isError);

    // It is told which scope it lacks, asks for that one, too, and tries again.
    await assert.rejects(signedIn.callTool({ name: 'only_in_v1' }));
    assert.equal(visitor.asked.length, 2);
    assert.deepEqual(visitor.asked[1].split(' ').sort(), ['mcp:admin', 'mcp:use']);
    await again.finishAuth(answerOf(kind, visitor));
    assert.ok(!(await signedIn.callTool({ name: 'only_in_v1' })).isError);
  });
}

test('AProgramThatActsForItself', async (context) => {
  const server = await AuthorizationServer.start(context);
  const { resource } = await serve(context, server);
  const token = await server.robotToken(resource, 'mcp:use');
  const discovered = await postModern(resource, 'server/discover', {}, { headers: bearer(token) });
  assert.ok('io.modelcontextprotocol/oauth-client-credentials' in (await discovered.json()).result.capabilities.extensions);
  const called = await postModern(resource, 'tools/call', { name: 'version', arguments: {} }, { headers: bearer(token) });
  assert.equal(called.status, 200);
  const elsewhere = await server.robotToken('http://127.0.0.1:9/mcp', 'mcp:use');
  assert.equal((await postModern(resource, 'tools/list', {}, { headers: bearer(elsewhere) })).status, 401);
});

test('AnOpaqueTokenIsAskedAbout', async (context) => {
  const server = await AuthorizationServer.start(context, 'opaque');
  const { resource } = await serve(context, server,
    `introspection_url = "${server.url}/token/introspection"\nclient_id = "host"\nclient_secret_file = "secret"\nsubject_claim = "client_id"`);
  const token = await server.robotToken(resource, 'mcp:use');
  const status = async (text, name) =>
    (await postModern(resource, 'tools/call', { name, arguments: {} }, { headers: bearer(text) })).status;
  let questions = 0;
  server.provider.on('introspection.error', () => assert.fail());
  server.http.on('request', (req) => { questions += req.url === '/token/introspection' ? 1 : 0; });
  assert.deepEqual(await Promise.all(Array.from({ length: 20 }, () => status(token, 'version'))), Array(20).fill(200));
  assert.equal(await status(token, 'only_in_v1'), 403);
  assert.equal(questions, 1);
  assert.equal(await status('not-a-token', 'version'), 401);
  const elsewhere = await server.robotToken('http://127.0.0.1:9/mcp', 'mcp:use');
  assert.equal(await status(elsewhere, 'version'), 401);
  await server.stop();
  assert.equal(await status('another', 'version'), 503);
  assert.equal(await status(token, 'version'), 200);
});
