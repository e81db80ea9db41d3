// A plugin that dies takes nobody with it: its own calls fail with an error that says what happened, everybody else's go
// on, and it is there again a moment later, until it has died too often.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { adminOf, Metrics } from './support/admin.mjs';
import { Components, fixture } from './support/components.mjs';
import { memoryCannotBeLimited, sanitizer, serve } from './support/host.mjs';
import { postModern } from './support/http.mjs';
import { sseMessages } from './support/sse.mjs';
import { until } from './support/until.mjs';

const workers = ['--isolation', 'worker'];

async function call(host, name, args = {}) {
  const response = await postModern(host.url, 'tools/call', { name, arguments: args });
  return response.json();
}

const structured = async (host, name, args) => (await call(host, name, args)).result.structuredContent.result;

async function start(context, ...plugins) {
  const components = await Components.create('dying', ...plugins);
  const host = await serve(context, components, workers);
  return Object.assign(host, { components });
}

// The methods of the notifications that a client which listens for changed tools hears.
async function* listen(host, signal) {
  const notifications = { toolsListChanged: true };
  const response = await postModern(host.url, 'subscriptions/listen', { notifications }, { signal });
  for await (const { method } of sseMessages(response.body)) yield method;
}

const ends = {
  'segmentation fault': 'was killed by SIGSEGV (Segmentation fault) through a null pointer',
  abort: 'was killed by SIGABRT (Aborted)',
  exit: 'exited with status 3',
  'quick exit': 'exited with status 0',
  'real-time signal': 'was killed by signal 34',
  kill: 'was killed by SIGKILL, perhaps because memory ran out',
  'stack overflow': 'was killed by SIGSEGV (Segmentation fault), because its stack overflowed',
  'division by zero': 'was killed by SIGFPE (Floating point exception), because it divided by zero',
  'wild pointer': 'was killed by SIGSEGV (Segmentation fault) at the address 0x456789123000',
  'out of memory': 'was killed by SIGABRT (Aborted)',
  'exception on a thread': 'was killed by SIGABRT (Aborted)',
  'close every descriptor': 
    'lost its connection to the host; perhaps the plugin closed a descriptor that is not its own',
};

for (const [how, end] of Object.entries(ends)) {
  const skip = how === 'out of memory' && memoryCannotBeLimited;
  test(`ItsCallsSayThatItDiedAndTheNextOneIsServed: ${how}`, { skip }, async (context) => {
    const host = await serve(context, await Components.create('dying', 'slow'), [...workers, '--admin-listen', '127.0.0.1:0']);
    const base = await adminOf(host);
    const before = await structured(host, 'pid');
    const healthy = call(host, 'wait', { label: 'healthy', milliseconds: 300, reports: 0 });
    const beside = call(host, 'sleep', { milliseconds: 60_000 });
    const calls = async () => (await Metrics.read(base)).sum('mcph_plugin_calls_in_flight', { plugin: 'tools/dying.so' });
    await until(async () => (await calls()) === 1, () => 'a call in flight');

    const { error } = await call(host, 'die', { how });
    const among = ', one of 2 calls that it had';
    assert.deepEqual(error, {
      code: -32603,
      message: `plugin dying: its process ${end} while it served die${among}`,
    });
    assert.equal((await beside).error.message, `plugin dying: its process ${end} while it served sleep${among}`);

    assert.notEqual(await structured(host, 'pid'), before);
    assert.equal((await healthy).result.content[0].text, 'healthy');
    const crash = await host.log.until({ event: 'plugin crashed' });
    assert.equal(crash.what, `its process ${end}`);
    assert.equal(crash.calls_failed, 2);
    assert.equal(crash.running, 'die, sleep');
  });
}

// The place in the source that a frame has, found by the host or, where that was built without libdw, here.
function placeOf(frame) {
  const [, offset] = /^dying\.so\+(0x[0-9a-f]+)/.exec(frame) ?? [];
  return offset ? execFileSync('addr2line', ['-e', fixture('dying'), '-fCpi', offset], { encoding: 'utf8' }) : frame;
}

async function sourceOf(frame) {
  const source = (await readFile(new URL('plugins/dying.cpp', import.meta.url), 'utf8')).split('\n');
  const [, line] = /dying\.cpp:(\d+)/.exec(placeOf(frame)) ?? assert.fail(frame);
  return source[line - 1].trim();
}

