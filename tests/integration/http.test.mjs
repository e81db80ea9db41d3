// The HTTP of the endpoint: methods, media types, statuses, messages that are none.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { Components } from './support/components.mjs';
import { HttpHost } from './support/host.mjs';
import {
  contentHeaders,
  initializeRequest,
  modernHeaders,
  modernRequest,
  post,
  postModern,
  Session,
} from './support/http.mjs';
import { RawConnection, requestText } from './support/raw_connection.mjs';

let components;
let host;
before(async () => {
  components = await Components.create('catalogue');
  host = await HttpHost.start(components);
});
after(() => host.stop().finally(() => components.discard()));

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
  const headers = { Accept: 'text/event-stream', 'MCP-Protocol-Version': '2026-07-28' };
  const response = await fetch(host.url, { headers });
  assert.equal(response.status, 405);
  assert.match(response.headers.get('Allow'), /POST/);
  assert.doesNotMatch(response.headers.get('Allow'), /GET/);
});

for (const path of ['/', '/mcp/', '/mcpx', '/favicon.ico']) {
  test(`ThePath ${path} IsNotFound`, async () => {
    assert.equal((await fetch(new URL(path, host.url))).status, 404);
    assert.equal((await post(new URL(path, host.url), initializeRequest('2025-11-25'))).status, 404);
  });
}

test('AQueryIsNoPartOfThePath', async () => {
  assert.equal((await post(new URL('/mcp?a=b', host.url), initializeRequest('2025-11-25'))).status, 200);
});

for (const type of ['text/plain', 'application/json-rpc', 'application/x-www-form-urlencoded', '']) {
  test(`TheContentType ${JSON.stringify(type)} IsRefused`, async () => {
    const response = await post(host.url, initializeRequest('2025-11-25'), { 'Content-Type': type });
    assert.equal(response.status, 415);
    assert.match((await response.json()).error.message, /application\/json/);
  });
}
for (const type of ['application/json; charset=utf-8', 'Application/JSON']) {
  test(`TheContentType ${JSON.stringify(type)} IsAccepted`, async () => {
    assert.equal((await post(host.url, initializeRequest('2025-11-25'), { 'Content-Type': type })).status, 200);
  });
}

for (const accept of [
  'application/json',
  'text/event-stream',
  'text/html',
  'application/json;q=0, text/event-stream',
]) {
  test(`PostThatAccepts ${accept} IsRefused`, async () => {
    const response = await post(host.url, initializeRequest('2025-11-25'), { Accept: accept });
    assert.equal(response.status, 406);
  });
}
for (const accept of ['*/*', 'application/*, text/*', 'text/event-stream;q=0.5 , application/json;q=0.9']) {
  test(`PostThatAccepts ${accept} IsAccepted`, async () => {
    assert.equal((await post(host.url, initializeRequest('2025-11-25'), { Accept: accept })).status, 200);
  });
}

test('GetThatDoesNotAcceptAStreamIsRefused', async () => {
  const session = await Session.open(host.url);
  assert.equal((await session.get({ Accept: 'application/json' })).status, 406);
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

test('AnHttp10ClientIsAnsweredAndTheConnectionClosed', async () => {
  const body = JSON.stringify(modernRequest('tools/list'));
  const headers = { ...contentHeaders, ...modernHeaders('tools/list') };
  const connection = await RawConnection.open(host.url);
  connection.write(requestText(host.url, 'POST', headers, body).replace('HTTP/1.1', 'HTTP/1.0'));
  assert.equal((await connection.response()).status, 200);
  await connection.closed;
});

test('WhatIsNoHttpIsRefused', async () => {
  const connection = await RawConnection.open(host.url);
  connection.write('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 a TLS handshake\r\n\r\n');
  assert.equal((await connection.response()).status, 400);
  await connection.closed;
});

test('AChunkedBodyIsRead', async () => {
  const body = JSON.stringify(modernRequest('tools/list'));
  const headers = { ...contentHeaders, ...modernHeaders('tools/list'), 'Transfer-Encoding': 'chunked' };
  const connection = await RawConnection.open(host.url);
  connection.write(requestText(host.url, 'POST', headers));
  for (const piece of [body.slice(0, 10), body.slice(10)])
    connection.write(`${piece.length.toString(16)}\r\n${piece}\r\n`);
  connection.write('0\r\n\r\n');
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

const listTools = (url, more = {}) =>
  requestText(
    url,
    'POST',
    { ...contentHeaders, ...modernHeaders('tools/list'), ...more },
    JSON.stringify(modernRequest('tools/list')),
  );

async function answerTo(text) {
  const connection = await RawConnection.open(host.url);
  connection.write(text);
  const response = await connection.response();
  connection.end();
  return response;
}

for (const coding of ['gzip', 'chunked, identity', 'identity']) {
  test(`ABodyOfTheCoding ${coding} IsRefusedAndNotTakenForARequest`, async () => {
    const connection = await RawConnection.open(host.url);
    const smuggled = `GET /smuggled HTTP/1.1\r\nHost: ${host.url.host}\r\n\r\n`;
    connection.write(requestText(host.url, 'POST', { ...contentHeaders, 'Transfer-Encoding': coding }) + smuggled);
    assert.equal((await connection.response()).status, 501);
    await assert.rejects(connection.response(), /closed by the server after ""/);
  });
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

test('AcceptMayBeGivenOnSeveralLines', async () => {
  const text = listTools(host.url, { Accept: 'application/json' });
  const { status } = await answerTo(text.replace('Accept: application/json', '$&\r\nAccept: text/event-stream'));
  assert.equal(status, 200);
});

test('AnAbsoluteTargetNamesTheHost', async () => {
  const absolute = (authority) => listTools(host.url).replace('POST /mcp', `POST http://${authority}/mcp`);
  assert.equal((await answerTo(absolute(host.url.host))).status, 200);
  assert.equal((await answerTo(absolute('evil.example'))).status, 403);
});

test('AnHttp10ClientNeedsNoHost', async () => {
  const text = listTools(host.url).replace('HTTP/1.1', 'HTTP/1.0').replace(/Host: .*\r\n/, '');
  assert.equal((await answerTo(text)).status, 200);
});

test('EmptyLinesBeforeARequestAreIgnored', async () => {
  assert.equal((await answerTo(`\r\n\r\n${listTools(host.url)}`)).status, 200);
});

test('EveryAnswerIsDated', async () => {
  const { headers } = await answerTo(listTools(host.url));
  assert.ok(Math.abs(Date.parse(headers.date) - Date.now()) < 5000, headers.date);
});

test('GetAndDeleteCheckTheProtocolVersion', async () => {
  const session = await Session.open(host.url);
  for (const method of ['GET', 'DELETE']) {
    const headers = { ...session.headers, Accept: 'text/event-stream', 'MCP-Protocol-Version': 'garbage' };
    assert.equal((await fetch(host.url, { method, headers })).status, 400, method);
  }
});
