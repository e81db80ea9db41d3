// Servers elsewhere behind the host: the official ones over stdio, asked by the official clients of both eras.
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { connectHttp, connectStdio, kinds } from './support/clients.mjs';
import { Components } from './support/components.mjs';
import { HttpHost, serve, serveAll } from './support/host.mjs';
import { addUpstream, official } from './support/upstreams.mjs';

process.env.MCP_TEST_SECRET = 'of the environment';
const components = await Components.create();
const documents = join(components.folder, 'documents');
await mkdir(documents);
await writeFile(join(documents, 'hello.txt'), 'Hello from a file.');
await writeFile(join(components.folder, 'secret'), 'of a file\n', { mode: 0o600 });
await addUpstream(components, 'everything', official('everything', ['stdio'], {
  prefix: 'every_',
  rename: { echo: 'say_again' },
  exclude: ['tool:get-tiny-image'],
  env: {
    PLAIN: 'text',
    FROM_FILE: { file: '../../secret' },
    FROM_ENVIRONMENT: { env: 'MCP_TEST_SECRET' },
  },
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

const transports = {
  http: (kind, setup) => connectHttp(kind, host.url, setup),
  stdio: (kind, setup) => connectStdio(kind, components, [], setup),
};

async function withClient(kind, transport, use, given = capabilities) {
  const prepare = (client) => given === capabilities && kind.answer(client, answers);
  const client = await transports[transport](kind, { options: { capabilities: given }, prepare });
  try {
    await use({
      client,
      call: (name, args = {}, options = undefined) => kind.call(client, { name, arguments: args }, options),
    });
  } finally {
    await client.close();
  }
}

for (const kind of kinds) {
  for (const transport of Object.keys(transports)) {
    const where = `${kind.name}, ${transport}`;

    test(`ToolsHaveTheirPrefixAndTheirNames, ${where}`, () =>
      withClient(kind, transport, async ({ client, call }) => {
        const { tools } = await client.listTools();
        const names = tools.map(({ name }) => name);
        for (const name of ['say_again', 'every_get-sum', 'read_text_file', 'list_directory', 'create_entities'])
          assert.ok(names.includes(name), `${name} is not among ${names}`);
        for (const name of ['echo', 'every_echo', 'every_get-tiny-image', 'write_file'])
          assert.ok(!names.includes(name), `${name} is among ${names}`);
        assert.equal(text(await call('say_again', { message: 'hello' })), 'Echo: hello');
        assert.match(text(await call('every_get-sum', { a: 2, b: 3 })), /is 5/);
        assert.equal(text(await call('read_text_file', { path: join(documents, 'hello.txt') })), 'Hello from a file.');
      }));

    test(`StructuredContentArrives, ${where}`, () =>
      withClient(kind, transport, async ({ call }) => {
        const { structuredContent } = await call('every_get-structured-content', { location: 'New York' });
        assert.equal(typeof structuredContent.temperature, 'number');
      }));

    test(`ResourcesPromptsAndCompletionsArePassedOn, ${where}`, () =>
      withClient(kind, transport, async ({ client }) => {
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
      }));

    test(`ProgressIsPassedOn, ${where}`, () =>
      withClient(kind, transport, async ({ call }) => {
        const steps = [];
        const args = { duration: 0.3, steps: 3 };
        await call('every_trigger-long-running-operation', args, { onprogress: ({ progress }) => steps.push(progress) });
        assert.deepEqual(steps, [1, 2, 3]);
      }));

    test(`TheClientIsAskedAFormAModelAndItsRoots, ${where}`, () =>
      withClient(kind, transport, async ({ call }) => {
        const form = await call('every_trigger-elicitation-request');
        assert.match(JSON.stringify(form.content), /Ada/);
        const sampled = await call('every_trigger-sampling-request', { prompt: 'what?' });
        assert.match(JSON.stringify(sampled.content), /I was asked: Resource trigger-sampling-request context: what\?/);
      }));
  }
}

test('AClientThatCannotBeAskedGetsTheServersOwnError', () =>
  withClient(kinds[1], 'http', async ({ call }) => {
    const result = await call('every_trigger-elicitation-request').catch(({ message }) => ({ content: message }));
    assert.match(JSON.stringify(result.content), /has no elicitation/);
  }, {}));

test('AServerKnowsOfTheHostsEnvironmentOnlyWhatItIsGiven', () =>
  withClient(kinds[0], 'http', async ({ call }) => {
    const environment = JSON.parse(text(await call('every_get-env')));
    assert.equal(environment.PLAIN, 'text');
    assert.equal(environment.FROM_FILE, 'of a file');
    assert.equal(environment.FROM_ENVIRONMENT, 'of the environment');
    assert.equal(environment.PATH, process.env.PATH);
    for (const name of ['MCP_TEST_SECRET', 'MCP_FIXTURES']) assert.equal(environment[name], undefined, name);
  }));

test('WhatAServerRemembersOutlivesItsCalls', () =>
  withClient(kinds[1], 'http', async ({ call }) => {
    await call('create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['counts'] }] });
    assert.match(JSON.stringify((await call('read_graph')).content), /counts/);
    assert.match(await readFile(join(components.folder, 'memory.jsonl'), 'utf8'), /Ada/);
  }));

test('ACancelledCallEndsAtTheServer', () =>
  withClient(kinds[0], 'http', async ({ call }) => {
    const abort = new AbortController();
    const running = call('every_trigger-long-running-operation', { duration: 60, steps: 600 }, {
      signal: abort.signal,
      onprogress: () => abort.abort('enough'),
    });
    await assert.rejects(running);
    assert.equal(text(await call('say_again', { message: 'still there' })), 'Echo: still there');
  }));

test('AFileDroppedInChangedAndRemovedIsServedSo', async (context) => {
  const folder = await Components.create();
  const changing = await serve(context, folder);
  const client = await connectHttp(kinds[0], changing.url);
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  const until = async (event) => {
    await changing.log.until(event, { patienceMs: 20_000 });
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
