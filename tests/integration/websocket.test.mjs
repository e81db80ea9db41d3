// WebSocket at the endpoint: who may have it, what of its frames is no message, and how it ends.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';

import { adminOf, Metrics } from './support/admin.mjs';
import { Authority, writePair } from './support/authority.mjs';
import { Components } from './support/components.mjs';
import { HttpHost, serve, serveAll } from './support/host.mjs';
import { initializeRequest, modernRequest, request } from './support/http.mjs';
import { untilNoted } from './support/outcomes.mjs';
import { bearer, Team } from './support/team.mjs';
import { frame, opcodes, RawWebSocket, upgradeHeaders } from './support/websocket.mjs';

const limit = 20_000;
const components = await Components.create('catalogue', 'slow');
const host = await serveAll(components, ['--max-body-bytes', String(limit)]);

const add = (id) => modernRequest('tools/call', { name: 'add', arguments: { a: 1, b: 2 } }, id);
const waitFor = (label, milliseconds) => ({ name: 'wait', arguments: { label, milliseconds } });
const padded = (message, bytes) => {
  const text = JSON.stringify(message);
  return `${text.slice(0, -1)}${' '.repeat(bytes - text.length)}}`;
};

test('IsGrantedWithTheSubprotocolAndWithoutCompression', async () => {
  const offer = { 'Sec-WebSocket-Extensions': 'permessage-deflate', 'Sec-WebSocket-Protocol': 'chat, mcp' };
  const { headers, client } = await RawWebSocket.ask(host.url, { headers: offer });
  assert.equal(headers['sec-websocket-protocol'], 'mcp');
  assert.equal(headers['sec-websocket-extensions'], undefined);
  assert.equal((await client.ask(add(1))).result.structuredContent.result, 3);
  client.end();
});

for (const [what, headers, status, words] of [
  ['AnotherVersion', { 'Sec-WebSocket-Version': '8' }, 426, /13/],
  ['NoVersion', { 'Sec-WebSocket-Version': undefined }, 426, /13/],
  ['NoKey', { 'Sec-WebSocket-Key': undefined }, 400, /Sec-WebSocket-Key/],
  ['AKeyThatIsNone', { 'Sec-WebSocket-Key': 'c2hvcnQ=' }, 400, /Sec-WebSocket-Key/],
  ['AnotherSubprotocol', { 'Sec-WebSocket-Protocol': 'chat' }, 400, /subprotocol mcp/],
  ['NoSubprotocol', { 'Sec-WebSocket-Protocol': undefined }, 400, /subprotocol mcp/],
  ['AnotherHost', { Host: 'evil.example' }, 403, /Host/],
  ['AnotherOrigin', { Origin: 'http://evil.example' }, 403, /Origin/],
  ['AnOriginThatIsNone', { Origin: 'null' }, 403, /Origin/],
]) {
  test(`IsRefused: ${what}`, async () => {
    const answer = await RawWebSocket.ask(host.url, { headers });
    assert.equal(answer.status, status, answer.body);
    assert.match(answer.body, words);
    if (status === 426) assert.equal(answer.headers['sec-websocket-version'], '13');
  });
}

test('IsGrantedToAPageOfThisMachine', async () => {
  const { status, client } = await RawWebSocket.ask(host.url, { headers: { Origin: 'http://localhost:5173' } });
  assert.equal(status, 101);
  client.end();
});

test('IsNoUpgradeFromHttp10OrWhereItIsOff', async (context) => {
  assert.equal((await RawWebSocket.ask(host.url, { version: '1.0' })).status, 400);
  const without = await serve(context, await Components.create(), ['--websocket', 'off']);
  const answer = await RawWebSocket.ask(without.url);
  assert.equal(answer.status, 400);
  assert.match(answer.body, /Mcp-Session-Id/);
});

test('WhatComesRightBehindTheRequestIsServed', async () => {
  const client = await RawWebSocket.open(host.url, { after: frame(JSON.stringify(add('early'))) });
  assert.equal((await client.next()).id, 'early');
  client.end();
});

test('AMessageMayComeInFragmentsWithPingsBetween', async () => {
  const client = await RawWebSocket.open(host.url);
  const text = JSON.stringify(add('pieces'));
  client.write(frame(text.slice(0, 10), { fin: false }));
  client.write(frame('alive?', { opcode: opcodes.ping }));
  client.write(frame('', { opcode: opcodes.continuation, fin: false }));
  client.write(frame(text.slice(10, 50), { opcode: opcodes.continuation, fin: false }));
  client.write(frame(text.slice(50), { opcode: opcodes.continuation }));
  const pong = await client.nextFrame();
  assert.deepEqual([pong.opcode, pong.payload.toString()], [opcodes.pong, 'alive?']);
  assert.equal((await client.next()).id, 'pieces');
  client.end();
});

