// What the operator asks a running host, with the commands and past them: how its plugins fare, to load them anew, to
// take them off the lists and to put them back.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { command } from './support/command.mjs';
import { Components } from './support/components.mjs';
import { HttpHost, inProcess, program, serve } from './support/host.mjs';
import { modernRequest, postModern } from './support/http.mjs';
import { sseMessages } from './support/sse.mjs';
import { LineClient } from './support/stdio.mjs';
import { Team } from './support/team.mjs';
import { until } from './support/until.mjs';

// Where the hosts of this file, and no others, are found.
const folder = await mkdtemp(join(tmpdir(), 'mcp-operator-'));
process.env.XDG_RUNTIME_DIR = folder;
process.env.XDG_STATE_HOME = folder;
process.env.TMPDIR = folder;
after(() => rm(folder, { recursive: true, force: true }));
const sockets = join(folder, 'mcp-plugin-host');

async function json(...args) {
  const { status, stdout, stderr } = await command(...args, '--json');
  assert.notEqual(stdout, '', stderr);
  return { exit: status, ...JSON.parse(stdout) };
}

async function plugin(name) {
  return (await json('status')).plugins.find((each) => each.plugin === name);
}

async function untilPlugin(name, fits) {
  let found;
  const isSo = async () => {
    found = await plugin(name);
    return found && fits(found) && found;
  };
  return until(isSo, () => JSON.stringify(found));
}

async function call(host, name, args = {}) {
  const response = await postModern(host.url, 'tools/call', { name, arguments: args });
  return response.json();
}
const isServed = async (host, name) => !/[Uu]nknown tool/.test((await call(host, name)).error?.message ?? '');

// The methods of the notifications that a client which listens for changed tools hears; the acknowledgement is heard.
async function listen(context, host) {
  const closing = new AbortController();
  context.after(() => closing.abort());
  const options = { signal: closing.signal };
  const response = await postModern(host.url, 'subscriptions/listen', { notifications: { toolsListChanged: true } }, options);
  const messages = sseMessages(response.body);
  const next = async () => (await messages.next()).value.method;
  assert.equal(await next(), 'notifications/subscriptions/acknowledged');
  return next;
}
const listChanged = 'notifications/tools/list_changed';

async function start(context, plugins, more = []) {
  const components = await Components.create(...plugins);
  const host = await serve(context, components, more);
  return Object.assign(host, { components });
}

