// The plugin http in a running host, with servers on the loopback.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createTlsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { execFile } from 'node:child_process';

import { Components } from './support/components.mjs';
import { freePort } from './support/free_port.mjs';
import { HttpHost, memoryCannotBeLimited, program } from './support/host.mjs';
import { allMessages, postModern } from './support/http.mjs';
import { HttpServer } from './support/http_server.mjs';
import { sseEvents } from './support/sse.mjs';

const run = promisify(execFile);

// A server whose `answer(request, response, body)` says what it does. It keeps the bodies, too.
async function startUpstream(context, answer) {
  return HttpServer.start(context, async (request, response, { requests }) => {
    const asked = requests.at(-1);
    const parts = [];
    for await (const part of request) parts.push(part);
    asked.body = Buffer.concat(parts).toString();
    await answer(request, response, asked.body);
  });
}

const json = (value, status = 200, headers = {}) => (request, response) => {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(value));
};

// The plugin with this configuration, in a host of its own.
class Served {
  static async start(context, configuration, environment = {}) {
    const components = await Components.create();
    await components.addShipped('tools/http', configuration);
    const host = await HttpHost.start(components, ['--log-level', 'debug'], '127.0.0.1:0', environment);
    context.after(() => host.stop().finally(() => components.discard()));
    return new Served(host);
  }

  constructor(host) {
    this.host = host;
  }

  async messages(name, args = {}, { meta, ...options } = {}) {
    return allMessages(await postModern(this.host.url, 'tools/call', { name, arguments: args, _meta: meta }, options));
  }

  // What is said of a call, as it comes.
  async *stream(name, args = {}) {
    const params = { name, arguments: args, _meta: { progressToken: name } };
    const { body } = await postModern(this.host.url, 'tools/call', params);
    for await (const { data } of sseEvents(body)) if (data) yield JSON.parse(data);
  }

  async call(name, args, options) {
    const { result, error } = (await this.messages(name, args, options)).at(-1);
    assert.equal(error, undefined, JSON.stringify(error));
    return result;
  }

  async text(name, args) {
    const result = await this.call(name, args);
    assert.equal(result.isError, undefined, result.content[0].text);
    return result.content[0].text;
  }

  async error(name, args) {
    const result = await this.call(name, args);
    assert.equal(result.isError, true, JSON.stringify(result));
    return result.content[0].text;
  }
}

const text = { type: 'string' };
const tool = (request, more = {}) => ({
  name: 't',
  description: 'T.',
  inputSchema: { type: 'object', properties: { x: text, y: text, list: { type: 'array', items: text } } },
  request,
  result: { type: 'text' },
  ...more,
});

// One tool that asks this server, and the plugin with it.
async function serveTool(context, answer, toolOf, more = {}, environment) {
  const upstream = await startUpstream(context, answer);
  const made = toolOf(upstream.origin);
  const served = await Served.start(
    context, { allowAddresses: ['127.0.0.1'], tools: Array.isArray(made) ? made : [made], ...more }, environment);
  return { upstream, served };
}

