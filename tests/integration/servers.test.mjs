// Several servers of one host: each has its path, its name, and a part of what is served; and clients that ask for less.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { Components } from './support/components.mjs';
import { HttpHost } from './support/host.mjs';
import { initializeRequest, modernRequest, newestLegacy, post, postModern, request, Session } from './support/http.mjs';
import { patience } from './support/patience.mjs';
import { sseEvents } from './support/sse.mjs';
import { bearer, Team } from './support/team.mjs';
import { writeWhole } from './support/whole_file.mjs';

const servers = `
[server]
name = "whole"
title = "Everything"
description = "All that the team has."
website = "https://example.com/tools"
[[server.icons]]
src = "https://example.com/icon.png"
sizes = ["48x48"]

[servers.sums]
title = "Sums"
allow = ["tool:calculate"]
instructions = "Calculate."

[servers.times]
allow = ["tool:*"]
deny = ["tool:calculate"]
`;

async function shipped() {
  const components = await Components.create();
  for (const plugin of ['tools/calculator', 'tools/clock']) await components.addShipped(plugin);
  return components;
}

async function serveServers(context, text = servers) {
  const components = await shipped();
  const file = join(components.folder, 'servers.toml');
  await writeFile(file, text);
  const host = await HttpHost.start(components, ['--config', file]);
  context.after(() => host.stop().finally(() => components.discard()));
  return { components, host, file, at: (path) => new URL(path, host.address).href };
}

async function namesAt(url, headers = {}) {
  const response = await postModern(url, 'tools/list', {}, { headers });
  assert.equal(response.status, 200);
  const { result } = await response.json();
  return { names: result.tools.map(({ name }) => name), result };
}

async function call(url, name, args = {}, headers = {}) {
  return (await postModern(url, 'tools/call', { name, arguments: args }, { headers })).json();
}

test('EachServerHasItsPartAndItsName', async (context) => {
  const { at } = await serveServers(context);
  const all = (await namesAt(at('/mcp'))).names;
  assert.ok(all.includes('calculate') && all.length > 2);
  for (const path of ['/sums/mcp', '/s/sums/mcp']) {
    assert.deepEqual((await namesAt(at(path))).names, ['calculate']);
    const refused = await call(at(path), all.find((name) => name !== 'calculate'));
    assert.match(refused.error.message, /^Unknown tool/);
    assert.equal((await call(at(path), 'calculate', { expression: '1 + 2' })).result.isError ?? false, false);
  }
  const { names } = await namesAt(at('/times/mcp'));
  assert.deepEqual(names, all.filter((name) => name !== 'calculate'));
  assert.equal((await postModern(at('/nobody/mcp'), 'tools/list')).status, 404);

  const discovered = (await (await postModern(at('/sums/mcp'), 'server/discover')).json()).result;
  assert.equal(discovered._meta['io.modelcontextprotocol/serverInfo'].title, 'Sums');
  assert.match(discovered.instructions, /^Calculate\./);
  assert.equal(discovered.cacheScope, 'private');
});

test('TheWholeSaysAllOfItselfOnceAndThenLittle', async (context) => {
  const { host, at } = await serveServers(context);
  const key = 'io.modelcontextprotocol/serverInfo';
  const full = (await (await postModern(host.url, 'server/discover')).json()).result._meta[key];
  assert.equal(full.description, 'All that the team has.');
  assert.equal(full.websiteUrl, 'https://example.com/tools');
  assert.deepEqual(full.icons, [{ src: 'https://example.com/icon.png', sizes: ['48x48'] }]);
  assert.deepEqual(Object.keys((await namesAt(at('/mcp'))).result._meta[key]), ['name', 'title', 'version']);
  const newest = (await (await post(host.url, initializeRequest(newestLegacy))).json()).result.serverInfo;
  assert.deepEqual(newest, full);
  const older = (await (await post(host.url, initializeRequest('2025-06-18'))).json()).result.serverInfo;
  assert.deepEqual(Object.keys(older), ['name', 'title', 'version']);
});

