// The forms of the dashboard, made in a browser of the schemas that there are: what a form cannot show is a field for
// JSON, and no schema is without either. MCP_PUBLISHED_TOOLS names a file with further tools
// (tests/search/assemble.mjs makes one).
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { env } from 'node:process';
import { test } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

import { browser, options } from './support/dashboard.mjs';
import { loadModules } from './support/page_modules.mjs';

let loading;
async function load() {
  const tab = await (await browser()).newPage();
  await loadModules(tab, ['elements', 'words', 'form']);
  return tab;
}
// Runs a function in the page that has the modules.
async function inPage(run, ...args) {
  loading ??= load();
  return (await loading).evaluate(run, ...args);
}

const fields = (schema) => inPage((given) => {
  const { element: form } = modules.schemaForm(given);
  return [...form.querySelectorAll('input, select, textarea')].map((each) => {
    const kind = each.classList.contains('code') ? 'json' : each.tagName.toLowerCase();
    return `${kind} ${each.getAttribute('aria-label') ?? form.querySelector(`label[for="${each.id}"]`)?.firstChild.textContent}`;
  });
}, schema);

// What is sent of a form that has been filled with a value.
const sent = (schema, value) => inPage((given, filled) => {
  const form = modules.schemaForm(given);
  document.body.replaceChildren(form.element);
  if (filled !== null) form.fill(filled);
  return form.value() ?? null;
}, schema, value);

const object = (properties, more = {}) => ({ type: 'object', properties, ...more });

test('EachKindOfValueHasItsField', options, async () => {
  assert.deepEqual(await fields(object({
    name: { type: 'string' }, count: { type: 'integer', minimum: 1 }, hurry: { type: 'boolean' }, size: { enum: ['s', 'l'] },
    address: object({ street: { type: 'string' } }), notes: { type: 'string', maxLength: 1000 },
  })), ['input name', 'input count', 'select hurry', 'select size', 'input street', 'textarea notes']);
});

test('ReferencesAreFollowedAndWhatHoldsTogetherIsOne', options, async () => {
  const schema = {
    ...object({ start: { $ref: '#/$defs/place' }, more: { allOf: [object({ a: { type: 'string' } }), object({ b: { type: 'number' } })] } }),
    $defs: { place: object({ city: { type: 'string' } }) },
  };
  assert.deepEqual(await fields(schema), ['input city', 'input a', 'input b']);
});

test('AlternativesAreAChoice', options, async () => {
  const schema = object({ id: { anyOf: [{ type: 'string' }, { type: 'integer' }] }, maybe: { type: ['string', 'null'] } }, { required: ['id'] });
  assert.deepEqual(await fields(schema), ['select Kind of id', 'input id', 'select Kind of maybe']);
  assert.deepEqual(await sent(schema, { id: 7, maybe: null }), { id: 7, maybe: null });
});

test('WhatAFormCannotShowIsJsonThereAndNowhereElse', options, async () => {
  const schema = object({
    plain: { type: 'string' }, tuple: { type: 'array', prefixItems: [{ type: 'string' }] }, not: { not: { type: 'string' } },
    self: { $ref: '#' }, any: true, none: {},
  });
  const found = await fields(schema);
  for (const name of ['tuple', 'not', 'any', 'none']) assert.ok(found.includes(`json ${name}`), `${name} of ${found}`);
  assert.equal(found[0], 'input plain');
});

test('WhatIsLeftEmptyIsLeftOut', options, async () => {
  const schema = object({ a: { type: 'string' }, b: { type: 'integer' }, c: object({ d: { type: 'string' } }), e: { type: 'array', items: { type: 'string' } } });
  assert.deepEqual(await sent(schema, null), {});
  assert.deepEqual(await sent(object({ a: { type: 'string', default: 'x' }, b: { type: 'boolean' } }, { required: ['b'] }), null), { a: 'x', b: false });
});

