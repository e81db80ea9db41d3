// The plugin http in a running host: the errors that it tells, and what it holds servers and arguments to.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
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

import { freePort } from './support/free_port.mjs';
import { memoryCannotBeLimited } from './support/host.mjs';
import { json, Served, serveTool, startUpstream, tool } from './support/http_plugin.mjs';

const run = promisify(execFile);

describe('HttpPluginLimits', () => {
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
