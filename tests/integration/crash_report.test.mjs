// A crash is told as one event that an author can use: the signal, what could not be done, and the function, the file
// and the line of the plugin's own code, whichever way it was built and whatever its debug data is.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { access, chmod, copyFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import { command, limited, run } from './support/command.mjs';
import { Components, fixture } from './support/components.mjs';
import { argumentsOf, HttpHost, inProcess, program, sanitizer, serve } from './support/host.mjs';
import { postModern } from './support/http.mjs';

const source = readFileSync(new URL('plugins/crashing.cpp', import.meta.url), 'utf8').split('\n');
const lineOf = (mark) => source.findIndex((line) => line.endsWith(`// ${mark}`)) + 1;

// A function as debug data has it: some compilers write its whole name, some what it is called.
const named = (name) => String.raw`(?:\(anonymous namespace\)::)?${name}(?:\(.*\))?`;

const installed = dirname(dirname(program));
const helpers = 'libexec/mcp-plugin-host';
const symbolizer = join(installed, helpers, 'mcp-plugin-symbolizer');
const isBuilt = await access(symbolizer).then(() => true, () => false);
const skip = (inProcess && 'there a crash ends the host') || (sanitizer && 'a sanitizer has a report of its own') ||
  (!isBuilt && 'built without libdw: install libdw-dev');

const nullPointer = 'was killed by SIGSEGV (Segmentation fault) through a null pointer';
const aborted = 'was killed by SIGABRT (Aborted)';
const mistakes = {
  write_null: [nullPointer],
  read_null: [nullPointer],
  use_wild_address: ['was killed by SIGSEGV (Segmentation fault) at the address 0x456789123000'],
  overflow_stack: ['was killed by SIGSEGV (Segmentation fault), because its stack overflowed'],
  divide_by_zero: ['was killed by SIGFPE (Floating point exception), because it divided by zero'],
  call_abort: [aborted],
  throw_uncaught: [aborted, /^terminate called after throwing .*'std::runtime_error' \| what\(\): {2}of a thread$/],
  throw_in_noexcept: [aborted],
  free_twice: [aborted, /double free detected/],
  trap: ['was killed by SIGILL (Illegal instruction)'],
  terminate: [aborted],
  fail_assertion: [aborted, /crashing\.cpp:\d+: .*fail_assertion\(\): Assertion `zero == 1' failed\.$/],
};

// One that is started again at once, however often it crashes.
async function serveCrashing(context, build, more = []) {
  const components = await Components.create();
  await components.write('crashing.json', JSON.stringify({ restarts: { crashes: 0, firstDelayMs: 0, lastDelayMs: 0 } }));
  await components.add(`crashing_${build}`, 'crashing.so');
  return serve(context, components, more);
}

// What the caller is told, and what the log says; with the milliseconds from one to the other.
async function crash(host, how) {
  const crashed = host.log.next({ event: 'plugin crashed' });
  const response = await postModern(host.url, 'tools/call', { name: 'crash', arguments: { how } });
  const { error } = await response.json();
  const answered = performance.now();
  const event = await crashed;
  return { message: error.message, event, ms: performance.now() - answered };
}

const backtrace = (host) => host.log.matching({ event: 'plugin backtrace' }).map(({ text }) => text);

for (const build of ['debug', 'optimized', 'bare']) {
  test(`ACrashIsToldWithItsSignalAndItsPlace: ${build}`, { skip }, async (context) => {
    const host = await serveCrashing(context, build);
    const { size } = await stat(fixture(`crashing_${build}`));
    let slowest = 0;
    for (const [how, [end, printed = /./]] of Object.entries(mistakes)) {
      const { event, ms } = await crash(host, how);
      slowest = Math.max(slowest, ms);
      assert.equal(event.what, `its process ${end}`);
      assert.match(event.printed, printed);
      assert.equal(event.running, 'crash');
      if (build === 'bare') {
        assert.match(event.at, new RegExp(String.raw`^crashing\.so\+0x[0-9a-f]+ \(anonymous namespace\)::${how}\(`));
      } else {
        const [, line] = new RegExp(`^crashing\\.cpp:(\\d+) in ${named(how)}$`).exec(event.at) ?? assert.fail(event.at);
        // A stack overflows as soon as a function begins, and what nobody may throw ends where the function does.
        const first = lineOf(`begins: ${how}`) || lineOf(`crash: ${how}`);
        assert.ok(first <= line && line <= lineOf(`crash: ${how}`), event.at);
      }
    }
    context.diagnostic(`${size} bytes: told within ${slowest.toFixed(0)} ms of the caller's answer`);
  });
}

