// What the tutorial plugin does in every language: the same, to the word. tutorial.mjs says how a language is chosen.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, test } from 'node:test';
import { promisify } from 'node:util';

import { connectHttp, kinds } from '../integration/support/clients.mjs';
import { program, sanitizer } from '../integration/support/host.mjs';
import { allMessages, modern, newestLegacy, postModern, request, Session } from '../integration/support/http.mjs';
import { sseEvents } from '../integration/support/sse.mjs';
import { Caller, library, Tutorial } from './tutorial.mjs';

const debugging = ['--log-level', 'debug'];
const tutorial = await Tutorial.serve({ after }, {}, debugging);

// --- Clients: an official one of each era, and a user who answers both of them

const user = { asked: [], answer: { action: 'cancel' } };
const elicit = ({ params }) => {
  user.asked.push(params);
  return user.answer;
};

class Client {
  static async connect(kind) {
    const options = { capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} } };
    const prepare = (client) => kind.answer(client, { elicit, sample: assert.fail, roots: assert.fail });
    return new Client(kind, await connectHttp(kind, tutorial.url, { options, prepare }));
  }

  constructor(kind, sdk) {
    this.kind = kind;
    this.sdk = sdk;
  }

  call(name, args = {}, options = {}) {
    return this.kind.call(this.sdk, { name, arguments: args }, options);
  }
}

const eras = { legacy: await Client.connect(kinds[0]), modern: await Client.connect(kinds[1]) };

const textOf = ({ content }) => content[0].text;

async function inputSchemaOf(name) {
  const { tools } = await eras.legacy.sdk.listTools();
  return tools.find((tool) => tool.name === name).inputSchema;
}

// A schema with what a local reference leads to in its place.
function resolved(schema, root = schema) {
  if (Array.isArray(schema)) return schema.map((each) => resolved(each, root));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref, ...rest } = schema;
  const target = $ref?.slice(2).split('/').reduce((at, step) => at[step], root);
  const own = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, resolved(value, root)]));
  return target ? { ...resolved(target, root), ...own } : own;
}

// Some keywords of a schema.
const only = (schema, ...keywords) => Object.fromEntries(keywords.map((each) => [each, schema[each]]));

// --- What it says of itself

const namesOf = (list) => list.map(({ name }) => name).sort();

for (const [era, { sdk }] of Object.entries(eras)) {
  test(`EverythingIsListed, ${era}`, async () => {
    assert.deepEqual(namesOf((await sdk.listTools()).tools), [
      'add', 'ask_name', 'break', 'caller', 'count', 'fail', 'greet', 'picture', 'register_person', 'resize', 'slow_tool',
    ]);
    const { resources } = await sdk.listResources();
    assert.deepEqual(resources.map(({ uri, mimeType }) => [uri, mimeType]), [['tutorial://version', 'text/plain']]);
    const { resourceTemplates } = await sdk.listResourceTemplates();
    assert.deepEqual(resourceTemplates.map(({ uriTemplate }) => uriTemplate), ['tutorial://squares/{n}']);
    const { prompts } = await sdk.listPrompts();
    assert.deepEqual(namesOf(prompts), ['greeting', 'review']);
    const argumentsOf = (name) => prompts.find((prompt) => prompt.name === name).arguments;
    assert.deepEqual(argumentsOf('greeting').map(({ name }) => name), ['language']);
    assert.deepEqual(argumentsOf('review').map(({ name, required }) => [name, required]), [['code', true]]);
  });
}

test('TagsAreListedWithTheirTool', async () => {
  for (const { sdk } of Object.values(eras)) {
    const { tools } = await sdk.listTools();
    const tagged = tools.filter(({ _meta }) => _meta?.['mcp-plugin-host/tags']);
    assert.deepEqual(tagged.map(({ name, _meta }) => [name, _meta['mcp-plugin-host/tags']]), [['slow_tool', ['slow']]]);
  }
});

test('AddSaysWhatItTakesAndWhatItReturns', async () => {
  const { tools } = await eras.modern.sdk.listTools();
  const { inputSchema, outputSchema, annotations } = tools.find(({ name }) => name === 'add');
  assert.equal(inputSchema.type, 'object');
  assert.deepEqual(Object.keys(inputSchema.properties), ['a', 'b']);
  for (const each of Object.values(inputSchema.properties)) assert.equal(each.type, 'integer');
  assert.deepEqual(inputSchema.required.toSorted(), ['a', 'b']);
  assert.deepEqual([outputSchema.type, outputSchema.required], ['object', ['result']]);
  assert.equal(outputSchema.properties.result.type, 'integer');
  assert.equal(annotations.readOnlyHint, true);
});