test('StatusTellsOfTheHostAndEachPlugin', async (context) => {
  const host = await start(context, ['sample_v1', 'slow']);
  const { exit, ok, host: facts, plugins, problems } = await json('status');
  assert.equal(exit, 0);
  assert.equal(ok, true);
  assert.deepEqual(problems, []);
  assert.equal(facts.pid, host.child.pid);
  assert.equal(facts.command, 'serve');
  assert.equal(facts.components, host.components.root);
  assert.match(facts.url, /^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  assert.match(facts.version, /^\d+\.\d+\.\d+$/);
  assert.equal(plugins.length, 2);
  const [{ pid, digest, ...sample }] = plugins;
  assert.match(digest, /^[0-9a-f]{64}$/);
  assert.equal(pid === host.child.pid, inProcess);
  assert.deepEqual(sample, {
    file: host.components.file('sample_v1.so'),
    state: 'serving',
    plugin: 'sample',
    version: '1',
    isolation: inProcess ? 'in-process' : 'worker',
    sandbox: { profile: 'none', lacks: [] },
    components: 4,
    restarts: 0,
    calls: 0,
    errors: 0,
    inFlight: 0,
    latencyUs: { p50: 0, p99: 0 },
  });

  const text = await command('status');
  assert.equal(text.status, 0);
  const [first, titles, line, ...rest] = text.stdout.split('\n');
  assert.match(first, /^mcp-plugin-host \d+\.\d+\.\d+, pid \d+, serve, http:\/\/127\.0\.0\.1:\d+\/mcp, \/.*, up \d+ s$/);
  assert.match(titles, /^PLUGIN +FILE +VERSION +DIGEST +ISOLATION +PID +STATE +RESTARTS +CALLS +ERRORS +IN FLIGHT +P50 +P99 +LAST ERROR$/);
  assert.match(line, /^sample +tools\/sample_v1\.so +1 +[0-9a-f]{12} +(worker|in-process) +\d+ +serving +0 +0 +0 +0 +- +- +-$/);
  assert.equal(line.indexOf('serving'), titles.indexOf('STATE'));
  assert.equal(rest.length, 2);
});

test('StatusTellsWhatHasBecomeOfAChangedConfiguration', async (context) => {
  const team = await Team.serve(context, await Components.create('sample_v1'), '[roles.user]\nallow = ["tool:*"]\n');
  assert.deepEqual((await json('status')).configuration, { taken: true, needRestart: [] });

  const restart = team.host.log.next({ event: 'configuration needs a restart' });
  await team.reconfigure('[roles.user]\nallow = ["tool:*"]\n[http]\nmax_sessions = 7\nmax_connections = 8\n');
  await restart;
  let text = await command('status');
  assert.equal(text.status, 0);
  assert.match(text.stdout, /\nThe configuration needs a restart: http\.max_connections, http\.max_sessions\n$/);

  const refused = team.host.log.next({ event: 'configuration not taken' });
  await team.configure('[roles.user]\nallow = ["version"]\n');
  const { reason } = await refused;
  assert.match(reason, /team\.toml:4:10: /);
  const { exit, ok, configuration } = await json('status');
  assert.equal(exit, 1);
  assert.equal(ok, false);
  assert.equal(configuration.taken, false);
  assert.equal(configuration.reason, reason);
  text = await command('status');
  assert.equal(text.status, 1);
  assert.ok(text.stdout.includes(`\nThe configuration was not taken: ${reason}\n`), text.stdout);

  await team.reconfigure('[roles.user]\nallow = ["tool:*"]\n');
  assert.deepEqual((await json('status')).configuration, { taken: true, needRestart: [] });
});

test('StatusCountsCallsErrorsAndTimes', async (context) => {
  const host = await start(context, ['slow', 'dying']);
  for (let calls = 0; calls < 3; ++calls) await call(host, 'sleep', { milliseconds: 20 });
  const answered = await plugin('dying');
  assert.equal(answered.calls, 3);
  assert.equal(answered.errors, 0);
  assert.ok(answered.latencyUs.p50 >= 20_000 && answered.latencyUs.p50 <= answered.latencyUs.p99, answered.latencyUs);
  assert.equal(answered.lastError, undefined);

  // A tool that throws has failed, and so has one whose arguments nobody has.
  assert.equal((await call(host, 'die', { how: 'of boredom' })).result.isError, true);
  const failed = await plugin('dying');
  assert.equal(failed.calls, 4);
  assert.equal(failed.errors, 1);
  assert.match(failed.lastError.message, /^die: /);
  assert.ok(Math.abs(Date.parse(failed.lastError.at) - Date.now()) < 60_000);

  // Longer than it takes to ask, on a busy machine too.
  const waiting = call(host, 'sleep', { milliseconds: 10_000 });
  assert.equal((await untilPlugin('dying', ({ inFlight }) => inFlight === 1)).calls, 5);
  await waiting;
  assert.equal((await plugin('slow')).calls, 0);
});

test('ACancelledCallIsNoError', async (context) => {
  const host = await start(context, ['slow']);
  const closing = new AbortController();
  const params = { name: 'wait', arguments: { label: 'long', milliseconds: 30_000, reports: 0 } };
  const waiting = postModern(host.url, 'tools/call', params, { signal: closing.signal });
  await untilPlugin('slow', ({ inFlight }) => inFlight === 1);
  closing.abort();
  await assert.rejects(waiting);
  assert.equal((await untilPlugin('slow', ({ inFlight }) => inFlight === 0)).errors, 0);
});

test('StatusTellsOfARestart', { skip: inProcess && 'it shares the host\'s process' }, async (context) => {
  const host = await start(context, ['dying']);
  const before = await plugin('dying');
  assert.equal((await call(host, 'pid')).result.structuredContent.result, before.pid);
  process.kill(before.pid, 'SIGKILL');
  const afterwards = await untilPlugin('dying', ({ restarts, state }) => restarts === 1 && state === 'serving');
  assert.notEqual(afterwards.pid, before.pid);
  assert.equal(afterwards.lastError.message, 'its process was killed by SIGKILL, perhaps because memory ran out');
  assert.equal((await call(host, 'pid')).result.structuredContent.result, afterwards.pid);
});

test('APluginThatRestsIsNotWell', { skip: inProcess && 'it shares the host\'s process' }, async (context) => {
  const components = await Components.create();
  await components.write('dying.json', JSON.stringify({ restarts: { firstDelayMs: 30_000 } }));
  await components.add('dying');
  const host = await serve(context, components);
  await call(host, 'die', { how: 'exit' });
  await host.log.until({ event: 'plugin restarted' });
  await call(host, 'die', { how: 'exit' });
  const { pid, state, errors } = await untilPlugin('dying', (dying) => dying.state === 'backoff');
  assert.deepEqual({ pid, state }, { pid: null, state: 'backoff' });
  // That calls are refused meanwhile does not hide why.
  assert.match((await call(host, 'pid')).error.message, /is started again soon/);
  const refusing = await plugin('dying');
  assert.equal(refusing.errors, errors + 1);
  assert.match(refusing.lastError.message, /^its process exited with status 3(, at dying\.cpp:\d+ in .*)?$/);
  assert.equal((await json('status')).exit, 1);
  assert.match((await command('reload', 'dying')).stdout, /dying\.so: serving dying 1\.0\.0 \([0-9a-f]{12}\)\n$/);
  assert.equal(await isServed(host, 'pid'), true);
});

test('ReloadBringsAQuarantinedPluginBack', { skip: inProcess && 'it shares the host\'s process' }, async (context) => {
  const host = await start(context, ['dying', 'slow']);
  const heard = await listen(context, host);
  for (let died = 1; died <= 5; ++died) {
    await call(host, 'die', { how: 'exit' });
    await host.log.untilTimes(Math.min(died, 4), { event: 'plugin restarted' });
  }
  assert.equal(await heard(), listChanged);
  assert.equal(await isServed(host, 'pid'), false);
  const { exit, ok } = await json('status');
  assert.deepEqual({ exit, ok }, { exit: 1, ok: false });
  const { state, pid, restarts, errors, reason } = await untilPlugin('dying', (dying) => dying.state === 'quarantined');
  // Where there is a symbolizer, it says where the plugin called exit.
  assert.match(reason, /^quarantined: its process exited with status 3(, at dying\.cpp:\d+ in .*)?, and did so too often$/);
  assert.deepEqual(
    { state, pid, restarts, errors },
    {
      state: 'quarantined',
      pid: null,
      restarts: 4,
      errors: 5,
    },
  );
  assert.match((await command('status')).stdout, /\/dying\.so: quarantined: its process exited with status 3/);

  const reloaded = await json('reload', 'dying');
  assert.equal(reloaded.exit, 0);
  assert.equal(reloaded.plugins[0].file, host.components.file('dying.so'));
  assert.equal(await heard(), listChanged);
  assert.equal(await isServed(host, 'pid'), true);
  assert.equal((await plugin('dying')).restarts, 0);
  assert.equal((await json('status')).exit, 0);
});

test('ReloadLoadsWhatHasNotChanged', async (context) => {
  const host = await start(context, ['sample_v1', 'slow']);
  await call(host, 'version');
  const before = await plugin('sample');
  const { exit, plugins } = await json('reload', 'sample');
  assert.equal(exit, 0);
  assert.deepEqual(plugins, [
    { file: host.components.file('sample_v1.so'), ok: true, outcome: `serving sample 1 (${before.digest.slice(0, 12)})` },
  ]);
  const afterwards = await plugin('sample');
  assert.equal(afterwards.calls, 0, 'each version is counted by itself');
  assert.equal(afterwards.pid === before.pid, inProcess);

  const all = await command('reload');
  assert.equal(all.status, 0);
  assert.match(all.stdout, /^.*\/sample_v1\.so: serving sample 1 .*\n.*\/slow\.so: serving slow .*\n$/);
  assert.equal(host.log.matching({ event: 'plugin replaced', cause: 'the operator asked for it' }).length, 3);
});

test('APluginIsKnownByItsNameAndByItsFile', async (context) => {
  const host = await start(context, ['sample_v1']);
  const { root } = host.components;
  for (const name of ['sample', 'sample_v1', 'sample_v1.so', 'tools/sample_v1', 'tools/sample_v1.so', join(root, 'tools/sample_v1.so')]) {
    assert.equal((await json('reload', name)).plugins.length, 1, name);
  }
  for (const name of ['reload', 'disable', 'enable']) {
    const { status, stderr } = await command(name, 'absent');
    assert.equal(status, 2);
    assert.equal(stderr, 'mcp-plugin-host: no plugin or upstream is called "absent"; there are sample\n');
  }
});

test('WhatIsRefusedIsNotWellAndCanBeTriedAgain', async (context) => {
  const host = await start(context, ['sample_v1', 'refusing']);
  const refusing = host.components.file('refusing.so');
  const reason = 'it could not be set up: the licence has expired';
  const { exit, plugins } = await json('status');
  assert.equal(exit, 1);
  assert.deepEqual(plugins[0], { file: refusing, state: 'refused', reason });
  const text = await command('status');
  assert.equal(text.status, 1);
  assert.match(text.stdout, /\/refusing\.so: refused: it could not be set up: the licence has expired\n$/);

  const again = await json('reload', 'refusing');
  assert.equal(again.exit, 1);
  assert.deepEqual(again.plugins, [{ file: refusing, ok: false, outcome: `refused: ${reason}` }]);

  await host.components.overwrite('sample_v1.so', 'refusing');
  await untilPlugin('sample', (sample) => sample.reason !== undefined);
  const kept = await json('reload', 'sample');
  assert.match(kept.plugins[0].outcome, /^refused: it could not be set up: the licence has expired; still serving sample 1 /);
  assert.equal((await plugin('sample')).state, 'serving');
  assert.equal(await isServed(host, 'version'), true);
});

test('ADisabledFileThatWasRefusedIsToldOf', async (context) => {
  const host = await start(context, ['sample_v1']);
  await host.components.write('broken.so', 'no library');
  await host.log.until({ event: 'plugin refused' });
  assert.equal((await command('disable', 'broken')).status, 0);
  await host.log.until({ event: 'plugin disabled', file: host.components.file('broken.so') });
  const { status, stdout } = await command('status');
  assert.equal(status, 0);
  assert.match(stdout, /^- +tools\/broken\.so +.*disabled/m);
});

test('ADisabledComponentLeavesTheListsUntilItIsEnabledWhateverBecomesOfItsPlugin', async (context) => {
  const host = await start(context, ['sample_v1']);
  const heard = await listen(context, host);
  const file = host.components.file('sample_v1.so');
  const disabled = await command('disable', 'sample', '--component', 'version');
  assert.equal(disabled.status, 0);
  assert.equal(disabled.stdout, `${file}: version disabled\n`);
  assert.equal(await heard(), listChanged);
  assert.equal(await isServed(host, 'version'), false);
  assert.equal((await host.log.until({ event: 'component disabled', file })).component, 'version');
  assert.match((await command('status')).stdout, /sample_v1\.so: version is disabled\n/);

  await host.components.overwrite('sample_v1.so', 'sample_v2');
  await host.log.until({ event: 'plugin replaced', file });
  assert.equal(await isServed(host, 'version'), false, 'of the next version, too');
  const withdrawn = host.log.next({ event: 'plugin withdrawn', file });
  await host.components.removeFile('sample_v1.so');
  await withdrawn;
  const back = host.log.next({ event: 'plugin loaded', file });
  await host.components.add('sample_v1');
  await back;
  assert.equal(await isServed(host, 'only_in_v1'), true);
  assert.equal(await isServed(host, 'version'), false, 'also when the file was away');

  assert.match((await command('disable', 'sample', '--component', 'version')).stdout, /version was disabled before/);
  const mistyped = await command('disable', 'sample', '--component', 'verson');
  assert.equal(mistyped.status, 1);
  assert.match(mistyped.stdout, /it has no component "verson"/);

  assert.match((await command('enable', 'sample', '--component', 'version')).stdout, /version enabled/);
  assert.equal(await isServed(host, 'version'), true);
});

test('ADisabledPluginLeavesTheListsUntilItIsEnabled', async (context) => {
  const host = await start(context, ['slow', 'sample_v1']);
  const heard = await listen(context, host);
  const inFlight = call(host, 'wait', { label: 'done', milliseconds: 10_000, reports: 0 });
  await untilPlugin('slow', (slow) => slow.inFlight === 1);

  const disabled = await command('disable', 'slow');
  assert.equal(disabled.status, 0);
  assert.match(disabled.stdout, /\/slow\.so: disabled; calls that still run: 1\n$/);
  assert.equal(await heard(), listChanged);
  assert.equal(await isServed(host, 'wait'), false);
  assert.equal(await isServed(host, 'version'), true);
  const states = (await json('status')).plugins.filter((each) => each.plugin === 'slow').map(({ state }) => state);
  assert.deepEqual(states.sort(), ['disabled', 'draining']);
  assert.equal((await inFlight).result.content[0].text, 'done', 'its calls end in peace');

  // Nothing but the operator brings it back.
  await host.components.overwrite('slow.so', 'slow');
  assert.match((await command('reload', 'slow')).stdout, /: it is disabled; enable it\n$/);
  assert.equal((await json('reload')).plugins.length, 1);
  await host.components.removeFile('slow.so');
  await sleep(1200);
  await host.components.add('slow');
  await sleep(300);
  assert.equal(await isServed(host, 'wait'), false);
  const { exit, plugins } = await json('status');
  assert.equal(exit, 0);
  assert.equal(plugins.find((each) => each.plugin === 'slow').state, 'disabled');
  assert.match((await command('disable', 'slow')).stdout, /: it was disabled before\n$/);

  const enabled = await json('enable', 'slow');
  assert.equal(enabled.exit, 0);
  assert.match(enabled.plugins[0].outcome, /^serving slow /);
  assert.equal(await heard(), listChanged);
  assert.equal(await isServed(host, 'wait'), true);
  assert.match((await command('enable', 'slow')).stdout, /: it is not disabled\n$/);
});

test('SeveralOperatorsAtOnceAreServed', async (context) => {
  const host = await start(context, ['sample_v1']);
  const answers = await Promise.all([
    ...Array.from({ length: 4 }, () => json('reload')),
    ...Array.from({ length: 8 }, () => json('status')),
  ]);
  for (const { exit } of answers) assert.equal(exit, 0);
  assert.equal(await isServed(host, 'version'), true);
});

test('AHostOverStdioIsReachedToo', async (context) => {
  const components = await Components.create('sample_v1');
  const client = LineClient.start(context, components);
  await client.ask(modernRequest('tools/list', {}, 1));
  const { exit, host, plugins } = await json('status');
  assert.equal(exit, 0);
  assert.equal(host.command, 'stdio');
  assert.equal(host.url, undefined);
  assert.equal(host.pid, client.host.child.pid);
  assert.equal(plugins[0].plugin, 'sample');
  assert.equal((await json('disable', 'sample')).exit, 0);
  const listed = await client.ask(modernRequest('tools/list', {}, 2));
  assert.deepEqual(listed.result.tools, []);
});

test('WithoutAHostTheCommandsSaySo', async () => {
  for (const args of [['status'], ['reload'], ['disable', 'x'], ['enable', 'x']]) {
    const { status, stdout, stderr } = await command(...args);
    assert.equal(status, 2);
    assert.equal(stdout, '');
    assert.match(stderr, /^mcp-plugin-host: no host of this user is running; .*--control PATH\n$/);
  }
  const { status, stderr } = await command('status', '--control', join(folder, 'absent.sock'));
  assert.equal(status, 2);
  assert.match(stderr, /^mcp-plugin-host: no host answers at \/.*\/absent\.sock: No such file or directory\n$/);
  assert.equal((await command('disable')).status, 2);
});

test('WithSeveralHostsOneMustBeNamed', async (context) => {
  const first = await start(context, ['sample_v1']);
  await start(context, ['slow']);
  const { status, stderr } = await command('status');
  assert.equal(status, 2);
  const [heading, ...lines] = stderr.trimEnd().split('\n');
  assert.equal(heading, 'mcp-plugin-host: several hosts are running; say which one:');
  assert.equal(lines.length, 2);
  for (const line of lines) assert.match(line, /^ {2}--control \/\S+\.sock {2}\(pid \d+, serve, http:\/\/\S+, \/\S+\)$/);
  const own = lines.find((line) => line.includes(`pid ${first.child.pid},`));
  const chosen = await json('status', '--control', /--control (\S+)/.exec(own)[1]);
  assert.equal(chosen.host.pid, first.child.pid);
});

test('ASocketThatADeadHostLeftIsRemoved', async (context) => {
  const components = await Components.create();
  const dead = (await HttpHost.start(components)).killAfter(context, components);
  dead.signal('SIGKILL');
  await dead.end();
  assert.deepEqual(await readdir(sockets), [`${dead.child.pid}.sock`]);
  assert.match((await command('status')).stderr, /no host of this user is running/);
  assert.deepEqual(await readdir(sockets), []);

  const host = await start(context, []);
  assert.equal((await json('status')).host.pid, host.child.pid);
});

test('TheSocketIsPrivateAndGoesWithTheHost', async (context) => {
  const components = await Components.create();
  const host = (await HttpHost.start(components)).killAfter(context, components);
  assert.equal((await stat(sockets)).mode & 0o777, 0o700);
  assert.equal((await stat(join(sockets, `${host.child.pid}.sock`))).mode & 0o777, 0o600);
  await host.stop();
  assert.deepEqual(await readdir(sockets), []);
});

test('TheOperatorChoosesTheSocketOrNone', async (context) => {
  const path = join(folder, 'chosen.sock');
  const host = await start(context, [], ['--control', path]);
  assert.equal((await json('status', '--control', path)).host.pid, host.child.pid);
  assert.match((await command('status')).stderr, /no host of this user is running/);
  await start(context, [], ['--control', 'none']);
  assert.match((await command('status')).stderr, /no host of this user is running/);

  const components = await Components.create();
  context.after(() => components.discard());
  const args = ['--components', components.root, '--data', components.data, '--control', path];
  for (const transport of [['serve', '--listen', '127.0.0.1:0'], ['stdio']]) {
    const { status, stderr } = await command(...transport, ...args);
    assert.equal(status, 2);
    assert.ok(stderr.includes(`mcp-plugin-host: another host listens at ${path}\n`), stderr);
    assert.doesNotMatch(stderr, /components loaded/, 'it ends before any plugin is started');
  }
});

test('AHostWithoutAPlaceForTheSocketServesAllTheSame', async (context) => {
  const refuge = await mkdtemp(join(tmpdir(), 'mcp-operator-'));
  const before = { ...process.env };
  const file = join(refuge, 'file');
  await writeFile(file, '');
  await mkdir(join(refuge, 'tmp', `mcp-control-${process.getuid()}`), { recursive: true });
  await chmod(join(refuge, 'tmp', `mcp-control-${process.getuid()}`), 0o755);
  Object.assign(process.env, { XDG_RUNTIME_DIR: file, XDG_STATE_HOME: file, TMPDIR: join(refuge, 'tmp') });
  context.after(async () => {
    Object.assign(process.env, before);
    await rm(refuge, { recursive: true, force: true });
  });
  const components = await Components.create('sample_v1');
  const host = await serve(context, components);
  const [{ reason }] = host.log.matching({ event: 'operator cannot reach this host' });
  assert.match(reason, /^there is no folder for it; .*it cannot be made; .*it is not this user's alone \(mode 0700\)$/);
  assert.equal(await isServed(host, 'version'), true);
});

// Says `bytes` to the host's socket and hears what it says until it closes.
async function say(host, bytes, { end = true } = {}) {
  const socket = createConnection(join(sockets, `${host.child.pid}.sock`));
  await once(socket, 'connect');
  let heard = '';
  socket.setEncoding('utf8').on('data', (text) => (heard += text));
  socket.on('error', () => {}); // it may close before it has read all, after what it says
  const closed = new Promise((resolve) => socket.once('close', resolve)); // once() would fail for the error
  if (end) socket.end(bytes);
  else socket.write(bytes);
  await closed;
  return heard;
}

test('ForeignBytesOnTheSocketDoNoHarm', async (context) => {
  const host = await start(context, ['sample_v1']);
  assert.equal(await say(host, ''), '');
  assert.equal(await say(host, 'no end of line'), '');
  assert.match(await say(host, '\n'), /^\{"error":"the request is no JSON: .*"\}\n$/);
  assert.match(await say(host, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'), /^(\{"error":"the request is no JSON: .*"\}\n){3}$/);
  assert.match(await say(host, Buffer.from([0, 255, 254, 10, 128, 10])), /^(\{"error":"the request is no JSON: .*"\}\n){2}$/);
  assert.match(await say(host, `${'['.repeat(60_000)}\n`), /^\{"error":".*"\}\n$/);
  assert.match(await say(host, 'x'.repeat(70_000), { end: false }), /^\{"error":"a line of more than 65536 bytes"\}\n$/);
  assert.equal(await say(host, '{"command":"stop"}\n'), '{"error":"\\"command\\" is not one of status, components, trace, log, reload, disable, enable, dashboard"}\n');
  const [first, second] = (await say(host, '{"command":"status"}\n{"command":"reload"}\n')).split('\n').map((line) => line && JSON.parse(line));
  assert.equal(first.host.pid, host.child.pid);
  assert.equal(second.ok, true);
  assert.equal((await json('status')).exit, 0);
  assert.equal(await isServed(host, 'version'), true);
});

test('TheOperatorGetsInBesideOthersThatHoldTheSocketAndRenew', async (context) => {
  const host = await start(context, ['sample_v1']);
  const held = new Set();
  let over = false;
  let renewed = 0;
  const hold = () => {
    if (over) return;
    const socket = createConnection(join(sockets, `${host.child.pid}.sock`), () => socket.write('{'));
    held.add(socket);
    socket.on('error', () => {}); // it is closed while it writes
    socket.on('close', () => {
      held.delete(socket);
      ++renewed;
      hold();
    });
    socket.resume();
  };
  context.after(() => {
    over = true;
    for (const socket of held) socket.destroy();
  });
  for (let holders = 0; holders < 64; ++holders) hold();
  for (let asked = 0; asked < 10; ++asked) {
    const { status, stderr } = await command('status');
    assert.equal(status, 0, stderr);
  }
  assert.ok(renewed > 0, 'they had to make room');
});

test('AFileBesideTheChosenSocketIsLeftAlone', async (context) => {
  const path = join(folder, 'beside.sock');
  await writeFile(`${path}~`, 'an editor has kept this');
  await start(context, [], ['--control', path]);
  assert.equal((await json('status', '--control', path)).exit, 0);
  assert.equal(await readFile(`${path}~`, 'utf8'), 'an editor has kept this');
});

// `trace`, once it traces; what it prints, when it has ended.
async function trace(context, ...args) {
  const child = spawn(program, ['trace', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  context.after(() => child.kill());
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data) => { stdout += data; });
  const ended = once(child, 'close');
  await new Promise((resolve, reject) => {
    child.stderr.on('data', (data) => {
      stderr += data;
      if (/^Tracing the host at /.test(stderr)) resolve();
    });
    child.on('close', () => reject(new Error(stderr)));
  });
  return { lines: async () => ended.then(() => stdout.trim().split('\n').map((line) => JSON.parse(line))), said: () => stderr };
}

test('TraceShowsWhatIsSaidInCalls', { timeout: 60_000 }, async (context) => {
  const components = await Components.create('slow', 'sample_v1');
  const host = await serve(context, components);
  const all = await trace(context, '--count', '4');
  const here = relative(process.cwd(), components.file('slow.so')); // as a shell completes it
  const ofTool = await trace(context, here, '--component', 'wait', '--count', '2');
  await call(host, 'version');
  await call(host, 'wait', { label: 'a', milliseconds: 1, reports: 1 });
  await call(host, 'wait', { label: 7 });
  const seen = await all.lines();
  const [version] = seen;
  assert.equal(version.event, 'call');
  assert.deepEqual(JSON.parse(version.params), { name: 'version', arguments: {} });
  assert.match(version.answer, /"content":/);
  const progress = seen.filter(({ event }) => event === 'notifications/progress');
  assert.deepEqual(new Set(progress.map(({ component, plugin, text }) => `${plugin} ${component} ${text}`)), new Set(['slow wait step 1']));
  const waits = await ofTool.lines();
  assert.ok(waits.every(({ component, plugin }) => component === 'wait' && plugin === 'slow'));
  assert.equal(host.log.matching({ event: 'call' }).length, 0, 'the log has its own level');
});

test('TraceKnowsWhichPluginsThereAre', async (context) => {
  await serve(context, await Components.create('sample_v1'));
  const { status, stderr } = await command('trace', 'absent');
  assert.equal(status, 2);
  assert.match(stderr, /no plugin or upstream that is served is called "absent"; there are sample\n$/);
});

test('TraceSaysThatNothingHasThatName', { timeout: 60_000 }, async (context) => {
  const host = await serve(context, await Components.create('sample_v1'));
  const remark = async (component) => {
    const tracing = await trace(context, '--component', component, '--count', '1');
    await call(host, component).catch(() => {});
    await tracing.lines();
    return tracing.said();
  };
  assert.match(await remark('verson'), /^Tracing .*\nbut nothing that is served is called "verson"; did you mean "version"\?\n$/);
  assert.match(await remark('version'), /^Tracing [^\n]*\n$/);
});

test('TraceEndsWithItsHost', { timeout: 60_000 }, async (context) => {
  const host = await serve(context, await Components.create('sample_v1'));
  const tracing = await trace(context);
  await call(host, 'version');
  await host.stop();
  const events = await tracing.lines();
  assert.ok(events.every(({ event }) => event !== undefined));
  assert.deepEqual(events.filter(({ event }) => event === 'call').map(({ component }) => component), ['version']);
});
