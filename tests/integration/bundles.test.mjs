// A folder NAME.plugin is one plugin: its library finds its own libraries and data there, whatever other bundles bring
// under the same names; a change of any file is one reload, and one that cannot be taken leaves the last good version.
import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { command } from './support/command.mjs';
import { Components } from './support/components.mjs';
import { argumentsOf, inProcess, sanitizer, serve } from './support/host.mjs';
import { postModern } from './support/http.mjs';
import { patience } from './support/patience.mjs';

const words = 'plugins/bundled/words.txt';
// Longer than the 250 ms for which a host waits for further changes of a bundle: a second reload would be seen by then.
const quietMs = 1000;
// As rsync does it: a file is written beside its place under a hidden name, and then renamed over it.
const aside = (file) => join(dirname(file), `.${basename(file)}.aB12`);
const built = (name) => join(process.env.MCP_FIXTURES, `${name}.plugin`);

async function make(...bundles) {
  const components = await Components.create();
  for (const name of bundles) await cp(built(name), components.file(`${name}.plugin`), { recursive: true });
  return components;
}

async function folder(context, ...bundles) {
  const components = await make(...bundles);
  context.after(() => components.discard());
  return components;
}

async function serving(context, ...bundles) {
  const components = await make(...bundles);
  const host = await serve(context, components, ['--control', join(components.folder, 'control')]);
  return { components, host };
}

async function call(host, name) {
  const { result, error } = await (await postModern(host.url, 'tools/call', { name, arguments: {} })).json();
  return result?.content[0].text ?? error.message;
}

const list = (components, ...more) => command(...argumentsOf('list', components, more));

test('TwoBundlesHaveTheirOwnVersionsOfOneLibrary', async (context) => {
  const { host } = await serving(context, 'bundled_1', 'bundled_2');
  assert.equal(await call(host, 'bundled_1'), 'libraries 11, call 1, words of the bundle');
  assert.equal(await call(host, 'bundled_2'), 'libraries 22, call 1, words of the bundle');
  assert.equal(await call(host, 'bundled_1'), 'libraries 11, call 2, words of the bundle');
});

test('AnEditedFileOfDataIsOneReload', async (context) => {
  const { components, host } = await serving(context, 'bundled_1');
  await call(host, 'bundled_1');
  const file = components.file(join('bundled_1.plugin', words));
  await writeFile(aside(file), 'other words\n');
  await rename(aside(file), file);
  await host.log.until({ event: 'plugin replaced' });
  assert.equal(await call(host, 'bundled_1'), 'libraries 11, call 1, other words');
  await sleep(quietMs);
  assert.equal(host.log.matching({ event: 'plugin replaced' }).length, 1);
});

test('FilesThatAreReplacedOneAfterAnotherAreOneReload', async (context) => {
  const { components, host } = await serving(context, 'bundled_1');
  const answers = new Set();
  const replaced = host.log.until({ event: 'plugin replaced' });
  let copying = true;
  const calls = (async () => {
    while (copying) answers.add((await call(host, 'bundled_1')).replace(/, call .*/, ''));
  })();
  const names = ['libbundled_private.so', 'libbundled_deeper.so'];
  const files = names.map((name) => components.file(join('bundled_1.plugin', name)));
  for (const file of files) await writeFile(aside(file), await readFile(join(built('bundled_2'), basename(file))));
  // Without a pause in between, which a busy machine may make longer than the host waits.
  for (const file of files) renameSync(aside(file), file);
  await replaced;
  copying = false;
  await calls;
  assert.match(await call(host, 'bundled_1'), /^libraries 22, /);
  await sleep(quietMs);
  assert.deepEqual([...answers].filter((answer) => !/^libraries (11|22)$/.test(answer)), []);
  assert.equal(host.log.matching({ event: 'plugin replaced' }).length, 1);
  assert.deepEqual(host.log.matching({ event: 'plugin refused' }), []);
});

test('ABundleThatIsMovedIntoThePlaceOfAnotherReplacesIt', async (context) => {
  const { components, host } = await serving(context, 'bundled_1');
  const moved = join(components.folder, 'new');
  await cp(built('bundled_1'), moved, { recursive: true });
  await writeFile(join(moved, words), 'moved words\n');
  await rename(components.file('bundled_1.plugin'), join(components.folder, 'old'));
  await rename(moved, components.file('bundled_1.plugin'));
  await host.log.until({ event: 'plugin replaced' });
  assert.match(await call(host, 'bundled_1'), /moved words$/);
  assert.deepEqual(host.log.matching({ event: 'plugin withdrawn' }), []);
});

test('ABrokenBundleLeavesTheLastGoodVersionServing', async (context) => {
  const { components, host } = await serving(context, 'bundled_1');
  const library = components.file('bundled_1.plugin/bundled_1.so');
  await rename(library, join(components.folder, 'kept.so'));
  const { reason } = await host.log.until({ event: 'plugin refused' });
  assert.match(reason, /^the library bundled_1\.so is not in it; a bundle NAME\.plugin holds NAME\.so/);
  assert.match(await call(host, 'bundled_1'), /^libraries 11, call 1,/);
  await rename(join(components.folder, 'kept.so'), library);
  await host.log.until({ event: 'plugin replaced' });
  await rm(components.file('bundled_1.plugin'), { recursive: true });
  await host.log.until({ event: 'plugin withdrawn' });
});

