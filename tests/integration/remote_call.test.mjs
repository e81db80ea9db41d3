// The commands that ask a plugin, asking a server that runs instead: call, read, prompt and complete with --url.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { command } from './support/command.mjs';
import { Components } from './support/components.mjs';
import { serve } from './support/host.mjs';
import { Team } from './support/team.mjs';

const answers = (...all) => all.flatMap((each) => ['--answer', JSON.stringify(each)]);

test('AServerIsAskedForWhatAPluginIsAskedForOtherwise', async (context) => {
  const components = await Components.create('sample_v1', 'slow');
  await components.addShipped('prompts/prompts', { aliases: { 'team:greeting': 'greeting' } });
  await components.addShipped('resources/server');
  const { url } = await serve(context, components);
  const ask = (name, ...args) => command(name, '--url', url, ...args);
  assert.deepEqual(await ask('call', 'version'), { status: 0, stdout: '1\n', stderr: '' });
  const whole = JSON.parse((await ask('call', '--json', 'version')).stdout);
  assert.deepEqual(whole.content, [{ type: 'text', text: '1' }]);
  // Its progress makes the answer a stream.
  assert.equal((await ask('call', 'wait', '{"label":"done","milliseconds":50,"reports":2}')).stdout, 'done\n');
  assert.equal(JSON.parse((await ask('read', 'config://server')).stdout).name, 'mcp-plugin-host');
  assert.match((await ask('prompt', 'greeting', '{"name":"Ada Lövelace"}')).stdout, /^assistant: Hello Ada Lövelace!/);
  assert.equal((await ask('complete', 'greeting', 'style', 'fr')).stdout, 'friendly\n');
  assert.equal((await ask('complete', 'team:greeting', 'style', 'fr')).stdout, 'friendly\n');
});

test('AServerIsAskedForItsLists', async (context) => {
  const components = await Components.create('sample_v1');
  await components.addShipped('prompts/prompts');
  await components.addShipped('resources/server');
  const { url } = await serve(context, components, ['--page-size', '1']);
  const { status, stdout, stderr } = await command('list', '--url', url);
  assert.equal(status, 0, stderr);
  for (const line of [/^ {2}tool +version /m, /^ {2}resource +config:\/\/server /m, /^ {2}prompt +greeting /m])
    assert.match(stdout, line);
  const all = JSON.parse((await command('list', '--url', url, '--json')).stdout);
  assert.deepEqual(Object.keys(all).sort(), ['prompts', 'resourceTemplates', 'resources', 'tools']);
  assert.ok(all.tools.some(({ name, inputSchema }) => name === 'version' && inputSchema.type === 'object'));
  const absent = await command('list', '--url', `${url}x`);
  assert.equal(absent.status, 2);
  assert.match(absent.stderr, /HTTP status 404: nothing of MCP is at this path/);
});

test('AServerThatListsNothingIsToldSo', async (context) => {
  const { url } = await serve(context, await Components.create());
  const words = 'lists no tools, resources or prompts; who shows a token, with --token-file, may see some';
  assert.deepEqual(await command('list', '--url', url), { status: 0, stdout: `${url} ${words}\n`, stderr: '' });
});

test('TheSameMistakeEndsInTheSameWayOfAPluginAndOfAServer', async (context) => {
  const components = await Components.create();
  await components.write('slow.json', JSON.stringify({ limits: { callTimeMs: 100 } }));
  await components.add('slow');
  const { url } = await serve(context, components);
  const both = async (...args) => {
    const ends = [];
    for (const where of [['--components', components.root, '--data', join(components.folder, 'other')], ['--url', url]]) {
      const { status, stdout } = await command('call', ...where, ...args);
      ends.push({ status, stdout });
    }
    assert.deepEqual(ends[0], ends[1]);
    return ends[0];
  };
  const invalid = await both('wait', '{}');
  assert.equal(invalid.status, 1);
  assert.match(invalid.stdout, /^Invalid arguments for tool wait: [^\n]*\n$/);
  assert.deepEqual(await both('absent'), { status: 2, stdout: '' });
  assert.deepEqual(await both('wait', '[]'), { status: 2, stdout: '' });
  const words = 'The call was cancelled, because wait took longer than the 0.1 s that limits.callTimeMs allows.';
  const late = await both('wait', '{"label":"late","milliseconds":30000,"reports":0}');
  assert.deepEqual(late, { status: 1, stdout: `${words}\ncancelled\n` });
});

test('AnAnswerMayHaveSeveralLinesOfDataThatEndInAnyWay', async (context) => {
  const events = [
    ['data: {"jsonrpc":"2.0","method":"notifications/message",', 'data: "params":{}}'],
    ['event: message', 'data: {"jsonrpc":"2.0","id":1,"result":', 'data: {"content":[{"type":"text","text":"ok"}]}}'],
    [': the end'],
  ];
  let lineEnd;
  const other = createServer((request, response) => {
    response.setHeader('Content-Type', 'text/event-stream');
    response.end(events.flatMap((lines) => [...lines, '']).map((line) => line + lineEnd).join(''));
  }).listen(0, '127.0.0.1');
  await once(other, 'listening');
  context.after(() => other.close());
  for (lineEnd of ['\n', '\r', '\r\n']) {
    const called = await command('call', '--url', `http://127.0.0.1:${other.address().port}/mcp`, 'any');
    assert.deepEqual(called, { status: 0, stdout: 'ok\n', stderr: '' }, JSON.stringify(lineEnd));
  }
});

