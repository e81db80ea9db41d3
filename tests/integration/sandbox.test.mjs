// What a plugin in a sandbox tries, and that it does not get it. Every attempt is made without a sandbox, too, where
// that does no harm, so that none of them is denied for another reason.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { command, limited } from './support/command.mjs';
import { Components } from './support/components.mjs';
import { ask, attempt, attempts, call, Scene } from './support/escapes.mjs';
import { HttpHost, memoryCannotBeLimited, program } from './support/host.mjs';
import { until } from './support/until.mjs';

// Not in every container, nor below a changed root.
const canHaveNetworks = spawnSync('unshare', ['-Urn', 'true']).status === 0;
const needsNamespaces = !canHaveNetworks && 'needs namespaces of users';
const hasNoScript = spawnSync('script', ['--version']).status !== 0 && 'needs script, of bsdutils';

// What may be denied in other words than EPERM and EACCES.
const otherwise = {
  // By Landlock, as if it were in another file system.
  'make a hard link in its data folder to a file elsewhere': 'EXDEV',
  // By a limit.
  'map more memory than it may have': 'ENOMEM',
  'reserve memory and make it writable later': 'ENOMEM',
  'grow its heap beyond its memory': 'ENOMEM',
  'hide memory in a memory file': 'EFBIG',
  'fill the disk with one file': 'EFBIG',
  'open more files than it may': 'EMFILE',
  // By the filter as a call that is not there, and by the C library, which says so of any process that it cannot start.
  'clone a process by the newer call': 'ENOSYS',
  'read the output of a command': 'ENOMEM',
  // By the kernel to everybody: none of that is its own.
  'let a timer signal the host': 'EINVAL',
  'kill the host\'s group': 'ESRCH',
  'move the host into another group': 'ESRCH',
  'take the terminal': 'ENXIO',
  'wait for the host': 'ECHILD',
};

async function isDenied(context, scene, name) {
  const tried = attempts[name](scene);
  if (tried.beyondLimit && memoryCannotBeLimited) return context.skip(memoryCannotBeLimited);
  const said = await attempt(scene.host, ...tried);
  assert.ok(['EPERM', 'EACCES', otherwise[name]].some((error) => said === `denied: ${error}`), said);
}

describe('TheStrictProfileDeniesTo', () => {
  let scene;
  before(async () => (scene = await Scene.set({ profile: 'strict', required: true })));
  after(() => scene?.end());

  for (const name of Object.keys(attempts)) test(name, (context) => isDenied(context, scene, name));

  // The host's standard error, the socket to it, and what the worker waits with; no listening socket, no file.
  test('inherit descriptors', async () => {
    const descriptors = await call(scene.host, 'descriptors');
    assert.deepEqual(descriptors.slice(0, 4), ['device', 'pipe', 'pipe', 'local socket']);
    assert.deepEqual(new Set(descriptors.slice(4)), new Set(['event']));
  });

  test('do any harm by all that', async () => {
    assert.equal(await call(scene.host, 'pid'), scene.neighbour);
    assert.deepEqual(scene.host.log.matching({ event: 'plugin crashed' }), []);
  });

  // Their stacks are memory. It may end itself by that, where its worker needs another thread, too; but nobody else.
  test('start threads without end', { skip: memoryCannotBeLimited }, async () => {
    const { result, error } = await ask(scene.host, 'attempt', { what: 'start threads', target: '300' });
    if (error) assert.match(error.message, /^plugin escaping: its process was killed by SIGABRT/);
    else assert.match(result.content[0].text, /^denied: E(AGAIN|NOMEM)$/);
    assert.equal(await call(scene.host, 'pid'), scene.neighbour);
    assert.equal(await attempt(scene.host, 'fork'), 'denied: EPERM');
  });
});

