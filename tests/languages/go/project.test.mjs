// The way of an author who writes in Go: the project that `new` makes, `dev`, what docs/go.md shows, and what Go does when
// something goes wrong.
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { HttpHost, program } from '../../integration/support/host.mjs';
import { postModern } from '../../integration/support/http.mjs';

const env = { ...process.env, PATH: [dirname(program), process.env.PATH].join(delimiter) };
const run = async (cwd, file, ...args) => (await promisify(execFile)(file, args, { cwd, env })).stdout;

async function newProject(context) {
  const place = await mkdtemp(join(tmpdir(), 'mcp-go-'));
  context.after(() => rm(place, { recursive: true, force: true }));
  execFileSync(program, ['new', 'weather', '--in', place, '--lang', 'go']);
  return join(place, 'weather');
}

test('NewMakesAProjectThatBuildsAndPassesItsTests', async (context) => {
  const project = await newProject(context);
  await run(project, 'cmake', '--preset', 'release');
  await run(project, 'cmake', '--build', '--preset', 'release');
  const tested = await run(project, 'ctest', '--preset', 'release');
  assert.match(tested, /weather_test \.+ +Passed[^]*weather_inspect \.+ +Passed[^]*weather_hello \.+ +Passed/);
  const components = join(project, 'build/release/mcp_components');
  assert.equal(await run(project, program, 'call', '--components', components, 'hello', '{"name":"\\"Ada\\""}'), 'Hello, "Ada"!\n');

  // What it has found is of use to go itself, and of no use on another machine.
  await cp(join(project, 'build/release/go.work'), join(project, 'go.work'));
  await run(project, 'go', 'vet', './...');
  assert.match(await readFile(join(project, '.gitignore'), 'utf8'), /^\/go\.work$/m);
});

test('TheProjectSaysWhereThePackageIsToBeFound', async (context) => {
  const project = await newProject(context);
  const elsewhere = process.env.PATH.split(delimiter).filter((each) => !existsSync(join(each, 'mcp-plugin-host')));
  const options = { cwd: project, env: { ...process.env, PATH: elsewhere.join(delimiter), CMAKE_PREFIX_PATH: '' } };
  const args = ['--preset', 'debug', '-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF'];
  await assert.rejects(promisify(execFile)('cmake', args, options), ({ stderr }) => {
    assert.match(stderr.replace(/\s+/g, ' '), /It comes with mcp-plugin-host: put the folder of that program into PATH/);
    return true;
  });
});

test('DevServesEachChange', async (context) => {
  const project = await newProject(context);
  const args = ['dev', project, '--listen', '127.0.0.1:0', '--data', join(project, '../data'), '--log-format', 'json'];
  const host = await HttpHost.of(spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], env }));
  context.after(() => host.stop());
  const until = async (text) => {
    for (const end = Date.now() + 60_000; ; await sleep(20)) {
      const answer = await postModern(host.url, 'tools/call', { name: 'hello', arguments: { name: 'Ada' } });
      const said = (await answer.json()).result?.content[0].text;
      if (said === text) return;
      assert.ok(Date.now() < end, `${said} instead of ${text}\n${host.log.text()}`);
    }
  };
  const source = join(project, 'main.go');
  const edit = async (from, to) => {
    const text = await readFile(source, 'utf8');
    assert.ok(text.includes(from), from);
    await writeFile(source, text.replace(from, to));
  };
  await until('Hello, Ada!');
  await edit('"Hello, "', '"Good morning, "');
  await until('Good morning, Ada!');
  const broken = host.log.next({ event: 'not built' }, { patienceMs: 60_000 });
  await edit('return "Good', 'retrun "Good');
  await broken;
  assert.match(host.log.text(), /main\.go:\d+:\d+: syntax error/);
  await until('Good morning, Ada!');
});

test('WhatGoesWrongInGoIsToldAsForOtherLanguages', async (context) => {
  const project = await newProject(context);
  await cp(fileURLToPath(new URL('testdata/failing.go', import.meta.url)), join(project, 'main.go'));
  await run(project, 'cmake', '--preset', 'release');
  await run(project, 'cmake', '--build', '--preset', 'release');
  const components = join(project, 'build/release/mcp_components');
  const call = (tool, isolation) =>
    run(project, program, 'call', '--components', components, '--isolation', isolation, tool, '{}')
      .catch(({ stderr }) => stderr);
  assert.match(await call('nil', 'in-process'), /it was linked with -z nodelete, so it is never unloaded: set "isolation" to/);
  // Also in the host, which has a handler of its own for the signal.
  for (const isolation of ['worker', 'in-process-resident']) {
    const said = await call('nil', isolation);
    assert.match(said, /The plugin panicked: runtime error: invalid memory address or nil pointer dereference$/m);
    assert.match(said, /main\.go:22 /, 'the log leads to the line');
  }
  assert.match(await call('goroutine', 'worker'), /its process was killed by SIGABRT \(Aborted\) while it served goroutine/);
  // Without knowing of it, the collector would wait until there is twice as much as is kept.
  await writeFile(join(components, 'tools/weather.json'), JSON.stringify({ limits: { memoryBytes: 450_000_000 } }));
  assert.equal(await call('churn', 'worker'), '200\n');
});

test('WhatTheDocumentShowsIsAPlugin', async (context) => {
  const document = await readFile(fileURLToPath(new URL('../../../docs/go.md', import.meta.url)), 'utf8');
  const examples = [...document.matchAll(/^```go\n([\s\S]*?)^```$/gm)].map(([, code]) => code);
  assert.ok(examples.length > 0);
  const project = await newProject(context);
  await run(project, 'cmake', '--preset', 'release');
  const workspace = { GOWORK: join(project, 'build/release/go.work'), CGO_ENABLED: '1' };
  for (const [i, code] of examples.entries()) {
    const folder = join(project, `example${i}`);
    await mkdir(folder);
    await writeFile(join(folder, 'main.go'), code);
    const options = { cwd: folder, env: { ...env, ...workspace } };
    await promisify(execFile)('go', ['vet', '.'], options);
    await promisify(execFile)('go', ['build', '-buildmode=c-shared', '-o', 'example.so', '.'], options);
    assert.equal(await promisify(execFile)('gofmt', ['-l', '.'], options).then(({ stdout }) => stdout), '', code);
    await run(folder, program, 'inspect', 'example.so');
  }
});
