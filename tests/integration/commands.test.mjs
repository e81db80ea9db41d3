// The commands that a person or a script runs: what they print, and the status they end with.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer as createSecureServer } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { Authority } from './support/authority.mjs';
import { command, run } from './support/command.mjs';
import { Components, fixture } from './support/components.mjs';
import { program, sanitizer, serve } from './support/host.mjs';

async function folder(context, ...plugins) {
  const components = await Components.create(...plugins);
  context.after(() => components.discard());
  const options = ['--components', components.root, '--data', components.data];
  return { components, on: (name, ...args) => command(name, ...options, ...args) };
}

test('VersionIsPrinted', async () => {
  const { status, stdout } = await command('--version');
  assert.equal(status, 0);
  assert.match(stdout, /^mcp-plugin-host \d+\.\d+\.\d+\n$/);
});

test('WithoutACommandTheCommandsAreListed', async () => {
  const { status, stdout, stderr } = await command();
  assert.equal(status, 2);
  assert.equal(stdout, '');
  const commands = ['serve', 'stdio', 'inspect', 'list', 'call', 'new', 'status', 'reload', 'disable', 'enable'];
  for (const name of commands) assert.match(stderr, new RegExp(`\n  ${name} `));
});

test('InspectRunsNoPluginWithoutTheSandboxThatWasRequired', async (context) => {
  const { components, on } = await folder(context);
  const required = { isolation: 'worker', sandbox: { profile: 'strict', required: true } };
  await components.write('sample_v1.json', JSON.stringify(required));
  await components.add('sample_v1');
  assert.equal((await on('list')).status, 0);
  await components.removeFile('sample_v1.json');
  const { status, stdout } = await on('inspect', components.file('sample_v1.so'));
  assert.equal(status, 1);
  assert.match(stdout, /refused: its configuration .*sample_v1\.json is gone, which said that its sandbox is "required"/);
});

test('AMistypedCommandOrOptionIsNamed', async () => {
  const hint = 'Run with --help for more information.\n';
  const on = async (...args) => {
    const { status, stderr } = await command(...args);
    assert.equal(status, 2);
    assert.ok(stderr.endsWith(hint), stderr);
    return stderr.slice(0, -hint.length);
  };
  assert.equal(await on('srve'), '"srve" is not a command; did you mean "serve"?\n');
  assert.equal(await on('telephone'), '"telephone" is not a command\n');
  assert.equal(await on('token', 'lst'), '"lst" is not a command; did you mean "list"?\n');
  assert.equal(await on('token', 'creat', 'ada', '--role', 'user'), '"creat" is not a command; did you mean "create"?\n');
  assert.equal(await on('token'), '"token" needs one of its commands: create, list, revoke\n');
  assert.equal(await on('token', '--role', 'user'), '"token" needs one of its commands: create, list, revoke\n');
  assert.equal(await on('-v'), '"-v" is not an option\n');
  assert.equal(await on('--vresion'), '"--vresion" is not an option; did you mean "--version"?\n');
  assert.equal(await on('serve', '--componets', 'comps'), '"--componets" is not an option; did you mean "--components"?\n');
  assert.equal(await on('serve', '--lisen=none'), '"--lisen" is not an option; did you mean "--listen"?\n');
  assert.equal(await on('serve', 'comps'), 'The following argument was not expected: comps\n');
  assert.equal(await on('config', 'check', 'ok.toml'), '"ok.toml" was not expected; if it is the configuration, write --config ok.toml\n');
  assert.equal(await on('list', '--frobnicate'), '"--frobnicate" is not an option\n');
});

test('AnUnknownOptionAndAnUnknownWordAreNamed', async () => {
  const unknown = await command('list', '--bogus');
  assert.equal(unknown.status, 2);
  assert.match(unknown.stderr, /--bogus/);
  const word = await command('serve', '--log-level', 'loud');
  assert.equal(word.status, 2);
  assert.match(word.stderr, /^--log-level must be one of "trace", "debug", "info", "warning", "error", "off", but is "loud"\n/);
});

test('AMistakeOfAVariableIsToldByItsName', async () => {
  const on = async (isolation, ...args) =>
    (await run(program, ['list', ...args], { env: { ...process.env, MCP_ISOLATION: isolation } })).stderr;
  assert.match(await on('foo'), /^MCP_ISOLATION must be one of .*, but is "foo"\n/);
  assert.match(await on('foo', '--isolation', 'bar'), /^--isolation must be one of .*, but is "bar"\n/);
});

test('AnEmptyNameAndANumberThatIsNoneAreMistakes', async () => {
  for (const number of ['nan', 'NAN', 'inf', '0', 'x']) {
    const { status, stderr } = await command('check', '--timeout', number, '/absent.so');
    assert.equal(status, 2, number);
    assert.match(stderr, /^--timeout: /, number);
  }
  for (const args of [['reload', ''], ['log', ''], ['trace', ''], ['disable', 'clock', '--component', '']]) {
    const { status, stderr } = await command(...args);
    assert.equal(status, 2, args[0]);
    assert.match(stderr, /^(PLUGIN|--component): the name is empty\n/);
  }
  for (const [name, text, least] of [['--last', '-1', 0], ['--last', 'x', 0], ['--count', '0', 1]]) {
    const { status, stderr } = await command('log', name, text);
    assert.equal(status, 2, name);
    assert.ok(stderr.startsWith(`${name}: "${text}" is not a whole number of at least ${least}\n`), stderr);
  }
});

