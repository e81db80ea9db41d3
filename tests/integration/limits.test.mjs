// What a client may not do to the server, each with a clear refusal: too much, too slowly, too often.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Components } from './support/components.mjs';
import { HttpHost, serve, serveAll } from './support/host.mjs';
import { contentHeaders, modernHeaders, modernRequest, post, postModern, Session } from './support/http.mjs';
import { patience } from './support/patience.mjs';
import { RawConnection, requestText } from './support/raw_connection.mjs';

const components = await Components.create('catalogue');
const host = await serveAll(components, ['--max-body-bytes', '20000', '--max-header-bytes', '4096']);

const list = JSON.stringify(modernRequest('tools/list'));
const listHeaders = { ...contentHeaders, ...modernHeaders('tools/list') };
const listText = (url) => requestText(url, 'POST', listHeaders, list);

function assertRefused(response, status, word) {
  assert.equal(response.status, status);
  assert.match(JSON.parse(response.body).error.message, word);
  assert.equal(response.headers.connection, 'close');
}

test('ABodyThatIsTooLargeIsRefused', async () => {
  const padded = `${list.slice(0, -1)}${' '.repeat(20_000)}}`;
  const response = await post(host.url, padded, modernHeaders('tools/list'));
  assert.equal(response.status, 413);
  assert.match((await response.json()).error.message, /20000 bytes/);
});

test('ABodyFarBeyondTheLimitIsRefused', async () => {
  const response = await post(host.url, `${list.slice(0, -1)}${' '.repeat(2_000_000)}}`, modernHeaders('tools/list'));
  assert.equal(response.status, 413);
});

test('ABodyThatIsAnnouncedTooLargeIsRefusedBeforeItIsSent', async () => {
  const connection = await RawConnection.open(host.url);
  connection.write(requestText(host.url, 'POST', { ...listHeaders, 'Content-Length': 20_001 }));
  assertRefused(await connection.response(), 413, /20000 bytes/);
  await connection.closed;
});

test('AChunkedBodyThatGrowsTooLargeIsRefused', async () => {
  const connection = await RawConnection.open(host.url);
  connection.write(requestText(host.url, 'POST', { ...listHeaders, 'Transfer-Encoding': 'chunked' }));
  const chunk = `2000\r\n${' '.repeat(0x2000)}\r\n`;
  for (let i = 0; i < 3; ++i) connection.write(chunk);
  assertRefused(await connection.response(), 413, /20000 bytes/);
  await connection.closed;
});

test('ABodyOfTheLargestSizeIsServed', async () => {
  const padded = `${list.slice(0, -1)}${' '.repeat(20_000 - list.length)}}`;
  assert.equal((await post(host.url, padded, modernHeaders('tools/list'))).status, 200);
});

test('HeadersThatAreTooLargeAreRefused', async () => {
  const connection = await RawConnection.open(host.url);
  connection.write(requestText(host.url, 'POST', { ...listHeaders, 'X-Large': 'x'.repeat(5000) }, list));
  assertRefused(await connection.response(), 431, /4096 bytes/);
  await connection.closed;
});

test('HeadersWithoutEndAreRefused', async () => {
  const connection = await RawConnection.open(host.url);
  connection.write('POST /mcp HTTP/1.1\r\n');
  for (let i = 0; i < 100; ++i) connection.write(`X-${i}: ${'x'.repeat(100)}\r\n`);
  assertRefused(await connection.response(), 431, /4096 bytes/);
  await connection.closed;
});

// Says `text` to a host with these options, and then a byte now and then, which is not enough to go on.
async function assertTooSlow(context, options, text, byte) {
  const host = await serve(context, await Components.create('catalogue'), options);
  const timeToRefusal = async () => {
    const connection = await RawConnection.open(host.url);
    const begin = Date.now();
    connection.write(text(host.url));
    const drip = setInterval(() => connection.write(byte), 100);
    context.after(() => clearInterval(drip));
    assertRefused(await connection.response(), 408, /too long/);
    const time = Date.now() - begin;
    await connection.closed;
    return time;
  };
  // Any of them may take long on a busy machine.
  let quickest = await timeToRefusal();
  for (let more = 2; more > 0 && quickest >= 8000; --more) quickest = await timeToRefusal();
  assert.ok(quickest < 8000, 'sooner than without the options');
}

test('HeadersThatComeTooSlowlyAreRefused', (context) =>
  assertTooSlow(context, ['--header-time-ms', '300'], () => 'POST /mcp HTTP/1.1\r\n', 'X'));

test('ABodyThatComesTooSlowlyIsRefused', (context) =>
  assertTooSlow(context, ['--body-time-ms', '500'], (url) => listText(url).slice(0, -20), ' '));