describe('HttpPlugin', () => {
  test('AnswersWithWhatIsAtThePointer', async (context) => {
    const { served } = await serveTool(context, json({ data: [{ price: 7, name: 'seven' }] }), (origin) => [
      tool({ url: origin }, { result: { type: 'json', pointer: '/data/0' } }),
      tool({ url: origin }, { name: 'u', result: { type: 'text', pointer: '/data/0/name' } }),
      tool({ url: origin }, { name: 'v', result: { pointer: '/data/1' } }),
    ]);
    const result = await served.call('t');
    assert.deepEqual(result.structuredContent, { name: 'seven', price: 7 });
    assert.equal(await served.text('u'), 'seven');
    assert.equal(await served.error('v'),
      'The server\'s answer has nothing at /data/1: {"data":[{"price":7,"name":"seven"}]}');
  });

  test('SendsArgumentsInPathQueryHeaderAndBody', async (context) => {
    const { served, upstream } = await serveTool(context, json({ ok: true }), (origin) =>
      tool({
        method: 'POST',
        url: `${origin}/a/{x}{/list*}?fixed=1{&y,list*}`,
        headers: { 'X-Mine': 'x={x}', 'X-Other': '{y}' },
        body: { text: 'say {x}', value: '{list}', other: '{y}', constant: [1, null] },
      }));
    await served.text('t', { x: 'ä b/c', list: ['one', '2&3'] });
    const [{ method, url, headers, body }] = upstream.requests;
    assert.deepEqual([method, url], ['POST', '/a/%C3%A4%20b%2Fc/one/2%263?fixed=1&list=one&list=2%263']);
    assert.equal(Buffer.from(headers['x-mine'], 'latin1').toString(), 'x=ä b/c');
    assert.equal(headers['x-other'], undefined);
    assert.equal(headers['content-type'], 'application/json');
    assert.deepEqual(JSON.parse(body), { text: 'say ä b/c', value: ['one', '2&3'], constant: [1, null] });
  });

  test('AClientErrorIsToldWithTheBeginningOfItsText', async (context) => {
    const { served, upstream } = await serveTool(
      context,
      (request, response) => response.writeHead(404).end(`no\n  such ${'ä'.repeat(300)}`),
      (origin) => tool({ url: origin }));
    assert.equal(await served.error('t'), `The server answered 404 Not Found: no such ${'ä'.repeat(192)}...`);
    assert.equal(upstream.requests.length, 1);
  });

  // Of characters of three bytes, so that a part of one is at the end of what is read of the page.
  test('AnErrorWithALongPageIsToldWithTheBeginningOfItsText', async (context) => {
    const { served } = await serveTool(
      context, (request, response) => response.writeHead(404).end('€'.repeat(20_000)), (origin) => tool({ url: origin }));
    assert.equal(await served.error('t'), `The server answered 404 Not Found: ${'€'.repeat(200)}...`);
  });

  test('AServerErrorIsToldWhenItDoesNotPass', async (context) => {
    const { served, upstream } = await serveTool(
      context, json({ why: 'overloaded' }, 503), (origin) => tool({ url: origin }));
    assert.equal(await served.error('t'), 'The server answered 503 Service Unavailable: {"why":"overloaded"}');
    assert.equal(upstream.requests.length, 3);
  });

  test('AServerErrorThatPassesIsNotSeen', async (context) => {
    let count = 0;
    const { served, upstream } = await serveTool(
      context,
      (request, response) => (++count === 1 ? response.writeHead(429, { 'Retry-After': '1' }).end() : response.end('late')),
      (origin) => tool({ url: origin }));
    assert.equal(await served.text('t'), 'late');
    assert.equal(upstream.requests.length, 2);
  });

  test('AServerThatAsksForMoreTimeThanThereIsIsNotWaitedFor', async (context) => {
    const { served, upstream } = await serveTool(
      context, json({}, 503, { 'Retry-After': '3600' }), (origin) => tool({ url: origin }));
    assert.match(await served.error('t'), /^The server answered 503/);
    assert.equal(upstream.requests.length, 1);
  });

  test('APostIsNotSentAgainUnlessTheConfigurationSaysSo', async (context) => {
    const { served, upstream } = await serveTool(context, json({}, 503), (origin) => [
      tool({ method: 'POST', url: origin, body: {} }),
      tool({ method: 'POST', url: origin, body: {} }, { name: 'u', retries: 1 }),
    ]);
    await served.error('t');
    assert.equal(upstream.requests.length, 1);
    await served.error('u');
    assert.equal(upstream.requests.length, 3);
  });

  // libcurl does so by itself where a connection that it used before brings nothing.
  test('SendsNothingAgainThatMayNotBeRepeated', async (context) => {
    const bodies = [];
    const { served } = await serveTool(context, (request, response, body) => {
      bodies.push(body);
      if (body === '"second"') request.socket.destroy();
      else json({ ok: true })(request, response);
    }, (origin) => tool({ method: 'POST', url: origin, body: '{x}' }));
    await served.text('t', { x: 'first' });
    assert.match(await served.error('t', { x: 'second' }), /could not be asked/);
    await served.text('t', { x: 'third' });
    assert.deepEqual(bodies, ['"first"', '"second"', '"third"']);
  });

  test('ASlowServerIsGivenUp', async (context) => {
    const { served } = await serveTool(context, () => {}, (origin) => tool({ url: origin }, { timeoutMs: 300 }));
    assert.equal(await served.error('t'), '127.0.0.1 did not answer within 0.3 s.');
  });

  test('AServerThatIsNotThereIsNamed', async (context) => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const tools = [tool({ url }, { retries: 0 })];
    const served = await Served.start(context, { allowAddresses: ['127.0.0.1'], tools });
    assert.equal(await served.error('t'), '127.0.0.1 could not be asked: Couldn\'t connect to server.');
  });

  // curl takes localhost for both, whatever the system says.
  test('AServerWithAnAddressThatMayBeReachedIsNotBlamedForItsOther', async (context) => {
    const port = await freePort();
    for (const allowed of ['127.0.0.1', '::1']) {
      const served = await Served.start(context, {
        allowAddresses: [allowed], tools: [tool({ url: `http://localhost:${port}/` }, { retries: 0 })],
      });
      assert.equal(await served.error('t'), 'localhost could not be asked: Couldn\'t connect to server.', allowed);
    }
  });

  const million = Buffer.alloc(1_000_000, 'x');
  for (const [name, answer] of Object.entries({
    SaysItsLength: (request, response) => response.end(million),
    DoesNotSayItsLength: (request, response) => {
      response.write(million.subarray(0, 10));
      response.end(million);
    },
    IsCompressed: (request, response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(million)),
  })) {
    test(`AHugeAnswerIsRefusedThat${name}`, async (context) => {
      const { served } = await serveTool(context, answer, (origin) => tool({ url: origin }, { maxBytes: 99_999 }));
      assert.equal(await served.error('t'), '127.0.0.1 answers with more than the 99999 bytes that maxBytes allows.');
    });
  }

  // Of 48 MiB, which as a text that grows take half as much again at least.
  test('AnAnswerForWhichThereIsNoMemoryEndsNothingElse', { skip: memoryCannotBeLimited }, async (context) => {
    const maxBytes = 48 * 1024 * 1024;
    const { served } = await serveTool(
      context,
      (request, response) => response.end(request.url === '/' ? Buffer.alloc(maxBytes, 'x') : 'small'),
      (origin) => [tool({ url: origin }, { maxBytes }), tool({ url: `${origin}/small` }, { name: 'u' })],
      { isolation: 'worker', limits: { memoryBytes: 90_000_000 } });
    assert.equal(await served.error('t'), 'There is no memory left for a request.');
    assert.equal(await served.text('u'), 'small');
    assert.deepEqual(served.host.log.matching({ event: 'plugin restarted' }), []);
  });

  test('AnErrorOrARedirectCountsWhateverMaxBytesSaysOfItsPage', async (context) => {
    const page = 'x'.repeat(5000);
    const { served, upstream } = await serveTool(
      context,
      (request, response) => {
        if (request.url === '/to') return response.end('there');
        response.writeHead(request.url === '/' ? 302 : 503, { Location: '/to' }).end(page);
      },
      (origin) => [
        tool({ url: origin }, { maxBytes: 2000, redirects: 1 }),
        tool({ url: `${origin}/busy` }, { name: 'u', maxBytes: 2000, retries: 1 }),
      ]);
    assert.equal(await served.text('t'), 'there');
    assert.equal(await served.error('u'), `The server answered 503 Service Unavailable: ${'x'.repeat(200)}...`);
    assert.deepEqual(upstream.requests.map(({ url }) => url), ['/', '/to', '/busy', '/busy']);
  });

  test('ARedirectIsFollowedOnlyWhereTheConfigurationSaysSo', async (context) => {
    const { served } = await serveTool(
      context,
      (request, response) =>
        request.url === '/to' ? response.end(request.method) : response.writeHead(302, { Location: '/to' }).end(),
      (origin) => [
        tool({ url: origin }),
        tool({ url: origin }, { name: 'u', redirects: 1 }),
        tool({ method: 'POST', url: origin, body: {} }, { name: 'v', redirects: 1 }),
      ]);
    assert.equal(await served.error('t'),
      'The server answered 302 and redirects to 127.0.0.1, and redirects of this tool are not followed.');
    assert.equal(await served.text('u'), 'GET');
    assert.equal(await served.text('v'), 'GET');
  });

  test('ARedirectIsFollowedWithoutReadingItsBody', async (context) => {
    const endless = (request, response) => {
      if (request.url !== '/') return response.end(request.url);
      response.writeHead(302, { Location: 'to/it?a=b' });
      const body = new Readable({ read: () => body.push('x'.repeat(10_000)) });
      body.pipe(response);
      return once(response, 'close');
    };
    const { served } = await serveTool(context, endless, (origin) => [
      tool({ url: origin }, { redirects: 1 }),
      tool({ url: origin }, { name: 'u' }),
    ]);
    assert.equal(await served.text('t'), '/to/it?a=b');
    assert.equal(await served.error('u'),
      'The server answered 302 and redirects to 127.0.0.1, and redirects of this tool are not followed.');
  });

  test('ARedirectWithoutEndIsNotFollowed', async (context) => {
    const { served, upstream } = await serveTool(
      context, (request, response) => response.writeHead(302, { Location: '/' }).end(),
      (origin) => tool({ url: origin }, { redirects: 3 }));
    assert.match(await served.error('t'), /after as many redirects as are followed\.$/);
    assert.equal(upstream.requests.length, 4);
  });

  test('ARedirectToAnInsideAddressIsRefused', async (context) => {
    const inside = await startUpstream(context, (request, response) => response.end('inside'));
    const { served } = await serveTool(
      context,
      (request, response) => response.writeHead(302, { Location: decodeURIComponent(request.url.slice(1)) }).end(),
      (origin) => tool({ url: `${origin}/{x}` }, { redirects: 5, retries: 0 }));
    for (const host of ['127.0.0.2', '169.254.169.254', '[::1]', '[::ffff:127.0.0.2]', '10.1.2.3']) {
      const said = await served.error('t', { x: `http://${host}:${inside.port}/` });
      assert.match(said, /is not at an address that this tool may reach/, host);
    }
    assert.equal(inside.requests.length, 0);
  });

  test('ARedirectToAFileIsRefused', async (context) => {
    const { served } = await serveTool(
      context,
      (request, response) => response.writeHead(302, { Location: decodeURIComponent(request.url.slice(1)) }).end(),
      (origin) => tool({ url: `${origin}/{x}` }, { redirects: 5, retries: 0 }));
    for (const url of ['file:///etc/passwd', 'gopher://127.0.0.1/', 'ftp://127.0.0.1/', 'dict://127.0.0.1/']) {
      assert.equal(await served.error('t', { x: url }),
        'The server answered 302 and redirects to a URL of another kind, which is not followed.', url);
    }
    assert.match(await served.error('t', { x: 'http://user:pass@127.0.0.1/' }), /which is not followed\.$/);
  });

  test('ARedirectToAnotherServerTakesNoSecretAndNoDataAlong', async (context) => {
    const secret = randomBytes(16).toString('hex');
    const other = await startUpstream(context, (request, response) => response.end('other'));
    const { served } = await serveTool(
      context,
      (request, response) => response.writeHead(307, { Location: `${other.origin}/` }).end(),
      (origin) => [
        tool({ url: origin, headers: { 'X-Key': '{secret.key}', 'X-Open': 'yes' } }, { redirects: 1 }),
        tool({ method: 'POST', url: origin, body: { key: '{secret.key}' } }, { name: 'u', redirects: 1 }),
      ],
      { secrets: { key: { env: 'UPSTREAM_KEY' } } }, { UPSTREAM_KEY: secret });
    assert.equal(await served.text('t'), 'other');
    const [{ headers }] = other.requests;
    assert.deepEqual([headers['x-key'], headers['x-open']], [undefined, 'yes']);
    assert.match(await served.error('u'), /to which this tool's data is not sent\.$/);
    assert.equal(other.requests.length, 1);
  });

  test('InsideAddressesAreRefused', async (context) => {
    const inside = await startUpstream(context, (request, response) => response.end('inside'));
    const hosts = ['127.0.0.1', 'localhost', '127.1', '2130706433', '0x7f000001', '0.0.0.0', '[::1]', '[::]',
      '[::ffff:127.0.0.1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]', '10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1',
      '169.254.169.254', '[fd00:ec2::254]', '[fe80::1]', '224.0.0.1', '[ff02::1]', '255.255.255.255'];
    const served = await Served.start(context, {
      tools: hosts.map((host, index) =>
        tool({ url: `http://${host}:${inside.port}/` }, { name: `t${index}`, retries: 0, timeoutMs: 5000 })),
    });
    for (const [index, host] of hosts.entries()) {
      assert.match(await served.error(`t${index}`), /is not at an address that this tool may reach/, host);
    }
    assert.equal(inside.requests.length, 0);
  });

  test('AnAddressThatIsAllowedDoesNotAllowItsNeighbours', async (context) => {
    const inside = await startUpstream(context, (request, response) => response.end('inside'));
    const served = await Served.start(context, {
      allowAddresses: ['127.0.0.0/31', 'fd00::/8'],
      tools: [tool({ url: inside.origin }), tool({ url: `http://127.0.0.2:${inside.port}/` }, { name: 'u', retries: 0 })],
    });
    assert.equal(await served.text('t'), 'inside');
    assert.match(await served.error('u'), /is not at an address/);
  });

  test('NoProxyOfTheEnvironmentIsUsed', async (context) => {
    const proxy = await startUpstream(context, (request, response) => response.end('by a proxy'));
    const { served } = await serveTool(
      context, (request, response) => response.end('directly'), (origin) => tool({ url: origin }), {},
      { http_proxy: proxy.origin, ALL_PROXY: proxy.origin });
    assert.equal(await served.text('t'), 'directly');
    assert.equal(proxy.requests.length, 0);
  });

  test('AnArgumentOfAUrlStaysInItsPlace', async (context) => {
    const { served, upstream } = await serveTool(
      context, (request, response) => response.end('ok'), (origin) => tool({ url: `${origin}/users/{x}/name?q={y}` }));
    for (const [x, y, url] of [
      ['../admin', '', '/users/..%2Fadmin/name?q='],
      ['a?b#c', '1&admin=1#', '/users/a%3Fb%23c/name?q=1%26admin%3D1%23'],
      ['%2e%2e%2f', '+ ', '/users/%252e%252e%252f/name?q=%2B%20'],
      ['@evil.example.com', '\r\nX-Evil: 1', '/users/%40evil.example.com/name?q=%0D%0AX-Evil%3A%201'],
      ['\\..\\', '{y}', '/users/%5C..%5C/name?q=%7By%7D'],
    ]) {
      assert.equal(await served.text('t', { x, y }), 'ok');
      assert.equal(upstream.requests.at(-1).url, url);
    }
    const count = upstream.requests.length;
    assert.match(await served.error('t', { x: '..', y: '' }), /must not make "\.\." a segment of the URL's path/);
    assert.match(await served.error('t', { x: '.', y: '' }), /must not make "\." a segment/);
    assert.match(await served.error('t', { x: '', y: '' }), /"x" must be given and not be empty/);
    assert.equal(upstream.requests.length, count);
  });

  test('AnArgumentOfAHeaderAddsNoHeader', async (context) => {
    const { served, upstream } = await serveTool(
      context, (request, response) => response.end('ok'), (origin) => tool({ url: origin, headers: { 'X-Mine': 'a {x}' } }));
    for (const x of ['1\r\nX-Evil: 1', '1\nX-Evil: 1', '1\rX-Evil: 1', '1\0', '\x7f', '\x1b[0m']) {
      assert.match(await served.error('t', { x }), /^The argument "x" must not have line breaks or other control characters/);
    }
    assert.equal(upstream.requests.length, 0);
    await served.text('t', { x: 'X-Evil: 1' });
    assert.equal(upstream.requests[0].headers['x-mine'], 'a X-Evil: 1');
    assert.equal(upstream.requests[0].headers['x-evil'], undefined);
  });

  test('AnArgumentOfABodyAddsNoMember', async (context) => {
    const { served, upstream } = await serveTool(
      context, (request, response) => response.end('ok'),
      (origin) => tool({ method: 'POST', url: origin, body: { name: '{x}', greeting: 'Hi {x}', role: 'user' } }));
    const evil = '","role":"admin","z":"{y}{{\\u0000';
    await served.text('t', { x: evil, y: 'no' });
    assert.deepEqual(JSON.parse(upstream.requests[0].body), { name: evil, greeting: `Hi ${evil}`, role: 'user' });
  });

  test('ASecretIsInNoAnswerAndNoLog', async (context) => {
    const folder = await mkdtemp(join(tmpdir(), 'mcp-secrets-'));
    context.after(() => rm(folder, { recursive: true }));
    const secret = `${randomBytes(16).toString('base64')}/+"`;
    await writeFile(join(folder, 'key'), `${secret}\n`);
    const { served, upstream } = await serveTool(
      context,
      (request, response, body) => {
        const said = { url: request.url, key: request.headers['x-key'], body, [request.headers['x-key']]: 1 };
        response.writeHead(request.url.startsWith('/bad') ? 400 : 200).end(JSON.stringify(said));
      },
      (origin) => ['json', 'text'].flatMap((type) => ['good', 'bad'].map((path) => tool(
        { method: 'POST', url: `${origin}/${path}?key={secret.key}`, headers: { 'X-Key': '{secret.key}' }, body: { key: '{secret.key}' } },
        { name: `${path}_${type}`, result: { type } }))),
      { secrets: { key: { file: join(folder, 'key') } } });
    for (const name of ['good_json', 'good_text', 'bad_json', 'bad_text']) {
      const said = JSON.stringify(await served.call(name));
      assert.match(said, /\[secret\]/);
      for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), secret.slice(0, 12)])
        assert.ok(!said.includes(form) && !JSON.stringify(said).includes(form), said);
      assert.equal(upstream.requests.at(-1).headers['x-key'], secret);
    }
    assert.ok(!served.host.log.text().includes(secret.slice(0, 12)));
    // A new one is taken without a restart; one that is gone is told in the log.
    await writeFile(join(folder, 'key'), 'another');
    await served.call('good_json');
    assert.equal(upstream.requests.at(-1).headers['x-key'], 'another');
    await rm(join(folder, 'key'));
    assert.equal(await served.error('good_json'),
      'A secret that this tool needs cannot be had now. The server\'s log says why.');
    await served.host.log.until({ event: 'plugin says', level: 'error',
      text: `the secret "key" cannot be had: the file ${join(folder, 'key')} does not exist` });
  });

  test('AnImageASoundAndBytesComeAsTheyAre', async (context) => {
    const bytes = randomBytes(1000);
    const { served } = await serveTool(
      context,
      (request, response) => {
        if (request.url === '/json') return json({ a: [{ b: bytes.toString('base64') }, { b: `data:image/webp;base64,${bytes.toString('base64')}` }, { b: '#' }] })(request, response);
        response.writeHead(200, { 'Content-Type': decodeURIComponent(request.url.slice(1)) }).end(bytes);
      },
      (origin) => ['image', 'audio', 'blob'].flatMap((type) => [
        tool({ url: `${origin}/{x}` }, { name: type, result: { type } }),
        ...[0, 1, 2].map((index) => tool({ url: `${origin}/json` }, { name: `${type}${index}`, result: { type, pointer: `/a/${index}/b` } })),
      ]));
    const data = bytes.toString('base64');
    const only = async (name, args) => (await served.call(name, args)).content[0];
    assert.deepEqual(await only('image', { x: 'image/png' }), { type: 'image', data, mimeType: 'image/png' });
    assert.deepEqual(await only('audio', { x: 'audio/wav; codecs=1' }), { type: 'audio', data, mimeType: 'audio/wav' });
    assert.deepEqual((await only('blob', { x: 'video/mp4' })).resource.blob, data);
    assert.deepEqual(await only('image1'), { type: 'image', data, mimeType: 'image/webp' });
    assert.deepEqual((await only('blob0')).resource.mimeType, 'application/octet-stream');
    assert.match(await served.error('image2'), /^The server's answer has no base64 at \/a\/2\/b/);
    assert.match(await served.error('image', { x: 'text/html' }), /^The server answered with text\/html instead of an image/);
  });

  test('AnEmptyReplyIsAnError', async (context) => {
    const { served } = await serveTool(
      context, (request, response) => json({ reply: ' \n' })(request, response), (origin) => [
        tool({ url: origin }, { result: { type: 'text', pointer: '/reply' } }),
        tool({ url: origin }, { name: 'u', result: { type: 'text', pointer: '/reply', allowEmpty: true } }),
      ]);
    assert.equal(await served.error('t'), 'The server\'s answer is empty.');
    assert.equal(await served.text('u'), ' \n');
  });

  test('NoContentIsAnAnswer', async (context) => {
    const { served, upstream } = await serveTool(
      context, (request, response) => response.writeHead(204).end(), (origin) => tool({ method: 'DELETE', url: `${origin}/{x}` }));
    assert.equal(await served.text('t', { x: '7' }), 'The server answered 204 without content.');
    assert.equal(upstream.requests[0].method, 'DELETE');
  });

  test('AnAnswerIsKeptForAWhile', async (context) => {
    let count = 0;
    const { served } = await serveTool(
      context, (request, response) => response.writeHead(count < 1 ? 500 : 200).end(`${++count}`),
      (origin) => tool({ url: `${origin}/{x}` }, { cacheSeconds: 3600 }));
    await served.error('t', { x: 'a' });
    assert.equal(await served.text('t', { x: 'a' }), '2');
    assert.equal(await served.text('t', { x: 'a' }), '2');
    assert.equal(await served.text('t', { x: 'b' }), '3');
  });

  test('ACancelledCallHangsUp', async (context) => {
    let hangUp;
    const hungUp = new Promise((resolve) => (hangUp = resolve));
    let arrive;
    const arrived = new Promise((resolve) => (arrive = resolve));
    const { served } = await serveTool(
      context,
      (request, response) => {
        response.on('close', hangUp);
        arrive();
      },
      (origin) => tool({ url: origin }));
    const hanging = new AbortController();
    const call = served.messages('t', {}, { signal: hanging.signal });
    await arrived;
    hanging.abort();
    await assert.rejects(call);
    await hungUp;
  });

  test('ALongAnswerTellsHowFarItIs', async (context) => {
    const { served } = await serveTool(
      context,
      (request, response) => {
        answer = response;
      },
      (origin) => tool({ url: origin }));
    let answer;
    const told = [];
    let text;
    let parts = 0;
    // Each part comes when it has been told how far the one before it is.
    for await (const { method, params, result } of served.stream('t')) {
      text = result?.content[0].text;
      if (method === undefined) break;
      told.push(params);
      if (told.length === 1) answer.writeHead(200, { 'Content-Length': 40 });
      // That it is waited for may be told more than once.
      if (parts === 4 || (parts > 0 && params.message.startsWith('waiting'))) continue;
      answer.write('x'.repeat(10));
      ++parts;
    }
    assert.match(told[0].message, /^waiting for 127\.0\.0\.1, \d+ s$/);
    assert.match(told.at(-1).message, /^1 KiB of 1 KiB from 127\.0\.0\.1$/);
    for (const [index, { progress }] of told.entries()) assert.ok(progress > (told[index - 1]?.progress ?? 0) && progress < 1);
    assert.equal(text, 'x'.repeat(40));
  });

  test('NoMoreRequestsRunAtOnceThanAllowed', async (context) => {
    const running = new Set();
    let most = 0;
    let isHeld = true;
    const answer = (response) => {
      running.delete(response);
      response.end('ok');
    };
    const { served } = await serveTool(
      context,
      (request, response) => {
        running.add(response);
        most = Math.max(most, running.size);
        if (!isHeld) answer(response);
      },
      (origin) => tool({ url: `${origin}/{x}` }),
      { concurrent: 3, limits: { concurrentCalls: 64 } });
    const calls = Array.from({ length: 40 }, (_, index) => served.stream('t', { x: `${index}` }));
    // Each has been taken, and each that may run has been begun, when how far it is has been told.
    for (const { value } of await Promise.all(calls.map((call) => call.next()))) {
      assert.match(value.params.message, /^waiting for 127\.0\.0\.1/);
    }
    assert.equal(running.size, 3);
    isHeld = false;
    [...running].forEach(answer);
    const last = async (call) => {
      let message;
      for await (message of call);
      return message.result.content[0].text;
    };
    assert.deepEqual(new Set(await Promise.all(calls.map(last))), new Set(['ok']));
    assert.equal(most, 3);
  });
});