test('DefaultsBoundsAndChoicesAreInTheSchemas', async () => {
  const greet = resolved(await inputSchemaOf('greet'));
  assert.deepEqual(only(greet.properties.name, 'type', 'minLength'), { type: 'string', minLength: 1 });
  assert.deepEqual(only(greet.properties.style, 'enum', 'default'), { enum: ['casual', 'formal'], default: 'casual' });
  assert.deepEqual(greet.required, ['name']);

  const resize = resolved(await inputSchemaOf('resize'));
  const bounds = { type: 'integer', minimum: 1, maximum: 2000 };
  const keywords = Object.keys(bounds);
  assert.deepEqual(only(resize.properties.width, ...keywords), bounds);
  assert.deepEqual(only(resize.properties.height, ...keywords, 'default'), { ...bounds, default: 600 });
  assert.deepEqual(resize.required, ['width']);
});

test('AnObjectWithinTheArgumentsHasItsSchema', async () => {
  const schema = resolved(await inputSchemaOf('register_person'));
  assert.deepEqual(schema.required, ['person']);
  const { type, properties, required } = schema.properties.person;
  assert.equal(type, 'object');
  assert.deepEqual(Object.keys(properties).sort(), ['age', 'email', 'name']);
  assert.deepEqual(required.toSorted(), ['age', 'name']);
  assert.equal(properties.name.type, 'string');
  assert.deepEqual(only(properties.age, 'type', 'minimum'), { type: 'integer', minimum: 0 });
});

test('InspectShowsIt', async () => {
  const { stdout } = await promisify(execFile)(program, ['inspect', tutorial.components.file('tutorial.so')]);
  assert.match(stdout, /tutorial/);
  assert.match(stdout, /1\.0\.0/);
  assert.match(stdout, /^ {2}tool +register_person/m);
});

// --- Tools

for (const [era, client] of Object.entries(eras)) {
  test(`AddAnswersWithTextAndStructure, ${era}`, async () => {
    const { content, structuredContent, isError } = await client.call('add', { a: 2, b: 3 });
    assert.deepEqual(content, [{ type: 'text', text: '5' }]);
    assert.deepEqual(structuredContent, { result: 5 });
    assert.ok(!isError);
  });
}

test('IntegersAreExact', async () => {
  for (const [a, b] of [[-7, 3], [0, 0], [2 ** 53 - 2, 1], [-(2 ** 53) + 1, 0], [2 ** 31, 2 ** 31]]) {
    const { structuredContent, content } = await eras.modern.call('add', { a, b });
    assert.deepEqual([structuredContent.result, content[0].text], [a + b, String(a + b)]);
  }
});

test('ArgumentsThatTheSchemaForbidsAreRefused', async () => {
  for (const [name, args, about] of [
    ['add', { a: 2 }, /"b"/],
    ['add', { a: 2, b: '3' }, /"b" must be an integer/],
    ['add', { a: 1.5, b: 3 }, /"a" must be an integer/],
    ['greet', { name: '' }, /"name"/],
    ['greet', { name: 'Ada', style: 'rude' }, /"style"/],
    ['resize', { width: 0 }, /"width" must be at least 1/],
    ['resize', { width: 5000 }, /"width" must be at most 2000/],
    ['register_person', { person: { name: 'Ada', age: -1 } }, /age/],
    ['count', { to: 100_001 }, /"to"/],
    ['break', { how: 'slowly' }, /"how"/],
  ]) {
    const { result, error } = await tutorial.ask(name, args);
    assert.ok(error || result.isError, `${name} takes ${JSON.stringify(args)}`);
    assert.match(error?.message ?? textOf(result), about);
  }
});

test('GreetKnowsTwoStylesAndADefault', async () => {
  assert.equal(await tutorial.say('greet', { name: 'Ada' }), 'Hi, Ada!');
  assert.equal(await tutorial.say('greet', { name: 'Ada', style: 'casual' }), 'Hi, Ada!');
  assert.equal(await tutorial.say('greet', { name: 'Ada', style: 'formal' }), 'Good day, Ada.');
});