test('WhatWasInlinedIsToldWithWhatItWasInlinedInto', { skip }, async (context) => {
  const host = await serveCrashing(context, 'optimized');
  const { event } = await crash(host, 'use_inlined');
  assert.match(event.at, new RegExp(`^crashing.cpp:${lineOf('inlined: first_of')} in ${named('first_of')}$`));
  await host.log.until({ event: 'plugin restarted' });
  const [title, first, second, ...rest] = backtrace(host);
  assert.equal(title, 'the plugin crashed: SIGSEGV through a null pointer; backtrace:');
  assert.match(first, new RegExp(String.raw`^${named('first_of')} at /.*/crashing\.cpp:${lineOf('inlined: first_of')}, inlined into$`));
  assert.match(second, new RegExp(String.raw`^${named('use_inlined')} at /.*/crashing\.cpp:${lineOf('crash: use_inlined')}$`));
  assert.match(rest.at(-1), new RegExp(String.raw`^${named('crash')} at /.*/crashing\.cpp:\d+$`), 'nothing of who has called the plugin');
});

test('WhereAPluginCallsExitIsTold', { skip }, async (context) => {
  const components = await Components.create('dying');
  const host = await serve(context, components);
  const crashed = host.log.next({ event: 'plugin crashed' });
  await (await postModern(host.url, 'tools/call', { name: 'die', arguments: { how: 'exit' } })).json();
  const { what, at } = await crashed;
  assert.equal(what, 'its process exited with status 3');
  assert.match(at, /^dying\.cpp:\d+ in /);
});

test('OnlyNamesOfCppAreMadeReadable', { skip }, () => {
  const { stdout } = spawnSync(symbolizer, ['c', '_Z3addii'], { stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });
  assert.equal(stdout, '0 0\t\tc\n1 0\t\tadd(int, int)\n');
});

test('AFunctionThatCallsItselfForEverIsToldOnce', { skip }, async (context) => {
  const host = await serveCrashing(context, 'debug');
  await crash(host, 'overflow_stack');
  await host.log.until({ event: 'plugin restarted' });
  const [, innermost, caller, repeats, ...rest] = backtrace(host);
  const overflow = new RegExp(String.raw`^${named('overflow_stack')} at /.*/crashing\.cpp:\d+$`);
  for (const frame of [innermost, caller]) assert.match(frame, overflow);
  assert.match(repeats, /^\.\.\. at least \d\d more times$/);
  assert.deepEqual(rest, []);
});

test('TheOperatorSeesThePlaceAndTheCallerOnlyIfAllowed', { skip }, async (context) => {
  const components = await Components.create('crashing_debug');
  context.after(() => components.discard());
  const config = join(components.folder, 'host.toml');
  for (const allowed of [false, true]) {
    const control = join(components.folder, `control_${allowed}`);
    await writeFile(config, `[plugins]\ntell_crash_places = ${allowed}\n`);
    const host = await HttpHost.start(components, ['--config', config, '--control', control]);
    context.after(() => host.stop());
    const { message } = await crash(host, 'divide_by_zero');
    const place = `, at crashing.cpp:${lineOf('crash: divide_by_zero')} in divide_by_zero`;
    const how = 'its process was killed by SIGFPE (Floating point exception), because it divided by zero';
    assert.equal(message, `plugin crashing: ${how}${allowed ? place : ''} while it served crash`);
    await host.log.until({ event: 'plugin restarted' });
    const { stdout } = await command('status', '--json', '--control', control);
    const [plugin] = JSON.parse(stdout).plugins;
    assert.equal(plugin.lastError.message, how + place);
  }
});