// In the strict sandbox, which has the files that this needs.
test('HttpPluginChecksCertificates', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-certificates-'));
  context.after(() => rm(folder, { recursive: true }));
  await run('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1',
    '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', join(folder, 'key.pem'), '-out', join(folder, 'ca.pem')]);
  const server = createTlsServer(
    { key: await readFile(join(folder, 'key.pem')), cert: await readFile(join(folder, 'ca.pem')) },
    (request, response) => response.end('over TLS'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const configuration = {
    isolation: 'worker', sandbox: { profile: 'strict', network: 'all', read: [folder] }, allowAddresses: ['127.0.0.1', '::1'],
    tools: ['localhost', '127.0.0.1'].map((host, index) =>
      tool({ url: `https://${host}:${server.address().port}/` }, { name: `t${index}`, retries: 0 })),
  };
  const trusting = await Served.start(context, { ...configuration, caFile: join(folder, 'ca.pem') });
  assert.equal(await trusting.text('t0'), 'over TLS');
  assert.equal(await trusting.error('t1'), '127.0.0.1 could not be asked: SSL peer certificate or SSH remote key was not OK.');
  const careful = await Served.start(context, configuration);
  assert.equal(await careful.error('t0'), 'localhost could not be asked: SSL peer certificate or SSH remote key was not OK.');
});

