// The project that `new --lang rust` makes: built, tested and called as its README says.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { program } from '../../integration/support/host.mjs';

const run = promisify(execFile);

test('NewMakesAProjectInRustThatBuildsAndPassesItsTests', async (context) => {
  const place = await mkdtemp(join(tmpdir(), 'mcp-new-'));
  context.after(() => rm(place, { recursive: true }));
  await run(program, ['new', 'rainy-weather', '--in', place, '--lang', 'rust']);
  const project = join(place, 'rainy-weather');
  const here = { cwd: project, env: { ...process.env, PATH: [dirname(program), process.env.PATH].join(delimiter) } };

  await run('cmake', ['--preset', 'release'], here);
  await run('cmake', ['--build', '--preset', 'release'], here);
  const { stdout } = await run('ctest', ['--preset', 'release'], here);
  assert.match(stdout, /weather_test \.+ +Passed[^]*weather_inspect \.+ +Passed[^]*weather_hello \.+ +Passed/);

  const components = join(project, 'build', 'release', 'mcp_components');
  const library = await readFile(join(components, 'tools', 'rainy-weather.so'));
  assert.ok(library.includes('.debug_line'), 'a backtrace leads to lines');
  const called = await run(program, ['call', '--components', components, 'hello', '{"name":"Zoë"}']);
  assert.equal(called.stdout, 'Hello, Zoë!\n');
});