// Some need privileges that only root has.
describe('WithoutASandboxItIsPossibleTo', { skip: process.getuid() !== 0 && 'needs root' }, () => {
  let scene;
  before(async () => (scene = await Scene.set({ profile: 'none' })));
  after(() => scene?.end());

  // What is a matter of limits and not of the sandbox.
  const byLimits = /more memory|later$|beyond its memory|its limit of (memory|open)|more files|capabilities back/;
  for (const [name, aim] of Object.entries(attempts)) {
    test(name, async (context) => {
      const tried = aim(scene);
      if (tried.onlyInside) return context.skip('it would do harm, or not work anyway');
      if (byLimits.test(name)) return context.skip('limits hold here, too');
      if (name.endsWith('into a namespace') && needsNamespaces) return context.skip(needsNamespaces);
      assert.equal(await attempt(scene.host, ...tried), 'possible');
    });
  }
});

describe('TheStrictProfileAllowsTo', () => {
  let scene;
  before(async () => {
    scene = await Scene.set((folder) => ({
      profile: 'strict',
      read: [join(folder, 'outside', 'notes')],
      write: [join(folder, 'outside', 'empty')],
    }));
  });
  after(() => scene?.end());

  for (const [name, aim] of Object.entries({
    'make a file in its data folder': (at) => ['create', at.data('own')],
    'make a file anew in its data folder': (at) => ['open anew', at.data('anew'), 'to write'],
    'make a folder in its data folder': (at) => ['make a folder', at.data('folder')],
    'rename in its data folder': (at) => ['rename', at.data('folder'), at.data('renamed')],
    'list its data folder': (at) => ['list', at.data()],
    'read what it is configured to read': (at) => ['read', at.outside('notes')],
    'write where it is configured to write': (at) => ['create', at.outside('empty/own')],
    'read the system\'s libraries': () => ['list', '/usr/lib'],
    'read the time zones': () => ['list', '/usr/share/zoneinfo'],
    'read random bytes': () => ['read', '/dev/urandom'],
    'write to nowhere': () => ['write', '/dev/null'],
    'start threads': () => ['start threads', 10],
    'use memory': () => ['map memory', 1_000_000],
    'limit and place itself': () => ['limit and place itself'],
    'read its own processor time': () => ['read own processor time'],
    'read the processor time of its own thread': () => ['read processor time of an own thread'],
  })) {
    test(name, async () => assert.equal(await attempt(scene.host, ...aim(scene)), 'possible'));
  }

  test('write only there', async () => {
    assert.equal(await attempt(scene.host, 'write', scene.outside('notes')), 'denied: EACCES');
    assert.equal(await attempt(scene.host, 'read', scene.outside('server.key')), 'denied: EACCES');
  });
});

describe('ThePermissiveProfile', () => {
  let scene;
  before(async () => (scene = await Scene.set({ profile: 'permissive', required: true })));
  after(() => scene?.end());

  for (const [name, aim] of Object.entries({
    'read files': (at) => ['read', at.outside('notes')],
    'list folders': () => ['list', '/'],
    'make a file in its data folder': (at) => ['create', at.data('own')],
    'fork': () => ['fork'],
    'spawn a program': () => ['posix_spawn', '/bin/true'],
    'run a command in a shell': () => ['system', 'true'],
    'connect to a port': (at) => ['connect to a port', at.port],
    'listen on a port': () => ['listen on a port'],
    'connect to a socket in the file system': (at) => ['connect to a local socket', at.outside('socket')],
    'watch files': (at) => ['watch', at.outside('.')],
    'share memory': () => ['map shared memory', 4096],
    'limit, place and schedule itself': () => ['schedule itself'],
  })) {
    test(`Allows to ${name}`, async () => assert.equal(await attempt(scene.host, ...aim(scene)), 'possible'));
  }

  for (const name of [
    'write to a file of somebody else', 'drop a plugin into the components folder', 'truncate a file elsewhere',
    'empty a file elsewhere that it opens neither to read nor to write', 'take a lease, for which others wait',
    'create a file in the folder for temporary files', 'write to the host\'s copy of another plugin\'s library',
    'open the memory of the host', 'read the environment of the host', 'ask whether the host is there', 'kill the host',
    'ask the host to end', 'stop the host', 'kill the host\'s group', 'kill another worker',
    'ask whether the first process is there', 'signal a thread of the host', 'signal a task of the host',
    'queue a signal for the host', 'queue a signal for a thread of the host',
    'signal the host by a descriptor of the process', 'signal the host by its folder in /proc',
    'let a timer signal the host', 'trace the host', 'trace another worker', 'read the memory of the host',
    'write to the memory of the host', 'read the memory of another worker', 'take a descriptor of the host\'s',
    'compare itself with the host', 'move pages of the host', 'migrate pages of the host',
    'advise the kernel of the host\'s memory', 'release the memory of the host', 'find the locks of the host',
    'limit the host', 'slow the host down', 'slow the host\'s group down', 'slow all processes of the user down',
    'slow the host\'s disk down', 'slow the disk of the host\'s group down', 'slow the disk of the user down',
    'bind the host to a processor', 'schedule the host otherwise', 'schedule the host otherwise by its parameter',
    'schedule the host otherwise by its attributes', 'share a core with the host',
    'be told of the host\'s processor time', 'move the host into another group', 'join the host\'s group',
    'take the terminal', 'wait for the host', 'open a raw socket', 'open a packet socket',
    'take its capabilities back', 'clone a process into a namespace', 'clone a sibling', 'make a namespace of users', 'mount a file system',
    'load a program into the kernel', 'use the kernel\'s keys', 'queue system calls past the filter',
    'measure other processes', 'load a module', 'reboot', 'set the clock', 'read the kernel\'s log',
    'raise its limit of memory',
  ]) {
    test(`Denies to ${name}`, (context) => isDenied(context, scene, name));
  }
});