test('AnOptionWithAnEmptyValueIsNotOneThatIsNotGiven', async (context) => {
  const { components } = await folder(context);
  const file = join(components.folder, 'audit.log');
  await writeFile(file, '');
  const url = ['--url', 'http://127.0.0.1:1/mcp'];
  for (const [option, ...args] of [
    ['--key', 'audit', 'verify', file, '--key', ''], ['--head', 'audit', 'verify', file, '--head', ''],
    ['--config', 'serve', '--config', ''], ['--control', 'serve', '--control', ''], ['--data', 'list', '--data', ''],
    ['--token-file', 'call', 'x', ...url, '--token-file', ''], ['--url', 'call', 'x', '--url', ''],
    ['--server', 'explain', 'tools/call', 'x', '--server', ''], ['--control', 'status', '--control', ''],
    ['--expires', 'token', 'create', 'ada', '--role', 'user', '--expires', ''],
  ]) {
    const { status, stderr } = await command(...args);
    assert.equal(status, 2, args.join(' '));
    assert.ok(stderr.startsWith(`${option}: its value is empty\n`), stderr);
  }
  const { status, stderr } = await command('token', 'create', '', '--role', 'user');
  assert.equal(status, 2);
  assert.match(stderr, /^NAME: the name is empty\n/);
});

test('OutputThatCannotBeWrittenIsAFailure', async (context) => {
  const { components } = await folder(context, 'sample_v1');
  const toFullDisk = (...args) => run('sh', ['-c', '"$0" "$@" >/dev/full', program, ...args]);
  const on = ['--components', components.root, '--data', components.data];
  const words = 'mcp-plugin-host: the output cannot be written: No space left on device';
  for (const args of [['--version'], ['list', ...on], ['call', ...on, 'version'], ['audit', 'key', join(components.folder, 'key.pem')]])
    assert.deepEqual(await toFullDisk(...args), { status: 2, stdout: '', stderr: `${words}\n` }, args[0]);
  const file = join(components.folder, 'team.toml');
  await writeFile(file, '[tokens]\nfile = "tokens.json"\n[roles.user]\nallow = ["tool:*"]\n');
  const token = ['create', 'zoe', '--role', 'user', '--config', file];
  assert.deepEqual(await toFullDisk('token', ...token), { status: 2, stdout: '', stderr: `${words}; no token was made\n` });
  const { stdout } = await command('token', 'list', '--json', '--config', file);
  assert.deepEqual(JSON.parse(stdout).tokens, [], 'what nobody has seen nobody has');
});

// Which would be given to the next file or socket that is opened.
test('WithoutStandardOutputACommandSaysThatNothingCanBeWritten', async () => {
  const told = { status: 2, stdout: '', stderr: 'mcp-plugin-host: the output cannot be written: Bad file descriptor\n' };
  for (const args of [['--version'], ['check', '--only', 'unload', fixture('sample_v1')]])
    assert.deepEqual(await run('sh', ['-c', '"$0" "$@" >&-', program, ...args]), told, args[0]);
});

test('AnOperatorIsToldWhatItIsThatHeNames', async (context) => {
  const components = await Components.create('sample_v1');
  await components.write('up.mcp.json', JSON.stringify({ command: 'no-such-program' }));
  const control = join(components.folder, 'control.sock');
  const host = await serve(context, components, ['--control', control]);
  await host.log.until({ event: 'plugin refused' });
  const operate = (...args) => command(...args, '--control', control);
  assert.match((await operate('reload', 'up')).stdout, /\/up\.mcp\.json: refused: the program no-such-program cannot be started/);
  assert.match((await operate('log', 'up', '--no-follow')).stdout, / plugin refused /);
  const mistyped = await operate('enable', 'sampel');
  assert.deepEqual([mistyped.status, mistyped.stdout], [2, '']);
  assert.match(mistyped.stderr, /no plugin or upstream is called "sampel"; there are sample, up\.mcp\.json; did you mean "sample"\?\n$/);
  const traced = await operate('trace', 'sampel');
  assert.match(traced.stderr, /no plugin or upstream that is served is called "sampel"; there are sample; did you mean "sample"\?\n$/);
  await operate('disable', 'sample', '--component', 'version');
  const enabled = await operate('enable', 'sample');
  assert.match(enabled.stdout, /: it is not disabled, but these of its components are: version; enable each with --component NAME\n$/);
});

test('CallTellsOfACrashWithoutAPromise', async (context) => {
  const { on } = await folder(context, 'dying');
  const { status, stderr } = await on('call', '--isolation', 'worker', 'die', '{"how":"exit"}');
  assert.equal(status, 2);
  assert.match(stderr, / plugin crashed .* what="its process exited with status 3" .* calls_failed=1\n/);
});