describe('HttpPluginConfiguration', () => {
  const good = { name: 't', description: 'T.', request: { url: 'https://example.com/' } };
  const withX = { ...good, inputSchema: { type: 'object', properties: { x: text } } };
  const url = (value) => ({ tools: [{ ...withX, request: { url: value } }] });
  for (const [words, configuration] of [
    ['"configuration.tools[0].request" is missing', { tools: [{ name: 't', description: 'T.' }] }],
    ['"configuration.tools[0].request.methud" is not one of method, url, headers, body',
      { tools: [{ ...good, request: { ...good.request, methud: 'GET' } }] }],
    ['"configuration.tools[0].request.method" is "FETCH", not one of GET, POST, PUT, PATCH, DELETE',
      { tools: [{ ...good, request: { ...good.request, method: 'FETCH' } }] }],
    ['"configuration.tools[0].timeoutMs" is not what its minimum 1 allows', { tools: [{ ...good, timeoutMs: 0 }] }],
    ['"configuration.tools[0].request.url" must begin with https:// or http://', url('ftp://example.com/')],
    ['"configuration.tools[0].request.url" must have its host written out', url('https://{x}.example.com/')],
    ['"configuration.tools[0].request.url" must have its host written out', url('https://user@example.com/')],
    ['"configuration.tools[0].request.url" must have its host written out', url('https://example.com{x}')],
    ['"configuration.tools[0].request.url" has {+x}; there are {name}', url('https://example.com/{+x}')],
    ['"configuration.tools[0].request.url" has {z}, which is no property of the tool\'s inputSchema', url('https://example.com/{z}')],
    ['"configuration.tools[0].request.url" has {secret.z}, which "configuration.secrets" does not have', url('https://example.com/{secret.z}')],
    ['"configuration.tools[0].request.headers.Content-Length" must not be there',
      { tools: [{ ...good, request: { ...good.request, headers: { 'Content-Length': '1' } } }] }],
    ['"configuration.tools[0].request.headers.A" must be one line',
      { tools: [{ ...good, request: { ...good.request, headers: { A: '1\r\nB: 2' } } }] }],
    ['"configuration.tools[0].request.body.a[0]" has a brace at character 3 that is not around a name',
      { tools: [{ ...good, request: { ...good.request, method: 'POST', body: { a: ['a {'] } } }] }],
    ['"configuration.tools[0].result.pointer" must be a JSON Pointer (RFC 6901)', { tools: [{ ...good, result: { pointer: 'a' } }] }],
    ['"configuration.tools[0].cacheSeconds" is for a GET only',
      { tools: [{ ...good, cacheSeconds: 1, request: { ...good.request, method: 'POST' } }] }],
    ['"configuration.allowAddresses[0]" must be an address or a range, 10.0.0.0/8, not "intranet"', { allowAddresses: ['intranet'] }],
    ['"configuration.secrets.key" must have one of file and env', { secrets: { key: {} } }],
  ]) {
    test(`IsRefusedWithThePlace: ${words}`, async () => {
      const components = await Components.create();
      await components.addShipped('tools/http', configuration);
      const refused = await run(program, ['inspect', components.file('http.so')]).catch((error) => error);
      await components.discard();
      assert.notEqual(refused.code ?? 0, 0, refused.stdout);
      assert.ok(`${refused.stdout}${refused.stderr}`.includes(`it could not be set up: ${words}`), `${refused.stdout}${refused.stderr}`);
    });
  }

  test('MayBeMissing', async () => {
    const components = await Components.create();
    await components.addShipped('tools/http');
    const { stdout } = await run(program, ['check', '--json', components.file('http.so')]);
    await components.discard();
    const { checks } = JSON.parse(stdout);
    assert.deepEqual(checks.filter(({ status }) => status !== 'passed' && status !== 'skipped'), []);
  });

  test('NamesASecretThatCannotBeHad', async () => {
    const components = await Components.create();
    await components.addShipped('tools/http', { tools: [good], secrets: { key: { env: 'NOT_THERE' } } });
    const refused = await run(program, ['call', '--components', components.root, '--data', components.data, 't']).catch((error) => error);
    await components.discard();
    assert.match(refused.stderr, /the secret "key" cannot be had: there is no variable NOT_THERE in its environment/);
  });
});

