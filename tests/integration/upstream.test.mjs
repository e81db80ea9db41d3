// Servers elsewhere behind the host: the official ones over stdio, asked by the official clients of both eras.
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { connectHttp, connectStdio, kinds } from './support/clients.mjs';
import { Components } from './support/components.mjs';
import { HttpHost, serve, serveAll } from './support/host.mjs';
import { until } from './support/until.mjs';
import { addUpstream, official } from './support/upstreams.mjs';

const components = await Components.create();
const documents = join(components.folder, 'documents');
await mkdir(documents);
await writeFile(join(documents, 'hello.txt'), 'Hello from a file.');
await addUpstream(components, 'everything', official('everything', ['stdio'], {
  prefix: 'every_',
  rename: { echo: 'say_again' },
  exclude: ['tool:get-tiny-image'],
}));
await addUpstream(components, 'files', official('filesystem', [documents], { include: ['tool:read_*', 'tool:list_*'] }));
await addUpstream(components, 'memory', official('memory', [], {
  env: { MEMORY_FILE_PATH: join(components.folder, 'memory.jsonl') },
}));
const host = await serveAll(components);

const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const text = (result) => result.content[0].text;

// A user, a model and a workspace.
const answers = {
  elicit: () => ({ action: 'accept', content: { name: 'Ada', integer: 42 } }),
  sample: ({ params }) => ({
    role: 'assistant',
    model: 'tester',
    content: { type: 'text', text: `I was asked: ${[params.messages[0].content].flat()[0].text}` },
    stopReason: 'endTurn',
  }),
  roots: () => ({ roots: [{ uri: 'file:///work', name: 'work' }] }),
};

// What takes long to start is served a moment after the rest.
function untilServed(client, ...wanted) {
  return until(async () => {
    const names = (await client.listTools()).tools.map(({ name }) => name);
    return wanted.every((name) => names.includes(name)) && names;
  }, () => wanted.join(' '));
}

async function withClient(connect, kind, use, given = capabilities) {
  const prepare = (client) => given === capabilities && kind.answer(client, answers);
  const client = await connect(kind, { options: { capabilities: given }, prepare });
  try {
    await use({
      client,
      names: await untilServed(client, 'say_again', 'list_directory', 'create_entities'),
      call: (name, args = {}, options = undefined) => kind.call(client, { name, arguments: args }, options),
    });
  } finally {
    await client.close();
  }
}

const overHttp = (kind, setup) => connectHttp(kind, host.url, setup);
const overStdio = (kind, setup) => connectStdio(kind, components, [], setup);

const behaviours = {
  async ToolsHaveTheirPrefixAndTheirNames({ names, call }) {
    assert.ok(names.includes('every_get-sum'), `${names}`);
    for (const name of ['echo', 'every_echo', 'every_get-tiny-image', 'write_file'])
      assert.ok(!names.includes(name), `${name} is among ${names}`);
    assert.equal(text(await call('say_again', { message: 'hello' })), 'Echo: hello');
    assert.match(text(await call('every_get-sum', { a: 2, b: 3 })), /is 5/);
    assert.equal(text(await call('read_text_file', { path: join(documents, 'hello.txt') })), 'Hello from a file.');
  },

  async StructuredContentArrives({ call }) {
    const { structuredContent } = await call('every_get-structured-content', { location: 'New York' });
    assert.equal(typeof structuredContent.temperature, 'number');
  },

  async ResourcesPromptsAndCompletionsArePassedOn({ client }) {
    const { resources } = await client.listResources();
    const document = resources.find(({ uri }) => uri.startsWith('demo://resource/static/'));
    const { contents } = await client.readResource({ uri: document.uri });
    assert.equal(contents[0].uri, document.uri);
    const read = await client.readResource({ uri: 'demo://resource/dynamic/text/1' });
    assert.match(read.contents[0].text, /1/);
    const { messages } = await client.getPrompt({ name: 'every_args-prompt', arguments: { city: 'Paris' } });
    assert.match(messages[0].content.text, /Paris/);
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'every_completable-prompt' },
      argument: { name: 'department', value: 'E' },
    });
    assert.deepEqual(completion.values, ['Engineering']);
  },

  async ProgressIsPassedOn({ call }) {
    const steps = [];
    // This server may ask for the roots meanwhile. The SDK tells of that as progress, without a total, and of all that the
    // server tells while it waits for the answer the last is passed on.
    const onprogress = ({ progress, total }) => total && steps.push(progress);
    await call('every_trigger-long-running-operation', { duration: 0.3, steps: 3 }, { onprogress });
    assert.ok(steps.length > 0 && steps.every((step, i) => i === 0 || step > steps[i - 1]), `${steps}`);
  },

  async TheClientIsAskedAFormAndAModel({ call }) {
    const form = await call('every_trigger-elicitation-request');
    assert.match(JSON.stringify(form.content), /Ada/);
    const sampled = await call('every_trigger-sampling-request', { prompt: 'what?' });
    assert.match(JSON.stringify(sampled.content), /I was asked: Resource trigger-sampling-request context: what\?/);
  },
};

for (const kind of kinds) {
  for (const [name, behaviour] of Object.entries(behaviours)) {
    test(`${name}, ${kind.name}`, () => withClient(overHttp, kind, behaviour));
  }
  test(`AllOfItOverStdio, ${kind.name}`, () => withClient(overStdio, kind, async (client) => {
    for (const behaviour of Object.values(behaviours)) await behaviour(client);
  }));
}

