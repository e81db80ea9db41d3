// The wire check itself: it changes nothing on the way, reads what went over a connection as HTTP and stdio say, and
// finds what breaks a revision.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';

import { initializeRequest, modernRequest, request } from './support/http.mjs';
import { httpStatements } from './support/wire/http_statements.mjs';
import { judge } from './support/wire/report.mjs';
import { Recording } from './support/wire/recording.mjs';
import { revisions } from './support/wire/official_schema.mjs';
import { PassThrough } from './support/wire/pass_through.mjs';
import { stdioStatements } from './support/wire/stdio_statements.mjs';

const options = { skip: revisions.length === 0 && 'the official schemas are absent' };

const noTools = { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'public' };
const response = (id, result) => ({ jsonrpc: '2.0', id, result });
const initialized = (protocolVersion, id = 1) =>
  response(id, { protocolVersion, capabilities: {}, serverInfo: { name: 'x', version: '1' } });

// A recording of ["client" or "host", text] pieces.
function recorded(transport, pieces) {
  const recording = new Recording(transport);
  for (const [from, piece] of pieces) recording.add(from, Buffer.from(piece));
  return recording;
}

function judgeStdio(...messages) {
  const pieces = messages.map(([from, message]) => [from, `${JSON.stringify(message)}\n`]);
  return judge(stdioStatements(recorded('stdio', pieces)));
}

function post(message, headers = {}) {
  const body = JSON.stringify(message);
  const lines = Object.entries({ 'Content-Length': Buffer.byteLength(body), ...headers });
  return `POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}

function json(message, headers = '') {
  const body = JSON.stringify(message);
  const length = Buffer.byteLength(body);
  return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${headers}Content-Length: ${length}\r\n\r\n${body}`;
}

function judgeHttp(...pieces) {
  return judge(httpStatements([recorded('http', pieces)]));
}

const firstFault = ({ violations }) => violations[0]?.faults[0];

// Both ends of one connection through a pass-through, and its recording.
async function passedThrough(context) {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const recordings = [];
  const url = new URL(`http://127.0.0.1:${server.address().port}/mcp`);
  const passThrough = await PassThrough.open(url, (recording) => recordings.push(recording));
  const client = connect({ allowHalfOpen: true, host: '127.0.0.1', port: passThrough.url.port });
  const [host] = await once(server, 'connection');
  context.after(() => {
    for (const each of [client, host]) each.destroy();
    for (const each of [server, passThrough]) each.close();
  });
  return { client, host, recording: recordings[0] };
}

test('AHalfClosedConnectionStaysHalfClosed', async (context) => {
  const { client, host, recording } = await passedThrough(context);
  client.end('asked');
  assert.equal(String(await once(host, 'data')), 'asked');
  await once(host.resume(), 'end');
  host.end('answered');
  assert.equal(String(await once(client, 'data')), 'answered');
  await once(client.resume(), 'end');
  assert.deepEqual([String(recording.bytesFrom('client')), String(recording.bytesFrom('host'))], ['asked', 'answered']);
});

test('AResetStaysAReset', async (context) => {
  for (const [from, to] of [
    ['client', 'host'],
    ['host', 'client'],
  ]) {
    const ends = await passedThrough(context);
    ends[from].write('last words');
    assert.equal(String(await once(ends[to], 'data')), 'last words');
    ends[from].resetAndDestroy();
    const [error] = await once(ends[to].resume(), 'error');
    assert.equal(error.code, 'ECONNRESET');
  }
});

test('WhatFitsIsCountedByItsRevision', options, () => {
  for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
    const report = judgeStdio(['client', initializeRequest(revision, 1)], ['host', initialized(revision)]);
    assert.deepEqual(report, { messages: { [revision]: 1 }, violations: [] });
  }
  const report = judgeStdio(['client', modernRequest('tools/list')], ['host', response(1, noTools)]);
  assert.deepEqual(report, { messages: { '2026-07-28': 1 }, violations: [] });
});

test('AResultIsJudgedByItsRequest', options, () => {
  const { violations } = judgeStdio(['client', modernRequest('prompts/list')], ['host', response(1, noTools)]);
  assert.equal(violations.length, 1);
  assert.equal(violations[0].revision, '2026-07-28');
  assert.equal(violations[0].method, 'prompts/list');
  assert.match(violations[0].faults[0], /required property 'prompts'/);
});

test('AResultIsJudgedByItsRevision', options, () => {
  const tool = { name: 'x', inputSchema: { type: 'object', properties: { anything: true } } };
  const listed = { ...noTools, tools: [tool] };
  const legacy = judgeStdio(
    ['client', initializeRequest('2025-06-18', 1)],
    ['host', initialized('2025-06-18')],
    ['client', request('tools/list', {}, 2)],
    ['host', response(2, listed)],
  );
  assert.match(firstFault(legacy), /anything must be object/);
  const modern = judgeStdio(['client', modernRequest('tools/list')], ['host', response(1, listed)]);
  assert.deepEqual(modern.violations, []);
});

