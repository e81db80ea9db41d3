// The project that `new` makes in a language, and how it says what is missing and serves each change, whatever the language.
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { HttpHost, program } from '../integration/support/host.mjs';
import { postModern } from '../integration/support/http.mjs';

// For which a build is waited for: compilers are slow on a busy machine.
const buildMs = 180_000;

// With the host in PATH.
export const env = { ...process.env, PATH: [dirname(program), process.env.PATH].join(delimiter) };
export const run = async (cwd, file, ...args) => (await promisify(execFile)(file, args, { cwd, env })).stdout;

// Where this installation is: no project has it in a file.
export const prefix = dirname(dirname(program));

// Returns its folder, which goes with the test that `context` belongs to.
export async function newProject(context, language, name = 'weather') {
  const place = await mkdtemp(join(tmpdir(), `mcp-${language}-`));
  context.after(() => rm(place, { recursive: true, force: true }));
  execFileSync(program, ['new', name, '--in', place, '--lang', language]);
  const project = join(place, name);
  for (const file of await readdir(project, { recursive: true, withFileTypes: true })) {
    const text = file.isFile() ? await readFile(join(file.parentPath, file.name), 'utf8') : '';
    assert.ok(!text.includes(prefix), `${file.name} has a path of this machine`);
  }
  return project;
}

// Where no host is in PATH.
export async function saysWhereItsPackageIsToBeFound(project) {
  const elsewhere = process.env.PATH.split(delimiter).filter((each) => !existsSync(join(each, 'mcp-plugin-host')));
  const options = { cwd: project, env: { ...process.env, PATH: elsewhere.join(delimiter), CMAKE_PREFIX_PATH: '' } };
  const args = ['--preset', 'debug', '-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF'];
  await assert.rejects(promisify(execFile)('cmake', args, options), ({ stderr }) => {
    assert.match(stderr.replace(/\s+/g, ' '), /It comes with mcp-plugin-host: put the folder of that program into PATH/);
    return true;
  });
}

// `dev` on the project: a change of the greeting in `source` is served, and one that does not compile is told, by what
// `complaint` matches, and not served. Each change is [from, to].
export async function devServesEachChange(context, project, { source, greeting, mistake, complaint }) {
  const args = ['dev', project, '--listen', '127.0.0.1:0', '--data', join(project, '../data'), '--log-format', 'json'];
  const host = await HttpHost.of(spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], env }));
  context.after(() => host.stop());
  const until = async (text) => {
    for (const end = Date.now() + buildMs; ; await sleep(20)) {
      const answer = await postModern(host.url, 'tools/call', { name: 'hello', arguments: { name: 'Ada' } });
      const said = (await answer.json()).result?.content[0].text;
      if (said === text) return;
      assert.ok(Date.now() < end, `${said} instead of ${text}\n${host.log.text()}`);
    }
  };
  const edit = async ([from, to]) => {
    const text = await readFile(join(project, source), 'utf8');
    assert.ok(text.includes(from), from);
    await writeFile(join(project, source), text.replace(from, to));
  };
  await until('Hello, Ada!');
  await edit(greeting);
  await until('Good morning, Ada!');
  const broken = host.log.next({ event: 'not built' }, { patienceMs: buildMs });
  await edit(mistake);
  await broken;
  assert.match(host.log.text(), complaint);
  await until('Good morning, Ada!');
}
