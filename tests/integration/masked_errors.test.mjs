// The shipped plugins where an operator masks errors: what a model did wrong it still reads.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Components } from './support/components.mjs';
import { serve } from './support/host.mjs';
import { postModern } from './support/http.mjs';

test('WhatAModelDidWrongIsNotMasked', async (context) => {
  const components = await Components.create();
  const errors = 'masked';
  await components.addShipped('tools/calculator', { errors });
  await components.addShipped('tools/clock', { errors });
  await components.addShipped('resources/files', { errors, roots: [{ name: 'here', path: components.folder, writable: false }] });
  const host = await serve(context, components);
  const failure = async (name, args) => {
    const { result } = await (await postModern(host.url, 'tools/call', { name, arguments: args })).json();
    assert.equal(result?.isError, true, name);
    return result.content[0].text;
  };
  assert.match(await failure('calculate', { expression: '1 / 0 +' }), /^Division by zero at position 3/);
  assert.match(await failure('now', { zone: 'Europe/Berln' }), /^Unknown time zone "Europe\/Berln"\. Similar: Europe\/Berlin/);
  assert.match(await failure('convert_time', { time: 'noon', from: 'UTC', to: 'UTC' }), /^"noon" is no time such as /);
  assert.match(await failure('read_file', { path: '/etc/passwd' }), /^"\/etc\/passwd" is outside of the folders/);
  assert.match(await failure('read_file', { path: 'here/absent.txt' }), /^"here\/absent\.txt" does not exist/);
  assert.match(await failure('list_files', { path: 'elsewhere' }), /^"elsewhere" must be an absolute path or begin with the name of a root/);
});