test('AClientThatCannotBeAskedGetsTheServersOwnError', () =>
  withClient(overHttp, kinds[1], async ({ call }) => {
    const result = await call('every_trigger-elicitation-request').catch(({ message }) => ({ content: message }));
    assert.match(JSON.stringify(result.content), /has no elicitation/);
  }, {}));

test('AServerKnowsOfTheHostsEnvironmentOnlyWhatItIsGiven', async (context) => {
  const folder = await Components.create();
  await writeFile(join(folder.folder, 'secret'), 'of a file\n', { mode: 0o600 });
  await addUpstream(folder, 'every', official('everything', ['stdio'], {
    env: { PLAIN: 'text', FROM_FILE: { file: '../../secret' }, FROM_ENVIRONMENT: { env: 'MCP_TEST_SECRET' } },
  }));
  const serving = await HttpHost.start(folder, [], '127.0.0.1:0', { MCP_TEST_SECRET: 'of the environment' });
  context.after(() => serving.stop().finally(() => folder.discard()));
  const client = await connectHttp(kinds[0], serving.url);
  await untilServed(client, 'get-env');
  const environment = JSON.parse(text(await client.callTool({ name: 'get-env', arguments: {} })));
  assert.equal(environment.PLAIN, 'text');
  assert.equal(environment.FROM_FILE, 'of a file');
  assert.equal(environment.FROM_ENVIRONMENT, 'of the environment');
  assert.equal(environment.PATH, process.env.PATH);
  for (const name of ['MCP_TEST_SECRET', 'MCP_HOST']) assert.equal(environment[name], undefined, name);
});

test('WhatAServerRemembersOutlivesItsCalls', () =>
  withClient(overHttp, kinds[1], async ({ call }) => {
    await call('create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['counts'] }] });
    assert.match(JSON.stringify((await call('read_graph')).content), /counts/);
    assert.match(await readFile(join(components.folder, 'memory.jsonl'), 'utf8'), /Ada/);
  }));

test('ACancelledCallEndsAtTheServer', () =>
  withClient(overHttp, kinds[0], async ({ call }) => {
    const abort = new AbortController();
    const running = call('every_trigger-long-running-operation', { duration: 60, steps: 600 }, {
      signal: abort.signal,
      onprogress: () => abort.abort('enough'),
    });
    await assert.rejects(running);
    assert.equal(text(await call('say_again', { message: 'still there' })), 'Echo: still there');
  }));

test('AServerThatIsKilledUnderLoadFailsItsOwnCallsAndIsBack', async (context) => {
  const folder = await Components.create();
  await folder.addShipped('tools/calculator');
  await addUpstream(folder, 'every', official('everything', ['stdio'], { include: ['tool:*'], prefix: 'every_' }));
  const serving = await serve(context, folder);
  const client = await connectHttp(kinds[1], serving.url);
  await untilServed(client, 'every_echo', 'calculate');
  const { pid } = await serving.log.until({ event: 'upstream connected', plugin: 'every' });
  const call = (name, args, options) => kinds[1].call(client, { name, arguments: args }, options);
  const slow = Array.from({ length: 8 }, () => {
    const { promise: begun, resolve: onprogress } = Promise.withResolvers();
    const answer = call('every_trigger-long-running-operation', { duration: 60, steps: 600 }, { onprogress });
    return { begun, answer };
  });
  let stopped = false;
  const others = (async () => {
    let calls = 0;
    for (; !stopped; ++calls) assert.match(text(await call('calculate', { expression: '6 * 7' })), /42/);
    return calls;
  })();
  await Promise.all(slow.map(({ begun }) => begun));
  await call('every_echo', { message: 'all have been given' });
  const ended = Promise.all(slow.map(({ answer }) => assert.rejects(answer, /plugin every: .*killed by SIGKILL/i)));
  process.kill(pid, 'SIGKILL');
  await ended;
  assert.equal(text(await call('every_echo', { message: 'back' })), 'Echo: back');
  stopped = true;
  assert.ok((await others) > 0);
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' }); // not even as a zombie
});

test('AFileDroppedInChangedAndRemovedIsServedSo', async (context) => {
  const folder = await Components.create();
  const changing = await serve(context, folder);
  const client = await connectHttp(kinds[0], changing.url);
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  const until = async (event) => {
    await changing.log.until(event);
    return names();
  };
  await addUpstream(folder, 'every', official('everything', ['stdio'], { include: ['tool:echo'] }));
  assert.deepEqual(await until({ event: 'plugin loaded' }), ['echo']);
  await addUpstream(folder, 'every', official('everything', ['stdio'], { include: ['tool:echo'], prefix: 'b_' }));
  assert.deepEqual(await until({ event: 'plugin replaced' }), ['b_echo']);
  await folder.removeFile('every.mcp.json');
  assert.deepEqual(await until({ event: 'plugin withdrawn' }), []);
});

test('AFileThatSaysNothingUsableIsRefusedWithTheReason', async (context) => {
  const folder = await Components.create();
  await addUpstream(folder, 'neither', { args: [] });
  await addUpstream(folder, 'typo', { command: 'true', arg: [] });
  await addUpstream(folder, 'absent', { command: '/nowhere/server' });
  const refusing = await serve(context, folder);
  const reasonOf = async (name) => {
    const line = await refusing.log.until({ event: 'plugin refused', file: folder.file(`${name}.mcp.json`) });
    return line.reason;
  };
  assert.match(await reasonOf('neither'), /must have either a "command" or a "url"/);
  assert.match(await reasonOf('typo'), /"arg" is not known; the members are .*args/);
  assert.match(await reasonOf('absent'), /\/nowhere\/server cannot be started: No such file/);
});
