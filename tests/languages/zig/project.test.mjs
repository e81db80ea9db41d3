// The way of an author who writes in Zig: the project that `new` makes, `dev`, and what docs/zig.md shows.
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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
  const place = await mkdtemp(join(tmpdir(), 'mcp-zig-'));
  context.after(() => rm(place, { recursive: true, force: true }));
  execFileSync(program, ['new', 'weather', '--in', place, '--lang', 'zig']);
  return join(place, 'weather');
}

// The tutorial plugin is built as the other preset does it.
test('NewMakesAProjectThatBuildsAndPassesItsTests', async (context) => {
  const project = await newProject(context);
  await run(project, 'cmake', '--preset', 'debug');
  await run(project, 'cmake', '--build', '--preset', 'debug');
  const tested = await run(project, 'ctest', '--preset', 'debug');
  assert.match(tested, /weather_test \.+ +Passed[^]*weather_inspect \.+ +Passed[^]*weather_hello \.+ +Passed/);
  const components = join(project, 'build/debug/mcp_components');
  const said = await run(project, program, 'call', '--components', components, 'hello', '{"name":"\\"Ada\\""}');
  assert.equal(said, 'Hello, "Ada"!\n');
});

test('TheProjectSaysWhereTheModuleIsToBeFound', async (context) => {
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
  const source = join(project, 'src/weather.zig');
  const edit = async (from, to) => {
    const text = await readFile(source, 'utf8');
    assert.ok(text.includes(from), from);
    await writeFile(source, text.replace(from, to));
  };
  await until('Hello, Ada!');
  await edit('"Hello, {s}!"', '"Good morning, {s}!"');
  await until('Good morning, Ada!');
  const broken = host.log.next({ event: 'not built' }, { patienceMs: 60_000 });
  await edit('return std', 'retrun std');
  await broken;
  assert.match(host.log.text(), /weather\.zig:\d+:\d+: error: /);
  await until('Good morning, Ada!');
});

test('WhatTheDocumentShowsIsAPlugin', async (context) => {
  const document = await readFile(fileURLToPath(new URL('../../../docs/zig.md', import.meta.url)), 'utf8');
  const [code, ...more] = [...document.matchAll(/^```zig\n([\s\S]*?)^```$/gm)].map(([, block]) => block);
  assert.deepEqual(more, [], 'another example needs a test');
  const project = await newProject(context);
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
  assert.equal(await said('prompt', 'plan', '{"place":"Rome","days":"3"}'), 'user: Plan 3 days in Rome.\n');
});