test('AnIdleConnectionIsClosed', async (context) => {
  const host = await serve(context, await Components.create('catalogue'), ['--idle-time-ms', '700']);
  const connection = await RawConnection.open(host.url);
  const begin = Date.now();
  connection.write(listText(host.url));
  assert.equal((await connection.response()).status, 200);
  await connection.closed;
  const idle = Date.now() - begin;
  assert.ok(idle >= 600 && idle < patience, `${idle} ms`);
});

test('ConnectionsBeyondTheLimitAreRefusedAndOthersServed', async (context) => {
  const host = await serve(context, await Components.create('catalogue'), ['--max-connections', '3']);
  const connections = [];
  for (let i = 0; i < 3; ++i) {
    const connection = await RawConnection.open(host.url);
    connection.write(listText(host.url));
    assert.equal((await connection.response()).status, 200);
    connections.push(connection);
  }
  const refused = await RawConnection.open(host.url);
  const response = await refused.response();
  assert.equal(response.status, 503);
  assert.equal(response.headers['retry-after'], '1');
  await refused.closed;

  connections[1].write(listText(host.url));
  assert.equal((await connections[1].response()).status, 200);
  connections.pop().end();
  // As soon as the host has seen that.
  let admitted;
  for (let status = 503; status === 503;) {
    admitted?.end();
    admitted = await RawConnection.open(host.url);
    admitted.write(listText(host.url));
    ({ status } = await admitted.response());
    assert.ok([200, 503].includes(status));
  }
  for (const connection of [admitted, ...connections]) connection.end();
});

// Does something that is logged so many times, and checks that no more than ten lines a second are written, and the
// others counted.
async function assertFewLines(context, event, count, options, doIt) {
  const components = await Components.create();
  const host = (await HttpHost.start(components, ['--log-level', 'debug', ...options])).killAfter(context, components);
  const begin = Date.now();
  await doIt(host);
  const seconds = (Date.now() - begin) / 1000;
  await host.stop();
  const written = host.log.matching({ event }).length;
  const counts = host.log.matching({ event: 'lines left out', of: event }).map(({ lines }) => lines);
  assert.equal(written + counts.reduce((sum, lines) => sum + lines, 0), count);
  assert.ok(written <= 10 * (seconds + 1), `${written} lines in ${seconds} s`);
}

test('AFloodOfConnectionsThatAreRefusedIsCountedAndNotWrittenLineByLine', async (context) => {
  const count = 300;
  await assertFewLines(context, 'connection refused', count, ['--max-connections', '1'], async (host) => {
    const admitted = await RawConnection.open(host.address);
    admitted.write(listText(host.url));
    assert.equal((await admitted.response()).status, 200);
    for (let i = 0; i < count; ++i) await (await RawConnection.open(host.address)).closed;
    admitted.end();
  });
});

test('AFloodOfCancellationsIsCountedAndNotWrittenLineByLine', async (context) => {
  const count = 100;
  await assertFewLines(context, 'request cancelled', count, [], async (host) => {
    const session = await Session.open(host.url);
    const params = { requestId: 7, reason: 'flood' };
    for (let i = 0; i < count; ++i) {
      const { status } = await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
      assert.equal(status, 202);
    }
  });
});

test('AServerOpenToOthersMustBeAskedForExplicitly', async (context) => {
  const components = await Components.create();
  context.after(() => components.discard());
  const start = HttpHost.start(components, [], '0.0.0.0:0');
  await assert.rejects(start, /status 2: .*--allow-remote-without-authentication/);
});

test('MemoryThatHasNoRoomForOneRequestIsRefusedAtTheStart', async (context) => {
  const components = await Components.create();
  context.after(() => components.discard());
  // A host that starts is stopped, and fails the test all the same.
  const start = HttpHost.start(components, ['--max-buffered-bytes', '2000000']).then((started) => started.stop());
  await assert.rejects(start, /status 2: --max-buffered-bytes must have room for one request of max_body_bytes, 4194304, but is 2000000/);
});

// With so much time for its headers that the host does not get rid of it meanwhile.
test('ASlowClientHoldsUpNobody', async (context) => {
  const host = await serve(context, await Components.create('catalogue'), ['--header-time-ms', '30000']);
  const slow = await RawConnection.open(host.address);
  const head = requestText(host.url, 'POST', listHeaders, list);
  slow.write(head.slice(0, 30));
  for (let i = 0; i < 20; ++i) assert.equal((await postModern(host.url, 'tools/list')).status, 200);
  // It is still there, and served.
  slow.write(head.slice(30));
  assert.equal((await slow.response()).status, 200);
  slow.end();
});