test('BothErasOfOneProcessAreToldApart', options, () => {
  const report = judgeStdio(
    ['client', initializeRequest('2025-11-25', 1)],
    ['host', initialized('2025-11-25')],
    ['client', request('ping', {}, 2)],
    ['client', modernRequest('tools/list', {}, 3)],
    ['host', response(3, noTools)],
    ['host', response(2, {})],
    ['host', { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }],
  );
  assert.deepEqual(report, { messages: { '2025-11-25': 3, '2026-07-28': 1 }, violations: [] });
});

test('AnAnswerToNothingIsAViolation', options, () => {
  const again = judgeStdio(
    ['client', modernRequest('tools/list')],
    ['host', response(1, noTools)],
    ['host', response(1, noTools)],
  );
  assert.equal(firstFault(again), 'this answers no request that the client sent');
});

test('WhatAServerDoesNotSendIsAViolation', options, () => {
  const opening = [
    ['client', initializeRequest('2025-03-26', 1)],
    ['host', initialized('2025-03-26')],
  ];
  for (const [message, fault] of [
    [{ jsonrpc: '2.0', method: 'notifications/initialized' }, /does not send notifications\/initialized/],
    [{ jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } }, /'progressToken'/],
    [{ jsonrpc: '2.0', id: 1, method: 'elicitation/create', params: {} }, /does not request elicitation\/create/],
    [{ jsonrpc: '1.0', method: 'notifications/tools/list_changed' }, /jsonrpc must be equal to constant/],
    [{ jsonrpc: '2.0', id: 1, error: { code: 'E', message: 'x' } }, /code must be integer/],
    [7, /a message is an object/],
  ]) {
    assert.match(firstFault(judgeStdio(...opening, ['host', message])) ?? 'none', fault);
  }
});

test('AnErrorMayLackItsIdWhereTheSpecificationSaysSo', options, () => {
  const error = { jsonrpc: '2.0', error: { code: -32700, message: 'x' } };
  for (const revision of revisions.slice(0, -1)) {
    const opening = [
      ['client', initializeRequest(revision, 1)],
      ['host', initialized(revision)],
    ];
    assert.deepEqual(judgeStdio(...opening, ['host', error]).violations, []);
    assert.match(firstFault(judgeStdio(...opening, ['host', { ...error, id: null }])), /id must be string,integer/);
  }
});

test('AResourceIsAnsweredByTheNameThatItWasAskedForBy', options, () => {
  const answered = (uri, more) =>
    judgeStdio(
      ['client', modernRequest('resources/read', { uri: 'x://größe' })],
      ['host', response(1, { resultType: 'complete', ttlMs: 0, cacheScope: 'public', contents: [{ uri, ...more }] })],
    );
  assert.deepEqual(answered('x://größe', { text: '' }).violations, []);
  assert.match(firstFault(answered('x://länge', { text: '' })), /uri must match format "uri"/);
  assert.match(firstFault(answered('x://größe', {})), /required property 'text'/);
});

test('AnErrorWhoseCodeHasADefinitionMustFitIt', options, () => {
  const error = { jsonrpc: '2.0', id: 1, error: { code: -32022, message: 'x', data: { supported: [] } } };
  const report = judgeStdio(['client', modernRequest('tools/list')], ['host', error]);
  assert.match(firstFault(report), /required property 'requested'/);
});

test('AnInputRequestIsAResultOnlyOfMethodsThatMayAsk', options, () => {
  const question = response(1, { resultType: 'input_required', inputRequests: { a: { method: 'roots/list' } } });
  const answerTo = (asked) => judgeStdio(['client', asked], ['host', question]).violations.length;
  assert.equal(answerTo(modernRequest('tools/call', { name: 'x' })), 0);
  assert.equal(answerTo(modernRequest('tools/list')), 1);
});

test('ABatchIsAViolationButInTheRevisionThatHasIt', options, () => {
  const batch = (revision) =>
    judgeStdio(
      ['client', initializeRequest(revision, 1)],
      ['host', initialized(revision)],
      ['client', [request('ping', {}, 2), request('ping', {}, 3)]],
      ['host', [response(3, {}), response(2, {})]],
    );
  assert.deepEqual(batch('2025-03-26').violations, []);
  assert.equal(batch('2025-06-18').violations[0].faults[0], 'this revision has no batches');
});

test('LinesAreReadAsTheyCome', options, () => {
  const line = `${JSON.stringify(response(1, noTools))}\n`;
  const pieces = [
    ['client', `\n \r\n{not json}\n${JSON.stringify(modernRequest('tools/list')).slice(0, 9)}`],
    ['client', JSON.stringify(modernRequest('tools/list')).slice(9)],
    ['host', line.slice(0, 20)],
    ['host', line.slice(20)],
    ['host', '{"cut": '],
  ];
  const report = judge(stdioStatements(recorded('stdio', pieces)));
  assert.deepEqual(report, { messages: { '2026-07-28': 1 }, violations: [] });
});

