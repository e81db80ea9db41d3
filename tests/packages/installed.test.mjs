// What `cmake --install` puts into a prefix is the whole product: it serves the plugins that come with it, and a project
// for a plugin is made, built and called from there.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';

const folder = mkdtempSync(path.join(os.tmpdir(), 'mcp-installed-'));
after(() => rmSync(folder, { recursive: true }));
const prefix = path.join(folder, 'prefix');
const components = path.join(prefix, 'lib/mcp-plugin-host/components');
const environment = { ...process.env, PATH: `${path.join(prefix, 'bin')}:${process.env.PATH}`, XDG_STATE_HOME: folder };
function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', env: environment, cwd: folder, ...options });
  assert.equal(error, undefined);
  assert.equal(status, 0, `${command} ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}
run('cmake', ['--install', process.env.MCP_BUILD, '--prefix', prefix]);

test('ThePluginsThatComeWithTheHostAreServed', () => {
  const answer = run('mcp-plugin-host', ['call', '--components', components, 'calculate', '{"expression": "6 * 7"}']);
  assert.deepEqual(JSON.parse(answer), { formatted: '42', result: 42 });
  const { plugins } = JSON.parse(run('mcp-plugin-host', ['list', '--components', components, '--json']));
  const files = readdirSync(components, { recursive: true }).filter((name) => name.endsWith('.so'));
  assert.equal(plugins.length, files.length);
});

test('AProjectIsMadeBuiltTestedAndCalled', () => {
  run('mcp-plugin-host', ['new', 'weather']);
  const project = { cwd: path.join(folder, 'weather') };
  for (const command of ['cmake', 'cmake --build', 'ctest']) {
    const [program, ...args] = command.split(' ');
    run(program, [...args, '--preset', 'release'], project);
  }
  const built = ['--components', 'build/release/mcp_components'];
  assert.equal(run('mcp-plugin-host', ['call', ...built, 'hello', '{"name": "Ada"}'], project).trim(), 'Hello, Ada!');
});

test('WhatIsForSystemdSpeaksOfThePrefix', () => {
  const unit = readFileSync(path.join(prefix, 'lib/systemd/system/mcp-plugin-host.service'), 'utf8');
  const programs = [...unit.matchAll(/^(?:ExecStart|ExecReload)=(\S+)/gm)].map(([, file]) => file);
  assert.equal(programs.length, 2);
  for (const file of programs) assert.ok(existsSync(file), file);
  const [, documents] = /^Documentation=file:\/\/(.*)$/m.exec(unit);
  assert.ok(existsSync(documents), documents);
  const served = /^components = "(.*)"$/m.exec(readFileSync(path.join(prefix, 'share/mcp-plugin-host/host.toml'), 'utf8'));
  assert.ok(existsSync(served[1]), served[1]);
  run('mcp-plugin-host', ['config', 'check', '--config', path.join(prefix, 'share/mcp-plugin-host/host.toml')]);
});

test('NothingSpeaksOfThePlaceWhereItWasBuilt', () => {
  const texts = readdirSync(prefix, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name)).filter((file) => /\.(cmake|toml|service|socket|conf|hpp|h)$/.test(file));
  const kinds = [...new Set(texts.map((file) => path.extname(file)))].sort();
  assert.deepEqual(kinds, ['.cmake', '.conf', '.h', '.hpp', '.service', '.socket', '.toml']);
  for (const file of texts) assert.ok(!readFileSync(file, 'utf8').includes(process.env.MCP_BUILD), file);
});

for (const document of ['README.md', 'LICENSE', 'CHANGELOG.md', 'ARCHITECTURE.md', 'docs/installing.md', 'plugin-api/ABI.md']) {
  test(`${document} IsThere`, () => assert.ok(existsSync(path.join(prefix, 'share/doc/mcp-plugin-host', document))));
}