test('WhatBelongsToOneServerIsNothingToAnother', async (context) => {
  const { at } = await serveServers(context);
  const session = await Session.open(at('/sums/mcp'));
  const headers = { 'Mcp-Session-Id': session.id };
  assert.equal((await post(at('/s/sums/mcp'), request('ping'), headers)).status, 200);
  for (const path of ['/mcp', '/times/mcp']) {
    assert.equal((await post(at(path), request('ping'), headers)).status, 404, path);
    const stream = await fetch(at(path), { headers: { Accept: 'text/event-stream', ...headers } });
    assert.equal(stream.status, 404, path);
    assert.equal((await fetch(at(path), { method: 'DELETE', headers })).status, 404, path);
  }
  assert.equal((await post(at('/sums/mcp'), request('ping'), headers)).status, 200);
});

test('AChangeOfItsRulesIsToldToTheClientsOfThatServerOnly', async (context) => {
  // Each has prompts, whose change comes last and is told to all.
  const text = servers.replaceAll('allow = ["', 'allow = ["prompt:*", "');
  const { components, host, file, at } = await serveServers(context, text);
  const told = { '/sums/mcp': [], '/times/mcp': [], '/mcp': [] };
  const heard = async (isSo) => {
    const end = Date.now() + patience;
    while (!isSo() && Date.now() < end) await sleep(10);
  };
  for (const path of Object.keys(told)) {
    const body = { notifications: { toolsListChanged: true, promptsListChanged: true } };
    const events = sseEvents((await postModern(at(path), 'subscriptions/listen', body)).body);
    await events.next();
    (async () => {
      for await (const event of events) {
        const [, list] = /(\w+)\/list_changed/.exec(event.data) ?? [];
        if (list) told[path].push(list);
      }
    })().catch(() => {});
  }
  const taken = host.log.next({ event: 'configuration taken' });
  await writeWhole(file, text.replace('"tool:calculate"]', '"tool:calculate", "tool:*time*"]'));
  await taken;
  await heard(() => told['/sums/mcp'].length > 0);
  await components.addShipped('prompts/prompts');
  await heard(() => Object.values(told).every((lists) => lists.includes('prompts')));
  assert.deepEqual(told, { '/sums/mcp': ['tools', 'prompts'], '/times/mcp': ['prompts'], '/mcp': ['prompts'] });
  assert.ok((await namesAt(at('/sums/mcp'))).names.length > 1);
});

test('AServerThatIsNewOrGoneNeedsARestart', async (context) => {
  const { host, file } = await serveServers(context);
  const restart = host.log.next({ event: 'configuration needs a restart' });
  const ofSettingsName = '[servers.allow]\nallow = ["*"]\n';
  const others = `[servers.ops]\ntitle = "Operators"\nallow = ["*"]\n${ofSettingsName}[audit]\nfile = "audit.jsonl"\n`;
  await writeWhole(file, servers.slice(0, servers.indexOf('[servers.times]')) + others);
  assert.equal((await restart).settings, 'audit (new), servers.allow (new), servers.ops (new), servers.times (gone)');
});

test('RolesCountOnEachServer', async (context) => {
  const team = await Team.serve(context, await shipped(), `
[roles.user]
allow = ["tool:calculate"]
[roles.all]
allow = ["*"]
[servers.times]
allow = ["tool:*"]
deny = ["tool:calculate"]
`);
  const [user, all] = [await team.token('ada', 'user'), await team.token('bob', 'all')];
  const times = new URL('/times/mcp', team.url).href;
  assert.equal((await postModern(times, 'tools/list')).status, 401);
  assert.deepEqual((await namesAt(times, bearer(user))).names, []);
  const { names } = await namesAt(times, bearer(all));
  assert.ok(names.length > 0 && !names.includes('calculate'));
  assert.ok((await namesAt(team.url, bearer(all))).names.includes('calculate'));
});

test('AClientSeesFewerToolsIfItWantsSo', async (context) => {
  const { at } = await serveServers(context);
  const url = at('/mcp');
  const all = (await namesAt(url)).names;
  const cases = [
    [{ 'X-MCP-Tools': 'calculate' }, ['calculate']],
    [{ 'X-MCP-Toolsets': 'calculator' }, ['calculate']],
    [{ 'X-MCP-Tools': ' calculate , nothing,' }, ['calculate']],
    [{ 'X-MCP-Exclude-Tools': 'calculate' }, all.filter((name) => name !== 'calculate')],
    [{ 'X-MCP-Tools': 'calculate', 'X-MCP-Exclude-Tools': 'calculate' }, []],
    [{ 'X-MCP-Readonly': 'false' }, all],
    [{ 'X-MCP-Tools': 'nothing' }, []],
  ];
  for (const [headers, expected] of cases) {
    assert.deepEqual((await namesAt(url, headers)).names, expected, JSON.stringify(headers));
  }
  const refused = await call(url, 'calculate', { expression: '1' }, { 'X-MCP-Exclude-Tools': 'calculate' });
  assert.match(refused.error.message, /^Unknown tool/);
  assert.equal((await namesAt(url, { 'X-MCP-Tools': 'calculate' })).result.cacheScope, 'private');
  // It only narrows.
  assert.deepEqual((await namesAt(at('/times/mcp'), { 'X-MCP-Tools': 'calculate' })).names, []);
  for (const headers of [{ 'X-MCP-Readonly': 'maybe' }, { 'X-MCP-Tools': ' , ' }, { 'X-MCP-Tools': 'x'.repeat(5000) }]) {
    assert.equal((await post(url, modernRequest('tools/list'), headers)).status, 400);
  }
});