test('ACrashLeavesABacktraceInTheLog', async (context) => {
  const host = await start(context);
  await call(host, 'die', { how: 'segmentation fault' });
  await host.log.until({ event: 'plugin backtrace', level: 'error', text: 'the plugin crashed: SIGSEGV through a null pointer; backtrace:' });
  await host.log.until({ event: 'plugin restarted' });
  const [, crash, caller] = host.log.matching({ event: 'plugin backtrace' }).map(({ text }) => text);
  assert.equal(await sourceOf(crash), '*nowhere = 1;');
  assert.match(placeOf(caller), /dying\.cpp|functional|std_function\.h|invoke\.h/);
});

for (const [name, args, profile, place] of [
  ['die', { how: 'endless loop' }, 'none', 'for (volatile bool on = true; on;) {'],
  ['sleep', { milliseconds: 60_000 }, 'strict', 'std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));'],
]) {
  const skip = sanitizer === 'thread' && name === 'die' && 'it hands a signal on when the C library is called next';
  test(`ACallThatDoesNotComeBackLeavesABacktraceInTheLog: ${name}`, { skip }, async (context) => {
    const components = await Components.create();
    await components.write('dying.json', JSON.stringify({ limits: { callTimeMs: 100 }, sandbox: { profile } }));
    await components.add('dying');
    const host = await serve(context, components, workers);
    await call(host, name, args);
    const hangs = 'a thread that runs the plugin; backtrace:';
    await host.log.until({ event: 'plugin backtrace', level: 'error', text: hangs });
    await host.log.until({ event: 'plugin restarted' });
    const frames = host.log.matching({ event: 'plugin backtrace' }).map(({ text }) => text);
    assert.equal(frames.filter((text) => text === hangs).length, 1, 'of the one thread that ran the plugin');
    assert.equal(await sourceOf(frames.find((text) => /^dying\.so\+|dying\.cpp:/.test(text))), place);
  });
}

for (const isolation of ['worker', 'in-process']) {
  test(`TheModelLearnsWhyACallWasCancelledThatTookTooLong: ${isolation}`, async (context) => {
    const components = await Components.create();
    await components.write('slow.json', JSON.stringify({ isolation, limits: { callTimeMs: 100 } }));
    await components.add('slow');
    const host = await serve(context, components, []);
    const { result } = await call(host, 'wait', { label: 'long', milliseconds: 30_000, reports: 0 });
    assert.equal(result.isError, true);
    assert.deepEqual(
      result.content.map(({ text }) => text),
      [
        'The call was cancelled, because wait took longer than the 0.1 s that limits.callTimeMs allows.',
        'cancelled',
      ],
    );
  });
}

test('WhatAWorkerPrintsIsInTheLogAtOnceAndBeforeItsDeath', async (context) => {
  const host = await start(context);
  await call(host, 'print', { lines: 2 });
  await host.log.until({ event: 'plugin output', plugin: 'dying', text: 'line 1' });
  await call(host, 'print', { lines: 400 });
  await call(host, 'die', { how: 'kill' });
  const last = await host.log.until({ event: 'plugin output', text: 'line 399' });
  const death = await host.log.until({ event: 'plugin crashed' });
  assert.ok(host.log.entries.indexOf(last) < host.log.entries.indexOf(death), host.log.text());
});

test('AFloodOfOutputIsCutShort', async (context) => {
  const host = await start(context);
  assert.equal((await call(host, 'print', { lines: 20_000 })).result.isError, undefined);
  await sleep(1500);
  await call(host, 'print', { lines: 1 });
  await host.log.until({ event: 'plugin says too much', plugin: 'dying' });
  assert.ok(host.log.matching({ event: 'plugin output' }).length < 10_000);
});

test('AWorkerWithoutOutputCostsTheHostNothing', async (context) => {
  const host = await start(context);
  await call(host, 'close_output');
  const ticks = async () => {
    const fields = (await readFile(`/proc/${host.child.pid}/stat`, 'utf8')).split(' ');
    return Number(fields[13]) + Number(fields[14]);
  };
  const before = await ticks();
  await sleep(1000);
  assert.ok((await ticks()) - before < 20, 'a fifth of a second at most');
});