test('BytesMayComeOneByOne', async () => {
  const client = await RawWebSocket.open(host.url);
  for (const byte of frame(JSON.stringify(request('ping', undefined, 'slowly')))) {
    client.write(Buffer.from([byte]));
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(await client.next(), { jsonrpc: '2.0', id: 'slowly', result: {} });
  client.end();
});

for (const [what, bytes, code] of [
  ['ABinaryMessage', frame('{}', { opcode: opcodes.binary }), 1003],
  ['TextThatIsNoUtf8', frame(Buffer.from([0x22, 0xff, 0x22])), 1007],
  ['AFrameThatIsNotMasked', frame('{}', { masked: false }), 1002],
  ['AReservedBit', frame('{}', { reserved: 4 }), 1002],
  ['AnUnknownOpcode', frame('{}', { opcode: 5 }), 1002],
  ['AContinuationOfNothing', frame('{}', { opcode: opcodes.continuation }), 1002],
  ['AFragmentedPing', frame('x', { opcode: opcodes.ping, fin: false }), 1002],
  ['ALongPing', frame('x'.repeat(126), { opcode: opcodes.ping }), 1002],
  ['ATextWithinAnother', Buffer.concat([frame('{', { fin: false }), frame('}')]), 1002],
  ['ACloseFrameOfOneByte', frame('x', { opcode: opcodes.close }), 1002],
  ['AFrameFarBeyondTheLimit', frame('x'.repeat(8 * limit + 1)), 1009],
  ['FragmentsFarBeyondTheLimit', Buffer.concat([frame('x'.repeat(8 * limit), { fin: false }), frame('x'.repeat(9), { opcode: 0 })]), 1009],
]) {
  test(`EndsTheConnection: ${what}`, async () => {
    const client = await RawWebSocket.open(host.url);
    assert.equal((await client.ask(request('ping', undefined, 'before'))).id, 'before');
    client.write(bytes);
    assert.equal((await client.close()).code, code);
  });
}

test('WhatIsNoMessageIsAnsweredAndTheNextOneServed', async () => {
  const client = await RawWebSocket.open(host.url);
  for (const [text, code] of [['', -32700], ['{"jsonrpc": "2.0",', -32700], ['7', -32600], ['[]', -32600]]) {
    client.sendText(text);
    assert.equal((await client.next()).error.code, code, text);
  }
  client.sendText('{"jsonrpc":"2.0","method":"notifications/foo","params":[1]}');
  assert.equal((await client.ask(add(1))).id, 1);
  client.end();
});

test('AMessageThatIsTooLongIsRefusedByItsIdAndTheNextOneServed', async () => {
  const client = await RawWebSocket.open(host.url);
  client.sendText(padded(add('fits'), limit));
  assert.equal((await client.next()).id, 'fits');
  const { params, ...rest } = add('long');
  client.sendText(padded({ params, ...rest }, limit + 1)); // its id is the last but one
  const { id, error } = await client.next();
  assert.equal(id, 'long');
  assert.match(error.message, /longer than the 20000 bytes that --max-body-bytes allows/);
  client.sendText(padded({ jsonrpc: '2.0', method: 'notifications/x' }, limit + 1));
  assert.equal((await client.ask(add('next'))).id, 'next');
  client.end();
});

test('BothErasMaySpeakOnOneConnection', async () => {
  const client = await RawWebSocket.open(host.url);
  assert.match((await client.ask(request('tools/list', undefined, 1))).error.message, /Not initialized/);
  assert.equal((await client.ask(initializeRequest('2025-03-26', 2))).result.protocolVersion, '2025-03-26');
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const caller = (make, id) => make('tools/call', { name: 'caller', arguments: {} }, id);
  assert.equal((await client.ask(caller(modernRequest, 3))).result.structuredContent.protocolVersion, '2026-07-28');
  assert.match((await client.ask(caller(request, 4))).result.content[0].text, /2025-03-26/);
  client.send([request('ping', undefined, 5), request('ping', undefined, 6)]);
  assert.deepEqual((await client.next()).map(({ id }) => id), [5, 6]);
  client.end();
});

test('AnswersComeAsTheyFinishAndCancelledOnesDoNot', async () => {
  const client = await RawWebSocket.open(host.url);
  client.send(modernRequest('tools/call', waitFor('cancelled over websocket', 60_000), 'long'));
  client.send(modernRequest('tools/call', waitFor('slow', 3000), 'slow'));
  client.send(add('quick'));
  assert.equal((await client.next()).id, 'quick');
  client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'long' } });
  await untilNoted(host.url, 'cancelled over websocket cancelled: client');
  assert.equal((await client.next()).id, 'slow');
  assert.equal((await client.ask(add('last'))).id, 'last');
  client.end();
});