// To this very process, which listens. The kernel sends it in the plugin's name when its pipe can be read.
describe('ThroughAPipeOfItsOwnASignalReachesOthers', () => {
  const hearsOf = async (context, sandbox) => {
    const scene = await Scene.set(sandbox);
    let heard = 0;
    const count = () => ++heard;
    process.on('SIGWINCH', count);
    context.after(() => scene.end().finally(() => process.off('SIGWINCH', count)));
    const tried = await attempt(scene.host, 'signal by a pipe', process.pid, constants.signals.SIGWINCH);
    // Signals are heard in the order in which they come: one of its own comes after whatever the plugin has sent.
    const after = once(process, 'SIGIO');
    process.kill(process.pid, 'SIGIO');
    await after;
    return { tried, heard };
  };

  // The kernel tells nobody that it drops the signal.
  test('NotFromAPermissivePlugin', async (context) => {
    assert.deepEqual(await hearsOf(context, { profile: 'permissive', required: true }), { tried: 'possible', heard: 0 });
  });

  test('WithoutASandbox', async (context) => {
    assert.deepEqual(await hearsOf(context, { profile: 'none' }), { tried: 'possible', heard: 1 });
  });
});

describe('TheNetwork', () => {
  const sceneWith = async (context, sandbox) => {
    const scene = await Scene.set(sandbox);
    context.after(() => scene.end());
    return scene;
  };

  for (const profile of ['permissive', 'strict']) {
    test(`OfALoopbackIsItsOwn: ${profile}`, { skip: needsNamespaces }, async (context) => {
      const { host, port } = await sceneWith(context, { profile, network: 'loopback', required: true });
      assert.equal(await attempt(host, 'connect to itself'), 'possible');
      assert.equal(await attempt(host, 'connect to a port', port), 'denied: ECONNREFUSED');
      assert.equal(await attempt(host, 'virtual machine socket'), 'denied: EPERM');
    });
  }

  test('CanBeGivenToAStrictPlugin', async (context) => {
    const { host, port } = await sceneWith(context, { profile: 'strict', network: 'all' });
    assert.equal(await attempt(host, 'connect to a port', port), 'possible');
    if (existsSync('/etc/hosts')) assert.equal(await attempt(host, 'find an address', 'localhost'), 'possible');
    if (existsSync('/etc/ssl/certs')) {
      assert.equal(await attempt(host, 'list', '/etc/ssl/certs'), 'possible');
      assert.equal(await attempt(host, 'list', '/etc/ssl'), 'denied: EACCES', 'where keys may lie');
    }
    assert.equal(await attempt(host, 'raw socket'), 'denied: EPERM');
    assert.equal(await attempt(host, 'local socket'), 'denied: EPERM');
  });

  test('CanBeTakenFromAPermissivePlugin', async (context) => {
    const { host, port } = await sceneWith(context, { profile: 'permissive', network: 'none' });
    assert.equal(await attempt(host, 'connect to a port', port), 'denied: EPERM');
    assert.equal(await attempt(host, 'netlink socket'), 'denied: EPERM');
    assert.equal(await attempt(host, 'local socket'), 'possible');
  });
});

