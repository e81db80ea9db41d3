// Files that cannot be served: each is refused for a reason that is told, disturbs nothing else, and leaves the last
// good version serving where there was one.
import assert from 'node:assert/strict';
import { open, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { Components, fixture } from './support/components.mjs';
import { serve } from './support/host.mjs';
import { postModern } from './support/http.mjs';

async function call(host, name) {
  const { result, error } = await (await postModern(host.url, 'tools/call', { name, arguments: {} })).json();
  return error ? error.message : result.content[0].text;
}
// Which the tool of that name answers with.
const params = '{"arguments":{},"name":"params"}';

// What stands in for a version that is broken, and what the log must say of it.
const broken = [
  ['ATextFile', () => 'not a library', /not a shared library/],
  ['AnEmptyFile', () => '', /empty/],
  ['HalfALibrary', (library) => library.subarray(0, library.length / 2), /truncated/],
  ['ALibraryWithItsTailZeroed', zeroTail, /damaged|truncated/],
  ['ALibraryForAnotherMachine', otherMachine, /it was built for .*, but this host runs on/],
  ['ALibraryThatIsNoPlugin', () => readFile(fixture('no_entry')), /does not export the function mcp_plugin_entry_v1/],
  ['APluginForANewerContract', () => readFile(fixture('newer_contract')), /contract too new/],
  ['APluginThatLacksALibrary', () => readFile(fixture('missing_dependency')), /libabsent\.so/],
  ['APluginWhoseSetupThrows', () => readFile(fixture('refusing')), /the licence has expired/],
  ['APluginWithABadSchema', () => readFile(fixture('bad_schema')), /broken.*inputSchema|inputSchema.*broken/],
];

function zeroTail(library) {
  const copy = Buffer.from(library);
  copy.fill(0, copy.length / 2);
  return copy;
}

// e_machine of the ELF header; 183 is AArch64, 62 is x86-64.
function otherMachine(library) {
  const copy = Buffer.from(library);
  copy.writeUInt16LE(copy.readUInt16LE(18) === 183 ? 62 : 183, 18);
  return copy;
}

for (const [what, make, reason] of broken) {
  test(`${what} AsAReplacementLeavesTheLastGoodVersionServing`, async (context) => {
    const components = await Components.create('plain_c');
    await components.add('sample_v1', 'sample.so');
    const host = await serve(context, components);

    await components.write('sample.so', await make(await readFile(fixture('sample_v2'))));
    const refusal = await host.log.until({ event: 'plugin refused' });
    assert.equal(refusal.file, components.file('sample.so'));
    assert.match(refusal.reason, reason);
    assert.match(refusal.serving, /last good version, 1/);
    assert.equal(await call(host, 'version'), '1');
    assert.equal(await call(host, 'params'), params);

    await components.overwrite('sample.so', 'sample_v2');
    await host.log.until({ event: 'plugin replaced', version: '2' });
    assert.equal(await call(host, 'version'), '2');
  });
}

test('BrokenFilesAtTheStartDisturbNoOtherPlugin', async (context) => {
  const components = await Components.create('refusing', 'bad_schema', 'sample_v1');
  await components.write('text.so', 'not a library');
  await components.write('empty.so', '');
  const host = await serve(context, components);
  const refused = host.log.matching({ event: 'plugin refused' }).map((entry) => entry.file);
  assert.deepEqual(
    refused.sort(),
    ['bad_schema.so', 'empty.so', 'refusing.so', 'text.so'].map((name) => components.file(name)),
  );
  assert.equal(await call(host, 'version'), '1');
});

test('InTheHostsProcessWhatCanNeverBeUnloadedIsRefusedUntilItsConfigurationAllowsIt', async (context) => {
  const components = await Components.create('sample_v1', 'nodelete');
  await components.write('nodelete.json', '{"isolation": "in-process"}');
  const host = await serve(context, components);
  const { file, reason } = await host.log.until({ event: 'plugin refused' });
  assert.equal(file, components.file('nodelete.so'));
  assert.equal(reason, "it is to run in the host's own process, and it was linked with -z nodelete, so it is never unloaded: " +
    'set "isolation" to "worker" in its configuration, or to "in-process-resident" if each version of it may stay in memory ' +
    'until the host ends');
  assert.equal(await call(host, 'version'), '1');

  await components.write('nodelete.json', '{"isolation": "in-process-resident"}');
  await host.log.until({ event: 'plugin loaded', file });
  assert.equal(await call(host, 'params'), params);
});

test('ARefusedFileIsServedOnceItIsMended', async (context) => {
  const components = await Components.create();
  await components.write('sample.so', 'not a library');
  const host = await serve(context, components);
  assert.match(await call(host, 'version'), /Unknown tool/);
  await components.overwrite('sample.so', 'sample_v1');
  await host.log.until({ event: 'plugin loaded' });
  assert.equal(await call(host, 'version'), '1');
});

test('AHostWithoutAComponentsFolderServesNothingUntilThereIsOne', async (context) => {
  const components = await Components.create();
  await components.discard();
  const host = await serve(context, components);
  const { result } = await (await postModern(host.url, 'tools/list')).json();
  assert.deepEqual(result.tools, []);
  await components.add('sample_v1');
  await host.log.until({ event: 'plugin loaded' });
  assert.equal(await call(host, 'version'), '1');
});

// It is still for long enough to be looked at, and what cannot be read then has a second before it is refused.
test('AFileThatIsWrittenSlowlyIsTakenWhenItIsComplete', async (context) => {
  const components = await Components.create('plain_c');
  const host = await serve(context, components);
  const library = await readFile(fixture('sample_v1'));
  const size = Math.ceil(library.length / 3);
  const file = await open(components.file('sample.so'), 'w');
  let longestPause = 0;
  for (const i of [0, 1, 2]) {
    const begin = Date.now();
    await file.write(library.subarray(i * size, (i + 1) * size));
    if (i === 2) break;
    await sleep(400);
    longestPause = Math.max(longestPause, Date.now() - begin);
  }
  await file.close();
  await host.log.until({ event: 'plugin loaded', plugin: 'sample' });
  assert.equal(await call(host, 'version'), '1');
  // A machine that is busy may have made a pause of more than a second.
  if (longestPause < 900) assert.deepEqual(host.log.matching({ event: 'plugin refused' }), []);
  else context.diagnostic(`not looked for refusals: a pause took ${longestPause} ms`);
});

test('AFileThatIsWrittenTooSlowlyIsRefusedAndThenTakenWhenItIsComplete', async (context) => {
  const components = await Components.create('plain_c');
  const host = await serve(context, components);
  const library = await readFile(fixture('sample_v1'));
  const file = await open(components.file('sample.so'), 'w');
  const begin = Date.now();
  await file.write(library.subarray(0, library.length / 2));
  const refusal = await host.log.until({ event: 'plugin refused' });
  assert.ok(Date.now() - begin >= 1000, 'it has a second');
  assert.match(refusal.reason, /truncated/);
  await file.write(library.subarray(library.length / 2));
  await file.close();
  await host.log.until({ event: 'plugin loaded', plugin: 'sample' });
  assert.equal(await call(host, 'version'), '1');
  assert.equal(host.log.matching({ event: 'plugin refused' }).length, 1);
});

test('APluginThatHangsInItsSetupDelaysNoOther', async (context) => {
  const components = await Components.create('hanging', 'plain_c');
  const begin = Date.now();
  const host = await serve(context, components);
  const served = Date.now() - begin;
  assert.equal(await call(host, 'params'), params);
  const added = Date.now();
  await components.add('sample_v1', 'sample.so');
  await host.log.until({ event: 'plugin loaded', version: '1' });
  const loaded = Date.now() - added;
  context.diagnostic(`serving after ${served} ms, a new file after ${loaded} ms`);
  assert.deepEqual(host.log.matching({ event: 'plugin refused' }), [], 'it still hangs');
  const refusal = await host.log.until({ event: 'plugin refused' });
  assert.equal(refusal.file, components.file('hanging.so'));
  assert.equal(await call(host, 'version'), '1');
});
