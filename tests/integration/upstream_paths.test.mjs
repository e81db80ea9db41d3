// Each server elsewhere at a path of its own: /upstream/NAME/mcp, a part of what the host serves at /mcp.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { connectHttp, connectWebSocket, kinds } from './support/clients.mjs';
import { Components } from './support/components.mjs';
import { HttpHost, serve, serveAll } from './support/host.mjs';
import { initializeRequest, newestLegacy, post, postModern, request, Session } from './support/http.mjs';
import { Issuer } from './support/issuer.mjs';
import { sseEvents } from './support/sse.mjs';
import { bearer, Team } from './support/team.mjs';
import { addUpstream, official, script } from './support/upstreams.mjs';

// An upstream with two tools.
const plain = (prefix) => script('hostile_upstream.mjs', ['plain'], { prefix });
const at = (url, name) => new URL(`/upstream/${name}/mcp`, url).href;

async function served() {
  const components = await Components.create();
  await components.addShipped('tools/calculator');
  await components.addShipped('prompts/prompts');
  return components;
}

async function toolsAt(url, headers = {}) {
  const response = await postModern(url, 'tools/list', {}, { headers });
  assert.equal(response.status, 200, await response.clone().text());
  return (await response.json()).result.tools.map(({ name }) => name).sort();
}

const components = await served();
await addUpstream(components, 'every', official('everything', ['stdio'], { prefix: 'every_' }));
await addUpstream(components, 'first', plain('a_'));
// A plugin of an upstream's name is not the upstream.
await addUpstream(components, 'calculator', plain('c_'));
const host = await serveAll(components);
for (const name of ['every', 'first', 'calculator'])
  await host.log.until({ event: 'plugin loaded', file: components.file(`${name}.mcp.json`) });

for (const kind of kinds) {
  for (const connect of [connectHttp, connectWebSocket]) {
    test(`AnUpstreamIsServedByItself, ${kind.name}, ${connect.name}`, async () => {
      const client = await connect(kind, at(host.url, 'every'));
      const { tools } = await client.listTools();
      assert.ok(tools.length > 2 && tools.every(({ name }) => name.startsWith('every_')), JSON.stringify(tools));
      const { prompts } = await client.listPrompts();
      assert.ok(prompts.length > 0 && prompts.every(({ name }) => name.startsWith('every_')), JSON.stringify(prompts));
      const { resources } = await client.listResources();
      assert.ok(resources.length > 0 && resources.every(({ uri }) => uri.startsWith('demo://')), JSON.stringify(resources));
      const said = await kind.call(client, { name: 'every_echo', arguments: { message: 'hello' } });
      assert.equal(said.content[0].text, 'Echo: hello');
      await assert.rejects(async () => {
        const { isError, content } = await kind.call(client, { name: 'calculate', arguments: { expression: '1 + 1' } });
        if (isError) throw new Error(content[0].text);
      }, /Unknown tool/);
      await client.close();
    });
  }
}

test('APluginOfTheSameNameIsNotTheUpstream', async () => {
  assert.deepEqual(await toolsAt(at(host.url, 'calculator')), ['c_fine', 'c_plain']);
  const all = await toolsAt(host.url);
  for (const name of ['a_fine', 'c_fine', 'calculate', 'every_echo']) assert.ok(all.includes(name), `${all}`);
});

test('WhatIsNoUpstreamIsNotFound', async () => {
  for (const name of ['nobody', 'prompts', '*', 'first.mcp.json', '%66irst']) {
    assert.equal((await postModern(at(host.url, name), 'tools/list')).status, 404, name);
    assert.equal((await post(at(host.url, name), initializeRequest(newestLegacy))).status, 404, name);
  }
  for (const path of ['/upstream/mcp', '/upstream//mcp', '/upstream/first', '/upstream/first/second/mcp'])
    assert.equal((await postModern(new URL(path, host.url).href, 'tools/list')).status, 404, path);
});

test('ASessionBelongsToItsPath', async () => {
  const paths = [host.url, at(host.url, 'first'), at(host.url, 'calculator')];
  for (const path of paths) {
    const session = await Session.open(path);
    const headers = { 'Mcp-Session-Id': session.id };
    for (const other of paths) {
      const expected = other === path ? 200 : 404;
      assert.equal((await post(other, request('ping'), headers)).status, expected, `${path}, ${other}`);
    }
    for (const other of paths.filter((each) => each !== path))
      assert.equal((await fetch(other, { method: 'DELETE', headers })).status, 404);
    assert.equal((await session.delete()).status, 204);
  }
});

test('AClientMayWishForLessOfIt', async () => {
  const url = at(host.url, 'first');
  assert.deepEqual(await toolsAt(url, { 'X-MCP-Tools': 'a_fine, calculate' }), ['a_fine']);
  assert.deepEqual(await toolsAt(url, { 'X-MCP-Exclude-Tools': 'a_fine' }), ['a_plain']);
  assert.deepEqual(await toolsAt(url, { 'X-MCP-Toolsets': 'calculator' }), []);
});

