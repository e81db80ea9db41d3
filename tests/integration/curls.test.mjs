// What curl gets, as documents of other servers show it, with this host and its plugins; and every command of
// docs/compatibility.md.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { run } from './support/command.mjs';
import { Components } from './support/components.mjs';
import { program, serve, serveAll } from './support/host.mjs';
import { postModern } from './support/http.mjs';
import { bearer, Team } from './support/team.mjs';
import { addUpstream } from './support/upstreams.mjs';

const page = await readFile(fileURLToPath(new URL('../../docs/compatibility.md', import.meta.url)), 'utf8');
const json = ['-H', 'Content-Type: application/json'];
const accept = ['-H', 'Accept: application/json, text/event-stream'];

async function shippedComponents() {
  const components = await Components.create();
  const notes = join(components.folder, 'notes');
  await mkdir(notes);
  await writeFile(join(notes, 'guide.md'), '# Guide\n');
  await components.addShipped('resources/files', {
    roots: [{ name: 'notes', path: notes, writable: true }], aliases: { list_directory: 'list_files' },
  });
  await components.addShipped('tools/clock', { aliases: { current_time: 'now' } });
  for (const plugin of ['tools/calculator', 'resources/server', 'prompts/prompts', 'resources/docs'])
    await components.addShipped(plugin);
  if (process.env.MCP_CHART) await components.addShipped('tools/chart');
  return components;
}

const components = await shippedComponents();
const host = await serveAll(components, ['--sessions', 'optional']);
const required = await serveAll(await Components.create('catalogue', 'slow'));