test('WhatIsFilledInComesOutAsItIs', options, async () => {
  const schema = object({
    text: { type: 'string' }, number: { type: 'number' }, list: { type: 'array', items: object({ x: { type: 'integer' }, y: { type: 'array', items: { type: 'string' } } }) },
    deep: object({ er: object({ still: { type: 'boolean' } }) }), any: {},
  }, { required: ['text'] });
  const value = { text: '', number: -1.5e3, list: [{ x: 1, y: ['a', ''] }, { x: 2 }], deep: { er: { still: false } }, any: [1, { two: null }] };
  assert.deepEqual(await sent(schema, value), value);
});

test('ATextThatWasLeftOutStaysSoUntilSomebodyWritesThere', options, async () => {
  const schema = object({ a: { type: 'string', default: 'x' }, b: { type: 'string' } }, { required: ['b'] });
  assert.deepEqual(await sent(schema, {}), {});
  assert.deepEqual(await sent(schema, { a: '', b: '' }), { a: '', b: '' });
  const written = await inPage((given) => {
    const form = modules.schemaForm(given);
    form.fill({});
    for (const input of form.element.querySelectorAll('input')) {
      for (const text of ['y', '']) {
        input.value = text;
        input.dispatchEvent(new Event('input'));
      }
    }
    return form.value();
  }, schema);
  assert.deepEqual(written, { a: '', b: '' });
});

test('AWholeNumberThatTheBrowserWouldChangeIsRefused', options, async () => {
  // What is sent, or why not, of a field into which somebody writes.
  const written = (type, text) => inPage((given, typed) => {
    const form = modules.schemaForm(given);
    form.element.querySelector('input, textarea').value = typed;
    try {
      return form.value().x;
    } catch (error) {
      return error.message;
    }
  }, object({ x: type }), text);
  const refused = 'x has 9007199254740993, and a browser would change digits beyond 9007199254740991. '
    + 'Send it with another client';
  assert.equal(await written({ type: 'integer' }, '9007199254740993'), refused);
  assert.equal(await written({ type: 'number' }, '9007199254740993'), refused);
  assert.equal(await written({}, '{"a": [9007199254740993]}'), refused);
  assert.equal(await written({ type: 'integer' }, '-9007199254740991'), -9007199254740991);
  assert.equal(await written({ type: 'number' }, '1e300'), 1e300);
  assert.deepEqual(await written({}, '["\\"9007199254740993", 1e300, -7]'), ['"9007199254740993', 1e300, -7]);
  assert.match(await written({}, '{'), /^x is no JSON: /);
});

test('ASchemaThatStandsForMoreThanAnybodyWaitsForIsJson', options, async () => {
  const $defs = { level_60: object({ a: { type: 'string' } }) };
  for (let i = 0; i < 60; ++i) $defs[`level_${i}`] = { allOf: [{ $ref: `#/$defs/level_${i + 1}` }, { $ref: `#/$defs/level_${i + 1}` }] };
  assert.deepEqual(await fields({ ...object({ deep: { $ref: '#/$defs/level_0' } }), $defs }), ['json deep']);
  // A few levels are nothing.
  assert.deepEqual(await fields({ ...object({ deep: { $ref: '#/$defs/level_52' } }), $defs }), ['input a']);
  const choice = { enum: Array.from({ length: 5000 }, (_, i) => `entry ${i}`) };
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`choice_${i}`, { $ref: '#/$defs/choice' }]));
  const found = await fields({ ...object(many), $defs: { choice } });
  assert.deepEqual([found.length, found[0], found[49]], [50, 'select choice_0', 'json choice_49']);
  const chain = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [i, { $ref: `#/$defs/${i + 1}` }]));
  assert.deepEqual(await fields({ ...object({ far: { $ref: '#/$defs/0' } }), $defs: chain }), ['json far']);
});

