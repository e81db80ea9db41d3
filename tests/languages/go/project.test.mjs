// The way of an author who writes in Go: the project that `new` makes, `dev`, what docs/go.md shows, and what Go does when
// something goes wrong.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { program } from '../../integration/support/host.mjs';
import { devServesEachChange, env, newProject, run, saysWhereItsPackageIsToBeFound } from '../project.mjs';

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
  const project = await newProject(context, 'go');
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
