// Where there are many tools: a tool that finds others, and a list that is cut to what a client can take.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { connectHttp, connectStdio, connectWebSocket, kinds } from './support/clients.mjs';
import { Components } from './support/components.mjs';
import { program, serve, serveAll } from './support/host.mjs';
import { postModern, Session } from './support/http.mjs';
import { bearer, Team } from './support/team.mjs';

const components = await Components.create('catalogue', 'slow', 'plain_c');
const options = ['--find-tools', '--list-at-most', '3'];
const host = await serveAll(components, options);

const namesOf = ({ tools }) => tools.map(({ name }) => name);
const findTools = async (url, query, more = {}) => {
  const response = await postModern(url, 'tools/call', { name: 'find_tools', arguments: { query } }, more);
  return (await response.json()).result;
};

const transports = {
  HTTP: (kind) => connectHttp(kind, host.url),
  stdio: (kind) => connectStdio(kind, components, options),
  WebSocket: (kind) => connectWebSocket(kind, host.url),
};

for (const kind of kinds) {
  for (const [transport, connect] of Object.entries(transports)) {
    test(`WhatIsNotListedIsFoundAndCalled: ${kind.name} over ${transport}`, async () => {
      const client = await connect(kind);
      const listed = namesOf(await client.listTools());
      assert.equal(listed.length, 3);
      assert.ok(listed.includes('find_tools'));
      assert.ok(!listed.includes('wait'));
      const call = { name: 'find_tools', arguments: { query: 'wait for some milliseconds' } };
      const { structuredContent, content } = await kind.call(client, call);
      assert.deepEqual(JSON.parse(content[0].text), structuredContent);
      const [first] = structuredContent.tools;
      assert.equal(first.name, 'wait');
      assert.ok('milliseconds' in first.inputSchema.properties);
      const waited = await kind.call(client, { name: 'wait', arguments: { label: 'found', milliseconds: 1 } });
      assert.equal(waited.content[0].text, 'found');
      await client.close();
    });
  }
}

test('NothingIsFoundByWordsThatNoToolHas', async () => {
  assert.deepEqual((await findTools(host.url, 'xylophone')).structuredContent, { tools: [] });
});

test('TheQuestionIsChecked', async () => {
  for (const args of [{}, { query: '' }, { query: 'x'.repeat(1001) }, { query: 'x', limit: 0 }, { query: 'x', limit: 51 }]) {
    const response = await postModern(host.url, 'tools/call', { name: 'find_tools', arguments: args });
    assert.equal((await response.json()).result.isError, true, JSON.stringify(args));
  }
  const response = await postModern(host.url, 'tools/call', { name: 'find_tools', arguments: { query: 'wait', limit: 1 } });
  assert.equal((await response.json()).result.structuredContent.tools.length, 1);
});

test('AnswersOfAnOlderRevisionHaveItAsText', async () => {
  const session = await Session.open(host.url, '2024-11-05');
  const { result } = await session.ask('tools/call', { name: 'find_tools', arguments: { query: 'wait' } });
  assert.equal(JSON.parse(result.content[0].text).tools[0].name, 'wait');
});

test('IsNotThereUnlessItIsAskedFor', async (context) => {
  const without = await serve(context, await Components.create('plain_c'));
  const response = await postModern(without.url, 'tools/call', { name: 'find_tools', arguments: { query: 'x' } });
  assert.match((await response.json()).error.message, /Unknown tool/);
});

test('OnlyWhatTheCallerSeesIsFound', async (context) => {
  const roles =
    '[roles.user]\nallow = ["tool:add", "tool:wait", "tool:find_tools"]\n' +
    '[roles.blind]\nallow = ["tool:add", "tool:wait", "tool:outcomes", "tool:params"]\n' +
    '[catalog]\nfind_tools = true\nlist_at_most = 2\npinned = ["tool:wait"]\n';
  const team = await Team.serve(context, await Components.create('catalogue', 'slow', 'plain_c'), roles);
  const [ada, bob] = [bearer(await team.token('ada', 'user')), bearer(await team.token('bob', 'blind'))];
  const listed = async (headers) =>
    namesOf((await (await postModern(team.url, 'tools/list', {}, { headers })).json()).result);
  assert.deepEqual(await listed(ada), ['find_tools', 'wait']);
  assert.deepEqual(await listed(bob), ['add', 'outcomes', 'params', 'wait'], 'who cannot search sees all');
  const found = async (query, headers) => namesOf((await findTools(team.url, query, { headers })).structuredContent);
  assert.deepEqual(await found('outcomes of earlier calls', ada), []);
  assert.deepEqual(await found('wait', ada), ['wait']);
  assert.deepEqual(await found('wait', { ...ada, 'X-MCP-Exclude-Tools': 'wait' }), []);
  const refused = await postModern(
    team.url, 'tools/call', { name: 'find_tools', arguments: { query: 'add' } }, { headers: bob },
  );
  assert.match((await refused.json()).error.message, /Unknown tool/);
});

test('WhatComesIsFoundAndWhatGoesIsNot', async (context) => {
  const own = await Components.create('plain_c');
  const changing = await serve(context, own, ['--find-tools']);
  const found = async () => namesOf((await findTools(changing.url, 'only in v1')).structuredContent);
  assert.deepEqual(await found(), []);
  await own.add('sample_v1');
  await changing.log.until({ event: 'plugin loaded', file: own.file('sample_v1.so') });
  assert.equal((await found())[0], 'only_in_v1');
  await own.removeFile('sample_v1.so');
  await changing.log.until({ event: 'plugin withdrawn' });
  assert.deepEqual(await found(), []);
});

test('SettingsThatDoNotFitTogetherAreRefused', async (context) => {
  const own = await Components.create();
  context.after(() => own.discard());
  const file = join(own.folder, 'host.toml');
  const check = async (text) => {
    await writeFile(file, text);
    return new Promise((resolve) => {
      execFile(program, ['config', 'check', '--config', file], (error, stdout, stderr) => resolve(stdout + stderr));
    });
  };
  assert.match(await check('[catalog]\nlist_at_most = 10\n'), /needs find_tools/);
  assert.match(await check('[catalog]\nfind_tools = true\npinned = ["tool:a"]\n'), /needs list_at_most/);
  assert.match(await check('[catalog]\nfind_tools = true\nlist_at_most = 9\npinned = ["a"]\n'), /is no pattern of components/);
  assert.match(await check('[catalog]\nfind_tools = true\nlist_at_most = 9\npinned = ["tool:a*"]\n'), /ok/);
});