async function serveWith(context, components, options) {
  const host = await HttpHost.start(components, ['--isolation', 'worker', ...options]);
  context.after(() => host.stop().finally(() => components.discard()));
  return host;
}

// Without a sandbox, too: a plugin that took it would stop the host with it.
test('NoWorkerHasTheTerminalOfItsHost', { skip: hasNoScript }, async (context) => {
  const components = await Components.create('escaping');
  context.after(() => components.discard());
  const line = '"$MCP_HOST" call --isolation worker --components "$ROOT" attempt "$ARGUMENTS" && : </dev/tty';
  const { status, stdout } = spawnSync('script', ['-qec', line, '/dev/null'], {
    env: {
      ...process.env,
      ROOT: components.root,
      ARGUMENTS: JSON.stringify({ what: 'take the terminal', target: '', other: '' }),
    },
    ...limited,
  });
  assert.deepEqual({ status, said: stdout.trim() }, { status: 0, said: 'denied: ENXIO' });
});

test('TheOptionHoldsPluginsThatDoNotSay', async (context) => {
  const components = await Components.create('escaping');
  const host = await serveWith(context, components, ['--sandbox', 'strict']);
  assert.equal(await attempt(host, 'read', '/etc/passwd'), 'denied: EACCES');
});

test('APathThatIsNotThereIsToldOnce', async (context) => {
  const components = await Components.create();
  const absent = join(components.folder, 'absent');
  await components.write('escaping.json', JSON.stringify({ sandbox: { profile: 'strict', read: [absent] } }));
  await components.add('escaping');
  const host = await serveWith(context, components, []);
  assert.match((await host.log.until({ event: 'plugin refused' })).reason, /absent/);
  // Its process has ended when the next has been loaded.
  await components.add('sample_v1');
  await host.log.until({ event: 'plugin loaded', plugin: 'sample' });
  assert.equal(host.log.entries.some(({ event }) => event === 'plugin did not stop well'), false);
  await sleep(1500); // it is tried again after a second
  await mkdir(absent);
  await host.log.until({ event: 'plugin loaded', plugin: 'escaping' });
  assert.equal(host.log.matching({ event: 'plugin refused' }).length, 1);
});

// It could make a link to anywhere of it, which would be followed when the other one is started again.
test('APluginInAFolderNamedLikeAnotherKeepsItsDataFromThatOne', async (context) => {
  const components = await Components.create('escaping');
  await components.add('dying', 'escaping/dying.so');
  const host = await serveWith(context, components, ['--sandbox', 'strict']);
  const own = join(components.data, 'tools', 'escaping');
  assert.equal(await attempt(host, 'create', join(own, 'own')), 'possible');
  assert.deepEqual(await readdir(own), [], 'what it may write holds nothing of another plugin');
  const others = join(components.data, 'tools', 'escaping%2Fdying');
  assert.equal(await attempt(host, 'list', others), 'denied: EACCES');
  assert.equal(await attempt(host, 'rename', others, join(own, 'taken')), 'denied: EACCES');
  await ask(host, 'die', { how: 'segmentation fault' });
  assert.equal((await call(host, 'say', { bytes: 10 })).length, 10, 'and the other one comes back');
});

test('ALinkInPlaceOfADataFolderLetsNoPluginWriteWhereItLeads', async (context) => {
  const components = await Components.create('escaping');
  await mkdir(join(components.data, 'tools'), { recursive: true });
  await symlink(components.root, join(components.data, 'tools', 'escaping'));
  const host = await serveWith(context, components, ['--sandbox', 'strict']);
  const refused = await host.log.until({ event: 'plugin refused' });
  assert.match(refused.reason, /data\/tools\/escaping is a link or no folder; put a folder there/);
});