test('ALineThatIsNoMessageIsAViolation', options, () => {
  const report = judge(stdioStatements(recorded('stdio', [['host', 'hello\n']])));
  assert.match(firstFault(report), /this is no JSON/);
});

test('ASessionsRevisionIsThatWhichInitializeSettled', options, () => {
  const report = judgeHttp(
    ['client', post(initializeRequest('2025-03-26', 1))],
    ['host', json(initialized('2025-03-26'), 'Mcp-Session-Id: s\r\n')],
    ['client', post(request('tools/list', {}, 1), { 'Mcp-Session-Id': 's' })],
    ['host', json(response(1, { tools: [{}] }))],
  );
  assert.deepEqual(report.messages, { '2025-03-26': 2 });
  assert.match(firstFault(report), /ListToolsResult\/tools\/0 must have required property/);
});

test('AnAnswerComesOnceAndOnItsOwnStreamOrOnOneThatIsTakenUp', options, () => {
  const answer = `data: ${JSON.stringify(response(7, {}))}\n\n`;
  const streamHead = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n';
  const stream = (text) => `${streamHead}Content-Length: ${text.length}\r\n\r\n${text}`;
  const judgeAnswers = (asked, text) =>
    judgeHttp(
      ['client', post(initializeRequest('2025-11-25', 1))],
      ['host', json(initialized('2025-11-25'), 'Mcp-Session-Id: s\r\n')],
      ['client', post(request('ping', {}, 7), { 'Mcp-Session-Id': 's' })],
      ['host', stream('')],
      ['client', asked],
      ['host', stream(text)],
    ).violations.map(({ faults }) => faults[0]);
  const again = post(request('ping', {}, 7), { 'Mcp-Session-Id': 's' });
  const takenUp = 'GET /mcp HTTP/1.1\r\nMcp-Session-Id: s\r\n\r\n';
  assert.deepEqual(judgeAnswers(takenUp, answer), []);
  assert.deepEqual(judgeAnswers(takenUp, answer.replace('7', '8')), ['this answers no request that the client sent']);
  assert.deepEqual(judgeAnswers(again, answer + answer), ['this answers no request that the client sent']);
});

test('EveryEventOfAStreamIsJudged', options, () => {
  const events = [
    ': alive\n\n',
    `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1 } })}\n\n`,
    `event: message\ndata: ${JSON.stringify(response(1, { resultType: 'complete' }))}\n\n`,
    'data: {"cut":',
  ].join('');
  const chunks = [events.slice(0, 30), events.slice(30)];
  const body = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
  const report = judgeHttp(
    ['client', post(modernRequest('tools/call', { name: 'x' }))],
    ['host', `${head}${body}`],
    ['host', '0\r\n\r\n'],
  );
  assert.deepEqual(report.messages, { '2026-07-28': 2 });
  assert.match(report.violations[0].faults[0], /required property 'progress'/);
  assert.match(report.violations[1].faults[0], /required property 'content'/);
});

test('ResponsesBelongToTheirRequestsInOrder', options, () => {
  const ask = (method) => post(modernRequest(method, {}, 'same'));
  const report = judgeHttp(
    ['client', `\r\n${ask('tools/list')}HEAD /mcp HTTP/1.1\r\n\r\n${ask('resources/list')}junk\r\n\r\n`],
    ['host', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['host', json(response('same', noTools))],
    ['host', 'HTTP/1.1 200 OK\r\nContent-Length: 500\r\nContent-Type: application/json\r\n\r\n'],
    ['host', json(response('same', { ...noTools, resources: [] }))],
    ['host', json({ jsonrpc: '2.0', error: { code: -32700, message: 'x' } })],
  );
  assert.deepEqual(report, { messages: { '2026-07-28': 2, 'no revision yet': 1 }, violations: [] });
});

test('ABodyThatIsCutOffIsNotJudged', options, () => {
  const whole = json(response(1, { no: 'tools' }));
  const report = judgeHttp(['client', post(modernRequest('tools/list'))], ['host', whole.slice(0, -3)]);
  assert.deepEqual(report, { messages: {}, violations: [] });
});

test('WhatAnExtensionAddsIsJudgedByItsEnvelope', options, () => {
  const task = { taskId: 'x', status: 'working' };
  const made = judgeStdio(
    ['client', modernRequest('tools/call', { name: 'x' })],
    ['host', response(1, { resultType: 'task', ...task })],
    ['client', modernRequest('tasks/get', { taskId: 'x' }, 2)],
    ['host', response(2, { resultType: 'complete', ...task })],
    ['client', modernRequest('tasks/get', { taskId: 'x' }, 3)],
    ['host', response(3, task)],
  );
  assert.deepEqual(made.messages, { '2026-07-28': 3 });
  assert.equal(made.violations.length, 1);
  assert.match(firstFault(made), /required property 'resultType'/);
});
