// Plugins ask the client: the official clients answer forms, pages, sampling and roots, in either era, over either
// transport, with the same plugin.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { connectHttp, connectStdio, connectWebSocket, kinds } from './support/clients.mjs';
import { Components } from './support/components.mjs';
import { serveAll } from './support/host.mjs';
import { postModern } from './support/http.mjs';

const components = await Components.create('asking');
const host = await serveAll(components);

const capabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: {},
};

const accept = (content) => ({ action: 'accept', content });
const text = (words) => ({ type: 'text', text: words });

// A user, a model and a workspace. What was asked is remembered.
class Answers {
  asked = [];
  nextForm = [];

  elicit = ({ params }) => {
    this.asked.push(params);
    if (params.mode === 'url') return { action: 'accept' };
    return this.nextForm.shift() ?? accept({ name: 'Ada' });
  };

  sample = ({ params }) => {
    this.asked.push(params);
    const last = [params.messages.at(-1).content].flat();
    const role = 'assistant';
    const model = 'tester';
    if (last[0].type === 'tool_result') {
      return { role, model, content: text(`It says: ${last[0].content[0].text}`), stopReason: 'endTurn' };
    }
    if (params.tools) {
      const use = { type: 'tool_use', id: 'use-1', name: params.tools[0].name, input: { city: 'Paris' } };
      return { role, model, content: [use], stopReason: 'toolUse' };
    }
    return { role, model, content: text('I am a test'), stopReason: 'endTurn' };
  };

  roots = () => ({ roots: [{ uri: 'file:///work', name: 'work' }, { uri: 'file:///home' }] });
}

const transports = {
  http: (kind, setup) => connectHttp(kind, host.url, setup),
  stdio: (kind, setup) => connectStdio(kind, components, [], setup),
  WebSocket: (kind, setup) => connectWebSocket(kind, host.url, setup),
};

async function withClient(kind, transport, use, given = capabilities) {
  const answers = new Answers();
  const prepare = (client) => given === capabilities && kind.answer(client, answers);
  const client = await transports[transport](kind, { options: { capabilities: given }, prepare });
  try {
    await use({
      answers,
      client,
      async call(name, options) {
        const { content, isError } = await kind.call(client, { name, arguments: {} }, options);
        return { text: content[0].text, isError };
      },
    });
  } finally {
    await client.close();
  }
}

