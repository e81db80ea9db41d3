// The command for authors: it builds a project, serves it, and does so again when the sources change.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { command, run } from './support/command.mjs';
import { fixture } from './support/components.mjs';
import { freePort } from './support/free_port.mjs';
import { HttpHost, program } from './support/host.mjs';
import { postModern } from './support/http.mjs';
import { patience } from './support/patience.mjs';

// For which a build is waited for: compilers are slow on a busy machine.
const buildMs = 300_000;

// A project with a host that serves it.
class Project {
  static async create(context) {
    const project = new Project();
    project.place = await mkdtemp(join(tmpdir(), 'mcp-dev-'));
    context.after(() => project.discard());
    assert.equal((await command('new', 'weather', '--in', project.place)).status, 0);
    project.folder = join(project.place, 'weather');
    project.source = join(project.folder, 'src', 'weather.cpp');
    return project;
  }

  async serve(more = [], { listen = '127.0.0.1:0', env = process.env } = {}) {
    const args = ['dev', this.folder, '--listen', listen, '--data', join(this.place, 'data'), '--log-format', 'json'];
    this.host = await HttpHost.of(spawn(program, [...args, ...more], { stdio: ['ignore', 'ignore', 'pipe'], env }));
    return this.host;
  }

  // Its builds write there until the host has ended.
  async discard() {
    await this.host?.stop();
    await rm(this.place, { recursive: true, force: true });
  }

  async edit(from, to) {
    const text = await readFile(this.source, 'utf8');
    assert.ok(text.includes(from), from);
    await writeFile(this.source, text.replace(from, to));
  }

  async hello() {
    const answer = await postModern(this.host.url, 'tools/call', { name: 'hello', arguments: { name: 'Ada' } });
    return (await answer.json()).result?.content[0].text;
  }

  async until(text) {
    for (const end = Date.now() + buildMs; ; await sleep(100)) {
      const said = await this.hello();
      if (said === text) return;
      assert.ok(Date.now() < end, `${said} instead of ${text}\n${this.host.log.text()}`);
    }
  }
}

test('DevServesEachChangeWithoutALostCall', { timeout: 600_000 }, async (context) => {
  const project = await Project.create(context);
  const control = join(project.place, 'control.sock');
  const host = await project.serve(['--control', control]);
  await project.until('Hello, Ada!');

  const answers = new Set();
  let calling = true;
  context.after(() => { calling = false; });
  const calls = (async () => {
    for (; calling; await sleep(20)) answers.add(await project.hello());
  })();
  await project.edit('"Hello, "', '"Good morning, "');
  await project.until('Good morning, Ada!');

  const broken = host.log.next({ event: 'not built' }, { patienceMs: buildMs });
  await project.edit('return "Good', 'retrun "Good');
  await broken;
  assert.match(host.log.text(), /src\/weather\.cpp:\d+:\d+: error: .*retrun/);
  assert.equal(await project.hello(), 'Good morning, Ada!');
  const { status, stdout } = await command('status', '--control', control);
  assert.equal(status, 1);
  assert.match(stdout, /\/weather\/build\/dev\/mcp_components: the last build has failed, .*; dev says why, on its standard error$/m);
  await project.edit('retrun "Good morning', 'return "Good evening');
  await project.until('Good evening, Ada!');
  for (const end = Date.now() + patience; !answers.has('Good evening, Ada!') && Date.now() < end;) await sleep(5);
  calling = false;
  await calls;
  assert.deepEqual([...answers].sort(), ['Good evening, Ada!', 'Good morning, Ada!', 'Hello, Ada!']);

  // What was said in a call, for whoever looks at the terminal.
  const { component, params, answer } = await host.log.until({ event: 'call', component: 'hello', outcome: 'ok' });
  assert.equal(component, 'hello');
  assert.deepEqual(JSON.parse(params), { name: 'hello', arguments: { name: 'Ada' } });
  assert.match(answer, /"text":"Hello, Ada!"/);
});

test('DevSaysHowAProjectWithoutCmakeIsBuilt', async (context) => {
  const place = await mkdtemp(join(tmpdir(), 'mcp-dev-'));
  context.after(() => rm(place, { recursive: true }));
  const fail = async (folder) => {
    const { status, stderr } = await command('dev', folder);
    return `${status} ${stderr}`;
  };
  const words = 'Give the command that builds it, and where its plugins are then: --build';
  assert.match(await fail(place), new RegExp(`^2 .* has no CMakeLists\\.txt\\. ${words}`));
  assert.match(await fail(join(place, 'absent')), /^2 mcp-plugin-host: there is no folder /);
});

test('DevTakesNoFolderOfComponentsWithoutACommandThatFillsIt', async (context) => {
  const place = await mkdtemp(join(tmpdir(), 'mcp-dev-'));
  context.after(() => rm(place, { recursive: true }));
  const { status, stderr } = await command('dev', place, '--components', join(place, 'out'));
  assert.equal(status, 2);
  assert.match(stderr, /^--components: without --build CMake builds the project, .*; leave it out, or give the command that builds it: --build 'make'\n/);
  // Which is said for other hosts, too.
  const env = { ...process.env, MCP_COMPONENTS: join(place, 'out') };
  assert.match((await run(program, ['dev', place], { env })).stderr, / has no CMakeLists\.txt\. /);
});