test('AReadOnlyClientSeesWhatSaysThatItChangesNothing', async (context) => {
  const { at } = await serveServers(context);
  const { result } = await namesAt(at('/mcp'), { 'X-MCP-Readonly': 'true' });
  assert.ok(result.tools.length > 0);
  assert.ok(result.tools.every(({ annotations }) => annotations.readOnlyHint));
});

test('ServersAreFoundByTheirCards', async (context) => {
  const { host, at } = await serveServers(context);
  const { origin } = host.address;
  const catalog = await fetch(at('/.well-known/ai-catalog.json'), { headers: { Origin: 'https://elsewhere.example' } });
  assert.equal(catalog.status, 200);
  assert.equal(catalog.headers.get('content-type'), 'application/ai-catalog+json');
  assert.equal(catalog.headers.get('access-control-allow-origin'), '*');
  const { entries } = await catalog.json();
  assert.deepEqual(entries.map(({ url }) => url), ['/mcp', '/sums/mcp', '/times/mcp'].map((path) => `${origin}${path}/server-card`));
  for (const { url, type } of entries) {
    assert.equal(type, 'application/mcp-server-card+json');
    const response = await fetch(url);
    assert.equal(response.headers.get('content-type'), type);
    // What a cache keeps of it is good for every page.
    assert.equal(response.headers.get('access-control-allow-origin'), '*');
    assert.equal(response.headers.get('vary'), null);
    const card = await response.json();
    assert.match(card.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
    assert.ok(card.description.length >= 1 && card.description.length <= 100);
    const [remote] = card.remotes;
    assert.equal(`${remote.url}/server-card`, url);
    assert.equal((await postModern(remote.url, 'tools/list')).status, 200);
    assert.ok(!JSON.stringify(card).includes('calculate'));
  }
  const summary = await (await fetch(at('/.well-known/mcp.json'))).json();
  assert.deepEqual(summary.auth, { type: 'none' });
  assert.equal(summary.server.url, `${origin}/mcp`);
});

test('AServerAtAnAddressIsNamedWithoutItsPort', async (context) => {
  for (const [origin, host, name] of [
    ['http://[::1]:8080', '[::1]', 'localhost/here'],
    ['http://127.0.0.1:8080', '127.0.0.1', 'localhost/here'],
    ['https://192.0.2.1', '192.0.2.1', '192.0.2.1/here'],
  ]) {
    const components = await shipped();
    const config = join(components.folder, 'config.toml');
    await writeFile(config, `[server]\nname = "here"\nurl = "${origin}"\n`);
    const served = await HttpHost.start(components, ['--config', config]);
    context.after(() => served.stop().finally(() => components.discard()));
    const catalog = await (await fetch(`${served.address.origin}/.well-known/ai-catalog.json`)).json();
    assert.deepEqual(catalog.entries.map(({ identifier }) => identifier), [`urn:air:${host}:mcp:here`]);
    const card = await (await fetch(`${served.address.origin}/mcp/server-card`)).json();
    assert.equal(card.name, name);
  }
});

test('WhereThePublicUrlIsUnknownNothingIsFound', async (context) => {
  const components = await shipped();
  const host = await HttpHost.start(components, ['--allow-remote-without-authentication'], '0.0.0.0:0');
  context.after(() => host.stop().finally(() => components.discard()));
  for (const path of ['/.well-known/ai-catalog.json', '/.well-known/mcp.json', '/mcp/server-card']) {
    assert.equal((await fetch(`http://127.0.0.1:${host.address.port}${path}`)).status, 404, path);
  }
});