test('HelpTellsTheDefaults', async () => {
  const { status, stdout } = await command('serve', '--help');
  assert.equal(status, 0);
  assert.match(stdout, /--components TEXT=mcp_components/);
  assert.match(stdout, /--data TEXT=\//);
  assert.match(stdout, /--log-level trace\|debug\|info\|warning\|error\|off=info/);
  assert.match(stdout, /--listen TEXT=127\.0\.0\.1:8080/);
  const dev = (await command('dev', '--help')).stdout;
  assert.match(dev, /--components TEXT=DIR\/build\/dev\/mcp_components\s/);
  assert.match(dev, /--data TEXT=DIR\/build\/dev\/data\s/);
});

test('HelpOfAddTellsWhatFollowsTheName', async () => {
  const { status, stdout } = await command('add', '--help');
  assert.equal(status, 0);
  assert.match(stdout, /^Usage: .*add \[OPTIONS\] NAME URL \| COMMAND \[ARGUMENT\]\.\.\.$/m);
});

test('HelpHasNoSettingThatACommandDoesNotUse', async () => {
  for (const args of [['token', 'list'], ['token', 'create'], ['add'], ['import']]) {
    const { status, stdout } = await command(...args, '--help');
    assert.equal(status, 0);
    assert.match(stdout, /--config FILE/);
    assert.doesNotMatch(stdout, /--sandbox|--isolation|--log-level|--allow-writable-components|--data/, args.join(' '));
    assert.equal(stdout.includes('--components'), args[0] !== 'token', args.join(' '));
  }
});

test('InspectTellsWhatAPluginExports', async () => {
  const { status, stdout } = await command('inspect', fixture('sample_v1'));
  assert.equal(status, 0);
  assert.match(stdout, /sample_v1\.so: sample 1 \([0-9a-f]{64}\)\n/);
  assert.match(stdout, /\n  tool +version /);
  const json = await command('inspect', '--json', fixture('sample_v1'));
  const described = JSON.parse(json.stdout);
  assert.equal(described.plugin, 'sample');
  assert.equal(described.vendor, undefined);
  assert.ok(described.tools.some(({ name }) => name === 'version'));
});

test('InspectTellsWhatAPluginSaysOfItself', async () => {
  const about = {
    id: 'org.example.catalogue',
    vendor: 'Example',
    description: 'One of everything.',
    url: 'https://example.org/catalogue',
  };
  const { stdout } = await command('inspect', fixture('catalogue'));
  for (const [name, text] of Object.entries(about)) assert.ok(stdout.includes(`\n  ${name}: ${text}\n`), stdout);
  const { id, vendor, description, url } = JSON.parse((await command('inspect', '--json', fixture('catalogue'))).stdout);
  assert.deepEqual({ id, vendor, description, url }, about);
});

test('InspectRemarksOnWhatAnAuthorHasForgotten', async () => {
  const { status, stdout } = await command('inspect', fixture('forgetful'));
  assert.equal(status, 0);
  assert.deepEqual(stdout.match(/(?<=^ {2}remark: ).*$/gm), [
    'tool "roll" has no description, by which a model chooses it',
    'tool "roll" names the app "ui://nothing", but the plugin has no resource with that URI',
  ]);
});

test('InspectTellsThatAHostRefusesWhatEverybodyCanWrite', async (context) => {
  const { components } = await folder(context, 'sample_v1');
  const file = components.file('sample_v1.so');
  await chmod(file, 0o777);
  const { status, stdout } = await command('inspect', file);
  assert.equal(status, 0);
  assert.match(stdout, /^ {2}remark: a host that serves it refuses it: it can be written by everybody; /m);
  const allowed = await command('inspect', '--allow-writable-components', file);
  assert.doesNotMatch(allowed.stdout, /refuses it/);
});

test('InspectOfAFolderNamesTheCommandForThat', async (context) => {
  const { components } = await folder(context, 'sample_v1');
  const { status, stdout } = await command('inspect', components.root);
  assert.equal(status, 1);
  assert.match(stdout, /: refused: it is a folder; mcp-plugin-host list --components \S+ says what would be served of it\n$/);
});

test('InspectTellsWhyAFileWouldBeRefusedAndGoesOnWithTheNext', async () => {
  const { status, stdout } = await command('inspect', '--json', fixture('no_entry'), '/absent.so', fixture('plain_c'));
  assert.equal(status, 1);
  const [noEntry, absent, good] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.match(noEntry.refused, /does not export the function mcp_plugin_entry_v1/);
  assert.deepEqual(absent, { file: '/absent.so', refused: 'it cannot be opened: No such file or directory' });
  assert.equal(good.refused, undefined);
});

test('ListTellsWhatIsServedHiddenRefusedAndAmiss', async (context) => {
  const { components, on } = await folder(context, 'rival_a', 'rival_b', 'refusing');
  await symlink('/absent.so', components.file('dangling.so'));
  const { status, stdout } = await on('list', '--json');
  assert.equal(status, 1);
  const { plugins, hidden, refused, problems } = JSON.parse(stdout);
  assert.deepEqual(
    plugins.map(({ file }) => file),
    [components.file('rival_a.so'), components.file('rival_b.so')],
  );
  assert.ok(hidden.length > 0);
  for (const each of hidden) {
    assert.equal(each.file, components.file('rival_b.so'));
    assert.equal(each.served, components.file('rival_a.so'));
  }
  assert.deepEqual(refused, [
    { file: components.file('refusing.so'), reason: 'it could not be set up: the licence has expired' },
  ]);
  assert.equal(problems.length, 1);
  assert.equal(problems[0].path, components.file('dangling.so'));

  const text = await on('list');
  assert.equal(text.status, 1);
  assert.match(text.stdout, /rival_b\.so: tool \w+ is hidden by .*rival_a\.so; to have both, rename it in one of the two\n/);
  assert.match(text.stdout, /refusing\.so: refused: .*the licence has expired\n/);
  assert.match(text.stdout, /dangling\.so: /);
  assert.doesNotMatch(text.stderr, /plugin refused|component hidden/, 'it is told once');
});

test('ListWarnsOnStandardError', async (context) => {
  const { on } = await folder(context, 'rival_a', 'rival_b');
  const { status, stdout, stderr } = await on('list', '--json');
  assert.equal(status, 0);
  assert.equal(JSON.parse(stdout).plugins.length, 2);
  assert.match(stderr, /warning component hidden tool=/);
  assert.equal((await on('list', '--log-level', 'off')).stderr, '');
});

test('ListAndCallSayThatTheComponentsFolderIsMissing', async () => {
  for (const args of [['list'], ['call', 'echo']]) {
    const { status, stderr } = await command(...args, '--components', '/absent');
    assert.equal(status, 2);
    assert.match(stderr, /the components folder \/absent is missing; make it, or name another one with --components\n/);
  }
});

test('AFileIsNoComponentsFolder', async () => {
  const file = fixture('sample_v1');
  for (const args of [['list'], ['serve', '--listen', '127.0.0.1:0'], ['stdio']]) {
    const { status, stderr } = await command(...args, '--components', file);
    assert.equal(status, 2, args[0]);
    assert.match(stderr, /the components folder \S+\/sample_v1\.so is no folder; name one with --components\n/);
  }
});

test('ListOfAnEmptyFolderSaysWhereToPutPlugins', async (context) => {
  const { on } = await folder(context);
  const { status, stdout } = await on('list');
  assert.equal(status, 0);
  assert.match(stdout, /^No plugins below .*; put one into its folder tools, resources or prompts\n$/);
});

test('ConfigCheckSaysAllThatServeWouldRefuse', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-check-'));
  context.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'team.toml');
  const check = async (text, ...options) => {
    await writeFile(file, text);
    const { status, stdout, stderr } = await command('config', 'check', '--config', file, ...options);
    return { status, said: (stdout + stderr).replaceAll(`${folder}/`, '').trim().split('\n') };
  };
  const text = '[tls]\ncertificate = "server.pem"\nkey = "server.key"\n[audit]\nfile = "audit/log"\nkey = "audit/key.pem"\n'
    + `[plugins]\ncomponents = "${folder}"\n[tokens]\nfile = "team/tokens.json"\n[roles.user]\n`;
  const { status, said } = await check(text);
  assert.equal(status, 2);
  assert.deepEqual(said, [
    'team.toml:2:15: "certificate" cannot be used: server.pem: it cannot be opened: No such file or directory',
    'team.toml:3:7: "key" cannot be used: server.key: it cannot be opened: No such file or directory',
    `team.toml:5:8: "file" cannot be used: its folder audit is not there; make it`,
    'team.toml:6:7: "key" cannot be used: cannot read audit/key.pem: No such file or directory',
    'team.toml:10:8: "file" cannot be used: its folder team is not there; make it',
  ]);
  const other = await check('[audit]\nfile = "."\n[plugins]\n' + `components = "${folder}"\ndata = "team.toml"\n`);
  assert.deepEqual(other.said, [
    'team.toml:2:8: "file" cannot be used: it cannot be written: Is a directory',
    'team.toml:5:8: "data" cannot be used: team.toml is no folder',
  ]);
  assert.deepEqual(await check(text, '--no-files'), { status: 0, said: ['team.toml: ok'] });
  assert.match((await check('[servers."a/b"]\nallow = ["tool:*"]\n', '--no-files')).said[0], /^team\.toml:1:10: "a\/b" is part of a path/);
  const open = await check('[http]\nlisten = "0.0.0.0:0"\n', '--no-files');
  assert.equal(open.status, 2);
  assert.match(open.said[0], /^team\.toml:2:10: "listen" 0\.0\.0\.0:0 is reached by others, and nothing proves who they are\./);
  const all = ['http', 'admin', 'dashboard'].map((table) => `[${table}]\nlisten = "0.0.0.0:0"\n`).join('');
  const { said: [http, admin, dashboard, ...more] } = await check(all, '--no-files');
  assert.match(http, /^team\.toml:2:10: .* set \[http\] allow_remote_without_authentication = true \(option --/);
  assert.match(admin, /^team\.toml:4:10: .* set \[admin\] allow_remote = true \(option --allow-remote-admin\)/);
  assert.match(dashboard, /^team\.toml:6:10: .* there is no TLS/);
  assert.deepEqual(more, []);

  const needs = `[plugins]\ncomponents = "${folder}"\n[http]\nunix_socket = "team.toml"\n`
    + '[upstreams.one]\ncommand = "no-such-program"\n[upstreams.two]\nurl = "https://two.example/mcp"\n'
    + 'headers = {Authorization = {file = "two.txt"}}\n[upstreams.three]\ncommand = "sh"\nenv = {KEY = {env = "MCP_NO_SUCH"}}\n';
  const needed = await check(needs);
  assert.equal(needed.status, 2);
  assert.match(needed.said.join('\n'), new RegExp('^team\\.toml:4:15: "unix_socket" cannot be used: team\\.toml is there already, and no socket\n'
    + 'team\\.toml:5:\\d+: "one" cannot be used: there is no program no-such-program in PATH\n'
    + 'team\\.toml:7:\\d+: "two" cannot be used: two\\.txt cannot be opened: No such file or directory\n'
    + 'team\\.toml:10:\\d+: "three" cannot be used: .*MCP_NO_SUCH.*$'));
  assert.deepEqual(await check(needs, '--no-files'), { status: 0, said: ['team.toml: ok'] });
});