for (const kind of kinds) {
  for (const transport of Object.keys(transports)) {
    const where = `${kind.name}, ${transport}`;

    test(`AFormHasAllKindsOfFields, ${where}`, () =>
      withClient(kind, transport, async ({ answers, call }) => {
        const order = { name: 'Ada', count: 2, tip: 1.5, hurry: true, size: 'small', favourite: 'olives' };
        answers.nextForm = [accept(order)];
        assert.deepEqual(JSON.parse((await call('order')).text), order);
        const { message, requestedSchema } = answers.asked[0];
        assert.equal(message, 'Your order?');
        assert.deepEqual(requestedSchema, {
          type: 'object',
          properties: {
            name: { type: 'string', description: 'Whom it is for', minLength: 2 },
            count: { type: 'integer', description: 'How many', minimum: 1, maximum: 9, default: 1 },
            tip: { type: 'number', default: 0.5 },
            hurry: { type: 'boolean', default: false },
            size: { type: 'string', enum: ['small', 'large'], default: 'large' },
            favourite: {
              type: 'string',
              oneOf: [
                { const: 'cheese', title: 'Much cheese' },
                { const: 'olives', title: 'Olives' },
              ],
            },
          },
          required: ['name', 'favourite'],
        });
        const asDeclared = ['name', 'count', 'tip', 'hurry', 'size', 'favourite'];
        assert.deepEqual(Object.keys(requestedSchema.properties), asDeclared);
      }));

    test(`AFormMayLetTheUserChooseSeveral, ${where}`, () =>
      withClient(kind, transport, async ({ answers, call }) => {
        answers.nextForm = [accept({ toppings: ['olives', 'cheese'] })];
        assert.equal((await call('pizza')).text, '{"toppings":["olives","cheese"]}');
      }));

    test(`WhatTheUserRefusesIsToldToThePlugin, ${where}`, () =>
      withClient(kind, transport, async ({ answers, call }) => {
        answers.nextForm = [{ action: 'decline' }, { action: 'cancel' }];
        assert.equal((await call('order')).text, 'declined');
        assert.equal((await call('order')).text, 'closed');
      }));

    test(`APageIsOpenedByTheUser, ${where}`, () =>
      withClient(kind, transport, async ({ answers, call }) => {
        assert.equal((await call('sign_in')).text, 'opened');
        assert.equal(answers.asked[0].url, 'https://example.com/sign-in');
      }));

    test(`TheModelOfTheClientWrites, ${where}`, () =>
      withClient(kind, transport, async ({ answers, call }) => {
        assert.equal((await call('sample')).text, 'tester: I am a test');
        assert.equal(answers.asked[0].systemPrompt, 'Be terse.');
        assert.equal(answers.asked[0].maxTokens, 50);
      }));

    test(`TheModelOfTheClientUsesATool, ${where}`, () =>
      withClient(kind, transport, async ({ call }) => {
        assert.equal((await call('sample_with_tools')).text, 'It says: Sunny in Paris');
      }));

    test(`RootsAreListed, ${where}`, () =>
      withClient(kind, transport, async ({ call }) => {
        assert.equal((await call('roots')).text, 'work=file:///work;=file:///home;');
      }));

    test(`SeveralThingsAreAskedAtOnce, ${where}`, () =>
      withClient(kind, transport, async ({ answers, call }) => {
        assert.equal((await call('all_at_once')).text, 'Ada, I am a test, 2');
        assert.equal(answers.asked.length, 2);
      }));

    test(`OneInputRequestFollowsAnother, ${where}`, () =>
      withClient(kind, transport, async ({ answers, call }) => {
        answers.nextForm = [accept({ name: 'Ada' }), accept({ name: 'Lovelace' })];
        const heard = [];
        const options = { onprogress: ({ progress }) => heard.push(progress) };
        assert.equal((await call('two_rounds', options)).text, 'Ada Lovelace');
        // In the modern era each round is a request of its own.
        if (kind.era === 'legacy') assert.deepEqual(heard, [1, 2], 'progress does not go back');
      }));

    test(`PromptsAndResourcesAskToo, ${where}`, () =>
      withClient(kind, transport, async ({ client }) => {
        const { messages } = await client.getPrompt({ name: 'asking' });
        assert.equal(messages[0].content.text, 'Write to Ada');
        const { contents } = await client.readResource({ uri: 'asking://name' });
        assert.equal(contents[0].text, 'Ada');
      }));

    test(`AClientThatCannotAnswerIsToldWhatItLacks, ${where}`, () =>
      withClient(
        kind,
        transport,
        async ({ call }) => {
          if (kind.era === 'modern') {
            await assert.rejects(call('roots'), (error) => {
              assert.equal(error.code, -32021);
              assert.deepEqual(error.data, { requiredCapabilities: { roots: {} } });
              return true;
            });
          } else {
            const { text: words, isError } = await call('roots');
            assert.equal(isError, true);
            assert.match(words, /^This needs client capabilities that this client does not declare: {"roots":{}}$/);
          }
        },
        {},
      ));
  }
}

test('AnswersThatAClientCannotCarryFailTheCallWithWords', async () => {
  const _meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities };
  const call = async (more) =>
    (await postModern(host.url, 'tools/call', { name: 'two_rounds', arguments: {}, _meta, ...more })).json();
  const { requestState, inputRequests } = (await call({})).result;
  const [key] = Object.keys(inputRequests);
  const answer = (length) => call({ requestState, inputResponses: { [key]: accept({ name: 'x'.repeat(length) }) } });
  assert.equal((await answer(500_000)).result.resultType, 'input_required');
  const { error } = await answer(1 << 20);
  assert.equal(error.code, -32603);
  const words = /^The answers so far are too large for the client to carry: \d{7} bytes of requestState, more than 1048576$/;
  assert.match(error.message, words);
});