// Each in the strict sandbox that it asks for, with its servers' names replaced by one on the loopback.
describe('HttpPluginExamples', () => {
  const secret = randomBytes(16).toString('hex');
  const scenes = {
    weather: {
      answer: (request, response) =>
        json(request.url.startsWith('/v1/search')
          ? { results: [{ name: 'Oslo', latitude: 59.9, longitude: 10.7 }] }
          : { current: { temperature_2m: -3 }, daily: {} })(request, response),
      async use(served, upstream) {
        const found = await served.call('find_place', { name: 'Oslo' });
        assert.equal(found.structuredContent.results[0].latitude, 59.9);
        const { structuredContent } = await served.call('get_weather', { latitude: 59.9, longitude: 10.7 });
        assert.equal(structuredContent.current.temperature_2m, -3);
        assert.deepEqual(upstream.requests.map(({ url }) => url.replace(/current=.*timezone/, 'timezone')), [
          '/v1/search?name=Oslo&count=5',
          '/v1/forecast?timezone=auto&forecast_days=3&latitude=59.9&longitude=10.7&temperature_unit=celsius']);
      },
    },
    cryptocurrency: {
      answer: json({ bitcoin: { usd: 1 }, ethereum: { usd: 2 } }),
      async use(served, upstream) {
        const { structuredContent } = await served.call('get_crypto_price', { coins: ['bitcoin', 'ethereum'] });
        assert.equal(structuredContent.ethereum.usd, 2);
        assert.match(upstream.requests[0].url, /^\/api\/v3\/simple\/price\?ids=bitcoin,ethereum&vs_currencies=usd&/);
      },
    },
    image: {
      answer: (request, response) => json({ data: [{ b64_json: Buffer.from('a picture').toString('base64') }] })(request, response),
      async use(served, upstream) {
        const { content } = await served.call('generate_image', { prompt: 'a "cat"' });
        assert.deepEqual(content, [{ type: 'image', data: 'YSBwaWN0dXJl', mimeType: 'image/png' }]);
        const [{ url, headers, body }] = upstream.requests;
        assert.deepEqual([url, headers.authorization], ['/v1/images/generations', `Bearer ${secret}`]);
        assert.deepEqual(JSON.parse(body), { model: 'gpt-image-1', prompt: 'a "cat"', size: '1024x1024', n: 1 });
      },
    },
    video: {
      // It takes its time, and whoever waits hears of that.
      answer(request, response) {
        this.end = () => json({ video: { url: 'https://cdn.example.com/cat.mp4' } })(request, response);
      },
      async use(served, upstream) {
        const messages = [];
        for await (const message of served.stream('generate_video', { prompt: 'a cat' })) {
          if (messages.push(message) === 1) this.end();
        }
        assert.deepEqual(messages.at(-1).result.content[1],
          { type: 'resource_link', uri: 'https://cdn.example.com/cat.mp4', name: 'https://cdn.example.com/cat.mp4', mimeType: 'video/mp4' });
        assert.match(messages[0].params.message, /^waiting for localhost, \d+ s$/);
        assert.deepEqual(JSON.parse(upstream.requests[0].body), { prompt: 'a cat' });
        assert.equal(upstream.requests[0].headers.authorization, `Key ${secret}`);
      },
    },
    agent: {
      answer: (request, response, body) =>
        json({ reply: JSON.parse(body).message === 'silence' ? '' : `${JSON.parse(body).message}!` })(request, response),
      async use(served, upstream) {
        assert.equal(await served.text('chat_with_agent', { agent_id: 'a/b', message: 'hello', session_id: 's' }), 'hello!');
        assert.equal(upstream.requests[0].url, '/api/agents/a%2Fb/chat');
        assert.deepEqual(JSON.parse(upstream.requests[0].body), { message: 'hello', session_id: 's' });
        assert.equal(await served.error('chat_with_agent', { agent_id: 'a', message: 'silence' }), 'The server\'s answer is empty.');
        assert.match(await served.error('chat_with_agent', { agent_id: 'a', message: 'x'.repeat(8001) }), /8000/);
      },
    },
  };
  const examples = join(import.meta.dirname, '../../plugins/http/examples');

  for (const [name, scene] of Object.entries(scenes)) {
    test(`Run: ${name}`, async (context) => {
      const folder = await mkdtemp(join(tmpdir(), 'mcp-secrets-'));
      context.after(() => rm(folder, { recursive: true }));
      await writeFile(join(folder, 'key'), secret);
      const upstream = await startUpstream(context, (...asked) => scene.answer(...asked));
      const example = (await readFile(join(examples, `${name}.json`), 'utf8'))
        .replaceAll(/https:\/\/[\w.-]+/g, `http://localhost:${upstream.port}`)
        .replaceAll(/\/etc\/mcp-plugin-host\/\w+\.key/g, join(folder, 'key'));
      const configuration = JSON.parse(example);
      assert.equal(configuration.sandbox.profile, 'strict');
      const served = await Served.start(context, { ...configuration, isolation: 'worker', allowAddresses: ['127.0.0.1', '::1'] });
      await scene.use(served, upstream);
    });
  }
});