test('AWorkerCarriesTheNameOfItsPluginsFile', async (context) => {
  const host = await start(context, 'slow');
  const { pid } = await host.log.until({ event: 'plugin loaded', plugin: 'dying' });
  assert.equal(pid, await structured(host, 'pid'));
  const [program, parent, , plugin] = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
  assert.equal(program, 'mcp-plugin-worker');
  assert.equal(parent, String(host.child.pid));
  assert.equal(plugin, 'dying.so');
});

test('AWorkerThatIsKilledFromOutsideIsReplaced', async (context) => {
  const host = await start(context);
  const before = await structured(host, 'pid');
  process.kill(before, 'SIGKILL');
  await host.log.until({ event: 'plugin restarted' });
  const after = await structured(host, 'pid');
  assert.notEqual(after, before);
  await assert.rejects(readFile(`/proc/${before}/status`), { code: 'ENOENT' });
});

test('AWorkerThatTakesThePlaceOfAnotherHasNothingInCommonWithIt', { skip: sanitizer }, async (context) => {
  const host = await start(context, 'slow');
  const programOf = async (pid) => (await readFile(`/proc/${pid}/maps`, 'utf8')).split('-')[0];
  const { pid: slow } = await host.log.until({ event: 'plugin loaded', plugin: 'slow' });
  const before = await structured(host, 'pid');
  const shared = await programOf(before);
  assert.equal(await programOf(slow), shared, 'both were forked');
  assert.match((await call(host, 'die', { how: 'exit' })).error.message, /exited with status 3/);
  await host.log.until({ event: 'plugin restarted' });
  assert.notEqual(await programOf(await structured(host, 'pid')), shared);
});

test('OneThatDiesTooOftenIsWithdrawnUntilItsFileChanges', async (context) => {
  const host = await start(context, 'slow');
  const closing = new AbortController();
  const heard = listen(host, closing.signal);
  assert.equal((await heard.next()).value, 'notifications/subscriptions/acknowledged');
  for (let died = 1; died <= 5; ++died) {
    assert.match((await call(host, 'die', { how: 'exit' })).error.message, /exited with status 3/);
    await host.log.untilTimes(Math.min(died, 4), { event: 'plugin restarted' });
  }
  await host.log.until({ event: 'plugin quarantined' });
  assert.equal((await heard.next()).value, 'notifications/tools/list_changed');
  assert.deepEqual((await call(host, 'pid')).error, {
    code: -32602,
    message: 'Unknown tool: pid (it was withdrawn, because its plugin crashed too often)',
  });
  assert.equal((await call(host, 'wait', { label: 'healthy', milliseconds: 1, reports: 0 })).result.isError, undefined);

  await host.components.renameOver('dying.so', 'dying');
  assert.equal((await heard.next()).value, 'notifications/tools/list_changed');
  assert.ok(await structured(host, 'pid'));
  closing.abort();
});

// The operator is told once of each limit, with the setting.
function assertAtLimit(host, ...reasons) {
  const told = host.log.matching({ event: 'plugin is at a limit' });
  assert.deepEqual(
    told.map(({ level, plugin, reason }) => ({ level, plugin, reason })),
    reasons.map((reason) => ({ level: 'warning', plugin: 'dying', reason })),
  );
}

// Neither the call nor the plugin heeds anything.
test('OneThatTakesTooLongIsEnded', async (context) => {
  const components = await Components.create('slow');
  await components.write('dying.json', JSON.stringify({ limits: { callTimeMs: 300 } }));
  await components.add('dying');
  const host = await serve(context, components, workers);
  const begin = Date.now();
  const { error } = await call(host, 'sleep', { milliseconds: 60_000 });
  assert.equal(
    error.message,
    'plugin dying: its process was killed, because sleep took longer than the 0.3 s that limits.callTimeMs allows and ' +
      'did not heed its cancellation',
  );
  assertAtLimit(host, 'sleep took longer than the 0.3 s that limits.callTimeMs allows');
  assert.ok(Date.now() - begin >= 2300);
  assert.ok(await structured(host, 'pid'));
});

