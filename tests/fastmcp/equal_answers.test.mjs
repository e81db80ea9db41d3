// The tutorial's two servers, the real FastMCP and this host with the plugin, are asked the same by the official clients
// and answer the same, but for what stands in the table of differences.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { env, exit } from 'node:process';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

import { connectStdio, kinds } from '../integration/support/clients.mjs';
import { Components } from '../integration/support/components.mjs';
import { asking, calls, lists, stricter } from './calls.mjs';
import { readSections } from './sections.mjs';

if (!existsSync(env.MCP_FASTMCP_PYTHON)) {
  console.log('skipped: FastMCP is not installed; the test python.packages says why');
  exit(0);
}

// The user and the model of a client.
const options = { capabilities: { elicitation: {}, sampling: {}, roots: {} } };
const person = {
  elicit: ({ params: { message } }) => ({
    action: 'accept',
    content: message === 'Really?' ? { value: true } : { name: 'Ada', size: 'large', count: 2 },
  }),
  sample: ({ params: { systemPrompt, messages } }) => ({
    role: 'assistant',
    model: 'none',
    content: { type: 'text', text: `${systemPrompt} ${messages[0].content.text}` },
  }),
  roots: () => ({ roots: [] }),
};

async function connectFastmcp(kind) {
  const client = kind.create(options);
  kind.answer(client, person);
  const args = [fileURLToPath(new URL('tutorial.py', import.meta.url))];
  const quiet = { FASTMCP_SHOW_SERVER_BANNER: 'false', FASTMCP_CHECK_FOR_UPDATES: 'off' };
  await client.connect(kind.stdio({ command: env.MCP_FASTMCP_PYTHON, args, env: quiet, stderr: 'ignore' }));
  after(() => client.close());
  return client;
}

// What is asked of one of the servers, by one kind of client.
async function interview(kind, client) {
  const answers = new Map();
  for (const [section, asks] of Object.entries({ ...calls, lists, stricter })) {
    answers.set(section, []);
    for (const ask of asks) answers.get(section).push(await answerOf(ask, client, kind));
  }
  return answers;
}

// An error is one, whatever it says, and whether it is a result or JSON-RPC's.
async function answerOf(ask, client, kind) {
  try {
    const { isError, ...answer } = await ask(client, kind);
    return isError ? 'an error' : JSON.parse(JSON.stringify(answer)); // without members that are undefined
  } catch (error) {
    if (error.code === undefined) throw error;
    return 'an error';
  }
}

const components = await Components.create();
after(() => components.discard());
await copyFile(env.MCP_TUTORIAL, components.file('tutorial.so'));
const interviews = {};
for (const kind of kinds.filter(({ name }) => name !== 'SDK v2, legacy')) {
  const [theirs, own] = await Promise.all([
    connectFastmcp(kind).then((client) => interview(kind, client)),
    connectStdio(kind, components, [], { options, prepare: (client) => kind.answer(client, person) })
      .then((client) => interview(kind, client)),
  ]);
  interviews[kind.era] = { theirs, own };
}

// The header is of all.
const sections = readSections().map(({ name }) => name).filter((name) => name !== 'header');

const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
const withoutNulls = (value) => value && JSON.parse(JSON.stringify(value, (_, each) => each ?? undefined));

const titleOf = (name) => name.replace(/(^|_)./g, (start) => start.replace('_', ' ').toUpperCase());

// Gives a text of FastMCP's that is the same as ours in another spelling ours.
const spelled = (isSame) => (theirs, own) => ({
  ...theirs,
  content: theirs.content.map((each, i) =>
    each.type === 'text' && isSame(each.text, own.content?.[i]?.text) ? { ...each, text: own.content[i].text } : each),
});
const ofTools = (change) => (theirs, own) => (theirs.content ? change(theirs, own) : theirs);

// All that may differ: `change` makes of an answer of FastMCP's what this host says. Each is needed by some answer.
const differences = [
  {
    reason: 'FastMCP says in _meta that a value is wrapped, where the output schema says it',
    change: ofTools(({ _meta: { fastmcp, ...meta } = {}, ...theirs }) =>
      (Object.keys(meta).length > 0 ? { ...theirs, _meta: meta } : theirs)),
  },
  {
    reason: 'FastMCP repeats a text as structured content, where it is only text here',
    change: ofTools(({ structuredContent, ...theirs }, own) =>
      (own.structuredContent === undefined && structuredContent?.result === theirs.content[0]?.text
        ? theirs
        : { structuredContent, ...theirs })),
  },
  {
    reason: 'FastMCP sends null for what an optional member does not have, where it is left out here',
    change: ofTools((theirs, own) => ({
      ...spelled((text, ownText) => text.includes('null') && JSON.stringify(withoutNulls(parsed(text))) === ownText)(theirs, own),
      structuredContent: withoutNulls(theirs.structuredContent),
    })),
  },
  {
    reason: 'FastMCP writes 4.0 for the model, where it is 4 here',
    change: ofTools(spelled((text, own) => typeof parsed(text) === 'number' && parsed(text) === parsed(own))),
  },
  {
    reason: 'FastMCP wraps what is logged, and does not say by whom, which is the plugin here',
    change: (theirs) => (theirs.heard
      ? { ...theirs, heard: theirs.heard.map((each) =>
        (each.level ? { ...each, logger: 'tutorial', data: each.data.msg } : each)) }
      : theirs),
  },
  {
    reason: 'FastMCP makes a title of the name of a tool that has none',
    change: (theirs) => (theirs.tools
      ? { tools: theirs.tools.map(({ title, ...each }) => (title === titleOf(each.name) ? each : { title, ...each })) }
      : theirs),
  },
  {
    reason: 'FastMCP says of every text in a resource that it is text/plain, where the author says what it is here',
    change: (theirs) => (theirs.contents
      ? { ...theirs, contents: theirs.contents.map(({ mimeType, ...each }) =>
        (mimeType === 'text/plain' ? each : { mimeType, ...each })) }
      : theirs),
  },
];

function changed(theirs, own) {
  for (const difference of differences) {
    const before = theirs;
    theirs = JSON.parse(JSON.stringify(difference.change(before, own)));
    difference.isNeeded ||= !isDeepStrictEqual(theirs, before);
  }
  return theirs;
}

for (const [era, { theirs, own }] of Object.entries(interviews)) {
  for (const name of [...sections, 'lists']) {
    test(`TheAnswersAreEqual: ${name}, ${era} era`, () => {
      assert.ok(own.get(name)?.length > 0, `calls.mjs has no call of the section "${name}"`);
      // What asks the client FastMCP answers in the legacy era only.
      const expected = asking.includes(name) ? interviews.legacy.theirs.get(name) : theirs.get(name);
      own.get(name).forEach((answer, i) => assert.deepEqual(answer, changed(expected[i], answer)));
    });
  }

  test(`WhatIsRefusedHereAndNotByFastmcp: ${era} era`, () => {
    assert.ok(theirs.get('stricter').every((answer) => answer !== 'an error'));
    assert.ok(own.get('stricter').every((answer) => answer === 'an error'));
  });
}

test('FastmcpAsksNoClientOfTheModernEra', () => {
  for (const name of asking) assert.deepEqual(interviews.modern.theirs.get(name), ['an error']);
});

test('EveryDifferenceIsThere', () => {
  assert.deepEqual(differences.filter(({ isNeeded }) => !isNeeded).map(({ reason }) => reason), []);
});
