// What is served reaches every official client alike: through each SDK, in each era, over each transport.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { connectHttp, connectStdio, connectWebSocket, kinds } from './support/clients.mjs';
import { Components } from './support/components.mjs';
import { serveAll } from './support/host.mjs';

const fourBytes = 'AAH+/w==';
const names = (list) => list.map((each) => each.name);
const textOf = (result) => result.content[0].text;

const components = await Components.create('catalogue', 'plain_c', 'rude');
const host = await serveAll(components);

const transports = {
  HTTP: (kind) => connectHttp(kind, host.url),
  stdio: (kind) => connectStdio(kind, components),
  WebSocket: (kind) => connectWebSocket(kind, host.url),
};

for (const kind of kinds) {
  for (const [transport, connect] of Object.entries(transports)) {
    describe(`${kind.name} over ${transport}`, () => {
      let client;
      before(async () => {
        client = await connect(kind);
      });
      after(() => client.close());
      componentsAreServed(() => client, kind);
    });
  }
}

function componentsAreServed(client, kind) {
  test('LearnsWhoTheServerIsAndWhatItIsFor', () => {
    assert.equal(client().getServerVersion().name, 'mcp-plugin-host');
    assert.equal(client().getInstructions(), 'One of everything.');
    const capabilities = client().getServerCapabilities();
    for (const list of ['tools', 'resources', 'prompts']) assert.equal(capabilities[list].listChanged, true);
  });

  test('ListsToolsOfEveryPluginInTheOrderOfTheirNames', async () => {
    const { tools } = await client().listTools();
    assert.deepEqual(names(tools), [
      'add',
      'answer_bad_utf8',
      'ask_name',
      'caller',
      'contents',
      'forecast',
      'params',
      'print',
      'read_input',
      'throw_exception',
      'throw_number',
      'throw_protocol_error',
    ]);
    const add = tools.find((tool) => tool.name === 'add');
    assert.equal(add.title, 'Add');
    assert.equal(add.annotations.readOnlyHint, true);
    assert.deepEqual(add.inputSchema.required, ['a', 'b']);
    assert.equal(add.inputSchema.properties.a.description, 'First addend');
  });

  test('CallsAToolAndGetsStructuredContent', async () => {
    const result = await client().callTool({ name: 'add', arguments: { a: 2, b: 0.5 } });
    assert.deepEqual(result.structuredContent, { result: 2.5 });
    assert.equal(textOf(result), '2.5');
  });

  test('FillsInDefaultsBeforeThePluginSeesTheArguments', async () => {
    const result = await client().callTool({ name: 'forecast', arguments: { place: { city: 'Oslo' } } });
    assert.deepEqual(result.structuredContent, { place: { city: 'Oslo' }, days: 3, unit: 'celsius' });
  });

  test('GetsEveryKindOfContent', async () => {
    const { content } = await client().callTool({ name: 'contents', arguments: {} });
    assert.deepEqual(content, [
      { type: 'text', text: 'text' },
      { type: 'image', data: fourBytes, mimeType: 'image/png' },
      { type: 'audio', data: fourBytes, mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'catalogue://text', name: 'text' },
      { type: 'resource', resource: { uri: 'catalogue://text', mimeType: 'text/plain', text: 'embedded' } },
    ]);
  });

  test('CallsAPluginInPlainC', async () => {
    const result = await client().callTool({ name: 'params', arguments: { some: ['thing', null] } });
    assert.deepEqual(result.structuredContent.arguments, { some: ['thing', null] });
  });

  test('TellsThePluginWhoIsCalling', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01';
    const { structuredContent } = await client().callTool({ name: 'caller', arguments: {}, _meta: { traceparent } });
    assert.deepEqual(structuredContent, {
      client: 'integration',
      protocolVersion: kind.era === 'modern' ? '2026-07-28' : '2025-11-25',
      principal: '',
      traceparent,
      deadline: 'to come',
    });
  });

  test('ReadsTextBytesAndTemplates', async () => {
    const { resources } = await client().listResources();
    assert.deepEqual(names(resources), ['bytes', 'cached', 'text']);
    assert.equal(resources.find((each) => each.name === 'text').size, 4);
    const { resourceTemplates } = await client().listResourceTemplates();
    assert.deepEqual(names(resourceTemplates).sort(), ['file', 'note', 'other']);

    const read = async (uri) => (await client().readResource({ uri })).contents;
    assert.deepEqual(await read('catalogue://text'), [
      { uri: 'catalogue://text', mimeType: 'text/plain', text: 'text' },
    ]);
    assert.equal((await read('catalogue://bytes'))[0].blob, fourBytes);
    assert.equal((await read('catalogue://notes/a%20b'))[0].text, 'Note a b');
    assert.equal((await read('catalogue-files://a/b.txt'))[0].text, 'File a/b.txt');
    assert.equal((await read('catalogue://other/x/y'))[0].text, 'Other x/y');
  });

  test('IsToldThatAResourceIsUnknown', async () => {
    for (const uri of ['nothing://here', 'catalogue://notes/missing']) {
      await assert.rejects(client().readResource({ uri }), (error) => error.data.uri === uri);
    }
  });

  test('GetsPrompts', async () => {
    const { prompts } = await client().listPrompts();
    assert.deepEqual(names(prompts), ['dialogue', 'greet', 'review']);
    const review = await client().getPrompt({ name: 'review', arguments: { code: 'x = 1' } });
    assert.deepEqual(review.messages, [
      { role: 'user', content: { type: 'text', text: 'Review in plain style: x = 1' } },
    ]);
    const { messages } = await client().getPrompt({ name: 'dialogue' });
    assert.deepEqual(
      messages.map((message) => message.role),
      ['user', 'assistant'],
    );
  });

  test('IsToldWhichPromptArgumentIsMissing', async () => {
    await assert.rejects(
      client().getPrompt({ name: 'greet', arguments: {} }),
      (error) => error.code === -32602 && error.message.includes('"name"'),
    );
  });

  test('IsToldThatAToolOrAPromptIsUnknown', async () => {
    await assert.rejects(client().callTool({ name: 'nothing', arguments: {} }), { code: -32602 });
    await assert.rejects(client().getPrompt({ name: 'nothing' }), { code: -32602 });
  });

  const violations = [
    ['a missing argument', { place: {} }, 'city'],
    ['a wrong type', { place: { city: 5 } }, 'city'],
    ['a bound', { place: { city: 'Oslo' }, days: 8 }, 'days'],
    ['an enum', { place: { city: 'Oslo' }, unit: 'kelvin' }, 'unit'],
    ['a length', { place: { city: 'x'.repeat(21) } }, 'city'],
  ];
  for (const [what, arguments_, field] of violations) {
    test(`ReadsWhichFieldViolates: ${what}`, async () => {
      const result = await client().callTool({ name: 'forecast', arguments: arguments_ });
      assert.equal(result.isError, true);
      assert.match(textOf(result), new RegExp(field));
    });
  }

  test('ReadsWhyAToolFailed', async () => {
    const result = await client().callTool({ name: 'throw_exception', arguments: {} });
    assert.equal(result.isError, true);
    assert.equal(textOf(result), 'the disk is full');
  });

  test('ReadsThatAToolFailedWhoseExceptionSaysNothing', async () => {
    const result = await client().callTool({ name: 'throw_number', arguments: {} });
    assert.equal(result.isError, true);
    assert.notEqual(textOf(result), '');
  });

  test('GetsTheErrorThatAToolChose', async () => {
    await assert.rejects(
      client().callTool({ name: 'throw_protocol_error', arguments: {} }),
      (error) => error.code === -32000 && error.data.seconds === 5 && error.message.includes('try later'),
    );
  });

  test('GetsValidTextFromAToolThatReturnsBadBytes', async () => {
    const result = await client().callTool({ name: 'answer_bad_utf8', arguments: {} });
    assert.equal(textOf(result), '\uFFFD\uFFFD');
  });
}