test('OneThatTakesTooLongInTheHostIsGivenUp', async (context) => {
  const components = await Components.create();
  await components.write('dying.json', JSON.stringify({ isolation: 'in-process', limits: { callTimeMs: 200 } }));
  await components.add('dying');
  const host = await serve(context, components, workers);
  const { error } = await call(host, 'sleep', { milliseconds: 8000 }); // well over the limit and the grace
  const reason = 'sleep took longer than the 0.2 s that limits.callTimeMs allows';
  assert.equal(error.message, `plugin dying: ${reason} and did not heed its cancellation`);
  assertAtLimit(host, reason);
  assert.equal(await structured(host, 'pid'), host.child.pid);
  await host.log.until({ event: 'call ended late', plugin: 'dying' });
  assert.deepEqual(host.log.matching({ event: 'plugin misbehaved' }), []);
});

test('AnAnswerThatIsTooLargeIsRefused', async (context) => {
  const components = await Components.create();
  await components.write('dying.json', JSON.stringify({ limits: { resultBytes: 1000 } }));
  await components.add('dying');
  const host = await serve(context, components, workers);
  const { error } = await call(host, 'say', { bytes: 2000 });
  assert.match(error.message, /^plugin dying answered with \d+ bytes, more than the 1000 that limits.resultBytes allows$/);
  assert.equal((await call(host, 'say', { bytes: 100 })).error, undefined);
  assert.deepEqual((await call(host, 'say', { bytes: 2000 })).error, error);
  assertAtLimit(host, error.message.replace('plugin dying', 'it'));
});

test('CallsBeyondThoseThatMayRunWaitAndBeyondThoseInFlightAreRefused', async (context) => {
  const components = await Components.create();
  await components.write('dying.json', JSON.stringify({ limits: { concurrentCalls: 2, callsInFlight: 4 } }));
  await components.add('dying');
  const host = await serve(context, components, [...workers, '--admin-listen', '127.0.0.1:0']);
  const admin = await adminOf(host);
  const waiting = Array.from({ length: 4 }, () => call(host, 'sleep', { milliseconds: 4_000 }));
  const concurrent = '2 calls run at once, as many as limits.concurrentCalls allows; further ones wait';
  await host.log.until({ event: 'plugin is at a limit', reason: concurrent });
  const inFlight = async () => (await Metrics.read(admin)).sum('mcph_plugin_calls_in_flight', { plugin: 'tools/dying.so' });
  await until(async () => (await inFlight()) === 4, inFlight);
  const many = '4 calls are in flight, as many as limits.callsInFlight allows';
  const isBusy = async () => {
    const { error } = await call(host, 'pid');
    if (error) assert.equal(error.message, `plugin dying is busy: ${many}; try again later`);
    return host.log.matching({ reason: many }).length > 0;
  };
  await until(isBusy, () => host.log.text(), { pauseMs: 0 });
  for (const each of await Promise.all(waiting)) assert.equal(each.error, undefined);
  assertAtLimit(host, concurrent, many);
});

test('MemoryBeyondItsLimitIsRefusedAndNobodyElseIsShort', { skip: memoryCannotBeLimited }, async (context) => {
  const components = await Components.create('slow');
  await components.write('dying.json', JSON.stringify({ limits: { memoryBytes: 200_000_000 } }));
  await components.add('dying');
  const host = await serve(context, components, workers);
  const { result } = await call(host, 'say', { bytes: 500_000_000 });
  assert.equal(result.isError, true);
  assert.match(result.content[0].text, /bad_alloc/);
  assert.equal((await call(host, 'say', { bytes: 100 })).error, undefined);
  const lack = 'it could not allocate memory, of which limits.memoryBytes allows it 200000000 bytes';
  assertAtLimit(host, lack);
  const { error } = await call(host, 'die', { how: 'exit' });
  assert.equal(error.message, `plugin dying: its process exited with status 3, after ${lack} while it served die`);
});

test('ALimitThatLeavesNoRoomForItsLibraryIsNamed', { skip: memoryCannotBeLimited }, async (context) => {
  const components = await Components.create();
  await components.write('dying.json', JSON.stringify({ limits: { memoryBytes: 1000 } }));
  await components.add('dying');
  const host = await serve(context, components, workers);
  const { reason } = await host.log.until({ event: 'plugin refused' });
  assert.match(reason, /; limits\.memoryBytes allows it 1000 bytes$/);
});