test('ABundleWithoutOneOfItsLibrariesNamesIt', async (context) => {
  const components = await folder(context, 'bundled_1');
  await rm(components.file('bundled_1.plugin/libbundled_deeper.so'));
  const { status, stdout } = await list(components);
  assert.equal(status, 1);
  assert.match(stdout, /refused: it needs the library libbundled_deeper\.so, which the system does not find; install it, or put it/);
});

test('WhatLeadsOutOfABundleOrLiesTooDeepIsRefusedInWords', async (context) => {
  const components = await folder(context, 'bundled_1', 'bundled_2');
  await writeFile(join(components.folder, 'secret'), 'secret');
  await symlink(join(components.folder, 'secret'), components.file('bundled_1.plugin/link'));
  await mkdir(components.file('bundled_2.plugin/a/b/c/d/e/f/g/h/i'), { recursive: true });
  const { status, stdout } = await list(components);
  assert.equal(status, 1);
  assert.match(stdout, /bundled_1\.plugin: refused: its link is a link that leads out of the bundle/);
  assert.match(stdout, /bundled_2\.plugin: refused: its folder a\/b\/c\/d\/e\/f\/g\/h\/i lies deeper than 8 folders/);
});

test('ALibraryBesideAPluginIsNoBrokenPlugin', async (context) => {
  const { components, host } = await serving(context, 'bundled_1');
  await cp(join(built('bundled_1'), 'libbundled_deeper.so'), components.file('deps/libbundled_deeper.so'), { recursive: true });
  await host.log.until({ event: 'library passed over' });
  const control = ['--control', join(components.folder, 'control')];
  assert.equal((await command('status', ...control)).status, 0);
  assert.match((await command('reload', ...control)).stdout, /libbundled_deeper\.so: it is no plugin/);
  assert.equal((await list(components)).status, 0);
});

test('OnlyABundleWhoseDigestIsAllowedIsLoaded', async (context) => {
  const components = await folder(context, 'bundled_1');
  const [, digest] = /\(([0-9a-f]{64})\)/.exec((await command('inspect', components.file('bundled_1.plugin'))).stdout);
  const allowed = join(components.folder, 'allowed');
  await writeFile(allowed, `${digest}  bundled_1.plugin\n`);
  assert.equal((await list(components, '--allowed-digests', allowed)).status, 0);
  await writeFile(components.file(join('bundled_1.plugin', words)), 'other words\n');
  assert.match((await list(components, '--allowed-digests', allowed)).stdout, /is not among those that may be loaded/);
});

test('AStrictSandboxLetsAPluginReadItsBundle', { skip: inProcess && 'a sandbox needs a worker' }, async (context) => {
  const host = await serve(context, await make('bundled_1'), ['--sandbox', 'strict']);
  assert.equal(await call(host, 'bundled_1'), 'libraries 11, call 1, words of the bundle');
});

// All that lies in the host's folder of private copies.
async function copiesOf(host) {
  const [folder, ...others] = (await readdir(tmpdir())).filter((name) => name.startsWith(`mcp-plugin-host-${host.child.pid}-`));
  assert.ok(folder);
  assert.deepEqual(others, []);
  return (await readdir(join(tmpdir(), folder), { recursive: true })).sort();
}

// More of them than libraries that stayed mapped, or copies that stayed on the disk, would hide in.
const reloads = Number(process.env.MCP_BUNDLE_RELOADS ?? 40);
test('ReloadsLeaveNothingBehind', { timeout: 400_000, skip: !!sanitizer && 'a sanitizer keeps memory' }, async (context) => {
  const { components, host } = await serving(context, 'bundled_1', 'bundled_2');
  const control = ['--control', join(components.folder, 'control')];
  // With one version of each, once the others have drained.
  const copies = async () => {
    const end = Date.now() + patience;
    for (;;) {
      const names = await copiesOf(host).catch((error) => {
        if (error.code !== 'ENOENT') throw error;
        return []; // one has gone while they were listed
      });
      if (names.filter((name) => /^bundled_\d[^/]*$/.test(name)).length === 2) return names.length;
      assert.ok(Date.now() < end, names.join('\n'));
      await sleep(50);
    }
  };
  const measure = async () => {
    const files = await copies();
    const status = await readFile(`/proc/${host.child.pid}/status`, 'utf8');
    const maps = await readFile(`/proc/${host.child.pid}/maps`, 'utf8');
    const mapped = maps.match(/libbundled_/g)?.length ?? 0;
    return { kib: Number(/VmRSS:\s+(\d+)/.exec(status)[1]), mapped, files };
  };
  const reload = async (times) => {
    for (let i = 0; i < times; ++i) {
      const { status, stdout } = await command('reload', 'bundled_1', ...control);
      assert.equal(status, 0, stdout);
      assert.equal(await call(host, 'bundled_1'), 'libraries 11, call 1, words of the bundle');
    }
  };
  await reload(Math.ceil(reloads / 2));
  const before = await measure();
  await reload(reloads);
  const after = await measure();
  context.diagnostic(`${reloads} reloads: ${before.kib} to ${after.kib} KiB, ${before.mapped} to ${after.mapped} mappings`);
  assert.ok(after.kib - before.kib < 1024, `${before.kib} KiB became ${after.kib}`);
  // One version may still drain.
  assert.equal(after.files, before.files);
  assert.ok(after.mapped <= 2 * Math.max(before.mapped, 1), `${before.mapped} mappings became ${after.mapped}`);
  assert.equal(await call(host, 'bundled_2'), 'libraries 22, call 1, words of the bundle');
});