test('TextIsGivenBackAsItCame', async () => {
  for (const name of [
    'Zoë', '李雷', 'عمر', '👩‍🚀', 'e\u0301', 'a "b" \\ c', 'tab\tline\r\n', '\u2028\u2029', '\u007f\ufeff%s{}',
  ]) {
    for (const client of Object.values(eras)) {
      assert.equal(textOf(await client.call('greet', { name })), `Hi, ${name}!`);
    }
  }
});

test('AMegabyteIsTakenAndGivenBack', async () => {
  const name = 'äöü-'.repeat(150_000);
  const answers = await Promise.all(Object.values(eras).map((client) => client.call('greet', { name })));
  for (const answer of answers) assert.ok(textOf(answer) === `Hi, ${name}!`);
});

test('ADefaultIsFilledIn', async () => {
  assert.equal(await tutorial.say('resize', { width: 800 }), '800x600');
  assert.equal(await tutorial.say('resize', { width: 1, height: 2000 }), '1x2000');
});

test('AnObjectIsReadAndWritten', async () => {
  const email = 'ada@example.com';
  for (const [person, adult] of [
    [{ name: 'Ada', age: 36, email }, true],
    [{ name: 'Zoë', age: 18 }, true],
    [{ name: 'Kim', age: 17 }, false],
    [{ name: '', age: 0, email: '' }, false],
  ]) {
    const { content, structuredContent } = await eras.legacy.call('register_person', { person });
    assert.deepEqual(structuredContent, { ...person, adult });
    assert.deepEqual(JSON.parse(content[0].text), structuredContent);
  }
});

test('APictureIsAnImage', async () => {
  const { content } = await eras.modern.call('picture');
  assert.deepEqual(content, [{ type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }]);
});

test('AFailureIsAToolError', async () => {
  for (const client of Object.values(eras)) {
    const { content, isError } = await client.call('fail', { message: 'no more "paper"' });
    assert.deepEqual([isError, content], [true, [{ type: 'text', text: 'no more "paper"' }]]);
  }
});

// --- Progress, log messages, cancellation

for (const [era, client] of Object.entries(eras)) {
  test(`ProgressIsHeardBeforeTheResult, ${era}`, async () => {
    const heard = [];
    const onprogress = (progress) => heard.push(progress);
    const answer = await client.call('count', { to: 3, milliseconds: 60 }, { onprogress });
    assert.equal(textOf(answer), 'counted to 3');
    assert.deepEqual(heard, [1, 2, 3].map((i) => ({ progress: i, total: 3, message: `${i} of 3` })));
  });
}

const logged = {
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { level: 'info', logger: 'tutorial', data: 'counting to 2' },
};
const countToTwo = { name: 'count', arguments: { to: 2 } };

test('ALogMessageReachesTheClientOfItsCall, legacy', async () => {
  const session = await Session.open(tutorial.url);
  await session.ask('logging/setLevel', { level: 'info' });
  const messages = await allMessages(await session.post(request('tools/call', countToTwo)));
  assert.deepEqual(messages.slice(0, -1), [logged]);
  assert.equal(textOf(messages.at(-1).result), 'counted to 2');
});

test('ALogMessageReachesTheClientOfItsCall, modern', async () => {
  const _meta = { 'io.modelcontextprotocol/logLevel': 'info' };
  const messages = await allMessages(await postModern(tutorial.url, 'tools/call', { ...countToTwo, _meta }));
  assert.deepEqual(messages.slice(0, -1), [logged]);
  assert.equal(textOf(messages.at(-1).result), 'counted to 2');
});

// Not over before somebody says so.
const endless = { to: 100_000, milliseconds: 20 };

for (const [era, client] of Object.entries(eras)) {
  test(`AClientCancelsACall, ${era}`, async () => {
    const ended = tutorial.callEnds('count', 'tool error, cancelled by the client');
    const givingUp = new AbortController();
    const options = { signal: givingUp.signal, onprogress: () => givingUp.abort('no longer needed') };
    await assert.rejects(client.call('count', endless, options));
    assert.equal((await ended).error, 'cancelled', 'said by the plugin');
  });
}

test('ACallThatTakesTooLongIsCancelled', async (context) => {
  const hurried = await Tutorial.serve(context, { limits: { callTimeMs: 400 } });
  const { result } = await hurried.ask('count', endless);
  assert.equal(result.isError, true);
  assert.deepEqual(result.content.map(({ text }) => text), [
    'The call was cancelled, because count took longer than the 0.4 s that limits.callTimeMs allows.',
    'cancelled',
  ]);
});

