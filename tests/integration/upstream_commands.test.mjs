// The commands about servers elsewhere, without a host that runs: add, import and inspect.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, chown, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { command } from './support/command.mjs';
import { Components } from './support/components.mjs';
import { script } from './support/upstreams.mjs';

async function folder(context) {
  const components = await Components.create();
  context.after(() => components.discard());
  return { components, on: (name, ...args) => command(name, '--components', components.root, ...args) };
}

test('InspectConnectsToAServerElsewhereAndCheckSaysThatItIsNone', async (context) => {
  const { components } = await folder(context);
  const file = components.file('echo.mcp.json');
  await writeFile(file, JSON.stringify(script('hostile_upstream.mjs', ['plain'], { prefix: 'e_' })));
  const { status, stdout } = await command('inspect', file);
  assert.equal(status, 0, stdout);
  assert.match(stdout, /echo\.mcp\.json: echo \S+ \(upstream, [0-9a-f]{64}\)\n {2}tool {6}e_fine /);
  assert.equal(JSON.parse((await command('inspect', '--json', file)).stdout).upstream, true);
  await writeFile(file, JSON.stringify({ command: 'no-such-program' }));
  assert.match((await command('inspect', file)).stdout, /refused: the program no-such-program cannot be started/);
  const checked = await command('check', file);
  assert.equal(checked.status, 2);
  assert.match(checked.stderr, /echo\.mcp\.json says where another server is, and is no plugin that could be checked; mcp-plugin-host inspect says/);
});

test('AddSaysThatThereIsNoSuchProgram', async (context) => {
  const { components, on } = await folder(context);
  const added = await on('add', 'wiki', 'no-such-program', '--fast');
  assert.equal(added.status, 1);
  assert.equal(added.stdout, `Wrote ${components.file('wiki.mcp.json')}\n`, 'and promises nothing');
  assert.match(added.stderr, /there is no program no-such-program in PATH; without one the host refuses the server\n/);
  assert.ok(existsSync(components.file('wiki.mcp.json')));
  assert.match((await on('add', 'late', 'sh', '--prefix', 'x')).stderr, /: --prefix is passed to sh; if it was meant for add, it goes before NAME\n/);
  assert.equal((await on('add', 'node', process.execPath)).stderr, '');
  assert.equal((await on('add', 'shell', 'sh')).stderr, '');
});

test('AddSaysHowLongItMayTakeToConnect', async (context) => {
  const { components, on } = await folder(context);
  const add = (ms) => on('add', '--connect-ms', ms, 'wiki', 'https://wiki.example.com/mcp');
  assert.match((await add('0')).stderr, /^--connect-ms: "0" is not a whole number of at least 1\n/);
  assert.equal((await add('60000')).status, 0);
  const written = JSON.parse(await readFile(components.file('wiki.mcp.json'), 'utf8'));
  assert.deepEqual(written, { url: 'https://wiki.example.com/mcp', connectMs: 60000 });
});

test('AddSaysThatASecretCannotBeRead', async (context) => {
  const { components, on } = await folder(context);
  const file = join(components.folder, 'token.txt');
  const add = () => on('add', '--force', '--header', `Authorization=@${file}`, 'wiki', 'https://wiki.example.com/mcp');
  const consequence = 'as long as that is so the host refuses the server';
  assert.equal((await add()).stderr, `mcp-plugin-host: ${file} cannot be opened: No such file or directory; ${consequence}\n`);
  await writeFile(file, 'Bearer secret\n');
  await chmod(file, 0o644);
  assert.equal((await add()).stderr, `mcp-plugin-host: ${file}: everybody may read it; chmod o-r it; ${consequence}\n`);
  await chmod(file, 0o600);
  const { stdout, stderr } = await add();
  assert.match(stdout, /wiki\.mcp\.json; a host that runs serves it at once/);
  assert.equal(stderr, '');
});

test('OnlyAFileThatHoldsASecretIsItsOwnersAlone', async (context) => {
  const { components, on } = await folder(context);
  const file = components.file('wiki.mcp.json');
  const modeAfter = async (...options) => {
    await on('add', '--force', ...options, 'wiki', 'https://wiki.example.com/mcp');
    return (await stat(file)).mode & 0o777;
  };
  const readByAll = 0o644 & ~process.umask();
  assert.equal(await modeAfter('--header', `Authorization=@${join(components.folder, 'token.txt')}`), readByAll);
  await chmod(file, 0o600);
  assert.equal(await modeAfter('--header', 'Authorization=Bearer secret'), 0o600);
  await chmod(file, 0o640);
  assert.equal(await modeAfter('--header', 'Authorization=Bearer secret'), 0o640);
});