test('ToHaveBeenShortOfMemoryIsNoBadEnd', { skip: memoryCannotBeLimited }, async (context) => {
  const components = await Components.create();
  await components.write('dying.json', JSON.stringify({ limits: { memoryBytes: 200_000_000 } }));
  await components.add('dying');
  const host = await serve(context, components, workers);
  const { result } = await call(host, 'say', { bytes: 500_000_000 });
  assert.equal(result.isError, true);
  await host.stop();
  assert.deepEqual(host.log.matching({ event: 'plugin did not stop well' }), []);
});

// Of processor time, so far, in seconds.
async function cpuTime(pid) {
  const ticksInASecond = 100;
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksInASecond;
}

test('APluginThatComputesAllTheTimeIsHeldToItsShareOfTheProcessors', async (context) => {
  const components = await Components.create('slow');
  await components.write('dying.json', JSON.stringify({ limits: { cpuPercent: 10 } }));
  await components.add('dying');
  const host = await serve(context, components, workers);
  const shareIsUsed = 'it used more than the 10 % of a processor that limits.cpuPercent allows; it is stopped in between';
  const pid = await structured(host, 'pid');
  const cancelled = new AbortController();
  const loop = { name: 'die', arguments: { how: 'endless loop' } };
  const loops = [0, 1].map(() => postModern(host.url, 'tools/call', loop, { signal: cancelled.signal }).catch(() => {}));
  await host.log.until({ event: 'plugin is at a limit', reason: shareIsUsed });
  const [begin, before] = [performance.now(), await cpuTime(pid)];
  await sleep(2000);
  const used = (await cpuTime(pid)) - before;
  const seconds = (performance.now() - begin) / 1000;
  assert.ok(used < 0.25 * seconds, `${used} s in ${seconds} s`);
  const { result } = await call(host, 'wait', { label: 'another', milliseconds: 1, reports: 0 });
  assert.equal(result.isError, undefined);
  cancelled.abort();
  await Promise.all(loops);
});

test('APluginMayBeKeptFromStartingProcesses', async (context) => {
  const components = await Components.create('dying');
  const host = await serve(context, components, workers);
  const startProcess = async () => (await call(host, 'start_process')).result.content[0].text;
  assert.equal(await startProcess(), 'a thread and a process');
  await components.write('dying.json', JSON.stringify({ limits: { processes: 0 } }));
  await host.log.until({ event: 'plugin replaced', plugin: 'dying' });
  assert.equal(await startProcess(), 'a thread and no process: Operation not permitted');
});

// One that nobody has waited for yet has ended, too.
async function hasEnded(process) {
  const status = await readFile(`/proc/${process}/status`, 'utf8').catch(() => 'State:\tX');
  return /^State:\t[XZ]/m.test(status);
}

const untilEnded = (process) => until(() => hasEnded(process), () => `the end of process ${process}`);

for (const [profile, isProgram] of [['none', false], ['none', true], ['permissive', true]]) {
  const what = isProgram ? 'another program' : 'a fork';
  test(`WhatAPluginHasStartedEndsWithIt: ${what}, sandbox ${profile}`, async (context) => {
    const components = await Components.create();
    await components.write('dying.json', JSON.stringify({ sandbox: { profile } }));
    await components.add('dying');
    const host = await serve(context, components, workers);
    const startDaemon = () => structured(host, 'start_daemon', { other_program: isProgram });
    // By a crash.
    const first = await startDaemon();
    assert.equal(await hasEnded(first), false);
    await call(host, 'die', { how: 'segmentation fault' });
    await untilEnded(first);
    await host.log.until({ event: 'plugin left processes', plugin: 'dying', processes: 1 });
    // When its file is replaced: that of the new version goes on.
    const second = await startDaemon();
    await components.write('dying.json', JSON.stringify({ sandbox: { profile }, again: true }));
    await host.log.until({ event: 'plugin replaced' });
    const third = await startDaemon();
    await untilEnded(second);
    assert.equal(await hasEnded(third), false);
    // With the host.
    await host.stop();
    await untilEnded(third);
    host.stop = async () => {};
  });
}

test('NoWorkerOutlivesTheHost', async (context) => {
  const host = await start(context);
  const worker = await structured(host, 'pid');
  host.child.kill('SIGKILL');
  await host.exited;
  await untilEnded(worker);
  host.stop = async () => {};
});