test('WhatEndsTheNextProcessIsLastAlthoughThePlaceOfACrashIsFoundLater', { skip }, async (context) => {
  const components = await Components.create();
  const control = join(components.folder, 'control');
  await components.write('crashing.json', JSON.stringify({ restarts: { crashes: 0, firstDelayMs: 0, lastDelayMs: 0 } }));
  await components.add('crashing_debug', 'crashing.so');
  const host = await serve(context, components, ['--control', control]);
  for (const how of ['divide_by_zero', 'leave'])
    await (await postModern(host.url, 'tools/call', { name: 'crash', arguments: { how } })).json();
  await host.log.until({ event: 'plugin crashed', what: 'its process exited with status 7' });
  assert.match(host.log.matching({ event: 'plugin crashed' })[0].at, /^crashing\.cpp:\d+ /);
  const { stdout } = await command('status', '--json', '--control', control);
  const [{ lastError }] = JSON.parse(stdout).plugins;
  assert.match(lastError.message, /exited with status 7/);
});

test('APluginThatCrashesWhileItIsLoadedIsRefusedWithThePlace', { skip }, async (context) => {
  const components = await Components.create();
  await components.write('crashing.json', JSON.stringify({ crash: 'write_null' }));
  await components.add('crashing_debug', 'crashing.so');
  const host = await serve(context, components);
  const { reason } = await host.log.until({ event: 'plugin refused' });
  const place = `crashing.cpp:${lineOf('crash: write_null')} in write_null`;
  assert.equal(reason, `its process ${nullPointer}, at ${place} while it was loading the plugin and setting it up`);
});

// The sections of a library that the dynamic linker does not look at, and where they are in its file.
function debugSections(file) {
  const table = execFileSync('readelf', ['-SW', file], { encoding: 'utf8' });
  return [...table.matchAll(/\] (\.debug_\w+) +\w+ +\w+ (\w+) (\w+)/g)]
    .map(([, name, offset, size]) => ({ name, offset: parseInt(offset, 16), size: parseInt(size, 16) }));
}

// The same numbers each time.
function* numbers(seed) {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state >>> 8;
  }
}

const damages = {
  'zeros': (bytes) => bytes.fill(0),
  'ones': (bytes) => bytes.fill(0xff),
  'noise': (bytes, random) => bytes.forEach((_, at) => { bytes[at] = random.next().value; }),
  'a byte in fifty': (bytes, random) => {
    for (let at = 0; at < bytes.length; at += 50) bytes[at] = random.next().value;
  },
  'a half': (bytes) => bytes.fill(0, Math.floor(bytes.length / 2)),
};

test('DebugDataThatIsDamagedHurtsNobody', { skip }, async (context) => {
  const components = await Components.create();
  await components.write('crashing.json', JSON.stringify({ restarts: { crashes: 0 } }));
  await components.add('crashing_debug', 'crashing.so');
  const host = await serve(context, components);
  const whole = await readFile(fixture('crashing_debug'));
  const sections = debugSections(fixture('crashing_debug'));
  assert.ok(sections.length > 5);
  for (const [what, damage] of Object.entries(damages)) {
    const bytes = Buffer.from(whole);
    const random = numbers(1);
    for (const { offset, size } of sections) damage(bytes.subarray(offset, offset + size), random);
    const replaced = host.log.next({ event: 'plugin replaced' });
    await writeFile(components.file('crashing.so'), bytes);
    await replaced;
    const { event } = await crash(host, 'write_null');
    assert.equal(event.what, `its process ${nullPointer}`, what);
    assert.match(event.at, /^crashing\.(so\+0x|cpp:)/, what);
  }
});

