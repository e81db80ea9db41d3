// The log of a running host, read with `log` from elsewhere than where its standard error goes.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { relative } from 'node:path';
import { test } from 'node:test';

import { Components } from './support/components.mjs';
import { program, serve } from './support/host.mjs';
import { postModern } from './support/http.mjs';
import { command } from './support/operated.mjs';

const call = (host, name, args = {}) => postModern(host.url, 'tools/call', { name, arguments: args });

// `log --json`, which has told its first line.
async function follow(context, ...args) {
  const child = spawn(program, ['log', '--json', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  context.after(() => child.kill());
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (data) => { text += data; });
  const ended = once(child, 'close').then(([status]) => status);
  await Promise.race([once(child.stdout, 'data'), ended]);
  const lines = () => text.trim().split('\n').map((line) => JSON.parse(line));
  return { ended, lines };
}

test('TheLogShowsItsLastLinesAndThoseThatFollow', { timeout: 240_000 }, async (context) => {
  const host = await serve(context, await Components.create('sample_v1'));
  const { event, level, url } = host.log.entries.at(-1);
  const log = await follow(context, '--last', '1', '--level', 'debug', '--count', '2');
  await call(host, 'version');
  assert.equal(await log.ended, 0);
  const [last, followed] = log.lines();
  assert.deepEqual([last.event, last.level, last.url], [event, level, url]);
  assert.deepEqual([followed.event, followed.level, followed.component], ['call', 'debug', 'version']);
  assert.equal(host.log.matching({ event: 'call' }).length, 0, 'the log has its own level');
});

test('TheLogIsReadAsPeopleReadIt', { timeout: 240_000 }, async (context) => {
  const components = await Components.create('sample_v1', 'no_entry');
  await serve(context, components);
  const all = await command('log', '--no-follow');
  assert.equal(all.status, 0);
  assert.match(all.stdout, /^\d{4}-\S+Z info {4}serving url=http:\S+ version=\S+$/m);
  assert.match(all.stdout, /^\d{4}-\S+Z (warning|error) +plugin refused file=\S*no_entry\.so .*reason="/m);
  const refused = await command('log', 'no_entry', '--no-follow', '--level', 'warning');
  assert.match(refused.stdout, /^[^\n]*plugin refused [^\n]*\n$/);
  const file = await command('log', components.file('no_entry.so'), '--no-follow');
  assert.match(file.stdout, /plugin refused/);
  for (const end of ['no_entry.so', 'tools/no_entry.so', 'tools/no_entry'])
    assert.match((await command('log', end, '--no-follow')).stdout, /plugin refused/, end);
  // As a shell completes it, in whatever folder.
  const here = relative(process.cwd(), components.file('no_entry.so'));
  assert.match((await command('log', here, '--no-follow')).stdout, /plugin refused/, here);
  const none = await command('log', 'sampel', '--no-follow');
  assert.deepEqual([none.status, none.stdout], [2, '']);
  assert.match(none.stderr, /no plugin or upstream is called "sampel"; there are no_entry\.so, sample; did you mean "sample"\?\n$/);
  assert.match((await command('log', '--level', 'loud')).stderr, /"loud" is not one of trace\|debug\|info\|warning\|error/);
});

test('TheLinesOfAPluginHaveItsNameOrItsFile', { timeout: 240_000 }, async (context) => {
  const components = await Components.create();
  await components.add('sample_v1', 'other.so');
  const host = await serve(context, components);
  const log = await follow(context, 'other', '--last', '1', '--level', 'debug', '--count', '2');
  await call(host, 'version');
  assert.equal(await log.ended, 0);
  const { event, plugin, file } = log.lines().at(-1);
  assert.deepEqual([event, plugin, file], ['call', 'sample', undefined]);
  await command('disable', 'sample');
  assert.match((await command('log', 'sample', '--no-follow')).stdout, / plugin disabled file=\S+other\.so$/m);
});

test('TheLogEndsWithItsHost', { timeout: 240_000 }, async (context) => {
  const host = await serve(context, await Components.create('sample_v1'));
  const log = await follow(context);
  await host.stop();
  assert.equal(await log.ended, 0);
  assert.ok(log.lines().some(({ event }) => event === 'stopping'));
});