test('WhatIsNoSchemaHasAFieldForJson', options, async () => {
  const odd = [
    { allOf: [{ required: true }, { required: false }] }, { allOf: [{ properties: 1 }, { properties: null }] },
    { allOf: [{ properties: { a: {} } }, { properties: 'a' }] }, { allOf: [1] }, { allOf: [{ required: ['a'] }, { required: { a: 1 } }] },
  ];
  for (const schema of odd) {
    assert.deepEqual(await fields(schema), ['json arguments'], JSON.stringify(schema));
    assert.deepEqual(await fields(object({ inner: schema })), ['json inner'], JSON.stringify(schema));
  }
  for (const schema of [null, 1, 'text', [], { $ref: 1, oneOf: 1 }, object({ a: { type: [1], enum: 2 } }), object({ a: { oneOf: [null] } })])
    assert.ok((await fields(schema)).length > 0, JSON.stringify(schema));
});

test('NumbersHaveAFewDigitsAndTheirUnit', options, async () => {
  const [sizes, times, clocks] = await inPage(() => [
    [1023, 1024, 999.6 * 1024, 1000 * 1024, 999.6 * 1024 ** 3, 5000 * 1024 ** 4].map(modules.bytes),
    [999, 9960, 999_600, 59_960_000].map(modules.duration),
    [Date.now(), Date.now() - 3 * 86_400_000].map(modules.clock),
  ]);
  assert.deepEqual(sizes, ['1023 B', '1.00 KiB', '1000 KiB', '0.977 MiB', '1000 GiB', '5000 TiB']);
  assert.deepEqual(times, ['999 µs', '10 ms', '1000 ms', '60.0 s']);
  assert.match(clocks[0], /^\d\d:\d\d:\d\d$/);
  assert.match(clocks[1], /^[A-Z][a-z]{2} \d+ \d\d:\d\d:\d\d$/);
});

async function toolsOf(program, args = []) {
  const client = new Client({ name: 'forms', version: '1' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program, ...args], stderr: 'ignore' }));
  try {
    return (await client.listTools()).tools;
  } finally {
    await client.close();
  }
}

// A form or a field, a value that can be sent, and no more fields than somebody could scroll through.
const survey = (schemas) => inPage((all) => {
  let json = 0;
  for (const schema of all) {
    const form = modules.schemaForm(schema);
    const inputs = form.element.querySelectorAll('input, select, textarea').length;
    if (inputs === 0 && form.element.textContent === '') throw new Error(`nothing for ${JSON.stringify(schema)}`);
    if (inputs > 1000) throw new Error(`${inputs} fields for ${JSON.stringify(schema).slice(0, 200)}`);
    form.value();
    json += form.element.querySelectorAll('.code').length > 0 ? 1 : 0;
  }
  return { forms: all.length, json };
}, schemas);

test('PublishedToolsHaveForms', options, async (context) => {
  const modulesFolder = new URL('node_modules/@modelcontextprotocol/', import.meta.url).pathname;
  const all = [
    ...await toolsOf(`${modulesFolder}server-everything/dist/index.js`),
    ...await toolsOf(`${modulesFolder}server-filesystem/dist/index.js`, ['/tmp']),
    ...await toolsOf(`${modulesFolder}server-memory/dist/index.js`),
  ];
  if (env.MCP_PUBLISHED_TOOLS) all.push(...JSON.parse(await readFile(env.MCP_PUBLISHED_TOOLS, 'utf8')));
  const { forms, json } = await survey(all.map(({ inputSchema }) => inputSchema));
  context.diagnostic(`${forms} published tools, ${json} of them with a field for JSON`);
  assert.ok(forms >= 30);
});

test('EverySchemaOfTheOfficialTestsHasAFormOrAField', options, async (context) => {
  const folder = new URL('../../../shared/corpora/json-schema-test-suite/tests/draft2020-12/', import.meta.url);
  if (!existsSync(folder)) return context.skip('the official JSON Schema tests are not there');
  const files = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  const schemas = (await Promise.all(files.map(async (name) => JSON.parse(await readFile(new URL(name, folder), 'utf8'))))).flat().map(({ schema }) => schema);
  const { forms, json } = await survey([...schemas, ...schemas.map((each) => object({ inner: each }))]);
  context.diagnostic(`${forms} schemas, ${json} of them with a field for JSON`);
  assert.ok(forms >= 300);
});
