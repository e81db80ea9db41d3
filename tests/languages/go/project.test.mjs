// The way of an author who writes in Go: the project that `new` makes, `dev`, what docs/go.md shows, and what Go does when
// something goes wrong.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { HttpHost, program } from '../../integration/support/host.mjs';
import { postModern } from '../../integration/support/http.mjs';
import { devServesEachChange, env, newProject, run, saysWhereItsPackageIsToBeFound } from '../project.mjs';

const goBuild = (cwd, variables, library) =>
  promisify(execFile)('go', ['build', '-buildmode=c-shared', '-o', library, '.'],
    { cwd, env: { ...env, CGO_ENABLED: '1', ...variables } });

test('NewMakesAProjectThatBuildsAndPassesItsTests', async (context) => {
  const project = await newProject(context, 'go');
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
  await saysWhereItsPackageIsToBeFound(await newProject(context, 'go'));
});

test('AGoThatIsTooOldIsToldAndNotKept', async (context) => {
  const project = await newProject(context, 'go');
  const programs = join(project, '../bin');
  await mkdir(programs);
  await writeFile(join(programs, 'go'), '#!/bin/sh\necho go1.19.8\n', { mode: 0o755 });
  const options = { cwd: project, env: { ...env, PATH: [programs, env.PATH].join(delimiter) } };
  await assert.rejects(promisify(execFile)('cmake', ['--preset', 'release'], options), ({ stderr }) => {
    assert.match(stderr.replace(/\s+/g, ' '), /This needs Go 1\.22 or newer and finds go1\.19\.8: install one/);
    return true;
  });
  await run(project, 'cmake', '--preset', 'release');
});

test('DevServesEachChange', async (context) => {
  await devServesEachChange(context, await newProject(context, 'go'), {
    source: 'main.go',
    greeting: ['"Hello, "', '"Good morning, "'],
    mistake: ['return "Good', 'retrun "Good'],
    complaint: /main\.go:\d+:\d+: syntax error/,
  });
});

test('WhatGoesWrongInGoIsToldAsForOtherLanguages', async (context) => {
  const project = await newProject(context, 'go');
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
    assert.match(said, /main\.go:23 /, 'the log leads to the line');
  }
  assert.match(await call('goroutine', 'worker'), /its process was killed by SIGABRT \(Aborted\) while it served goroutine/);
  // Without knowing of it, the collector would wait until there is twice as much as is kept.
  await writeFile(join(components, 'tools/weather.json'), JSON.stringify({ limits: { memoryBytes: 450_000_000 } }));
  assert.equal(await call('churn', 'worker'), '200\n');

  await writeFile(join(components, 'tools/weather.json'), JSON.stringify({ errors: 'masked' }));
  const host = await HttpHost.start({ root: components, data: join(project, '../data') });
  context.after(() => host.stop());
  const failure = async (name) =>
    (await (await postModern(host.url, 'tools/call', { name, arguments: {} })).json()).result.content[0].text;
  assert.equal(await failure('unforeseen'), 'unforeseen failed. The operator of this server can find out why.');
  assert.equal(await failure('told'), 'Ask for 3 or more.');
});

test('APluginThatForgetsToExportIsToldSo', async (context) => {
  const project = await newProject(context, 'go');
  await writeFile(join(project, 'main.go'), 'package main\n\nimport _ "mcp-plugin-host/mcp"\n\nfunc main() {}\n');
  await run(project, 'cmake', '--preset', 'release');
  await goBuild(project, { GOWORK: join(project, 'build/release/go.work') }, 'plugin.so');
  await assert.rejects(run(project, program, 'inspect', 'plugin.so'), ({ stdout }) => {
    assert.match(stdout, /it exports nothing: call mcp\.Export in a function init of package main/);
    return true;
  });
});

// As with the headers of a later host, whose interfaces have more members.
test('APluginWithNewerHeadersTakesWhatAnOlderHostHas', async (context) => {
  const place = await mkdtemp(join(tmpdir(), 'mcp-go-'));
  context.after(() => rm(place, { recursive: true, force: true }));
  await cp(fileURLToPath(new URL('../../../plugin-api/include', import.meta.url)), place, { recursive: true });
  for (const name of ['subscriptions', 'store', 'metrics', 'capabilities']) {
    const header = join(place, 'mcp', `${name}.h`);
    const text = await readFile(header, 'utf8');
    const grown = text.replace(`\n} mcp_${name};`, `\n  void (*later)(void);\n} mcp_${name};`);
    assert.notEqual(grown, text, name);
    await writeFile(header, grown);
  }
  const library = join(place, 'plugin.so');
  await goBuild(fileURLToPath(new URL('interfaces', import.meta.url)), { GOWORK: 'off', CGO_CFLAGS: `-I${place}` }, library);
  assert.match(await run(place, program, 'inspect', library), /^ {2}tool +visit/m);
});

test('WhatTheDocumentShowsIsAPlugin', async (context) => {
  const document = await readFile(fileURLToPath(new URL('../../../docs/go.md', import.meta.url)), 'utf8');
  const examples = [...document.matchAll(/^```go\n([\s\S]*?)^```$/gm)].map(([, code]) => code);
  assert.ok(examples.length > 0);
  const project = await newProject(context, 'go');
  await run(project, 'cmake', '--preset', 'release');
  const workspace = { GOWORK: join(project, 'build/release/go.work'), CGO_ENABLED: '1' };
  for (const [i, code] of examples.entries()) {
    const folder = join(project, `example${i}`);
    await mkdir(folder);
    await writeFile(join(folder, 'main.go'), code);
    const options = { cwd: folder, env: { ...env, ...workspace } };
    await promisify(execFile)('go', ['vet', '.'], options);
    await goBuild(folder, workspace, 'example.so');
    assert.equal(await promisify(execFile)('gofmt', ['-l', '.'], options).then(({ stdout }) => stdout), '', code);
    await run(folder, program, 'inspect', 'example.so');
  }
});