test('ASymbolizerThatHangsIsEndedAndTheCrashIsToldWithoutLines', { skip }, async (context) => {
  const components = await Components.create('crashing_debug');
  const prefix = join(components.folder, 'prefix');
  for (const folder of ['bin', helpers]) await mkdir(join(prefix, folder), { recursive: true });
  for (const file of ['bin/mcp-plugin-host', `${helpers}/mcp-plugin-worker`]) await copyFile(join(installed, file), join(prefix, file));
  const hanging = join(prefix, helpers, 'mcp-plugin-symbolizer');
  await writeFile(hanging, '#!/bin/sh\nexec /bin/sleep 60\n');
  await chmod(hanging, 0o755);
  const child = spawn(join(prefix, 'bin/mcp-plugin-host'), argumentsOf('serve', components, ['--listen', '127.0.0.1:0']), {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const host = await HttpHost.of(child, components);
  context.after(() => host.stop().finally(() => components.discard()));
  const crashed = host.log.next({ event: 'plugin crashed' });
  const ask = async (how) => (await postModern(host.url, 'tools/call', { name: 'crash', arguments: { how } })).json();
  const begin = Date.now();
  assert.match((await ask('write_null')).error.message, /through a null pointer/);
  // Nobody waits for it: the next call is served by a process that has been started since.
  assert.match((await ask('divide_by_zero')).error.message, /divided by zero/);
  // A symbolizer has five seconds.
  if (Date.now() - begin < 4000) assert.deepEqual(host.log.matching({ event: 'plugin crashed' }), []);
  const event = await crashed;
  assert.match(event.at, /^crashing_debug\.so\+0x[0-9a-f]+$/);
  const { reason } = host.log.matching({ event: 'lines of source not found' })[0];
  assert.equal(reason, 'mcp-plugin-symbolizer was ended: it took too long');
});

function symbolize(file, log) {
  return spawnSync(program, ['symbolize', file], { ...limited, input: log });
}

test('ALogFromElsewhereIsMadeReadable', { skip }, async (context) => {
  const components = await Components.create();
  const file = components.file('crashing.so');
  execFileSync('objcopy', ['--strip-debug', fixture('crashing_optimized'), file]);
  const host = await serve(context, components);
  const { event } = await crash(host, 'use_inlined');
  await host.log.until({ event: 'plugin restarted' });
  assert.match(event.at, /^crashing\.so\+0x[0-9a-f]+ \(anonymous namespace\)::use_inlined\(\)$/);
  const log = host.log.entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');

  const whole = join(components.folder, 'crashing.so');
  await copyFile(fixture('crashing_optimized'), whole);
  const { stdout, stderr, status } = symbolize(whole, `${log}crashing.so+0x1 and more\n`);
  assert.deepEqual({ stderr, status }, { stderr: '', status: 0 });
  const lines = stdout.split('\n');
  assert.equal(lines.at(-2), 'crashing.so+0x1 and more', 'what is not known stays');
  const read = lines.slice(0, -2).map((line) => JSON.parse(line));
  assert.equal(read.length, host.log.entries.length);
  const { at } = read.find((entry) => entry.event === 'plugin crashed');
  const [inlined, around] = [lineOf('inlined: first_of'), lineOf('crash: use_inlined')];
  assert.match(at, new RegExp(`^first_of at \\S+/crashing.cpp:${inlined}, inlined into use_inlined at \\S+/crashing.cpp:${around}$`));

  const stripped = symbolize(file, log);
  assert.deepEqual({ stdout: stripped.stdout, status: stripped.status }, { stdout: log, status: 1 });
  assert.match(stripped.stderr, /crashing\.so has no debug data for the places that the input names; give it the file as it was/);

  const [offset] = event.at.split(' ');
  const withPlace = (place, field) => `${place}\n{"at":"${place}"}\nat=${field} running=crash\nat ${place} while it ran\n`;
  const withFunctions = withPlace(event.at, `"${event.at}"`);
  assert.equal(symbolize(file, withPlace(offset, offset)).stdout, withFunctions, 'a function without a line follows');
  assert.equal(symbolize(file, withFunctions).stdout, withFunctions, 'and does not follow twice');

  await copyFile(fixture('crashing_debug'), whole);
  const other = symbolize(whole, log);
  assert.equal(other.status, 1);
  assert.match(other.stderr, new RegExp(`is not the build that crashed, .* and the log names ${event.build_id}\n$`));

  const stranger = symbolize(whole, 'another.so+0x10\n');
  assert.deepEqual({ stdout: stranger.stdout, status: stranger.status }, { stdout: 'another.so+0x10\n', status: 1 });
  assert.match(stranger.stderr, /names no place in this file, such as crashing\.so\+0x1a2b; give it the log of the host/);
});

const valgrind = spawnSync('valgrind', ['--version']).status === 0;
test('ValgrindCanWatchAWorker', { timeout: 480_000, skip: sanitizer || (!valgrind && 'install valgrind') }, async (context) => {
  const components = await Components.create('plain_c');
  context.after(() => components.discard());
  const words = argumentsOf('list', components, ['--isolation', 'worker']);
  const all = ['--trace-children=yes', program, ...words];
  let tried;
  // A worker has ten seconds to load its plugin, which valgrind does not always let it have on a busy machine.
  for (let i = 0; i < 5 && tried?.status !== 0; ++i) tried = await run('valgrind', all, { timeout: 90_000 });
  const { stdout, stderr, status } = tried;
  assert.equal(status, 0, stderr);
  assert.match(stdout, /plain_c\.so: plain_c /);
});
