// Completion in real shells, of the program's own words and of what a running host has; and the manual.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import { Components } from './support/components.mjs';
import { program, serve } from './support/host.mjs';
import { command } from './support/operated.mjs';
import { Terminal } from './support/terminal.mjs';

const isThere = (name) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;

const shells = {
  bash: { start: ['bash', '--norc', '--noprofile', '-i'], load: 'source <(mcp-plugin-host completion bash)' },
  zsh: { start: ['zsh', '-f', '-i'], load: 'autoload -Uz compinit && compinit -u -D && source <(mcp-plugin-host completion zsh)' },
  'zsh that finds it': { start: ['zsh', '-f', '-i'], load: 'fpath=($HOME $fpath) && autoload -Uz compinit && compinit -u -D' },
  fish: { start: ['fish', '--no-config', '-i'], load: 'mcp-plugin-host completion fish | source' },
};

for (const [name, { start, load }] of Object.entries(shells)) {
  const skip = !isThere(start[0]) && `install ${start[0]}`;
  test(`Completes in ${name}`, { skip, timeout: 95_000 }, async (context) => {
    const components = await Components.create('sample_v1', 'slow');
    await serve(context, components);
    const home = await mkdtemp(join(tmpdir(), 'home-'));
    context.after(() => rm(home, { recursive: true, force: true }));
    await copyFile(join(import.meta.dirname, '../../share/completions/mcp-plugin-host.zsh'), join(home, '_mcp-plugin-host'));
    const env = { ...process.env, HOME: home, PATH: `${dirname(program)}:${process.env.PATH}`, MCP_COMPONENTS: components.root, PS1: '$ ' };
    const terminal = new Terminal(context, start, { env, columns: 240, rows: 40 });
    terminal.press(`${load}; echo is; echo ready\r`);
    await terminal.until(/^is\s+ready$/m);
    const completes = async (typed, whole) => {
      const completed = new RegExp(`mcp-plugin-host ${whole.replace(/[/.]/g, '\\$&')}`, 'm');
      terminal.press(`mcp-plugin-host ${typed}\t`);
      // The host may have been too slow to tell.
      const again = setInterval(() => terminal.press('\t'), 5000);
      await terminal.until(completed).finally(() => clearInterval(again));
      terminal.press('\x15'); // the line is given up
      terminal.press('echo next\r');
      await terminal.until(/^next$/m);
      terminal.press('\x0c');
      terminal.press('clear\r');
    };
    await completes('expl', 'explain');
    await completes('disable sam', 'disable sample');
    await completes('trace --component onl', 'trace --component only_in_v1');
    await completes('call vers', 'call version');
    await completes('log --level war', 'log --level warning');
    await completes('log --level=war', 'log --level=warning');
    await completes('serve --compo', 'serve --components');
    await completes(`inspect ${components.file('sam')}`, `inspect ${components.file('sample_v1.so')}`);
  });
}

// What a shell is told, without what is said of it.
async function candidates(...words) {
  const { stdout } = await command('__complete', ...words);
  return stdout.trimEnd().split('\n').map((line) => line.split('\t')[0]);
}

test('CompletionKnowsCommandsOptionsAndTheRunningHost', { timeout: 95_000 }, async (context) => {
  const components = await Components.create('sample_v1', 'slow');
  await serve(context, components);
  assert.deepEqual(await candidates('tok'), ['token']);
  assert.deepEqual(await candidates('token', ''), ['create', 'list', 'revoke']);
  assert.deepEqual(await candidates('token', 'create', '--ro'), ['--role']);
  assert.deepEqual(await candidates('serve', '--isolation', ''), ['worker', 'in-process', 'in-process-resident']);
  assert.deepEqual(await candidates('serve', '--isolation=in'), ['--isolation=in-process', '--isolation=in-process-resident']);
  assert.deepEqual(await candidates('serve', '--max-connections', ''), ['']);
  assert.deepEqual(await candidates('reload', ''), ['sample', 'slow']);
  assert.deepEqual(await candidates('disable', 'slow', '--component', 'wa'), ['wait']);
  assert.deepEqual(await candidates('call', '--components', components.root, 'wa'), ['wait']);
  assert.deepEqual(await candidates('inspect', ''), [':files']);
  assert.deepEqual(await candidates('add', 'wiki', 'npx', ''), [':files']);
});

test('CompletionStartsNoPlugin', { timeout: 95_000 }, async (context) => {
  const components = await Components.create('sample_v1');
  context.after(() => components.discard());
  assert.deepEqual(await candidates('call', '--components', components.root, 'only'), ['']);
  assert.deepEqual(await candidates('reload', ''), ['']);
});

// The names of the options, and of the commands, that a help text tells.
const optionsIn = (help) => help.match(/(?<=[ ,])--[a-z-]+/g);
const commandsIn = (help) => [...(help.split('\nSubcommands:\n')[1] ?? '').matchAll(/^ {2}(\S+)/gm)].map(([, name]) => name);

test('TheManualHasEveryCommandAndEveryOption', { timeout: 95_000 }, async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'manual-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  assert.equal((await command('__manual', folder)).status, 0);
  const help = (...words) => execFileSync(program, [...words, '--help'], { encoding: 'utf8' });
  const page = async (name) => (await readFile(join(folder, `${name}.1`), 'utf8')).replaceAll('\\-', '-');
  const expectIn = (text, options, name) => {
    for (const option of options) assert.ok(text.includes(option), `${option} is not in ${name}`);
  };
  const main = await page('mcp-plugin-host');
  expectIn(main, optionsIn(help()), 'mcp-plugin-host');
  for (const name of commandsIn(help())) {
    assert.ok(main.includes(`mcp-plugin-host-${name}`), name);
    const text = await page(`mcp-plugin-host-${name}`);
    expectIn(text, optionsIn(help(name)), name);
    for (const word of commandsIn(help(name))) expectIn(text, optionsIn(help(name, word)), `${name} ${word}`);
  }
  for (const file of isThere('man') ? await readdir(folder) : []) {
    const { status, stderr } = spawnSync('man', ['--warnings', '-E', 'UTF-8', '-l', '-Tutf8', join(folder, file)],
      { encoding: 'utf8', env: { ...process.env, MANWIDTH: '80', LC_ALL: 'C.UTF-8' } });
    assert.deepEqual([status, stderr], [0, ''], file);
  }
});