test('ACloseFrameIsAnsweredAndEndsTheConnection', async () => {
  const client = await RawWebSocket.open(host.url);
  client.sendClose(1000, 'done');
  const { opcode, payload } = await client.nextFrame();
  assert.deepEqual([opcode, payload.readUInt16BE(0)], [opcodes.close, 1000]);
  assert.equal(await client.nextFrame(), undefined, 'the host closes first');
  client.socket.end();
  await client.closed;
});

for (const [how, leave] of [
  ['ByAReset', (client) => client.socket.resetAndDestroy()],
  ['ByTheEndOfItsInput', (client) => client.socket.end()],
  ['ByACloseFrame', (client) => client.sendClose(1001)],
]) {
  test(`WhoGoesCancelsItsCalls: ${how}`, async () => {
    for (const [era, make] of [['modern', modernRequest], ['legacy', request]]) {
      const client = await RawWebSocket.open(host.url);
      if (era === 'legacy') await client.ask(initializeRequest('2025-11-25'));
      const label = `${how} ${era}`;
      client.send(make('tools/call', waitFor(label, 60_000), 'long'));
      await untilNoted(host.url, `${label} begun`);
      leave(client);
      await untilNoted(host.url, `${label} cancelled: client`);
      client.end();
    }
  });
}

test('SignsOfLifeAreGivenAndAskedFor', async (context) => {
  const own = await serve(context, await Components.create(), ['--heartbeat-ms', '5000']);
  const alive = await RawWebSocket.open(own.url);
  const dead = await RawWebSocket.open(own.url);
  let isDead = false;
  dead.closed.then(() => { isDead = true; });
  // More than may stay unanswered.
  for (let pings = 0; pings < 5 || !isDead; ++pings) {
    const { opcode, payload } = await alive.nextFrame();
    assert.equal(opcode, opcodes.ping);
    alive.write(frame(payload, { opcode: opcodes.pong }));
  }
  assert.deepEqual((await alive.ask(request('ping', undefined, 1))).result, {});
  alive.end();
});

test('AMessageThatDoesNotComeToItsEndEndsTheConnection', async (context) => {
  const own = await serve(context, await Components.create(), ['--body-time-ms', '300']);
  const client = await RawWebSocket.open(own.url);
  client.write(frame('{"jsonrpc"', { fin: false }));
  const { code, reason } = await client.close();
  assert.deepEqual([code, reason], [1008, 'the message took too long to arrive']);
});

// A client that reads nothing of what it has asked for, which is more than the host keeps for a client before it takes
// no more requests of it.
class SlowReader {
  static #bytes = 6 << 20;
  static #kept = 64 << 20;