test('ConfigCheckSaysWhatServeWouldRefuseOfTheAuditFileAndTheControlSocket', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-check-'));
  context.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'team.toml');
  const check = async (text, ...options) => {
    await writeFile(file, `${text}\n[plugins]\ncomponents = "."\n`);
    const { stdout, stderr } = await command('config', 'check', '--config', file, ...options);
    return (stdout + stderr).replaceAll(`${folder}/`, '').trim();
  };
  const ok = 'team.toml: ok';
  const audited = (name) => check(`[audit]\nfile = "${name}"`);
  assert.equal(await audited('new.jsonl'), ok);
  assert.deepEqual(await readdir(folder), ['team.toml'], 'it makes nothing');
  const log = join(folder, 'audit.jsonl');
  await writeFile(log, '');
  await symlink(log, join(folder, 'link.jsonl'));
  for (const [mode, words] of [
    [0o644, 'everybody may read it; chmod o-r it'], [0o666, 'others than its owner may write to it; chmod go-w it'],
  ]) {
    await chmod(log, mode);
    assert.equal(await audited('audit.jsonl'), `team.toml:2:8: "file" cannot be used: ${words}`);
  }
  await chmod(log, 0o600);
  assert.equal(await audited('audit.jsonl'), ok);
  assert.match(await audited('link.jsonl'), /^team\.toml:2:8: "file" cannot be used: it cannot be written: /);

  const controlled = (path, ...options) => check(`[serving]\ncontrol = "${path}"`, ...options);
  assert.equal(await controlled('none'), ok);
  assert.equal(await controlled('control.sock'), ok);
  assert.equal(await controlled('team.toml'), 'team.toml:2:11: "control" cannot be used: team.toml is there already, and no socket');
  assert.equal(await controlled('x'.repeat(108), '--no-files'), 'team.toml:2:1: "control" is too long a path for a socket; name a shorter one');
});