test('WhatRootReplacesBelongsToTheSameUserAndGroup', { skip: process.getuid() !== 0 && 'needs root' }, async (context) => {
  const { components, on } = await folder(context);
  const file = components.file('wiki.mcp.json');
  const add = (...options) => on('add', ...options, '--header', 'Authorization=Bearer secret', 'wiki', 'https://wiki.example.com/mcp');
  const first = await add();
  assert.equal(first.stdout, `Wrote ${file}\n`, 'and promises nothing');
  assert.match(first.stderr, /wiki\.mcp\.json: only root can read it; chgrp it to the host's group and chmod 640 it\n$/);
  const [user, group] = [12345, 23456];
  await chown(file, user, group);
  await chmod(file, 0o640);
  assert.equal((await add('--force')).stderr, '');
  const { uid, gid, mode } = await stat(file);
  assert.deepEqual([uid, gid, mode & 0o777], [user, group, 0o640]);
});

test('RemoveTouchesNoFileElsewhere', async (context) => {
  const { components, on } = await folder(context);
  const file = join(components.folder, 'x.mcp.json');
  await writeFile(file, '{}');
  const { status, stderr } = await on('remove', '../../x');
  assert.equal(status, 2);
  assert.match(stderr, /"\.\.\/\.\.\/x" is no name: /);
  assert.ok(existsSync(file));
});

test('AddAndImportWriteNothingThatNoHostCanUse', async (context) => {
  const { components, on } = await folder(context);
  const refused = async (...args) => {
    const { status, stdout, stderr } = await on(...args);
    assert.deepEqual([status === 0, stdout], [false, ''], args.join(' '));
    return stderr;
  };
  for (const url of ['ftp://example.com/mcp', 'htps://example.com/mcp', 'https:example.com'])
    assert.match(await refused('add', 'wiki', url), /^mcp-plugin-host: "\S+" is neither a URL that begins with https:\/\/ or http:\/\/ nor a command\n$/);
  const clear = '"url" cannot be used: "http://example.com/mcp" must begin with https://, unless it is this machine, or "insecure" is true\n';
  assert.equal(await refused('add', 'wiki', 'http://example.com/mcp'), `mcp-plugin-host: ${clear}`);
  const file = join(components.folder, 'clients.json');
  const imported = async (text) => {
    await writeFile(file, text);
    return refused('import', file);
  };
  assert.equal(await imported('{"mcpServers": {"wiki": {"url": "http://example.com/mcp"}}}'), `wiki: ${clear}`);
  assert.equal(await imported('{"mcpServers": {}}'), `mcp-plugin-host: there is no server in ${file}\n`);
  assert.match(await imported('{\n  // none\n  "servers": {}\n}'),
    /clients\.json: it is not valid JSON at line 2, column 3: .*; comments and trailing commas are not read\n$/);
  for (const name of ['.wiki', '', '../wiki'])
    assert.match(await refused('add', name, 'sh'), /^mcp-plugin-host: "\S*" is no name: .*, the first of them no full stop\n$/);
  assert.equal(await refused('add', '--sse', 'wiki', 'sh'), 'mcp-plugin-host: --sse is for a URL\n');
  for (const name of ['.wiki', ''])
    assert.equal(await imported(JSON.stringify({ mcpServers: { [name]: { command: 'sh' } } })),
      `${name}: its file would be ${name}.mcp.json, at which no host looks; give it another name there\n`);
  assert.deepEqual(await readdir(components.file('.')), []);
  const absent = join(components.folder, 'absent');
  const { status, stderr } = await command('add', '--components', absent, 'x', 'true');
  assert.equal(status, 2);
  assert.match(stderr, /the components folder \S+\/absent is missing; make it, or name another one with --components\n/);
  assert.equal(existsSync(absent), false);
});

test('ImportSaysWhichVariablesStandForWhatAClientAsks', async (context) => {
  const { components, on } = await folder(context);
  const file = join(components.folder, 'mcp.json');
  await writeFile(file, JSON.stringify({
    inputs: [{ type: 'promptString', id: 'wiki-token', password: true }],
    servers: {
      wiki: {
        type: 'http', url: 'https://wiki.example.com/mcp',
        headers: { Authorization: 'Bearer ${input:wiki-token}', 'Content-Type': 'application/json' },
      },
      files: { command: 'sh', args: ['${workspaceFolder}'], env: { KEY: '${input:files-key}' } },
    },
  }));
  const { status, stdout } = await on('import', file);
  assert.equal(status, 0);
  assert.match(stdout, /^ {2}its header Content-Type is left out, because the host writes it by itself$/m);
  assert.match(stdout, /^ {2}set WIKI_AUTHORIZATION in the environment of the host: it stands for "Bearer \$\{input:wiki-token\}"$/m);
  assert.match(stdout, /^ {2}set FILES_KEY in the environment of the host: /m);
  assert.match(stdout, /^ {2}write into its "args" what is meant by the \$\{\.\.\.\} there, .*: \["\$\{workspaceFolder\}"\]$/m);
  const { headers } = JSON.parse(await readFile(components.file('wiki.mcp.json'), 'utf8'));
  assert.deepEqual(headers, { Authorization: { env: 'WIKI_AUTHORIZATION' } });
});

test('EachCharacterThatANameCannotHaveBecomesOneThatItCan', async (context) => {
  const { components, on } = await folder(context);
  const file = join(components.folder, 'clients.json');
  await writeFile(file, JSON.stringify({ mcpServers: { 'n\u00e9 wiki': { type: 'http', url: 'https://wiki.example/mcp' } } }));
  await on('import', file);
  assert.deepEqual(await readdir(components.file('.')), ['n--wiki.mcp.json']);
});

test('TwoServersOfOneImportDoNotShareAFile', async (context) => {
  const { components, on } = await folder(context);
  const file = join(components.folder, 'clients.json');
  const server = (url) => ({ type: 'http', url });
  await writeFile(file, JSON.stringify({
    mcpServers: { 'my server': server('https://one.example/mcp'), 'my/server': server('https://two.example/mcp') },
  }));
  const { status, stderr } = await on('import', '--force', file);
  assert.equal(status, 1);
  assert.equal(stderr, 'my/server: its file would be that of my server, my-server; give one of them another name there\n');
  assert.equal(JSON.parse(await readFile(components.file('my-server.mcp.json'), 'utf8')).url, 'https://one.example/mcp');
});
