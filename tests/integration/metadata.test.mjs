// Titles, icons, annotations, _meta: what a plugin says of its components and contents reaches clients of every
// revision as it was said. The schemas of the older ones do not have all of it, and allow members that they do not have.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';

import { connectHttp, kinds } from './support/clients.mjs';
import { Components } from './support/components.mjs';
import { serveAll } from './support/host.mjs';
import { legacyRevisions, modern, postModern, Session } from './support/http.mjs';

const host = await serveAll(await Components.create('annotated'));

const annotations = { audience: ['user', 'assistant'], priority: 0.5, lastModified: '2026-01-12T15:00:58Z' };
const icons = [{ src: 'https://example.com/a.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' }];
const _meta = { 'example.com/m': [1, 'two'] };

const tool = {
  name: 'contents',
  title: 'Tool',
  description: 'Every kind of content.',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  icons: [...icons, { src: "data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%20onload='window.__hit=1'/%3E" }],
  _meta,
};
const resource = {
  uri: 'annotated://one',
  name: 'one',
  title: 'Resource',
  description: 'A resource.',
  mimeType: 'text/plain',
  size: 3,
  annotations,
  icons,
  _meta,
};
const template = {
  uriTemplate: 'annotated://{name}',
  name: 'any',
  title: 'Template',
  description: 'Any.',
  mimeType: 'text/plain',
  annotations,
  icons,
  _meta,
};
const prompt = {
  name: 'prompt',
  title: 'Prompt',
  description: 'A prompt.',
  arguments: [{ name: 'a', title: 'A', description: 'An argument', required: true }],
  icons,
  _meta,
};
const own = { annotations, _meta: { m: 1 } };
const contents = [
  { type: 'text', text: 'text', ...own },
  { type: 'image', data: 'AP8=', mimeType: 'image/png', ...own },
  { type: 'audio', data: 'AP8=', mimeType: 'audio/wav', ...own },
  {
    type: 'resource_link',
    uri: 'annotated://one',
    name: 'one',
    title: 'One',
    description: 'A resource',
    mimeType: 'text/plain',
    size: 3,
    icons,
    ...own,
  },
  {
    type: 'resource',
    resource: { uri: 'annotated://one', mimeType: 'text/plain', text: 'text', _meta: { m: 1 } },
    ...own,
  },
];
const textInstead = (text) => ({ type: 'text', text });

// What a revision has no content for is said in words.
function contentsFor(revision) {
  const [text, image, audio, link, embedded] = contents;
  return [
    text,
    image,
    revision < '2025-03-26'
      ? textInstead("[audio, audio/wav: this client's protocol revision has no audio]")
      : audio,
    revision < '2025-06-18' ? textInstead('one: annotated://one') : link,
    embedded,
  ];
}

for (const revision of [...legacyRevisions, modern]) {
  describe(revision, () => {
    let result;
    before(async () => {
      const session = revision === modern ? undefined : await Session.open(host.url, revision);
      result = async (method, params) => {
        if (session) return (await session.ask(method, params)).result;
        return (await (await postModern(host.url, method, params)).json()).result;
      };
    });

    test('ComponentsKeepWhatTheyCarry', async () => {
      assert.deepEqual((await result('tools/list')).tools[0], tool);
      assert.deepEqual((await result('resources/list')).resources, [resource]);
      assert.deepEqual((await result('resources/templates/list')).resourceTemplates, [template]);
      assert.deepEqual((await result('prompts/list')).prompts, [prompt]);
    });

    test('ContentsKeepWhatTheyCarry', async () => {
      assert.deepEqual((await result('tools/call', { name: 'contents' })).content, contentsFor(revision));
      const { messages } = await result('prompts/get', { name: 'prompt', arguments: { a: 'x' } });
      assert.deepEqual(
        messages.map((message) => message.content),
        contentsFor(revision),
      );
      assert.deepEqual((await result('resources/read', { uri: 'annotated://one' })).contents, [
        { uri: 'annotated://one', mimeType: 'text/x-one', text: 'one', _meta },
      ]);
    });

    test('AResultKeepsItsMeta', async () => {
      const { _meta: given } = await result('tools/call', { name: 'whole' });
      assert.deepEqual(given['example.com/m'], _meta['example.com/m']);
    });
  });
}

for (const kind of kinds) {
  test(`ReachesTheSdk: ${kind.name}`, async () => {
    const client = await connectHttp(kind, host.url);
    assert.deepEqual((await client.listTools()).tools[0], tool);
    assert.deepEqual((await client.listResources()).resources, [resource]);
    assert.deepEqual((await client.listResourceTemplates()).resourceTemplates, [template]);
    // The SDKs drop the titles of arguments.
    const { title, ...argument } = prompt.arguments[0];
    assert.equal(title, 'A');
    const [{ arguments: [heard], ...rest }] = (await client.listPrompts()).prompts;
    assert.deepEqual({ ...rest, arguments: [{ ...argument, ...heard }] }, { ...prompt, arguments: [argument] });
    assert.deepEqual((await client.callTool({ name: 'contents', arguments: {} })).content, contents);
    await client.close();
  });
}