test('ConfigCheckWarnsOfCredentialsInTheClear', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-check-'));
  context.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'team.toml');
  const check = async (listen, more = '') => {
    await writeFile(file, `[http]\nlisten = "${listen}"\n[tokens]\nfile = "tokens.json"\n[roles.user]\nallow = ["*"]\n${more}`);
    const { status, stderr } = await command('config', 'check', '--no-files', '--config', file);
    assert.equal(status, 0, stderr);
    return stderr;
  };
  assert.match(await check('0.0.0.0:0'), /^warning: 0\.0\.0\.0:0 is reached by others without \[tls\]: /);
  assert.equal(await check('127.0.0.1:0'), '');
  assert.equal(await check('0.0.0.0:0', '[proxy]\ntrusted_addresses = ["10.0.0.0/8"]\n'), '');
});

test('ConfigCheckWarnsOfRolesThatNobodyOverHttpCanHave', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-check-'));
  context.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'team.toml');
  await writeFile(file, '[roles.user]\nallow = ["*"]\n[stdio]\nroles = ["user"]\n');
  const { status, stderr } = await command('config', 'check', '--no-files', '--config', file);
  assert.equal(status, 0, stderr);
  assert.match(stderr, /^warning: roles can be nobody's over HTTP, /);
});

test('ABusyPortIsToldBeforeAnyPluginIsStarted', async (context) => {
  const { on } = await folder(context, 'sample_v1');
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  context.after(() => other.close());
  const address = `127.0.0.1:${other.address().port}`;
  const { status, stderr } = await on('serve', '--listen', address);
  assert.equal(status, 2);
  const words = 'Address already in use; choose another port with --listen';
  assert.equal(stderr, `mcp-plugin-host: cannot listen on ${address}: ${words}\n`);
  const asJson = await on('serve', '--listen', address, '--log-format', 'json');
  assert.equal(asJson.status, 2);
  const { level, event, reason } = JSON.parse(asJson.stderr);
  assert.deepEqual([level, event, reason], ['error', 'not started', `cannot listen on ${address}: ${words}`]);
});

test('CallRunsATool', async (context) => {
  const { on } = await folder(context, 'sample_v1');
  assert.deepEqual(await on('call', 'version'), { status: 0, stdout: '1\n', stderr: '' });
  const whole = await on('call', '--json', 'version', '{}');
  assert.deepEqual(JSON.parse(whole.stdout).content, [{ type: 'text', text: '1' }]);
});

test('CallShowsWhatThePluginPrintsWhateverTheLogLevel', async (context) => {
  const { on } = await folder(context, 'dying');
  const printed = { status: 0, stdout: 'printed\n', stderr: 'dying: line 0\ndying: line 1\n' };
  for (const level of ['warning', 'off']) {
    const options = ['--isolation', 'worker', '--log-level', level];
    assert.deepEqual(await on('call', ...options, 'print', '{"lines":2}'), printed);
  }
  const { stderr } = await on('call', '--isolation', 'worker', '--log-format', 'json', 'print', '{"lines":1}');
  const { event, plugin, text } = JSON.parse(stderr);
  assert.deepEqual({ event, plugin, text }, { event: 'plugin output', plugin: 'dying', text: 'line 0' });
});