test('ACallThatTakesLongerThanItsToolAllowsIsCancelled', async () => {
  const begin = performance.now();
  const { result } = await tutorial.ask('slow_tool');
  const milliseconds = performance.now() - begin;
  assert.equal(result.isError, true);
  const words = 'The call was cancelled, because slow_tool took longer than the 0.3 s that its plugin allows it.';
  assert.equal(textOf(result), words);
  assert.ok(milliseconds >= 300 && milliseconds < 60_000, `${milliseconds} ms`);
});

// --- Questions to the user

for (const [era, client] of Object.entries(eras)) {
  test(`TheUserIsAsked, ${era}`, async () => {
    Object.assign(user, { asked: [], answer: { action: 'accept', content: { name: 'Zoë' } } });
    assert.equal(textOf(await client.call('ask_name')), 'Hello, Zoë!');
    assert.equal(user.asked.length, 1);
    const { message, requestedSchema } = user.asked[0];
    assert.equal(message, 'What is your name?');
    assert.deepEqual(only(requestedSchema, 'type', 'required'), { type: 'object', required: ['name'] });
    assert.equal(requestedSchema.properties.name.type, 'string');
  });
}

for (const [action, words] of [['decline', 'You declined.'], ['cancel', 'You cancelled.']]) {
  test(`TheUserMay: ${action}`, async () => {
    for (const client of Object.values(eras)) {
      Object.assign(user, { asked: [], answer: { action } });
      assert.equal(textOf(await client.call('ask_name')), words);
    }
  });
}

// --- Resources and prompts

test('AResourceIsRead', async () => {
  for (const { sdk } of Object.values(eras)) {
    const { contents } = await sdk.readResource({ uri: 'tutorial://version' });
    assert.deepEqual(contents, [{ uri: 'tutorial://version', mimeType: 'text/plain', text: '1.0.0' }]);
  }
});

test('ATemplateHasAVariable', async () => {
  for (const [n, squared] of [['12', '144'], ['-3', '9'], ['0', '0']]) {
    const uri = `tutorial://squares/${n}`;
    const { contents } = await eras.modern.sdk.readResource({ uri });
    assert.deepEqual(contents, [{ uri, mimeType: 'text/plain', text: squared }]);
  }
});

test('AVariableThatIsNoIntegerIsRefused', async () => {
  for (const n of ['seven', '1.5', '7x']) {
    for (const { sdk } of Object.values(eras)) {
      await assert.rejects(sdk.readResource({ uri: `tutorial://squares/${n}` }), { code: -32602, message: /integer/ });
    }
  }
});

test('APromptIsFilledIn', async () => {
  for (const { sdk } of Object.values(eras)) {
    const { messages } = await sdk.getPrompt({ name: 'review', arguments: { code: 'int x = "ä";' } });
    assert.deepEqual(messages, [{ role: 'user', content: { type: 'text', text: 'Please review:\nint x = "ä";' } }]);
    await assert.rejects(sdk.getPrompt({ name: 'review', arguments: {} }), { code: -32602 });
  }
});

for (const [era, { sdk }] of Object.entries(eras)) {
  test(`WhatHasBeenTypedIsCompleted, ${era}`, async () => {
    const complete = async (value) => {
      const argument = { name: 'language', value };
      const { completion } = await sdk.complete({ ref: { type: 'ref/prompt', name: 'greeting' }, argument });
      return completion.values;
    };
    assert.deepEqual(await complete(''), ['english', 'finnish', 'french', 'german']);
    assert.deepEqual(await complete('f'), ['finnish', 'french']);
    assert.deepEqual(await complete('german'), ['german']);
    assert.deepEqual(await complete('x'), []);
  });
}

// --- Where it runs

test('TheCallerIsKnown', async () => {
  assert.equal(textOf(await eras.legacy.call('caller')), `${newestLegacy} integration`);
  assert.equal(textOf(await eras.modern.call('caller')), `${modern} integration`);
});

test('ItsConfigurationIsRead', async (context) => {
  const greeting = await Tutorial.serve(context, { greeting: 'Servus' });
  assert.equal(await greeting.say('greet', { name: 'Ada' }), 'Servus, Ada!');
  const replaced = greeting.host.log.next({ event: 'plugin replaced' });
  await greeting.configure({ greeting: 'Grüß dich' });
  await replaced;
  assert.equal(await greeting.say('greet', { name: 'Ada' }), 'Grüß dich, Ada!');
  assert.equal(await greeting.say('greet', { name: 'Ada', style: 'formal' }), 'Good day, Ada.');
});

