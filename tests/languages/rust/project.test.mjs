// The project that `new --lang rust` makes: built, tested and called as its README says.
import assert from 'node:assert/strict';
import { readFile, readlink, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import { program } from '../../integration/support/host.mjs';
import { newProject, prefix, run, saysWhereItsPackageIsToBeFound } from '../project.mjs';

// That cargo finds it, called without CMake. (What it is made of has been built by others.)
const findsItsPackage = (project) => run(project, 'cargo', 'metadata', '--quiet', '--format-version', '1');

test('NewMakesAProjectInRustThatBuildsAndPassesItsTests', async (context) => {
  const project = await newProject(context, 'rust', 'rainy-weather');
  await run(project, 'cmake', '--preset', 'release');
  await run(project, 'cmake', '--build', '--preset', 'release');
  const tested = await run(project, 'ctest', '--preset', 'release');
  assert.match(tested, /weather_test \.+ +Passed[^]*weather_inspect \.+ +Passed[^]*weather_hello \.+ +Passed/);

  const components = join(project, 'build', 'release', 'mcp_components');
  const library = await readFile(join(components, 'tools', 'rainy-weather.so'));
  assert.ok(library.includes('.debug_line'), 'a backtrace leads to lines');
  const called = await run(project, program, 'call', '--components', components, 'hello', '{"name":"Zoë"}');
  assert.equal(called, 'Hello, Zoë!\n');
});

test('TheProjectInRustIsTheSameOnEachMachine', async (context) => {
  const project = await newProject(context, 'rust');
  await run(project, 'cmake', '--preset', 'release');
  const link = join(project, '.mcp-plugin-host');
  assert.equal(await readlink(link), join(prefix, 'share/mcp-plugin-host/bindings/rust'));
  assert.match(await readFile(join(project, '.gitignore'), 'utf8'), /^\/\.mcp-plugin-host$/m);
  await findsItsPackage(project);

  // As one that came with its link from a machine where the host is elsewhere.
  const moved = join(dirname(project), 'moved');
  await rename(project, moved);
  await rm(join(moved, 'build'), { recursive: true });
  await rm(join(moved, '.mcp-plugin-host'));
  await symlink('/nowhere', join(moved, '.mcp-plugin-host'));
  await run(moved, 'cmake', '--preset', 'release');
  await findsItsPackage(moved);
});

test('TheProjectInRustSaysWhereItsPackageIsToBeFound', async (context) => {
  await saysWhereItsPackageIsToBeFound(await newProject(context, 'rust'));
});