test('CallLeavesOutWhatOtherPluginsSay', async (context) => {
  const { components, on } = await folder(context, 'sample_v1');
  await components.addShipped('resources/files');
  assert.deepEqual(await on('call', 'version'), { status: 0, stdout: '1\n', stderr: '' });
  assert.match((await on('list')).stderr, /plugin says .*no folders are configured/);
  const unknown = await on('call', 'list_files');
  assert.match(unknown.stderr, /Unknown tool: list_files\n[^]*plugin says .*no folders are configured/, 'that is why');
  const strict = { isolation: 'worker', sandbox: { profile: 'strict', required: true } };
  await components.write('../resources/files.json', JSON.stringify({ roots: [{ name: 'docs', path: components.root }], ...strict }));
  assert.match((await on('call', 'list_files')).stderr, /plugin says .*the root .*cannot be accessed/);
  assert.equal((await on('call', 'version')).stderr, '');
});

test('CheckOfWhatCannotBeLoadedIsShort', async () => {
  const { status, stdout } = await command('check', fixture('no_entry'));
  assert.equal(status, 1);
  assert.match(stdout, /\n {2}skipped {2}all others \(the plugin cannot be loaded\)\n {2}0 passed, 1 failed, 0 with warnings, \d+ skipped\n$/);
  assert.equal(stdout.match(/ skipped /g).length, 1);
});

test('ACheckThatASignalEndsLeavesNoDataBehind', { timeout: 60_000 }, async (context) => {
  const place = await mkdtemp(join(tmpdir(), 'mcp-checked-'));
  context.after(() => rm(place, { recursive: true, force: true }));
  const data = async () => (await readdir(place)).filter((name) => name.startsWith('mcp-plugin-check-'));
  for (const [signal, expected] of [['SIGHUP', 129], ['SIGINT', 130], ['SIGTERM', 143]]) {
    const check = spawn(program, ['check', fixture('hanging')], { stdio: 'ignore', env: { ...process.env, TMPDIR: place } });
    context.after(() => check.kill('SIGKILL'));
    const ended = once(check, 'exit');
    while ((await data()).length === 0) await sleep(20);
    await sleep(200); // until it heeds signals
    check.kill(signal);
    assert.deepEqual(await ended, [expected, null]);
    assert.deepEqual(await data(), []);
  }
});