test('APathComesAndGoesWithItsUpstream', async (context) => {
  const folder = await served();
  const changing = await serve(context, folder);
  const url = at(changing.url, 'late');
  assert.equal((await postModern(url, 'tools/list')).status, 404);
  await addUpstream(folder, 'late', plain('a_'));
  await changing.log.until({ event: 'plugin loaded', file: folder.file('late.mcp.json') });
  assert.deepEqual(await toolsAt(url), ['a_fine', 'a_plain']);
  await addUpstream(folder, 'late', plain('b_'));
  await changing.log.until({ event: 'plugin replaced' });
  assert.deepEqual(await toolsAt(url), ['b_fine', 'b_plain']);
  await folder.removeFile('late.mcp.json');
  await changing.log.until({ event: 'plugin withdrawn' });
  assert.equal((await postModern(url, 'tools/list')).status, 404);
});

test('OnlyWhatChangesThereIsTold', async (context) => {
  const folder = await served();
  await addUpstream(folder, 'one', plain('a_'));
  await addUpstream(folder, 'two', plain('b_'));
  const changing = await serve(context, folder);
  for (const name of ['one', 'two'])
    await changing.log.until({ event: 'plugin loaded', file: folder.file(`${name}.mcp.json`) });
  const heard = {};
  const told = Object.fromEntries(['one', 'two'].map((name) => [name, Promise.withResolvers()]));
  for (const name of ['one', 'two']) {
    heard[name] = [];
    const notifications = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
    const events = sseEvents((await postModern(at(changing.url, name), 'subscriptions/listen', { notifications })).body);
    await events.next();
    (async () => {
      for await (const { data } of events) {
        if (!data) continue;
        heard[name].push(JSON.parse(data).method);
        told[name].resolve();
      }
    })().catch(() => {});
  }
  await folder.removeFile('../prompts/prompts.so');
  await changing.log.until({ event: 'plugin withdrawn' });
  await addUpstream(folder, 'one', plain('c_'));
  await told.one.promise;
  await addUpstream(folder, 'two', plain('d_'));
  await told.two.promise;
  assert.deepEqual(heard, { one: ['notifications/tools/list_changed'], two: ['notifications/tools/list_changed'] });
});

test('ItHasTheCredentialsAndThePolicyOfTheHost', async (context) => {
  const folder = await served();
  await addUpstream(folder, 'one', plain('a_'));
  const team = await Team.serve(context, folder, `
[roles.some]
allow = ["tool:a_fine", "tool:calculate"]
[roles.none]
allow = ["tool:calculate"]
`);
  await team.host.log.until({ event: 'plugin loaded', file: folder.file('one.mcp.json') });
  const url = at(team.url, 'one');
  for (const path of [url, at(team.url, 'nobody')]) assert.equal((await postModern(path, 'tools/list')).status, 401);
  const [some, none] = [await team.token('ada', 'some'), await team.token('bob', 'none')];
  assert.deepEqual(await toolsAt(url, bearer(some)), ['a_fine']);
  // Of which nothing may be seen is as what there is not.
  assert.equal((await postModern(url, 'tools/list', {}, { headers: bearer(none) })).status, 404);
  assert.deepEqual(await toolsAt(team.url, bearer(none)), ['calculate']);
  const session = await Session.open(url, newestLegacy, bearer(some));
  assert.equal((await post(url, request('ping'), { 'Mcp-Session-Id': session.id, ...bearer(none) })).status, 404);
});

test('ATokenOfAnIssuerIsForThePathOrForAll', async (context) => {
  const issuer = await Issuer.start(context);
  const folder = await served();
  await addUpstream(folder, 'one', plain('a_'));
  const file = join(folder.folder, 'team.toml');
  const origin = 'https://mcp.example.com';
  await writeFile(file, `[server]\nurl = "${origin}"\n[issuers.mock]\nissuer = "${issuer.url}"\n` +
    '[roles.user]\nscopes = ["mcp:use"]\nallow = ["*"]\n');
  const host = await HttpHost.start(folder, ['--config', file]);
  context.after(() => host.stop().finally(() => folder.discard()));
  await host.log.until({ event: 'plugin loaded', file: folder.file('one.mcp.json') });
  const url = at(host.url, 'one');
  const challenge = (await postModern(url, 'tools/list')).headers.get('WWW-Authenticate');
  const metadata = '/.well-known/oauth-protected-resource/upstream/one/mcp';
  assert.equal(challenge, `Bearer resource_metadata="${origin}${metadata}", scope="mcp:use"`);
  for (const path of [metadata, '/upstream/one/mcp/.well-known/oauth-protected-resource']) {
    const { resource } = await (await fetch(new URL(path, host.address))).json();
    assert.equal(resource, `${origin}/upstream/one/mcp`);
  }
  for (const aud of [`${origin}/mcp`, `${origin}/upstream/one/mcp`]) {
    const token = await issuer.token({ aud, scope: 'mcp:use' });
    assert.deepEqual(await toolsAt(url, bearer(token)), ['a_fine', 'a_plain'], aud);
  }
  for (const aud of [`${origin}/upstream/one`, `${origin}/upstream/one/two/mcp`, 'https://elsewhere.example/upstream/one/mcp']) {
    const token = await issuer.token({ aud, scope: 'mcp:use' });
    assert.equal((await postModern(url, 'tools/list', {}, { headers: bearer(token) })).status, 401, aud);
  }
});
