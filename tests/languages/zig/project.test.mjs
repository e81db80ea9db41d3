// The way of an author who writes in Zig: the project that `new` makes, `dev`, and what docs/zig.md shows.
import assert from 'node:assert/strict';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { program } from '../../integration/support/host.mjs';
import { devServesEachChange, newProject, run, saysWhereItsPackageIsToBeFound } from '../project.mjs';

// The tutorial plugin is built as the other preset does it.
test('NewMakesAProjectThatBuildsAndPassesItsTests', async (context) => {
  const project = await newProject(context, 'zig', 'my.weather'); // a name may have dots
  await run(project, 'cmake', '--preset', 'debug');
  await run(project, 'cmake', '--build', '--preset', 'debug');
  const tested = await run(project, 'ctest', '--preset', 'debug');
  assert.match(tested, /my\.weather_test \.+ +Passed[^]*my\.weather_inspect \.+ +Passed[^]*my\.weather_hello \.+ +Passed/);
  const components = join(project, 'build/debug/mcp_components');
  const said = await run(project, program, 'call', '--components', components, 'hello', '{"name":"\\"Ada\\""}');
  assert.equal(said, 'Hello, "Ada"!\n');
});

test('TheProjectSaysWhereTheModuleIsToBeFound', async (context) => {
  await saysWhereItsPackageIsToBeFound(await newProject(context, 'zig'));
});

test('DevServesEachChange', async (context) => {
  await devServesEachChange(context, await newProject(context, 'zig'), {
    source: 'src/weather.zig',
    greeting: ['"Hello, {s}!"', '"Good morning, {s}!"'],
    mistake: ['return std', 'retrun std'],
    complaint: /weather\.zig:\d+:\d+: error: /,
  });
});

test('MistakesAreToldByTheCompiler', async (context) => {
  const project = await newProject(context, 'zig');
  await cp(fileURLToPath(new URL('testdata/mistakes.zig', import.meta.url)), join(project, 'src/weather.zig'));
  await run(project, 'cmake', '--preset', 'debug');
  const said = await run(project, 'cmake', '--build', '--preset', 'debug').catch(({ stdout, stderr }) => stdout + stderr);
  for (const mistake of [
    'never: .timeout_ms is 0; give 1 to 31536000000, or leave it out for what the operator allows',
    'next_year: .timeout_ms is 31536000001; give 1 to',
    'tagged: the tag "two words" is not 1 to 128 characters of A-Za-z0-9_.-',
    '.completions.contry: there is no field contry',
    'weather://{city}: a URI with * or {} stands for many resources: use mcp.resourceTemplate',
    'is a tuple, which has no JSON Schema; use a struct whose fields have names, or an array',
    'the template weather://days/{number} has no variable days',
    'the template weather://{days*} has no variable *',
    '.schema.days: minimum is for arguments of tools alone; leave it out, and let the handler refuse',
    '.schema.town: there is no field town',
    '.country: give it a default, because it may not be chosen yet',
  ]) assert.ok(said.includes(mistake), `${mistake} is not in:\n${said}`);
});

test('APanicIsToldWithItsLine', async (context) => {
  const project = await newProject(context, 'zig');
  await cp(fileURLToPath(new URL('testdata/panicking.zig', import.meta.url)), join(project, 'src/weather.zig'));
  for (const preset of ['debug', 'release']) {
    await run(project, 'cmake', '--preset', preset);
    await run(project, 'cmake', '--build', '--preset', preset);
    const components = join(project, 'build', preset, 'mcp_components');
    const told = await run(project, program, 'call', '--components', components, 'hello', '{}').catch(({ stderr }) => stderr);
    assert.match(told, /plugin crashed .* at="weather\.zig:6 in weather\.hello"/);
  }
});

test('WhatTheDocumentShowsIsAPlugin', async (context) => {
  const document = await readFile(fileURLToPath(new URL('../../../docs/zig.md', import.meta.url)), 'utf8');
  const [code, asking, ...more] = [...document.matchAll(/^```zig\n([\s\S]*?)^```$/gm)].map(([, block]) => block);
  assert.deepEqual(more, [], 'another example needs a test');
  const project = await newProject(context, 'zig');
  const components = join(project, 'build/debug/mcp_components');
  await writeFile(join(project, 'src/weather.zig'), code);
  await run(project, 'cmake', '--preset', 'debug');
  await run(project, 'cmake', '--build', '--preset', 'debug');
  await run(project, 'ctest', '--preset', 'debug', '-R', '_test');
  const said = (command, ...args) => run(project, program, command, '--components', components, ...args);
  const wanted = { place: 'Rome', days: 2, unit: 'fahrenheit' };
  const forecast = { place: 'Rome', temperatures: [68, 68] };
  assert.deepEqual(JSON.parse(await said('call', 'forecast', JSON.stringify(wanted))), forecast);
  assert.equal(await said('call', 'forget', '--answer', '{"sure":true}'), 'Forgotten.\n');
  assert.equal(await said('read', 'weather://today'), 'Sunny.\n');
  assert.equal(await said('read', 'weather://1879'), 'In 1879 it rained.\n');
  assert.equal(await said('complete', 'plan', 'place', 'r'), 'Reykjavík\nRome\n');
  assert.equal(await said('complete', 'weather://{number}', 'number', '18'), '1879\n');
  assert.equal(await said('prompt', 'plan', '{"place":"Rome","days":"3"}'), 'user: Plan 3 days in Rome.\n');

  await writeFile(join(project, 'src/weather.zig'), asking);
  await run(project, 'cmake', '--build', '--preset', 'debug');
  assert.match(await run(project, program, 'inspect', join(components, 'tools/weather.so')), /^ {2}tool +visit/m);
});