test('StatusTellsTheProfile', async (context) => {
  const components = await Components.create('escaping');
  const control = join(components.folder, 'control');
  await serveWith(context, components, ['--sandbox', 'strict', '--control', control]);
  const status = async (...more) => (await command('status', '--control', control, ...more)).stdout;
  assert.deepEqual(JSON.parse(await status('--json')).plugins[0].sandbox, { profile: 'strict', lacks: [] });
  assert.match(await status(), /\nescaping .* worker, strict +\d+ +serving /);
});

test('APluginThatSaysIsNotHeldByTheOption', async (context) => {
  const components = await Components.create();
  await components.write('escaping.json', JSON.stringify({ sandbox: { profile: 'none' } }));
  await components.add('escaping');
  const host = await serveWith(context, components, ['--sandbox', 'strict']);
  assert.equal(await attempt(host, 'read', '/etc/passwd'), 'possible');
});

test('InTheStrictProfileCrashesAreReportedAndLongAnswersArrive', async (context) => {
  const host = await serveWith(context, await Components.create('dying'), ['--sandbox', 'strict']);
  const megabyte = 1_000_000;
  assert.equal((await call(host, 'say', { bytes: megabyte })).length, megabyte);
  await ask(host, 'die', { how: 'segmentation fault' });
  await host.log.until({ event: 'plugin backtrace', text: 'the plugin crashed: SIGSEGV through a null pointer; backtrace:' });
  await host.log.until({ event: 'plugin restarted' });
  assert.match(host.log.matching({ event: 'plugin backtrace' })[1].text, /^dying\.so\+0x|^write_to_nowhere at /);
  assert.equal((await call(host, 'say', { bytes: 10 })).length, 10);
});

test('WithoutALimitOfItsOwnASandboxedPluginHas512Descriptors', async (context) => {
  const host = await serveWith(context, await Components.create('escaping'), ['--sandbox', 'permissive']);
  assert.equal(await attempt(host, 'open files', 400), 'possible');
  assert.equal(await attempt(host, 'open files', 600), 'denied: EMFILE');
  assert.equal(await attempt(host, 'raise a limit', 'open files'), 'denied: EPERM');
});