// {status, headers, body} of what curl is told.
async function curl(...args) {
  const { status, stdout, stderr } = await run('curl', ['-s', '-i', ...args]);
  assert.equal(status, 0, stderr);
  const [head, ...rest] = stdout.split('\r\n\r\n');
  const [line, ...fields] = head.split('\r\n');
  const headers = Object.fromEntries(fields.map((field) => {
    const [, name, value] = /^([^:]+): *(.*)$/.exec(field);
    return [name.toLowerCase(), value];
  }));
  return { status: Number(line.split(' ')[1]), headers, body: rest.join('\r\n\r\n') };
}
async function ask(url, message, ...more) {
  const answer = await curl(url, ...json, ...more, '-d', typeof message === 'string' ? message : JSON.stringify(message));
  return { ...answer, json: answer.body && JSON.parse(answer.body) };
}
const request = (method, params, id = 1) => ({ jsonrpc: '2.0', id, method, ...(params && { params }) });
const initialize = (protocolVersion) =>
  request('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'curl', version: '1' } });

async function openSession(url, revision = '2025-06-18') {
  const { headers } = await ask(url, initialize(revision), ...accept);
  return ['-H', `Mcp-Session-Id: ${headers['mcp-session-id']}`, ...accept];
}

suite('CurlWithoutASession', () => {
  test('Initialize', async () => {
    for (const revision of ['2024-11-05', '2025-06-18']) {
      const { status, json } = await ask(host.url, initialize(revision));
      assert.equal(status, 200);
      assert.equal(json.result.protocolVersion, revision);
      assert.equal(json.result.serverInfo.name, 'mcp-plugin-host');
      for (const capability of ['tools', 'resources', 'prompts']) assert.ok(json.result.capabilities[capability]);
    }
  });

  test('ListsCallsAndReads', async () => {
    const { result } = (await ask(host.url, request('tools/list'))).json;
    for (const name of ['seed_ping', 'get_time', 'current_time', 'list_directory', 'calculate'])
      assert.ok(result.tools.some((tool) => tool.name === name && tool.inputSchema.type === 'object'), name);
    const call = await ask(host.url, request('tools/call', { name: 'seed_ping', arguments: { message: 'hello' } }));
    assert.deepEqual(call.json.result.content, [{ type: 'text', text: 'mcp-plugin-host: hello' }]);
    assert.equal(call.headers['mcp-protocol-version'], '2025-03-26');
    const read = await ask(host.url, request('resources/read', { uri: 'config://server' }));
    assert.equal(JSON.parse(read.json.result.contents[0].text).features.sessionsOptional, true);
    assert.ok((await ask(host.url, request('resources/list'))).json.result.resources.length > 0);
    assert.ok((await ask(host.url, request('resources/templates/list'))).json.result.resourceTemplates.length > 0);
    assert.ok((await ask(host.url, request('prompts/list'))).json.result.prompts.length > 0);
    const prompt = await ask(host.url, request('prompts/get', { name: 'greeting', arguments: { name: 'Alice' } }));
    assert.match(prompt.json.result.messages[0].content.text, /^Hello Alice! 👋 /u);
    assert.deepEqual((await ask(host.url, request('ping'))).json.result, {});
  });

  test('ABatch', async () => {
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
    // Past the wire check, which knows a revision with batches by its session.
    const url = host.address.href;
    const { json } = await ask(url, [request('ping'), notification, request('tools/list', undefined, 2)]);
    assert.deepEqual(json.map(({ id }) => id).sort(), [1, 2]);
    const many = await ask(url, Array.from({ length: 33 }, (_, id) => request('ping', undefined, id)));
    assert.equal(many.status, 400);
    assert.equal(many.json.error.code, -32600);
  });
});

suite('CurlInASession', () => {
  test('IsOpenedUsedAndEnded', async () => {
    const first = await ask(required.url, initialize('2025-06-18'), ...accept);
    assert.match(first.headers['x-session-expires-at'], /^\d{4}-\d\d-\d\dT[\d:]+Z$/);
    const session = ['-H', `Mcp-Session-Id: ${first.headers['mcp-session-id']}`, ...accept];
    const initialized = await ask(required.url, { jsonrpc: '2.0', method: 'notifications/initialized' }, ...session);
    assert.deepEqual([initialized.status, initialized.body], [202, '']);
    assert.deepEqual((await ask(required.url, request('ping'), ...session)).json.result, {});
    const call = await ask(required.url, request('tools/call', { name: 'add', arguments: { a: 1, b: 2 } }), ...session);
    assert.equal(call.json.result.content[0].text, '3');
    assert.equal((await curl('-X', 'DELETE', required.url, ...session)).status, 204);
    const ended = await ask(required.url, request('ping'), ...session);
    assert.deepEqual([ended.status, ended.json.error.data.reason], [404, 'session_not_found']);
    assert.equal(typeof ended.json.error.data.details, 'string');
  });

  test('IsRequiredUnlessItIsOptional', async () => {
    const { status, json } = await ask(required.url, request('tools/list'), ...accept);
    assert.deepEqual([status, json.error.code, json.error.data.reason], [400, -32600, 'missing_session_id']);
    assert.equal(json.id, 1);
  });

  test('ProgressComesAsAnEventStream', async () => {
    const session = await openSession(required.url);
    const params = {
      name: 'wait', arguments: { label: 'done', milliseconds: 50, reports: 2 }, _meta: { progressToken: 'p' },
    };
    const { headers, body } = await curl(required.url, ...json, ...session, '-d', JSON.stringify(request('tools/call', params)));
    assert.equal(headers['content-type'], 'text/event-stream');
    const messages = [...body.matchAll(/^data: (\{.*)$/gm)].map(([, text]) => JSON.parse(text));
    assert.equal(messages[0].method, 'notifications/progress');
    assert.equal(messages.at(-1).result.content[0].text, 'done');
  });
});

suite('CurlOfWhatIsWrong', () => {
  test('EachErrorHasItsCode', async () => {
    const cases = [
      ['{"jsonrpc": "2.0", "id": 1,', 400, -32700],
      ['{"jsonrpc": "2.0", "id": 1}', 400, -32600],
      [request('no/such'), 200, -32601],
      [request('tools/call', { name: 'nonexistent', arguments: {} }), 200, -32602],
      [request('tools/call', { name: 'calculate', arguments: {} }), 200, -32602],
    ];
    for (const [message, status, code] of cases) {
      const answer = await ask(host.url, message);
      assert.deepEqual([answer.status, answer.json.error.code], [status, code], JSON.stringify(message));
      // What has no method can only be meant as a response, whose id would be the server's.
      if (code === -32700 || code === -32600) assert.ok(!('id' in answer.json), 'and not null');
      else assert.equal(answer.json.id, 1);
    }
    const wrong = await ask(host.url, request('tools/call', { name: 'calculate', arguments: { expression: 7 } }));
    assert.deepEqual(wrong.json.error.data, { path: '/expression', keyword: 'type' });
    const invalid = await ask(host.url, '{"jsonrpc": "2.0", "id": 1}');
    assert.match(invalid.json.error.data.details, /there is neither a "method"/);
    assert.deepEqual((await ask(host.url, request('initialize', {}))).json.error.code, -32602);
    const unknown = await ask(host.url, initialize('0.1.0'));
    assert.equal(unknown.json.result.protocolVersion, '2025-11-25');
  });

  test('AToolsErrorIsAResult', async () => {
    const { json } = await ask(host.url, request('tools/call', { name: 'calculate', arguments: { expression: '1 / 0' } }));
    assert.equal(json.result.isError, true);
    assert.match(json.result.content[0].text, /Division by zero/);
  });

  test('MethodsOfHttp', async () => {
    const put = await curl('-X', 'PUT', host.url);
    assert.equal(put.status, 405);
    assert.match(put.headers.allow, /POST/);
    assert.equal((await curl('-I', host.url)).status, 200);
    const origin = 'http://localhost:6274';
    const preflight = await curl('-X', 'OPTIONS', host.url, '-H', `Origin: ${origin}`, '-H',
      'Access-Control-Request-Method: POST', '-H', 'Access-Control-Request-Headers: content-type, x-payment');
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers['access-control-allow-origin'], origin);
    assert.match(preflight.headers['access-control-allow-headers'], /X-Payment/i);
    assert.equal((await curl('-X', 'DELETE', host.url)).status, 400);
    assert.equal((await curl(host.url, '-H', 'Accept: text/event-stream')).status, 400);
  });
});

suite('CurlOfDocuments', () => {
  // Past the wire check, too: they are no messages of MCP.
  test('TheServerIsFound', async () => {
    const mcp = await curl(new URL('/.well-known/mcp.json', host.address).href);
    assert.equal(mcp.status, 200);
    assert.equal(JSON.parse(mcp.body).server.name, 'mcp-plugin-host');
    assert.equal((await curl(new URL('/mcp/server-card', host.address).href)).status, 200);
    assert.equal((await curl(new URL('/.well-known/ai-catalog.json', host.address).href)).status, 200);
  });

  test('APathOfChoice', async (context) => {
    const components = await Components.create('catalogue');
    const file = join(components.folder, 'paths.toml');
    await writeFile(file, '[servers.api]\nallow = ["*"]\n');
    const host = await serve(context, components, ['--config', file, '--sessions', 'optional']);
    const call = request('tools/call', { name: 'add', arguments: { a: 1, b: 2 } });
    assert.equal((await ask(new URL('/api/mcp', host.url).href, call)).json.result.content[0].text, '3');
  });

  test('OneThatAsksForTokensSaysSo', async (context) => {
    const components = await Components.create();
    const file = join(components.folder, 'team.toml');
    await writeFile(file, '[tokens]\nfile = "tokens.json"\n\n[roles.user]\nallow = ["*"]\n');
    const made = await run(program, ['token', 'create', 'ada', '--role', 'user', '--config', file]);
    assert.equal(made.status, 0, made.stderr);
    const host = await serve(context, components, ['--config', file]);
    const refused = await ask(host.url, initialize('2025-06-18'), ...accept);
    assert.equal(refused.status, 401);
    assert.match(refused.headers['www-authenticate'], /^Bearer/);
    const token = made.stdout.trim().split('\n').at(-1);
    const answer = await ask(host.url, initialize('2025-06-18'), ...accept, '-H', `Authorization: Bearer ${token}`);
    assert.equal(answer.status, 200);
    const summary = async () => JSON.parse((await curl(new URL('/.well-known/mcp.json', host.address).href)).body);
    assert.deepEqual((await summary()).auth, { type: 'bearer' });
    // Whoever has none is served, too.
    const taken = host.log.next({ event: 'configuration taken' });
    await writeFile(file, '[tokens]\nfile = "tokens.json"\n\n[roles.user]\nallow = ["*"]\n[roles.anonymous]\nallow = ["*"]\n');
    await taken;
    assert.deepEqual((await summary()).auth, { type: 'none' });
  });

  test('TheProfileIsOfWhoeverAsks', async (context) => {
    const components = await Components.create();
    await components.addShipped('resources/profile');
    const team = await Team.serve(context, components, '[roles.user]\nallow = ["*"]\n');
    const headers = bearer(await team.token('ada', 'user'));
    const read = await (await postModern(team.url, 'resources/read', { uri: 'user://profile' }, { headers })).json();
    assert.match(read.result.contents[0].text, /ada/);
    for (const messageType of ['welcome', 'status', 'summary']) {
      const params = { name: 'user-context', arguments: { messageType } };
      const { result } = await (await postModern(team.url, 'prompts/get', params, { headers })).json();
      assert.match(result.messages[0].content.text, /ada/);
    }
  });

  test('TooManyRequestsAreToldWhenToComeBack', async (context) => {
    const components = await Components.create();
    const file = join(components.folder, 'limits.toml');
    await writeFile(file, '[limits.per_address]\nrate = "2/h"\n');
    const host = await serve(context, components, ['--config', file]);
    const answers = [];
    for (let i = 0; i < 3; ++i) answers.push(await ask(host.url, initialize('2025-06-18'), ...accept));
    assert.deepEqual(answers.map(({ status }) => status), [200, 200, 429]);
    assert.match(answers.at(-1).headers['retry-after'], /^\d+$/);
  });
});

const [shipped, configured] = page.split(/^## With a configuration of your own$/m);
const commandsOf = (text) => [...text.matchAll(/`((?:call|read|prompt) [^`]+)`/g)].map(([, command]) => command);

// What it prints.
async function printed(command, { root, data }) {
  const options = ['--components', root, '--data', data].map((each) => `'${each}'`).join(' ');
  const { status, stdout, stderr } = await run('bash', ['-c', `"$MCP_HOST" ${command} ${options}`], {
    env: { ...process.env, MCP_HOST: program },
  });
  assert.equal(status, 0, stdout + stderr);
  assert.notEqual(stdout, '');
  return stdout;
}

// The servers that the ready configurations ask.
async function startServices() {
  const answers = {
    '/api/v3/simple/price': { bitcoin: { usd: 1 } },
    '/v1/search': { results: [{ name: 'Oslo', latitude: 59.9, longitude: 10.7 }] },
    '/v1/images/generations': { data: [{ b64_json: Buffer.from('a picture').toString('base64') }] },
    '/api/agents/helper/chat': { reply: 'hello!' },
  };
  const video = { video: { url: 'https://cdn.example.com/cat.mp4' } };
  const server = createServer((request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(answers[request.url.split('?')[0]] ?? video));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://localhost:${server.address().port}`;
}

// What the second table of the page asks for. A sandbox needs a worker.
async function configuredComponents() {
  const components = await Components.create();
  after(() => components.discard());
  const folder = join(components.folder, 'documents');
  await mkdir(folder);
  await writeFile(join(folder, 'guide.md'), '# Holidays\n\nThere are thirty days of them.\n');
  await writeFile(join(folder, 'sales.csv'), 'region,amount\nnorth,10\nsouth,2.5\n');
  const add = async (plugin, name, configuration) => {
    const library = join(process.env.MCP_COMPONENTS, `tools/${plugin}.so`);
    if (!existsSync(library)) return;
    await writeFile(components.file(`${name}.json`), JSON.stringify({ isolation: 'worker', ...configuration }));
    await copyFile(library, components.file(`${name}.so`));
  };
  const example = async (plugin, name) =>
    readFile(fileURLToPath(new URL(`../../plugins/${plugin}/examples/${name}.json`, import.meta.url)), 'utf8');
  const sandbox = { profile: 'strict', read: [folder] };
  await add('knowledge', 'knowledge', { folder, sandbox });
  await add('data', 'data', { folder, sandbox });
  await add('mock', 'mock', JSON.parse(await example('mock', 'weather')));
  const services = await startServices();
  await writeFile(join(components.folder, 'key'), randomBytes(16).toString('hex'));
  for (const name of ['weather', 'cryptocurrency', 'image', 'video', 'agent']) {
    const text = (await example('http', name))
      .replaceAll(/https:\/\/[\w.-]+/g, services)
      .replaceAll(/\/etc\/mcp-plugin-host\/\w+\.key/g, join(components.folder, 'key'));
    await add('http', name, { ...JSON.parse(text), allowAddresses: ['127.0.0.1', '::1'] });
  }
  const upstream = await Components.create();
  after(() => upstream.discard());
  await upstream.addShipped('tools/calculator');
  const args = ['stdio', '--components', upstream.root, '--data', upstream.data];
  await addUpstream(components, 'far', { command: program, args, prefix: 'far_' });
  return components;
}
const others = await configuredComponents();

suite('Compatibility', () => {
  test('ThePageHasCommands', () => assert.equal(commandsOf(shipped).length, 15));
  for (const command of commandsOf(shipped)) {
    const skip = command.startsWith('call draw_chart') && !process.env.MCP_CHART && 'the plugin chart is not built';
    test(`ACommandOfThePage: ${command}`, { skip }, () => printed(command, components));
  }

  const expected = {
    'call get_crypto_price': ['weather', /bitcoin/],
    'call generate_image': ['weather', /image\/png/],
    'call generate_video': ['weather', /cat\.mp4/],
    'call chat_with_agent': ['weather', /hello!/],
    'call find_place': ['weather', /Oslo/],
    'call get_weather': ['mock', /fog/],
    'read weather://cities': ['mock', /Bergen/],
    'read data://users/7': ['mock', /Ada/],
    'prompt weather_query': ['mock', /How is the weather in Oslo\?/],
    'call search_knowledge': ['knowledge', /knowledge:\/\/guide\.md/],
    'read knowledge://guide.md': ['knowledge', /thirty days/],
    'call load_csv': ['data', /"rows":2/],
    'call analyze_data': ['data', /2 values, 0 missing/],
    'call describe': ['data', /"mean":6\.25/],
    'call query': ['data', /\["north",10\.0\]/],
    'call format_json': ['data', /^\[\n {2}1,\n {2}\{\}\n\]/],
    'call far_calculate': ['far', /42/],
  };
  const commands = commandsOf(configured);
  for (const [begin, [plugin, words]] of Object.entries(expected)) {
    const isThere = plugin === 'far' || existsSync(others.file(`${plugin}.so`));
    test(`AConfiguredCommandOfThePage: ${begin}`, { skip: !isThere && `the plugin of ${plugin} is not built` }, async () => {
      const command = commands.find((each) => each === begin || each.startsWith(`${begin} `));
      assert.ok(command, 'the page has it');
      assert.match(await printed(command, others), words);
    });
  }
  test('NoCommandOfThePageIsLeftOut', () =>
    assert.deepEqual(commands.map((each) => each.split(' ').slice(0, 2).join(' ')), Object.keys(expected)));

  const blocks = [...page.matchAll(/^```console\n(.*?)^```$/gms)].map(([, text]) => text).filter((text) => text.includes('curl'));
  test('EveryCurlOfThePageIsAnswered', async () => {
    assert.equal(blocks.length, 2);
    for (const block of blocks) {
      const text = block.replaceAll('http://127.0.0.1:8080/mcp', String(host.url));
      const { status, stdout, stderr } = await run('bash', ['-euo', 'pipefail', '-c', text]);
      assert.equal(status, 0, stderr);
      assert.doesNotMatch(stdout, /"error"/);
      assert.match(stdout, /"result"/);
    }
  });
});
