// One message a line, and nothing else on standard output, whatever plugins do.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';

import { Components } from './support/components.mjs';
import { argumentsOf, program } from './support/host.mjs';
import { initializeRequest, modernRequest, request } from './support/http.mjs';
import { LogLines } from './support/log_lines.mjs';
import { LineClient } from './support/stdio.mjs';
import { until } from './support/until.mjs';

const printed = ['setup says hello', 'printf says {"jsonrpc":"2.0"}', 'cout says so too', 'write says it as well'];

test('WhatAPluginPrintsGoesToTheLog', async (context) => {
  const client = LineClient.start(context, await Components.create('rude'));
  client.send(modernRequest('tools/call', { name: 'print', arguments: {} }, 1));
  // LineClient fails on a line that is no message.
  assert.equal((await client.next()).result.content[0].text, 'printed');
  client.endInput();
  assert.deepEqual(await client.rest(), []);
  for (const text of printed) await client.host.log.until({ event: 'plugin output', text });
});

test('APluginThatReadsStandardInputTakesNoMessageAway', async (context) => {
  const client = LineClient.start(context, await Components.create('rude'));
  client.send(modernRequest('tools/call', { name: 'read_input', arguments: {} }, 1));
  client.send(modernRequest('tools/call', { name: 'print', arguments: {} }, 2));
  const answers = [await client.next(), await client.next()].sort((a, b) => a.id - b.id);
  assert.deepEqual(
    answers.map((answer) => answer.result.content[0].text),
    ['nothing', 'printed'],
  );
});

test('AMessageMayComeInPieces', async (context) => {
  const client = LineClient.start(context, await Components.create());
  const line = `${JSON.stringify(modernRequest('server/discover', {}, 'pieces'))}\n`;
  for (let i = 0; i < line.length; i += 20) {
    client.host.child.stdin.write(line.slice(i, i + 20));
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal((await client.next()).id, 'pieces');
});

test('SeveralMessagesMayComeAtOnce', async (context) => {
  const client = LineClient.start(context, await Components.create());
  client.sendLine([1, 2, 3].map((id) => JSON.stringify(modernRequest('tools/list', {}, id))).join('\n'));
  const ids = [await client.next(), await client.next(), await client.next()].map((answer) => answer.id);
  assert.deepEqual(ids.sort(), [1, 2, 3]);
});

test('BlankLinesAndCarriageReturnsAreNoMessages', async (context) => {
  const client = LineClient.start(context, await Components.create());
  client.sendLine('\n \r\n');
  client.sendLine(`${JSON.stringify(modernRequest('tools/list', {}, 1))}\r`);
  assert.equal((await client.next()).id, 1);
});

test('TheLastMessageNeedsNoNewline', async (context) => {
  const client = LineClient.start(context, await Components.create());
  client.host.child.stdin.end(JSON.stringify(modernRequest('tools/list', {}, 'last')));
  assert.equal((await client.next()).id, 'last');
});

test('ALineThatIsNoMessageIsAnsweredAndTheNextOneServed', async (context) => {
  const client = LineClient.start(context, await Components.create());
  for (const [line, code] of [
    ['{"jsonrpc": "2.0",', -32700],
    ['hello', -32700],
    ['7', -32600],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, -32700],
  ]) {
    client.sendLine(line);
    const { id, error } = await client.next();
    assert.deepEqual([id ?? null, error.code], [null, code]);
  }
  assert.deepEqual((await client.ask(modernRequest('tools/list', {}, 1))).result.tools, []);
});

test('ALineWithoutEndIsRefusedAndForgotten', async (context) => {
  const client = LineClient.start(context, await Components.create());
  const megabyte = ' '.repeat(1 << 20);
  for (let i = 0; i < 40; ++i) client.host.child.stdin.write(megabyte);
  client.sendLine('');
  const { error } = await client.next();
  assert.equal(error.code, -32600);
  assert.match(error.message, /longer than/);
  assert.equal((await client.ask(modernRequest('tools/list', {}, 1))).id, 1);
});

test('ALegacyRequestBeforeInitializeIsRefusedButPing', async (context) => {
  const client = LineClient.start(context, await Components.create());
  assert.deepEqual((await client.ask(request('ping', undefined, 1))).result, {});
  const { error } = await client.ask(request('tools/list', undefined, 2));
  assert.equal(error.code, -32602, 'of the newest revision it would lack fields');
  assert.match(error.message, /initialize/);
});

test('ASecondInitializeIsRefused', async (context) => {
  const client = LineClient.start(context, await Components.create());
  await client.ask(initializeRequest('2025-11-25', 1));
  assert.equal((await client.ask(initializeRequest('2025-11-25', 2))).error.code, -32600);
});

test('ABigAnswerIsWholeAndOnOneLine', async (context) => {
  const client = LineClient.start(context, await Components.create('plain_c'));
  const text = 'line\nbreak \u2028 ☃ '.repeat(50_000);
  client.send(modernRequest('tools/call', { name: 'params', arguments: { text } }, 1));
  assert.equal((await client.next()).result.structuredContent.arguments.text, text);
});

test('NothingIsSaidAboutAMalformedNotification', async (context) => {
  const client = LineClient.start(context, await Components.create());
  client.sendLine('{"jsonrpc":"2.0","method":"notifications/foo","params":[1]}');
  client.sendLine('{"jsonrpc":"2.0","method":"notifications/cancelled","params":null}');
  assert.equal((await client.ask(modernRequest('tools/list', {}, 1))).id, 1);
});

// A client that does not read the host's log, of which there is more than its pipe, or whatever it is, has room for.
async function startUnread(context) {
  const components = await Components.create('plain_c');
  const child = spawn(program, argumentsOf('stdio', components, ['--log-level', 'trace']));
  const ended = once(child, 'exit');
  context.after(async () => {
    child.kill('SIGKILL');
    await ended;
    await components.discard();
  });
  const client = new LineClient({ child });
  const params = { name: 'params', arguments: { text: 'x'.repeat(4000) } };
  const call = async (id) => (await client.ask(modernRequest('tools/call', params, id))).result;
  await until(() => call('first'), () => 'its plugin is not loaded');
  for (let id = 1; id <= 200; ++id) assert.ok(await call(id));
  return { child, client, call, ended };
}

test('AClientThatReadsNoLogIsAnsweredAndCanReadLaterHowMuchIsLost', async (context) => {
  const { child, client, call, ended } = await startUnread(context);
  const log = new LogLines(child.stderr);
  const lost = async () => (await call('more')) && log.matching({ event: 'lines lost', level: 'warning' })[0];
  const { lines } = await until(lost, () => log.text());
  assert.ok(lines > 0);
  client.endInput();
  assert.deepEqual(await ended, [0, null]);
});

test('AHostWhoseLogNobodyReadsEnds', async (context) => {
  const { child, ended } = await startUnread(context);
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
});