// The system counts descriptors that are on their way for all processes of a user together, and compares that with the
// limit of whoever sends. Of root without a sandbox it lets all pass.
test('DescriptorsThatAPluginSendsToNobodyCostOthersOnlyTheLongestAnswersFromASandbox', async (context) => {
  const components = await Components.create('escaping', 'dying', 'long_messages');
  await components.write('long_messages.json', JSON.stringify({ sandbox: { profile: 'none' } }));
  const host = await serveWith(context, components, ['--sandbox', 'strict']);
  const neighbour = await call(host, 'pid');
  assert.equal(await attempt(host, 'send descriptors to nobody'), 'denied: ETOOMANYREFS');
  assert.equal((await call(host, 'text', { bytes: 10_000_000 })).length, 10_000_000);
  assert.equal((await call(host, 'say', { bytes: 1_000_000 })).length, 1_000_000);
  // Those of other programs that stood in the way of this one may be gone by then.
  const { message } = await until(async () => {
    await attempt(host, 'send descriptors to nobody');
    return (await ask(host, 'say', { bytes: 10_000_000 })).error;
  }, () => 'it is answered');
  assert.match(message, /too many descriptors of the host's user are on their way/);
  assert.equal((await call(host, 'say', { bytes: 1_000_000 })).length, 1_000_000);
  assert.equal(await call(host, 'pid'), neighbour, 'it has not been ended');
});

test('ThePluginsThatComeWithItWorkInTheStrictProfile', async (context) => {
  const components = await Components.create();
  for (const plugin of ['tools/calculator', 'tools/clock', 'tools/chart', 'prompts/prompts']) {
    await components.addShipped(plugin, {});
  }
  const docs = { folder: components.root, sandbox: { profile: 'strict', read: [components.root] } };
  await components.addShipped('resources/docs', docs);
  const host = await serveWith(context, components, ['--sandbox', 'strict']);
  assert.equal(await call(host, 'calculate', { expression: '6 * 7' }), 42);
  const now = (await ask(host, 'now', { zone: 'Europe/Berlin' })).result.structuredContent;
  assert.equal(now.zone, 'Europe/Berlin');
  const chart = { kind: 'bar', labels: ['a', 'b'], series: [{ name: 'x', values: [1, 2] }] };
  const { result } = await ask(host, 'draw_chart', chart);
  assert.ok(result.content.some(({ type }) => type === 'image'), JSON.stringify(result).slice(0, 500));
  assert.deepEqual(host.log.matching({ event: 'plugin refused' }), []);
});

// The system that lacks something is a namespace of users in which no namespaces of networks can be made.
const lacking = ['-Ur', 'sh', '-c', 'echo 0 > /proc/sys/user/max_net_namespaces && exec "$0" "$@"', program];
const canLack = spawnSync('unshare', [...lacking.slice(0, 4), 'true']).status === 0;

function inspectWhereNetworksAreLacking(components) {
  const file = components.file('escaping.so');
  const options = ['--json', '--data', components.data, '--isolation', 'worker'];
  const { stdout } = spawnSync('unshare', [...lacking, 'inspect', file, ...options]);
  return JSON.parse(stdout);
}

describe('WhatTheSystemLacks', { skip: !canLack && 'needs namespaces of users' }, () => {
  const lack =
    'its sandbox is incomplete: it cannot have a loopback of its own (No space left on device), so it has no network';

  test('IsSaidByInspect', async (context) => {
    const components = await Components.create('escaping');
    context.after(() => components.discard());
    await components.write('escaping.json', JSON.stringify({ sandbox: { profile: 'strict', network: 'loopback' } }));
    assert.deepEqual(inspectWhereNetworksAreLacking(components).remarks, [lack]);
  });

  test('IsSaidByStatus', async (context) => {
    const components = await Components.create('escaping');
    await components.write('escaping.json', JSON.stringify({ sandbox: { profile: 'strict', network: 'loopback' } }));
    const control = join(components.folder, 'control');
    const folders = ['--components', components.root, '--data', components.data];
    const options = ['--listen', '127.0.0.1:0', '--control', control, '--isolation', 'worker', ...folders];
    const host = spawn('unshare', [...lacking, 'serve', ...options], { stdio: 'ignore' });
    const ended = once(host, 'exit');
    context.after(async () => {
      host.kill();
      await ended;
      await components.discard();
    });
    const status = (...more) => command('status', '--control', control, ...more);
    const served = async () => {
      const { stdout } = await status('--json');
      return stdout && JSON.parse(stdout).plugins.find(({ state }) => state === 'serving');
    };
    const { sandbox } = await until(served, async () => JSON.stringify(await status()));
    assert.equal(sandbox.profile, 'strict');
    assert.equal(`its sandbox is incomplete: ${sandbox.lacks.join('; ')}`, lack);
    const { stdout } = await status();
    assert.match(stdout, /\nescaping .* worker, strict\* /);
    assert.ok(stdout.includes(`escaping.so: ${lack}\n`));
  });

  test('RefusesAPluginThatRequiresIt', async (context) => {
    const components = await Components.create('escaping');
    context.after(() => components.discard());
    const sandbox = { profile: 'strict', network: 'loopback', required: true };
    await components.write('escaping.json', JSON.stringify({ sandbox }));
    const { refused } = inspectWhereNetworksAreLacking(components);
    assert.equal(refused, `${lack}; its configuration says that it is "required"`);
  });
});

for (const [what, settings, reason] of [
  [
    'AnUnknownMember',
    { sandbox: { profile: 'strict', files: [] } },
    /escaping\.json has "sandbox": {"files": \[\]}, but its members are profile, required, read, write, network$/,
  ],
  [
    'APathThatIsNotThere',
    { sandbox: { profile: 'strict', read: ['/not/there'] } },
    /its sandbox names \/not\/there, which cannot be opened: No such file or directory$/,
  ],
  [
    'TheHostsOwnProcess',
    { isolation: 'in-process', sandbox: { profile: 'strict' } },
    /it is to run in the host's own process, which cannot be sandboxed for one plugin: set "isolation" to "worker"/,
  ],
]) {
  test(`IsRefusedWith ${what}`, async (context) => {
    const components = await Components.create();
    await components.write('escaping.json', JSON.stringify(settings));
    await components.add('escaping');
    const host = await serveWith(context, components, []);
    assert.match((await host.log.until({ event: 'plugin refused' })).reason, reason);
  });
}
