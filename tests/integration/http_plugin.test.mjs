// The plugin http in a running host: what it asks and answers, its configuration and its examples.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';

import { Components } from './support/components.mjs';
import { program } from './support/host.mjs';
import { json, Served, serveTool, startUpstream, text, tool } from './support/http_plugin.mjs';

const run = promisify(execFile);

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
    ['"configuration.tools[0].timeoutMs" must be at least 1, but is 0', { tools: [{ ...good, timeoutMs: 0 }] }],
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
    ['"configuration.tools[0].request.body.a[0]" has a brace at byte 3 that is not around a name',
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