test('EachScriptSaysWhatItDoesBeforeItDoesIt', async () => {
  const folder = fileURLToPath(new URL('../../scripts', import.meta.url));
  const scripts = (await readdir(folder)).filter((name) => name.endsWith('.sh') && name !== 'help.sh');
  assert.ok(scripts.length > 5);
  for (const name of scripts) {
    const { status, stdout } = await run(join(folder, name), ['--help']);
    assert.equal(status, 0, name);
    assert.match(stdout, /^([A-Z]|conformance\.sh )[^#]*\n$/, name);
  }
  const { stdout } = await run(join(folder, 'serve.sh'), ['--help']);
  assert.match(stdout, /^Installs what is missing, builds [^]*\nIts options: build\/release\/bin\/mcp-plugin-host serve --help, /);
});

test('InspectAndListShowWhatAPluginPrintedBeforeItDied', async (context) => {
  const { on } = await folder(context, 'throwing_init');
  const said = /\bthrowing_init\.so: terminate called .*\nthrowing_init\.so: {3}what\(\): {2}static init threw\n/;
  const reason =
    /throwing_init\.so: refused: its process was killed by SIGABRT \(Aborted\)(, at throwing_init\.cpp:\d+ in \w+)? while it was loading the plugin and setting it up; it printed last: terminate called .* \| what\(\): {2}static init threw\n/;
  for (const { stdout, stderr } of [await command('inspect', fixture('throwing_init')), await on('list')]) {
    assert.match(stdout, reason);
    assert.match(stderr, said);
  }
});

test('WhatAPluginPrintsBeforeItHasToldItsNameIsLoggedWithItsFile', async () => {
  const { stderr } = await command('inspect', '--log-format', 'json', fixture('throwing_init'));
  const lines = stderr.split('\n').filter(Boolean).map((line) => JSON.parse(line));
  const { file, plugin } = lines.find(({ event }) => event === 'plugin output');
  assert.deepEqual({ file, plugin }, { file: fixture('throwing_init'), plugin: undefined });
});

test('CallEndsWithAStatusThatTellsWhoFailed', async (context) => {
  const { on } = await folder(context, 'slow', 'refusing');
  const unknown = await on('call', 'absent');
  assert.equal(unknown.status, 2);
  assert.match(unknown.stderr, /Unknown tool: absent\n {2}not loaded: .*refusing\.so: .*the licence has expired\n$/);
  assert.match((await on('call', 'wiat', '{}')).stderr, /Unknown tool: wiat\n {2}did you mean "wait"\?\n/);
  const invalid = await on('call', 'absent', '{');
  assert.equal(invalid.status, 2);
  assert.match(invalid.stderr, /the arguments are not valid JSON/);
});

test('CallSaysAsJsonWhatIsWrongWithTheArguments', async (context) => {
  const { on } = await folder(context, 'slow');
  const { status, stdout } = await on('call', '--json', 'wait', '{}');
  assert.equal(status, 1);
  const { content, isError } = JSON.parse(stdout);
  assert.equal(isError, true);
  assert.match(content[0].text, /^Invalid arguments for tool wait: /);
  const unreadable = await on('call', '--json', 'wait', '{');
  assert.match(JSON.parse(unreadable.stdout).error.message, /^the arguments are not valid JSON/);
});

test('WhatAPluginInTheHostPrintsIsNoPartOfTheAnswer', async (context) => {
  const { components, on } = await folder(context, 'rude');
  await components.write('rude.json', JSON.stringify({ isolation: 'in-process' }));
  for (const args of [['call', 'print', '--json'], ['list', '--json'], ['inspect', components.file('rude.so'), '--json']]) {
    const { status, stdout, stderr } = await on(...args);
    assert.equal(status, 0, stderr);
    JSON.parse(stdout);
    assert.match(stderr, /setup says hello\n/);
  }
  const { stdout, stderr } = await on('call', 'print');
  assert.equal(stdout, 'printed\n');
  assert.match(stderr, /printf says .*\ncout says so too\nwrite says it as well\n/);
});

test('WhatACommandSaidIsNotLostWhenAPluginDoesNotStop', async (context) => {
  const { components, on } = await folder(context, 'stopping');
  await components.write('stopping.json', JSON.stringify({ comes_back: false }));
  const { status, stdout } = await on('call', 'hello');
  assert.equal(status, 0);
  assert.equal(stdout, 'hello\n');
});

test('ReadPromptAndCompleteAskAPluginWithoutAClient', async (context) => {
  const { components, on } = await folder(context, 'sample_v1');
  await components.addShipped('prompts/prompts', { aliases: { 'team:greeting': 'greeting' } });
  await components.addShipped('resources/server');
  const read = await on('read', 'config://server');
  assert.equal(read.status, 0);
  assert.equal(JSON.parse(read.stdout).name, 'mcp-plugin-host');
  const absent = await on('read', 'config://absent');
  assert.equal(absent.status, 2);
  assert.match(absent.stderr, /Resource not found: config:\/\/absent/);
  const prompt = await on('prompt', 'greeting', '{"name":"Ada"}');
  assert.equal(prompt.status, 0);
  assert.match(prompt.stdout, /^assistant: Hello Ada! /);
  assert.deepEqual(await on('complete', 'greeting', 'style', 'fr'), { status: 0, stdout: 'friendly\n', stderr: '' });
  assert.equal((await on('complete', 'team:greeting', 'style', 'fr')).stdout, 'friendly\n');
  const { completion } = JSON.parse((await on('complete', '--json', 'greeting', 'style')).stdout);
  assert.ok(completion.values.length > 1);
  const none = await on('complete', 'greeting', 'name');
  assert.deepEqual([none.status, none.stdout], [0, '']);
  const unknown = await on('complete', 'absent', 'style');
  assert.equal(unknown.status, 2);
  assert.match(unknown.stderr, /Unknown prompt: absent/);
});

test('WhatAPluginAsksItsClientIsAnsweredByTheCommandLine', async (context) => {
  const { on } = await folder(context, 'asking');
  const said = async (...args) => {
    const { status, stdout, stderr } = await on(...args);
    assert.equal(status, 0, stderr);
    return stdout;
  };
  const answers = (...all) => all.flatMap((each) => ['--answer', JSON.stringify(each)]);
  const names = answers({ name: 'Ada' }, { name: 'Lovelace' });
  assert.equal(await said('call', 'two_rounds', ...names), 'Ada Lovelace\n');
  assert.equal(await said('call', 'sample', ...answers('Ada')), 'the command line: Ada\n');
  assert.equal(await said('call', 'sample', '--answer', 'Ada Lovelace'), 'the command line: Ada Lovelace\n');
  assert.equal(await said('call', 'two_rounds', ...answers('Ada', 'Lovelace')), 'Ada Lovelace\n');
  const more = await on('call', 'sample', ...answers('Ada', 'Lovelace'));
  assert.deepEqual(more, { status: 0, stdout: 'the command line: Ada\n', stderr: 'answers that were not asked for: 1\n' });
  assert.equal(await said('call', 'roots', ...answers([{ uri: 'file:///a', name: 'a' }])), 'a=file:///a;\n');
  assert.equal(await said('call', 'order', ...answers({ action: 'decline' })), 'declined\n');
  assert.equal(await said('call', 'sign_in', ...answers({ action: 'accept' })), 'opened\n');
  assert.equal(await said('read', 'asking://name', ...answers({ name: 'Ada' })), 'Ada\n');
  assert.equal(await said('prompt', 'asking', ...answers({ name: 'Ada' })), 'user: Write to Ada\n');

  const refused = async (...args) => {
    const { status, stderr } = await on(...args);
    assert.equal(status, 2);
    return stderr;
  };
  assert.match(await refused('call', 'two_rounds', ...answers({ name: 'Ada' })),
    /the client is asked elicitation\/create: Second name\?; answer it with --answer JSON: \{"method"/);
  assert.match(await refused('call', 'two_rounds', ...answers({ name: 7 })),
    /answer 1 does not fit elicitation\/create: First name\?: .*"name" must be a string/);
  assert.match(await refused('call', 'two_rounds', '--answer', '{'), /the answer \{ is not valid JSON at line 1/);
});

test('CallOfAServerSaysWhichOptionIsMissing', async (context) => {
  const { url } = await serve(context, await Components.create('asking'));
  const { status, stderr } = await command('call', '--url', url, 'two_rounds');
  assert.equal(status, 2);
  assert.match(stderr, /requires the client capability .*; give --answer JSON for each thing that it asks\n$/);
});

test('CallOfAServerSaysWhatMakesItsAuthorityKnown', async (context) => {
  const place = await mkdtemp(join(tmpdir(), 'mcp-authority-'));
  const authority = new Authority();
  const server = createSecureServer(authority.issue('localhost'), (request, response) => response.end('{}')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.close();
    authority.discard();
    return rm(place, { recursive: true });
  });
  const args = ['call', '--url', `https://127.0.0.1:${server.address().port}/mcp`, 'version'];
  const words = /: TLS: certificate verify failed: .*; SSL_CERT_FILE=FILE in the environment names an authority that may have issued it\n$/;
  assert.match((await command(...args)).stderr, words);
  const file = join(place, 'ca.pem');
  await writeFile(file, authority.pem);
  const { stderr } = await run(program, args, { env: { ...process.env, SSL_CERT_FILE: file } });
  assert.match(stderr, /answers with the HTTP status 200: \{\}\n$/);
});

// The build folder of a project of that language, built and tested, and what the tests have printed.
async function newProject(context, ...language) {
  const place = await mkdtemp(join(tmpdir(), 'mcp-new-'));
  context.after(() => rm(place, { recursive: true }));
  const made = await command('new', 'weather', '--in', place, ...language);
  assert.equal(made.status, 0, made.stderr);
  assert.match(made.stdout, /^Made .*weather\. Build and test it:\n/);
  assert.match(made.stdout, /\n {2}mcp-plugin-host dev\n$/);

  const project = join(place, 'weather');
  const here = { ...compiling, env: { ...process.env, PATH: [dirname(program), process.env.PATH].join(delimiter) }, cwd: project };
  const steps = [
    ['cmake', ['--preset', 'release']],
    ['cmake', ['--build', '--preset', 'release']],
    ['ctest', ['--preset', 'release']],
  ];
  let last;
  for (const [tool, args] of steps) {
    last = await run(tool, args, here);
    assert.equal(last.status, 0, `${tool} ${args.join(' ')}\n${last.stdout}${last.stderr}`);
  }
  return { build: join(project, 'build', 'release'), tested: last.stdout };
}

const plainPrograms = { skip: !!sanitizer && 'what the host refuses is a library with the sanitizer, which no plain program can load' };

// They compile, which takes its time where much else runs.
const compiling = { timeout: 600_000 };
test('NewMakesAProjectThatBuildsAndPassesItsTest', { ...compiling, ...plainPrograms }, async (context) => {
  const { build, tested } = await newProject(context);
  assert.match(tested, /weather_test \.+ +Passed[^]*weather_inspect \.+ +Passed[^]*weather_check \.+ +Passed/);
  const library = await readFile(join(build, 'mcp_components', 'tools', 'weather.so'));
  assert.ok(library.includes('.debug_line'), 'a backtrace leads to lines');
  const call = await command('call', '--components', join(build, 'mcp_components'), 'hello', '{"name":"Ada"}');
  assert.deepEqual(call, { status: 0, stdout: 'Hello, Ada!\n', stderr: '' });
});

test('NewMakesAProjectInPlainC', compiling, async (context) => {
  const { build, tested } = await newProject(context, '--lang', 'c');
  assert.match(tested, /weather_inspect \.+ +Passed[^]*weather_check \.+ +Passed[^]*weather_hello \.+ +Passed/);
  const { stdout } = await command('check', join(build, 'mcp_components', 'tools', 'weather.so'));
  assert.match(stdout, / passed, 0 failed, 0 with warnings, /, stdout);
  const call = await command('call', '--components', join(build, 'mcp_components'), 'hello', '{"name":"\\"Ada\\""}');
  assert.deepEqual(call, { status: 0, stdout: 'Hello, "Ada"!\n', stderr: '' });
});

test('TheProjectThatNewMakesSaysWhereThePluginApiIsToBeFound', async (context) => {
  const place = await mkdtemp(join(tmpdir(), 'mcp-new-'));
  context.after(() => rm(place, { recursive: true }));
  await command('new', 'weather', '--in', place);
  const elsewhere = process.env.PATH.split(delimiter).filter((each) => !existsSync(join(each, 'mcp-plugin-host')));
  const env = { ...process.env, PATH: elsewhere.join(delimiter), CMAKE_PREFIX_PATH: '' };
  const args = ['--preset', 'debug', '-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF'];
  const { status, stderr } = await run('cmake', args, { ...compiling, cwd: join(place, 'weather'), env });
  assert.equal(status, 1);
  assert.match(
    stderr.replace(/\s+/g, ' '),
    /The plugin API is not found\. It comes with mcp-plugin-host: put the folder of that program into PATH/,
  );
});

test('NewTouchesNothingThatExistsAndRefusesWhatIsNoName', async (context) => {
  const place = await mkdtemp(join(tmpdir(), 'mcp-new-'));
  context.after(() => rm(place, { recursive: true }));
  await command('new', 'weather', '--in', place);
  const again = await command('new', 'weather', '--in', place);
  assert.equal(again.status, 2);
  assert.match(again.stderr, /weather exists already; choose another name, or another place with --in\n/);
  const unknown = await command('new', 'other', '--in', place, '--lang', 'cobol');
  assert.equal(unknown.status, 2);
  assert.match(unknown.stderr, /there is no template for "cobol"; --lang is one of c, cpp, go, rust, zig/);
  for (const language of ['', '.', '../systemd'])
    assert.equal((await command('new', 'other', '--in', place, '--lang', language)).status, 2, language);
  for (const name of ['', '../x', 'two words', '.hidden', 'test', 'mcp_plugin']) {
    assert.equal((await command('new', '--in', place, '--', name)).status, 2, name);
  }
  for (const name of ['my.plugin', '3d']) {
    const { status, stderr } = await command('new', name, '--lang', 'rust', '--in', place);
    assert.equal(status, 2);
    assert.match(stderr, /a crate of Rust cannot be called/);
  }
});