// A project without CMake.
async function plainProject(context) {
  const project = new Project();
  project.place = project.folder = await mkdtemp(join(tmpdir(), 'mcp-dev-'));
  context.after(() => project.discard());
  const components = join(project.place, 'out');
  await mkdir(components);
  const serve = (command, more = [], how = {}) =>
    project.serve(['--components', components, '--build', command, ...more], how);
  return { place: project.place, components, serve };
}

async function printed(host, pattern) {
  for (const end = Date.now() + patience; ; await sleep(20)) {
    const found = pattern.exec(host.log.text());
    if (found) return found[1];
    assert.ok(Date.now() < end, host.log.text());
  }
}

// Whether a process of the group is left.
function isLeft(group) {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}

for (const [what, ignore] of [['', ''], ['AlsoOneThatDoesNotHeedIt', 'trap "" TERM; ']]) {
  test(`DevRunsTheCommandThatItIsGivenAndEndsItWithItself${what}`, { timeout: 240_000 }, async (context) => {
    const project = await plainProject(context);
    const host = await project.serve(`${ignore}echo begun $$; sleep 1000`);
    const group = Number(await printed(host, /begun (\d+)/));
    assert.ok(isLeft(group));
    await host.stop();
    // What has been killed is there until the system's first process has looked at it.
    for (const end = Date.now() + patience; isLeft(group); await sleep(20)) assert.ok(Date.now() < end);
  });
}

test('DevDoesNotBuildForEverWhatEachBuildChanges', { timeout: 240_000 }, async (context) => {
  const project = await plainProject(context);
  await writeFile(join(project.place, 'a.c'), '');
  const host = await project.serve('date +%N > made.txt; echo done');
  const { file, reason } = await host.log.until({ event: 'file not watched' });
  assert.deepEqual({ file, reason }, { file: 'made.txt', reason: 'each build changes it' });
  // A build may still be about to begin for what was seen of that file before.
  const next = host.log.next({ event: 'building', because: 'a.c' });
  await writeFile(join(project.place, 'a.c'), 'int a;');
  await next;
});

test('DevDoesNotBuildForEverWhatHasANewNameEachTime', { timeout: 60_000 }, async (context) => {
  const project = await plainProject(context);
  const host = await project.serve('touch made_$(date +%N).txt; echo done');
  const { file, next } = await host.log.until({ event: 'sources change with each build' });
  assert.match(file, /^made_\d+\.txt$/);
  assert.equal(next, 'it is built when they change again');
  const anew = host.log.next({ event: 'building', because: 'a.c' });
  await writeFile(join(project.place, 'a.c'), '');
  await anew;
});

test('DevConfiguresAgainWhatCouldNotBeConfigured', { timeout: 600_000 }, async (context) => {
  const project = await Project.create(context);
  const lists = join(project.folder, 'CMakeLists.txt');
  const text = await readFile(lists, 'utf8');
  await writeFile(lists, `${text}\nfind_package(Absent REQUIRED)\n`);
  const host = await project.serve();
  await host.log.until({ event: 'not built' }, { patienceMs: buildMs });
  await writeFile(lists, text);
  await project.until('Hello, Ada!');
});

// With the packages of these tests in the project, npx finds the Inspector there and fetches nothing.
test('DevOpensTheInspectorForWhatItServes', { timeout: 90_000 }, async (context) => {
  const project = await plainProject(context);
  const packages = fileURLToPath(new URL('node_modules', import.meta.url));
  await symlink(packages, join(project.place, 'node_modules'));
  await mkdir(join(project.components, 'tools'));
  await copyFile(fixture('sample_v1'), join(project.components, 'tools', 'sample.so'));
  const [port, page, sandbox] = [await freePort(), await freePort(), await freePort()];
  const env = { ...process.env, HOME: project.place, PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    CLIENT_PORT: page, MCP_SANDBOX_PORT: sandbox, MCP_AUTO_OPEN_ENABLED: 'false', MCP_INSPECTOR_SECRET_STORE: 'memory',
    npm_config_offline: 'true' };
  const host = await project.serve('true', ['--inspector'], { listen: `127.0.0.1:${port}`, env });
  const token = await printed(host, /MCP_INSPECTOR_API_TOKEN=(\w+)/);

  const headers = { 'x-mcp-remote-auth': `Bearer ${token}`, 'Content-Type': 'application/json' };
  const ask = async (path, body) => {
    const how = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    return (await fetch(`http://127.0.0.1:${page}/api/${path}`, how)).json();
  };
  const { mcpServers } = await ask('servers');
  const [server, ...others] = Object.values(mcpServers);
  assert.deepEqual([server, others], [{ type: 'streamable-http', url: `http://127.0.0.1:${port}/mcp` }, []]);
  const { sessionId } = await ask('mcp/connect', { config: server });
  const say = (message) => ask('mcp/send', { sessionId, message: { jsonrpc: '2.0', ...message } });
  const clientInfo = { name: 'inspector', version: '1' };
  await say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
  await say({ method: 'notifications/initialized' });
  await say({ id: 2, method: 'tools/call', params: { name: 'version', arguments: {} } });
  const call = await host.log.until({ event: 'call', component: 'version' });
  assert.equal(call.outcome, 'ok', host.log.text());
});
