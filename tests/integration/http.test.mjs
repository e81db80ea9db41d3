// The HTTP of the endpoint beyond what http_table.jsonl has: what answers say, messages that are none.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Components } from './support/components.mjs';
import { serveAll } from './support/host.mjs';
import {
  contentHeaders,
  initializeRequest,
  modernHeaders,
  modernRequest,
  post,
  postModern,
  Session,
} from './support/http.mjs';
import { patience } from './support/patience.mjs';
import { RawConnection, requestText } from './support/raw_connection.mjs';

const host = await serveAll(await Components.create('catalogue'));

const methods = 'GET, POST, DELETE, OPTIONS, HEAD';

for (const method of ['PUT', 'PATCH', 'TRACE']) {
  test(`${method} IsNotAllowedAndToldWhatIs`, async () => {
    const connection = await RawConnection.open(host.url);
    connection.write(requestText(host.url, method));
    const { status, headers } = await connection.response();
    assert.deepEqual([status, headers.allow], [405, methods]);
    connection.end();
  });
}

test('HeadIsAnsweredWithoutABody', async () => {
  const response = await fetch(host.url, { method: 'HEAD' });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('Allow'), methods);
});

test('OptionsTellsTheMethods', async () => {
  const response = await fetch(host.url, { method: 'OPTIONS' });
  assert.equal(response.status, 204);
  assert.equal(response.headers.get('Allow'), methods);
});

test('TheModernEraHasNoGetStream', async () => {
  for (const accept of ['text/event-stream', 'application/json']) {
    const response = await fetch(host.url, { headers: { Accept: accept, 'MCP-Protocol-Version': '2026-07-28' } });
    assert.equal(response.status, 405);
    assert.match(response.headers.get('Allow'), /POST/);
    assert.doesNotMatch(response.headers.get('Allow'), /GET/);
  }
});

test('ARefusedContentTypeNamesTheOneThatIsTaken', async () => {
  const response = await post(host.url, initializeRequest('2025-11-25'), { 'Content-Type': 'text/plain' });
  assert.equal(response.status, 415);
  assert.match((await response.json()).error.message, /application\/json/);
});

test('ARefusalOfTheHeadersNamesTheRequest', async () => {
  for (const headers of [{ 'Content-Type': 'text/plain' }, { Accept: 'application/json' }]) {
    const response = await postModern(host.url, 'server/discover', {}, { headers });
    assert.equal((await response.json()).id, 1);
  }
});

test('TheModernEraTakesNoResponses', async () => {
  const response = await post(host.url, { jsonrpc: '2.0', id: 1, result: {} }, { 'MCP-Protocol-Version': '2026-07-28' });
  assert.equal(response.status, 400);
  assert.match((await response.json()).error.message, /no responses of clients/);
});

test('AMethodThatOnlyTheModernEraHasIsRefusedInItsWords', async () => {
  const response = await post(host.url, { jsonrpc: '2.0', id: 7, method: 'server/discover', params: {} });
  assert.equal(response.status, 400);
  const { id, error } = await response.json();
  assert.deepEqual([id, error.code], [7, -32602]);
});

test('NotificationsAndResponsesAreTakenWithoutABody', async () => {
  const session = await Session.open(host.url);
  const messages = [
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', method: 'notifications/unheard-of', params: {} },
    { jsonrpc: '2.0', id: 5, result: {} },
    { jsonrpc: '2.0', id: 6, error: { code: -1, message: 'no' } },
  ];
  for (const message of messages) {
    const response = await session.post(message);
    assert.equal(response.status, 202);
    assert.equal(await response.text(), '');
  }
});

