// What lies in the components folder runs with the host's rights, so it matters who can write there.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmod, readFile, symlink } from 'node:fs/promises';
import { test } from 'node:test';

import { Components, fixture } from './support/components.mjs';
import { serve } from './support/host.mjs';
import { postModern } from './support/http.mjs';

const toolsOf = async (host) =>
  (await (await postModern(host.url, 'tools/list')).json()).result.tools.map(({ name }) => name);

test('AFileThatEverybodyCanWriteIsRefusedUntilThatIsMended', async (context) => {
  const components = await Components.create('plain_c', 'annotated');
  await chmod(components.file('plain_c.so'), 0o777);
  const host = await serve(context, components);
  const { reason, file } = await host.log.until({ event: 'plugin refused' });
  assert.equal(file, components.file('plain_c.so'));
  assert.match(reason, /^it can be written by everybody/);
  assert.ok((await toolsOf(host)).length > 0, 'the other one is served');
  await chmod(components.file('plain_c.so'), 0o755);
  await host.log.until({ event: 'plugin loaded', file });
});

test('AConfigurationThatEverybodyCanWriteIsRefused', async (context) => {
  const components = await Components.create('plain_c');
  await components.write('plain_c.json', '{"isolation": "in-process"}');
  await chmod(components.file('plain_c.json'), 0o666);
  const host = await serve(context, components);
  assert.match((await host.log.until({ event: 'plugin refused' })).reason, /plain_c\.json cannot be used: it can be/);
});

test('ALinkThatLeadsOutIsFollowedOnlyIfItIsAllowed', async (context) => {
  const components = await Components.create();
  await symlink(fixture('plain_c'), components.file('plain_c.so'));
  const wary = await serve(context, components);
  assert.match((await wary.log.until({ event: 'plugin refused' })).reason, /leads out of the components folder/);
  const trusting = await serve(context, components, ['--allow-outside-links']);
  assert.equal((await toolsOf(trusting)).length, 1);
});

test('OnlyLibrariesWithAnAllowedDigestAreLoaded', async (context) => {
  const components = await Components.create('plain_c', 'annotated');
  const digest = createHash('sha256').update(await readFile(fixture('plain_c'))).digest('hex');
  await components.write('allowed', `${digest}  plain_c.so\n`);
  const host = await serve(context, components, ['--allowed-digests', components.file('allowed')]);
  const { file, reason } = await host.log.until({ event: 'plugin refused' });
  assert.equal(file, components.file('annotated.so'));
  assert.match(reason, /^its SHA-256 digest [0-9a-f]{64} is not among those that may be loaded/);
  assert.equal(host.log.matching({ event: 'plugin loaded' })[0].digest, digest);
});
