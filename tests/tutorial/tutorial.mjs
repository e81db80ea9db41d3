// Does what docs/tutorial.md says, in a folder of its own, with the host and the plugin API installed from a build, and
// with an official client in the place of Claude Code. Prints how long the machine takes, and how many lines the user writes.
// usage: tutorial.mjs BUILD_DIR
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once, EventEmitter } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { kinds } from '../integration/support/client_kinds.mjs';

const [build] = process.argv.slice(2);
const page = readFileSync(new URL('../../docs/tutorial.md', import.meta.url), 'utf8');
const folder = mkdtempSync(path.join(os.tmpdir(), 'mcp-tutorial-'));
process.on('exit', () => rmSync(folder, { recursive: true }));
const prefix = path.join(folder, 'prefix');
const env = { ...process.env, CCACHE_DISABLE: '1', HOME: folder, PATH: `${prefix}/bin:${process.env.PATH}` };
let cwd = folder;
let lines = 0;
let commands = 0;
let client;
const changes = new EventEmitter();

// Each block in its folder; the next one begins where it has ended.
function shell(script) {
  const ended = path.join(folder, 'ended-in');
  const text = execFileSync('bash', ['-euo', 'pipefail', '-c', `${script}\npwd > ${ended}`], { cwd, env, encoding: 'utf8' });
  cwd = readFileSync(ended, 'utf8').trim();
  commands += script.trim().split('\n').length;
  return text;
}

function write(file, code) {
  lines += code.split('\n').filter((line) => line.trim() !== '').length;
  const place = path.join(cwd, 'src/dice.cpp');
  if (file === 'src/dice.cpp') return writeFileSync(place, code);
  assert.equal(file, 'add to setup');
  const before = readFileSync(place, 'utf8');
  const end = before.indexOf('\n}\n', before.indexOf('void setup'));
  return writeFileSync(place, `${before.slice(0, end + 1)}${code}${before.slice(end + 1)}`);
}

// Starts what Claude Code is told to start.
async function connect(words) {
  const kind = kinds.find(({ name }) => name === 'SDK v2, legacy');
  const [command, ...args] = execFileSync('bash', ['-c', `printf '%s\\n' ${words}`], { cwd, env, encoding: 'utf8' }).trim().split('\n');
  client = kind.create();
  await kind.onListChanged(client, (list) => changes.emit(list));
  await client.connect(kind.stdio({ command, args, cwd, env, stderr: 'ignore' }));
}

const call = async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent?.result;
const isRolled = (values) => values.length === 3 && values.every((each) => Number.isInteger(each) && each >= 1 && each <= 6);

// Of the commands, in seconds: proc(5), /proc/PID/stat, in hundredths.
function processorTime() {
  const fields = readFileSync('/proc/self/stat', 'utf8').replace(/^.*\) /, '').split(' ');
  return ((Number(fields[13]) + Number(fields[14])) / 100).toFixed(1);
}

execFileSync('cmake', ['--install', path.resolve(build), '--prefix', prefix], { stdio: 'ignore' });
const began = performance.now();
const seconds = (since) => ((performance.now() - since) / 1000).toFixed(1);
for (const [, language, name, code] of page.matchAll(/^```(\w+) ?(.*)\n([\s\S]*?)^```$/gm)) {
  if (language === 'cpp') write(name, code);
  if (language === 'console' && code.startsWith('claude mcp add')) {
    await connect(/ -- (.*)/.exec(code)[1]);
    commands += 1;
  }
  if (language === 'json') {
    const { method, params } = JSON.parse(code);
    assert.equal(method, 'tools/call');
    assert.ok(isRolled(await call(params.name, params.arguments)));
    console.log(`from mcp-plugin-host new to the first answer in a client: ${seconds(began)} s`);
  }
  if (language !== 'sh') continue;
  const saved = performance.now();
  const printed = shell(code);
  // Nothing has been heard yet, because the shell has blocked this process.
  const changed = client && once(changes, 'tools', { signal: AbortSignal.timeout(60_000) });
  if (code.includes(' call ')) assert.ok(isRolled(JSON.parse(printed.trim().split('\n').at(-1))), printed);
  if (!changed) continue;
  await changed;
  assert.match(await client.callTool({ name: 'flip', arguments: {} }).then(({ content }) => content[0].text), /^(heads|tails)$/);
  console.log(`from a saved change to its answer: ${seconds(saved)} s`);
}
await client.close();
console.log(`all of it: ${seconds(began)} s, ${processorTime()} s of the processor; ${lines} lines, ${commands} commands`);
