// The JSON file beside a plugin is its configuration, and a change of it starts the plugin anew.
import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { command } from './support/command.mjs';
import { Components } from './support/components.mjs';
import { argumentsOf, HttpHost, serve } from './support/host.mjs';
import { postModern } from './support/http.mjs';
import { patience } from './support/patience.mjs';

async function greeting(host) {
  const { result } = await (await postModern(host.url, 'tools/call', { name: 'greet', arguments: {} })).json();
  return result.content[0].text;
}

const configure = (components, settings) => components.write('configured.json', JSON.stringify(settings));
const sandboxed = { greeting: 'Ahoy', isolation: 'worker', sandbox: { profile: 'strict', required: true } };

test('IsGivenToThePlugin', async (context) => {
  const components = await Components.create('configured');
  await configure(components, { greeting: 'Ahoy' });
  assert.equal(await greeting(await serve(context, components)), 'Ahoy');
});

test('RestartsThePluginWhenItComesChangesAndGoes', async (context) => {
  const components = await Components.create('configured');
  const host = await serve(context, components);
  assert.equal(await greeting(host), 'Hello');

  const replacements = () => host.log.matching({ event: 'plugin replaced' }).length;
  const untilReplaced = async (count) => {
    for (const end = Date.now() + patience; replacements() < count && Date.now() < end;) await sleep(20);
    assert.equal(replacements(), count);
  };
  await configure(components, { greeting: 'Ahoy' });
  await untilReplaced(1);
  assert.equal(await greeting(host), 'Ahoy');
  await configure(components, { greeting: 'Servus' });
  await untilReplaced(2);
  assert.equal(await greeting(host), 'Servus');
  await components.removeFile('configured.json');
  await untilReplaced(3);
  assert.equal(await greeting(host), 'Hello');
  assert.deepEqual(host.log.matching({ event: 'plugin replaced' }).map(({ cause }) => cause), [
    'its configuration has changed',
    'its configuration has changed',
    'its configuration is gone',
  ]);
});

test('FilesListsNothingUntilItHasRootsAndThenWhatTheyAllow', async (context) => {
  const components = await Components.create();
  await components.addShipped('resources/files');
  const host = await serve(context, components);
  const listed = async () => {
    const { result } = await (await postModern(host.url, 'tools/list')).json();
    const templates = await (await postModern(host.url, 'resources/templates/list')).json();
    return [...result.tools, ...templates.result.resourceTemplates].map(({ name }) => name);
  };
  const configureRoot = async (writable) => {
    const replaced = host.log.matching({ event: 'plugin replaced' }).length;
    const roots = [{ name: 'here', path: components.root, writable }];
    await components.write('../resources/files.json', JSON.stringify({ roots }));
    const isReplaced = () => host.log.matching({ event: 'plugin replaced' }).length > replaced;
    for (const end = Date.now() + patience; !isReplaced() && Date.now() < end;) await sleep(20);
  };
  assert.deepEqual(await listed(), []);
  const [{ text }] = host.log.matching({ event: 'plugin says' });
  assert.match(text, /^offers nothing, because no folders are configured\. Write a file files\.json beside the plugin/);
  const { status, stdout, stderr } = await command('inspect', components.file('../resources/files.so'));
  assert.deepEqual([status, /^ {2}(tool|template) /m.test(stdout), stderr.includes(text.slice(0, 80))], [0, false, true]);

  await configureRoot(false);
  assert.deepEqual(await listed(), ['list_files', 'read_file', 'file']);
  await configureRoot(true);
  assert.deepEqual(await listed(), ['append_file', 'list_files', 'read_file', 'write_file', 'file']);
});

test('FilesSaysWhichRootsItsSandboxKeepsFromIt', async (context) => {
  const components = await Components.create();
  await components.addShipped('resources/files');
  const roots = [{ name: 'docs', path: components.root }];
  const strict = { isolation: 'worker', sandbox: { profile: 'strict', required: true } };
  await components.write('../resources/files.json', JSON.stringify({ roots, ...strict }));
  const host = await serve(context, components);
  await host.log.until({
    event: 'plugin says',
    text: `the root "docs", ${components.root}, cannot be accessed: permission denied; in a sandbox, its ` +
      '"read" or "write" must name it',
  });
});

test('TheSandboxedVersionGoesOnWhileItIsADanglingLink', async (context) => {
  const components = await Components.create('configured');
  await configure(components, sandboxed);
  const control = join(components.folder, 'control');
  const host = await serve(context, components, ['--control', control]);
  await components.removeFile('configured.json');
  await symlink('/nowhere/configured.json', components.file('configured.json'));
  const { serving } = await host.log.until({ event: 'plugin refused' });
  assert.equal(serving, 'the last good version, 1.0.0');
  assert.equal(await greeting(host), 'Ahoy');

  const { status, stdout } = await command('status', '--control', control, '--json');
  const [{ state, sandbox, reason }] = JSON.parse(stdout).plugins;
  assert.deepEqual({ status, state, sandbox }, { status: 1, state: 'serving', sandbox: { profile: 'strict', lacks: [] } });
  assert.equal(reason, `its configuration ${components.file('configured.json')} cannot be used: ` +
    'it is a link to a file that does not exist; make that file, or remove the link');
});

test('WhatRequiredItsSandboxIsNotServedWithoutItNeitherByTheNextHost', async (context) => {
  const components = await Components.create('configured');
  await configure(components, sandboxed);
  const first = (await HttpHost.start(components)).killAfter(context);
  assert.equal(await greeting(first), 'Ahoy');
  await first.stop();
  await components.removeFile('configured.json');

  const lost = `its configuration ${components.file('configured.json')} is gone, which said that its sandbox is ` +
    '"required"; put it back, or write {} into it to run the plugin without that';
  const { status, stdout } = await command(...argumentsOf('list', components, ['--json']));
  assert.equal(status, 1);
  assert.deepEqual(JSON.parse(stdout).refused, [{ file: components.file('configured.so'), reason: lost }]);

  const second = await serve(context, components);
  const { reason, serving } = await second.log.until({ event: 'plugin refused' });
  assert.deepEqual({ reason, serving }, { reason: lost, serving: 'nothing of it' });
  await configure(components, {});
  await second.log.until({ event: 'plugin loaded' });
  assert.equal(await greeting(second), 'Hello');
});

for (const [what, text, reason] of [
  ['IsNotJson', '{"greeting": ', /configured\.json.*not valid JSON/],
  ['IsNoObject', '[1]', /configured\.json.*not a JSON object/],
  ['IsRefusedByThePlugin', '{"greeting": ""}', /the greeting must not be empty/],
]) {
  test(`ThePluginGoesOnAsItWasWhenTheNewOne ${what}`, async (context) => {
    const components = await Components.create('configured');
    await configure(components, { greeting: 'Ahoy' });
    const host = await serve(context, components);
    await components.write('configured.json', text);
    const refusal = await host.log.until({ event: 'plugin refused' });
    assert.match(refusal.reason, reason);
    assert.equal(await greeting(host), 'Ahoy');
  });
}