test('APanicIsAnErrorOfItsCall', async () => {
  for (let i = 0; i < 3; ++i) {
    const { result, error } = await tutorial.ask('break', { how: 'panic' });
    assert.ok(error || result.isError);
    assert.match(error?.message ?? textOf(result), /broken/);
  }
  assert.equal(await tutorial.say('add', { a: 1, b: 1 }), '2');
  assert.deepEqual(tutorial.host.log.matching({ event: 'plugin crashed' }), [], 'the plugin lives on');
});

test('ACrashIsToldAndFollowedByAFreshStart', async (context) => {
  const doomed = await Tutorial.serve(context);
  const restarted = doomed.host.log.next({ event: 'plugin restarted' });
  const { error } = await doomed.ask('break', { how: 'crash' });
  assert.equal(error.code, -32603);
  const how = sanitizer ? /^plugin tutorial: its process / : /^plugin tutorial: its process was killed by SIGSEGV /;
  assert.match(error.message, how);
  await restarted;
  assert.equal(await doomed.say('add', { a: 1, b: 1 }), '2');
});

// 200 times where it is to be known well.
const replacements = Number(process.env.MCP_LANGUAGE_RELOADS ?? 50);

test('NoCallIsLostWhileItIsReplacedManyTimes', async (context) => {
  const replaced = await Tutorial.serve(context);
  // Not by way of the one who listens in, who would keep all of it.
  const callers = ['legacy', 'modern', 'legacy', 'modern'].map((era) => new Caller(replaced.host.address, era));
  const begin = performance.now();
  for (let i = 0; i < replacements; ++i) await replaced.replace();
  const seconds = (performance.now() - begin) / 1000;
  for (const caller of callers) await caller.stop();
  const answers = callers.map((caller) => caller.answers);
  context.diagnostic(`${answers.reduce((sum, each) => sum + each)} calls answered while it was replaced ` +
    `${replacements} times in ${seconds.toFixed(1)} s`);
  assert.ok(Math.min(...answers) >= replacements, `${answers}`);
  assert.deepEqual(replaced.host.log.matching({ event: 'plugin crashed' }), []);
});

test('ItWorksInTheStrictSandbox', async (context) => {
  const boxed = await Tutorial.serve(context, { sandbox: { profile: 'strict', required: true }, greeting: 'Ahoy' });
  assert.equal(await boxed.say('greet', { name: 'Zoë' }), 'Ahoy, Zoë!');
  assert.equal(await boxed.say('count', { to: 3, milliseconds: 1 }), 'counted to 3');
  assert.match(await boxed.say('register_person', { person: { name: 'Ada', age: 36 } }), /"adult": ?true/);
  assert.match(await boxed.say('caller'), /integration$/);
});

test('CallsRunBesideEachOther', async () => {
  const events = [];
  const count = async (to) => {
    const onprogress = ({ progress }) => progress === 1 && events.push('begins');
    const answer = await eras.modern.call('count', { to, milliseconds: 1000 }, { onprogress });
    events.push('ends');
    return textOf(answer);
  };
  const answers = await Promise.all([3, 4, 5, 6].map(count));
  assert.deepEqual(answers, [3, 4, 5, 6].map((to) => `counted to ${to}`));
  assert.deepEqual(events.slice(0, 4), Array(4).fill('begins'), 'all have begun before one ends');
});

test('ItStopsInTheMiddleOfACall', async (context) => {
  const stopped = await Tutorial.serve(context, {}, ['--shutdown-grace-s', '1']);
  const params = { name: 'count', arguments: endless, _meta: { progressToken: 1 } };
  const messages = [];
  for await (const { data } of sseEvents((await postModern(stopped.url, 'tools/call', params)).body)) {
    if (!data) continue;
    if (messages.push(JSON.parse(data)) === 1) stopped.host.signal('SIGTERM');
  }
  const { result } = messages.at(-1);
  assert.equal(result.isError, true);
  assert.equal(result.content.at(-1).text, 'cancelled');
  assert.deepEqual(await stopped.host.end(), { status: 0, signal: null });
  assert.deepEqual(stopped.host.log.matching({ event: 'plugin crashed' }), [], 'it heeds the cancellation');
});