  static async open(context, options = []) {
    const own = await serve(context, await Components.create('long_messages'), ['--admin-listen', '127.0.0.1:0', ...options]);
    const reader = new SlowReader();
    reader.client = await RawWebSocket.open(own.url);
    reader.client.socket.pause();
    const params = { name: 'text', arguments: { bytes: SlowReader.#bytes } };
    for (let id = 0; id < 13; ++id) reader.client.send(modernRequest('tools/call', params, id));
    reader.base = await adminOf(own);
    return reader;
  }

  // Until so many are there to be read, or more than the host keeps.
  async untilAnswered(count = SlowReader.#kept / SlowReader.#bytes) {
    const answered = async () => (await Metrics.read(this.base)).requests({ gen_ai_tool_name: 'text' });
    for (const end = Date.now() + 60_000; (await answered()) <= count;) assert.ok(Date.now() < end);
  }

  // All of that, and the answer to a ping with the id "last".
  async read() {
    this.client.socket.resume();
    const seen = new Set();
    while (seen.size < 14) {
      const { id, result } = await this.client.next();
      if (id !== 'last') assert.equal(result.content[0].text.length, SlowReader.#bytes);
      seen.add(id);
    }
    this.client.end();
  }
}

test('AClientThatReadsSlowlyLosesNothing', async (context) => {
  const reader = await SlowReader.open(context);
  reader.client.send(request('ping', undefined, 'last'));
  await reader.untilAnswered();
  await reader.read();
});

test('AMessageIsNotLateBecauseTheHostHasNotReadIt', async (context) => {
  const reader = await SlowReader.open(context, ['--body-time-ms', '3000']);
  // So late that its time is not over before the host stops reading.
  await reader.untilAnswered(7);
  const ping = JSON.stringify(request('ping', undefined, 'last'));
  reader.client.write(frame(ping.slice(0, 9), { fin: false }));
  await reader.untilAnswered();
  reader.client.write(frame(ping.slice(9), { opcode: opcodes.continuation }));
  await sleep(4000);
  await reader.read();
});

test('NeedsATokenLikeEverythingElse', async (context) => {
  const team = await Team.serve(context, await Components.create('catalogue'), '[roles.user]\nallow = ["tool:caller"]\n');
  const token = await team.token('ada', 'user');
  const without = await RawWebSocket.ask(team.url);
  assert.deepEqual([without.status, without.headers['www-authenticate']], [401, 'Bearer realm="mcp"']);
  assert.equal((await RawWebSocket.ask(team.url, { headers: bearer(`${token}x`) })).status, 401);
  const ofAnotherPage = { ...bearer(token), Origin: 'http://evil.example' };
  assert.equal((await RawWebSocket.ask(team.url, { headers: ofAnotherPage })).status, 403);
  const client = await RawWebSocket.open(team.url, { headers: bearer(token) });
  const { result } = await client.ask(modernRequest('tools/list', {}, 1));
  assert.deepEqual(result.tools.map(({ name }) => name), ['caller']);
  const caller = await client.ask(modernRequest('tools/call', { name: 'caller', arguments: {} }, 2));
  assert.match(JSON.stringify(caller), /host#ada/);
  client.end();
});

test('TellsPluginsTheRolesThatCountNow', async (context) => {
  const admin = '[roles.admin]\nallow = ["tool:tell"]\n';
  const team = await Team.serve(context, await Components.create('telling'), `[roles.user]\nallow = ["*"]\n${admin}`);
  const client = await RawWebSocket.open(team.url, { headers: bearer(await team.token('ada', ['user', 'admin'])) });
  const roles = async (id) => {
    const { result } = await client.ask(modernRequest('tools/call', { name: 'tell', arguments: { text: '?' } }, id));
    return JSON.parse(result.content[0].text).caller[5];
  };
  assert.deepEqual(await roles(1), ['admin', 'user']);
  await team.reconfigure(admin);
  assert.deepEqual(await roles(2), ['admin']);
  client.end();
});

// To the second, as tokens have it.
const soon = () => new Date(Date.now() + 20_000).toISOString().replace(/\.\d+/, '');
for (const [how, more] of [['IsRevoked', () => []], ['Expires', () => ['--expires', soon()]]]) {
  test(`EndsWhenItsToken ${how}`, async (context) => {
    const team = await Team.serve(context, await Components.create('slow'), '[roles.user]\nallow = ["*"]\n');
    const others = bearer(await team.token('eve', 'user'));
    const token = await team.token('ada', 'user', ...more());
    const client = await RawWebSocket.open(team.url, { headers: bearer(token) });
    client.send(modernRequest('subscriptions/listen', { notifications: { toolsListChanged: true } }, 'listen'));
    await client.next();
    client.send(modernRequest('tools/call', waitFor(how, 60_000), 'long'));
    await untilNoted(team.url, `${how} begun`, { headers: others });
    if (how === 'IsRevoked') await team.revoke('ada');
    const { code, reason } = await client.close();
    assert.deepEqual([code, reason], [1008, 'the credential is good no longer']);
    await untilNoted(team.url, `${how} cancelled: client`, { headers: others });
  });
}

test('EachMessageCounts', async (context) => {
  const own = await Components.create('catalogue');
  const file = join(own.folder, 'host.toml');
  writeFileSync(file, '[limits.per_address]\nrate = "3/h"\n');
  const limited = await serve(context, own, ['--config', file]);
  const client = await RawWebSocket.open(limited.url); // the first
  assert.equal((await client.ask(add(1))).id, 1);
  await client.ask(initializeRequest('2025-03-26', 2));
  const refused = await client.ask(add(3));
  assert.equal(refused.error.code, 429);
  assert.equal(refused.error.data.limit, 'limits.per_address');
  client.send([request('ping', undefined, 4), request('ping', undefined, 5)]);
  assert.deepEqual((await client.next()).map(({ error }) => error.code), [429, 429]);
  client.write(frame('no JSON'));
  assert.equal((await client.next()).error.code, 429);
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  assert.equal((await RawWebSocket.ask(limited.url)).status, 429);
  client.end();
});

test('EndsWithTheHostWhenItsCallsAreAnswered', async (context) => {
  const own = await Components.create('slow');
  const stopping = (await HttpHost.start(own)).killAfter(context, own);
  const busy = await RawWebSocket.open(stopping.url);
  const idle = await RawWebSocket.open(stopping.url);
  await busy.ask(initializeRequest('2025-11-25'));
  busy.send(request('tools/call', waitFor('last', 5000), 'last'));
  await untilNoted(stopping.url, 'last begun');
  stopping.signal('SIGTERM');
  assert.deepEqual(await idle.close(), { code: 1001, reason: 'the server is stopping' });
  // Else one who always asks for something more would never be told of the end.
  assert.equal((await busy.ask(request('tools/list', {}, 'late'))).error.message, 'This server is stopping');
  assert.equal((await busy.next()).result.content[0].text, 'last');
  assert.equal((await busy.close()).code, 1001);
  assert.deepEqual(await stopping.end(), { status: 0, signal: null });
});

test('AClientThatAnswersNoCloseFrameHoldsNothingUp', async (context) => {
  const own = await Components.create();
  const stopping = (await HttpHost.start(own)).killAfter(context, own);
  const client = await RawWebSocket.open(stopping.url);
  stopping.signal('SIGTERM');
  assert.equal((await client.nextFrame()).opcode, opcodes.close);
  assert.deepEqual(await stopping.end(), { status: 0, signal: null });
  client.end();
});

test('ASubscriptionEndsWithItsResultBeforeTheConnectionDoes', async (context) => {
  const own = await Components.create();
  const stopping = (await HttpHost.start(own)).killAfter(context, own);
  const client = await RawWebSocket.open(stopping.url);
  client.send(modernRequest('subscriptions/listen', { notifications: { toolsListChanged: true } }, 'mine'));
  assert.equal((await client.next()).method, 'notifications/subscriptions/acknowledged');
  await own.add('sample_v1');
  assert.equal((await client.next()).method, 'notifications/tools/list_changed');
  stopping.signal('SIGTERM');
  const end = await client.next();
  assert.deepEqual([end.id, end.result.resultType], ['mine', 'complete']);
  assert.equal((await client.close()).code, 1001);
  assert.deepEqual(await stopping.end(), { status: 0, signal: null });
});

test('IsServedByTlsAndAtAUnixSocket', async (context) => {
  const own = await Components.create('catalogue');
  const authority = new Authority('servers');
  context.after(() => authority.discard());
  writePair(own.folder, authority.issue('localhost'));
  const file = join(own.folder, 'host.toml');
  writeFileSync(
    file,
    '[http]\nunix_socket = "host.sock"\n[tls]\ncertificate = "server.pem"\nkey = "server.key"\n',
  );
  const secure = await serve(context, own, ['--config', file]);
  const { hostname, port } = secure.address;
  const overTls = await new Promise((resolve, reject) => {
    const socket = tls.connect({ host: hostname, port, ca: authority.pem });
    socket.on('secureConnect', () => resolve(socket)).on('error', reject);
  });
  for (const socket of [overTls, connect(join(own.folder, 'host.sock'))]) {
    const client = await RawWebSocket.open(new URL('http://localhost/mcp'), { socket });
    assert.equal((await client.ask(add(1))).id, 1);
    client.sendText(padded(add(2), 1_000_000));
    assert.equal((await client.next()).id, 2);
    client.sendClose(1000);
    assert.equal((await client.close()).code, 1000);
  }
});

test('AVirtualServerHasItsOwn', async (context) => {
  const own = await Components.create('catalogue');
  const file = join(own.folder, 'host.toml');
  writeFileSync(file, '[servers.sums]\nallow = ["tool:add"]\n');
  const several = await serve(context, own, ['--config', file]);
  const client = await RawWebSocket.open(new URL('/sums/mcp', several.url));
  const { result } = await client.ask(modernRequest('tools/list', {}, 1));
  assert.deepEqual(result.tools.map(({ name }) => name), ['add']);
  client.end();
});

test('TheRequestNeedsNoAcceptAndLeavesOtherGetsAsTheyAre', async () => {
  const { Accept, ...headers } = upgradeHeaders(host.url);
  assert.equal(Accept, undefined);
  assert.equal((await RawWebSocket.ask(host.url, { headers: { ...headers, Upgrade: 'h2c' } })).status, 400);
  const { status, client } = await RawWebSocket.ask(host.url, { headers: { Connection: 'keep-alive, UPGRADE', Upgrade: 'WebSocket' } });
  assert.equal(status, 101);
  client.end();
});
