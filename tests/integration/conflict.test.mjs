// Two plugins that export the same component: the first by path is served, and the other takes over when it goes.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { command } from './support/command.mjs';
import { Components } from './support/components.mjs';
import { serve } from './support/host.mjs';
import { postModern } from './support/http.mjs';

async function whoServes(host) {
  const called = await (await postModern(host.url, 'tools/call', { name: 'contested', arguments: {} })).json();
  const got = await (await postModern(host.url, 'prompts/get', { name: 'contested_prompt' })).json();
  return [called.result.content[0].text, got.result.messages[0].content.text];
}

async function toolNames(host) {
  const { result } = await (await postModern(host.url, 'tools/list')).json();
  return result.tools.map((tool) => tool.name);
}

test('TheFirstByPathIsServedAndTheOtherReported', async (context) => {
  const components = await Components.create('rival_a', 'rival_b');
  const control = join(components.folder, 'control');
  const host = await serve(context, components, ['--control', control]);
  assert.deepEqual(await whoServes(host), ['a', 'a']);
  assert.deepEqual(await toolNames(host), ['contested', 'only_a', 'only_b']);
  const hidden = await host.log.until({ event: 'component hidden', tool: 'contested' });
  assert.equal(hidden.served, components.file('rival_a.so'));
  assert.equal(hidden.hidden, components.file('rival_b.so'));
  assert.equal(hidden.next, 'to have both, rename it in one of the two');

  const { stdout } = await command('status', '--control', control, '--json');
  const remarks = new Map(JSON.parse(stdout).plugins.map((each) => [each.plugin, each.remarks ?? []]));
  const served = `that of ${components.file('rival_a.so')}; to have both, rename it in one of the two`;
  assert.ok(remarks.get('b').includes(`the tool "contested" is hidden by ${served}`), stdout);
  assert.ok(remarks.get('b').includes(`the prompt "contested_prompt" is hidden by ${served}`), stdout);
  assert.ok(!remarks.get('a').some((remark) => remark.includes('hidden')), stdout);
});

test('TheOtherTakesOverWhenTheFirstGoes', async (context) => {
  const components = await Components.create('rival_a', 'rival_b');
  const host = await serve(context, components);
  await components.removeFile('rival_a.so');
  await host.log.until({ event: 'plugin withdrawn' });
  assert.deepEqual(await whoServes(host), ['b', 'b']);
  assert.deepEqual(await toolNames(host), ['contested', 'only_b']);
});

test('APluginThatComesLaterButFirstByPathIsServed', async (context) => {
  const components = await Components.create('rival_b');
  const host = await serve(context, components);
  assert.deepEqual(await whoServes(host), ['b', 'b']);
  await components.add('rival_a');
  await host.log.until({ event: 'plugin loaded', plugin: 'a' });
  assert.deepEqual(await whoServes(host), ['a', 'a']);
});