const malformed = [
  ['NoJson', '{"jsonrpc": "2.0", "id": 1,', -32700],
  ['Nothing', '', -32700],
  ['TwoValues', '{} {}', -32700],
  ['ANumber', '7', -32600],
  ['NoVersion', '{"id": 1, "method": "ping"}', -32600],
  ['AnotherVersion', '{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600],
  ['NoMethod', '{"jsonrpc": "2.0", "id": 1}', -32600],
  ['AMethodThatIsNoString', '{"jsonrpc": "2.0", "id": 1, "method": 7}', -32600],
  ['AnIdThatIsAnObject', '{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600],
  ['AnIdThatIsNull', '{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600],
  ['AFractionAsId', '{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600],
  ['ParamsThatAreAnArray', '{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}', -32600],
];
for (const [what, text, code] of malformed) {
  test(`AMessageThatIsNone: ${what}`, async () => {
    const session = await Session.open(host.url);
    const response = await session.post(text);
    assert.equal(response.status, 400);
    assert.equal((await response.json()).error.code, code);
  });
}

test('DeepJsonIsRefusedAndNotParsed', async () => {
  const depth = 100_000;
  const response = await post(host.url, '['.repeat(depth) + ']'.repeat(depth));
  assert.equal(response.status, 400);
  const { error } = await response.json();
  assert.equal(error.code, -32700);
  assert.match(error.message, /deep|nest/);
});

test('ArgumentsMayNestAsFarAsMessagesDo', async () => {
  let nested = {};
  for (let depth = 0; depth < 40; ++depth) nested = { nested };
  const response = await postModern(host.url, 'tools/call', { name: 'add', arguments: { a: 1, b: 2, nested } });
  assert.equal(response.status, 200);
});

test('BadUtf8IsRefused', async () => {
  const text = JSON.stringify(modernRequest('tools/list'));
  const bytes = Buffer.concat([
    Buffer.from(text.slice(0, -1)),
    Buffer.from([0x2c, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
  ]);
  const response = await fetch(host.url, {
    method: 'POST',
    headers: { ...contentHeaders, ...modernHeaders('tools/list') },
    body: bytes,
  });
  assert.equal(response.status, 400);
  assert.equal((await response.json()).error.code, -32700);
});

test('IdsComeBackAsTheyWere', async () => {
  const session = await Session.open(host.url);
  for (const id of ['', 'a "quoted" ☃', 0, -5, 9007199254740991]) {
    assert.deepEqual((await session.ask('ping', undefined, id)).id, id);
  }
});

test('ManyRequestsTravelOnOneConnection', async () => {
  const body = JSON.stringify(modernRequest('tools/list'));
  const text = requestText(host.url, 'POST', { ...contentHeaders, ...modernHeaders('tools/list') }, body);
  const connection = await RawConnection.open(host.url);
  connection.write(text.repeat(20));
  for (let i = 0; i < 20; ++i) {
    const response = await connection.response();
    assert.equal(response.status, 200);
    assert.equal(JSON.parse(response.body).result.tools.length, 5);
  }
  connection.end();
});

test('BlanksAroundHeaderValuesAreNoPartOfThem', async () => {
  const params = { name: 'add', arguments: { a: 1, b: 2 } };
  const headers = { ...contentHeaders, ...modernHeaders('tools/call', '  add\t ') };
  const connection = await RawConnection.open(host.url);
  connection.write(requestText(host.url, 'POST', headers, JSON.stringify(modernRequest('tools/call', params))));
  assert.equal((await connection.response()).status, 200);
  connection.end();
});

test('AClientThatWaitsToSendItsBodyIsToldToGoOn', async () => {
  const body = JSON.stringify(modernRequest('tools/list'));
  const headers = { ...contentHeaders, ...modernHeaders('tools/list'), Expect: '100-continue' };
  const connection = await RawConnection.open(host.url);
  const text = requestText(host.url, 'POST', headers, body);
  connection.write(text.slice(0, -body.length));
  assert.equal((await connection.response()).status, 100);
  connection.write(body);
  assert.equal((await connection.response()).status, 200);
  connection.end();
});

const listTools = (url) =>
  requestText(
    url,
    'POST',
    { ...contentHeaders, ...modernHeaders('tools/list') },
    JSON.stringify(modernRequest('tools/list')),
  );

async function answerTo(text) {
  const connection = await RawConnection.open(host.url);
  connection.write(text);
  const response = await connection.response();
  connection.end();
  return response;
}

for (const name of ['Host', 'Mcp-Method', 'MCP-Protocol-Version']) {
  test(`TheHeader ${name} MustNotBeRepeated`, async () => {
    const line = listTools(host.url)
      .split('\r\n')
      .find((each) => each.startsWith(`${name}: `));
    const { status, body } = await answerTo(listTools(host.url).replace(line, `${line}\r\n${line}`));
    assert.equal(status, 400);
    assert.match(body, new RegExp(`The header ${name} is given more than once`));
  });
}

test('EveryAnswerIsDated', async () => {
  const { headers } = await answerTo(listTools(host.url));
  assert.ok(Math.abs(Date.parse(headers.date) - Date.now()) < patience, headers.date);
});

test('GetAndDeleteCheckTheProtocolVersion', async () => {
  const session = await Session.open(host.url);
  for (const method of ['GET', 'DELETE']) {
    const headers = { ...session.headers, Accept: 'text/event-stream', 'MCP-Protocol-Version': 'garbage' };
    assert.equal((await fetch(host.url, { method, headers })).status, 400, method);
  }
});