test('ArgumentsAreRepeatedInHeadersWhereTheToolWantsThem', async (context) => {
  const { url } = await serve(context, await Components.create('mirrored'));
  const called = await command('call', '--url', url, 'query', '{"place":{"region":"übersee","exact":true},"limit":3}');
  assert.deepEqual(called, { status: 0, stdout: 'übersee exactly 3\n', stderr: '' });
});

test('WhatAServerRefusesIsToldWithItsWords', async (context) => {
  const { url } = await serve(context, await Components.create('sample_v1'));
  const unknown = await command('call', '--url', url, 'absent');
  assert.deepEqual(unknown, { status: 2, stdout: '', stderr: 'mcp-plugin-host: Unknown tool: absent\n' });
  const { error } = JSON.parse((await command('call', '--json', '--url', url, 'absent')).stdout);
  assert.equal(error.code, -32602);
  const unicode = await command('read', '--url', url, 'notes://über uns');
  assert.match(unicode.stderr, /Resource not found: notes:\/\/über uns/);
});

test('WhatAServerAsksIsAnsweredByTheCommandLine', async (context) => {
  const { url } = await serve(context, await Components.create('asking'));
  const ask = (...args) => command('call', '--url', url, ...args);
  assert.equal((await ask('two_rounds', ...answers({ name: 'Ada' }, { name: 'Lovelace' }))).stdout, 'Ada Lovelace\n');
  const unanswered = await ask('two_rounds', ...answers({ name: 'Ada' }));
  assert.equal(unanswered.status, 2);
  assert.match(unanswered.stderr, /the client is asked elicitation\/create: .*; answer it with --answer JSON/);
});

test('AServerThatWantsATokenIsGivenIt', async (context) => {
  const components = await Components.create('sample_v1');
  const team = await Team.serve(context, components, '[roles.user]\nallow = ["tool:version"]\n');
  const without = await command('call', '--url', team.url, 'version');
  assert.equal(without.status, 2);
  assert.match(without.stderr, /HTTP status 401: it wants a token, or another one; give it with --token-file; it says "Unauthorized: send a token in the header .*"\n$/);
  const file = join(components.folder, 'token');
  await writeFile(file, `${await team.token('ada', 'user')}\n`);
  await chmod(file, 0o644);
  const readable = await command('call', '--url', team.url, '--token-file', file, 'version');
  assert.equal(readable.status, 2);
  assert.match(readable.stderr, /the token file .*token cannot be used: everybody may read it; chmod o-r it\n$/);
  await chmod(file, 0o600);
  assert.equal((await command('call', '--url', team.url, '--token-file', file, 'version')).stdout, '1\n');
  await writeFile(file, '\n');
  const empty = await command('call', '--url', team.url, '--token-file', file, 'version');
  assert.match(empty.stderr, /the token file .*token has no token in its first line\n$/);
  await writeFile(file, 'of-somebody-else\n');
  const wrong = await command('call', '--url', team.url, '--token-file', file, 'version');
  assert.match(wrong.stderr, /give it with --token-file; it says "Unauthorized: it is no token of this server"\n$/);
});

test('AServerThatRefusesIsAskedOnce', async (context) => {
  const asked = [];
  let status;
  const refusing = createServer((request, response) => {
    asked.push(request.headers['mcp-method']);
    response.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  await once(refusing, 'listening');
  context.after(() => refusing.close());
  const url = `http://127.0.0.1:${refusing.address().port}/mcp`;
  for (status of [401, 429]) {
    const called = await command('call', '--url', url, 'version');
    assert.equal(called.status, 2);
    assert.match(called.stderr, new RegExp(`HTTP status ${status}`));
    assert.deepEqual(asked.splice(0), ['tools/list'], status);
  }
  status = 403;
  assert.match((await command('call', '--url', url, 'version')).stderr, /HTTP status 403/);
  assert.deepEqual(asked, ['tools/list', 'tools/call']);
});

test('WhatIsNoServerOfMcpIsToldSo', async (context) => {
  const { url } = await serve(context, await Components.create('sample_v1'));
  assert.match((await command('call', '--url', `${url}x`, 'version')).stderr, /HTTP status 404: nothing of MCP is at this path/);
  assert.match((await command('call', '--url', 'ftp://localhost', 'version')).stderr, /the URL "ftp:\/\/localhost" must begin with https:/);
  const other = createServer((request, response) => response.end('<html>')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  context.after(() => other.close());
  const at = (server) => `http://127.0.0.1:${server.address().port}/mcp`;
  assert.match((await command('call', '--url', at(other), 'version')).stderr, /HTTP status 200: <html>\n$/);
  const secure = at(other).replace('http:', 'https:');
  assert.match((await command('call', '--url', secure, 'version')).stderr, /wrong version number; the server may speak http:\/\/ there\n$/);
  let challenge;
  const asking = createServer((request, response) =>
    response.writeHead(401, { 'WWW-Authenticate': challenge }).end()).listen(0, '127.0.0.1');
  await once(asking, 'listening');
  context.after(() => asking.close());
  challenge = 'ConnectionCredential realm="mcp"';
  const certificate = await command('call', '--url', at(asking), 'version');
  assert.match(certificate.stderr, /HTTP status 401: it wants a client certificate, which this command cannot show\n$/);
  challenge = 'Bearer error="invalid_token", error_description="the token has expired"';
  const expired = await command('call', '--url', at(asking), 'version');
  assert.match(expired.stderr, /give it with --token-file; it says "the token has expired"\n$/);
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const gone = at(closed);
  closed.close();
  await once(closed, 'close');
  assert.match((await command('call', '--url', gone, 'version')).stderr, /: http:.* cannot be asked: Connection refused\n$/);
});
