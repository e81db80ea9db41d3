// A plugin without a process of its own takes the host with it, which says whose fault that is.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';

import { Components } from './support/components.mjs';
import { argumentsOf, HttpHost, program, sanitizer } from './support/host.mjs';
import { postModern } from './support/http.mjs';

const inProcess = ['--isolation', 'in-process'];

async function die(context, how) {
  const components = await Components.create('dying');
  const host = (await HttpHost.start(components, inProcess)).killAfter(context, components);
  const call = postModern(host.url, 'tools/call', { name: 'die', arguments: { how } });
  await assert.rejects(call, undefined, 'the host is gone');
  const end = await host.end();
  // A sanitizer has a report of its own to make, and its own end.
  if (!sanitizer) assert.equal(end.signal, how === 'abort' || how.startsWith('exception') ? 'SIGABRT' : 'SIGSEGV');
  return host.log.entries;
}

for (const [how, what] of [
  ['segmentation fault', 'it ends the host by SIGSEGV (Segmentation fault) through a null pointer'],
  ['stack overflow', 'it ends the host by SIGSEGV (Segmentation fault), because its stack overflowed'],
  ['abort', 'it ends the host by SIGABRT (Aborted)'],
]) {
  test(`TheLastLinesOfAHostNameThePluginThatEndedIt: ${how}`, async (context) => {
    const entries = await die(context, how);
    const crash = entries.findIndex(({ event }) => event === 'plugin crashed');
    assert.ok(crash >= 0, JSON.stringify(entries));
    const { level, plugin, running, file, ...more } = entries[crash];
    assert.deepEqual({ level, plugin, running, what: more.what }, { level: 'error', plugin: 'dying', running: 'die', what });
    assert.match(file, /\/tools\/dying\.so$/);
    assert.match(more.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(Math.abs(Date.parse(more.time) - Date.now()) < 60_000, more.time);
    const frames = entries.slice(crash + 1).filter(({ event }) => event === 'plugin backtrace');
    assert.ok(frames.some((frame) => frame.plugin === 'dying' && /^dying\.so\+0x[0-9a-f]+$/.test(frame.text)));
  });
}

test('TheLastLinesOfAHostNameThePluginWhoseOwnThreadEndedIt', async (context) => {
  const entries = await die(context, 'exception on a thread');
  const crash = entries.find(({ event }) => event === 'plugin crashed');
  assert.equal(crash?.plugin, 'dying', JSON.stringify(entries));
  assert.equal(crash.running, 'a thread of its own');
});

test('TheLastLineOfAHostNamesThePluginThatCalledExit', async (context) => {
  const components = await Components.create('dying');
  const host = (await HttpHost.start(components, inProcess)).killAfter(context, components);
  await assert.rejects(postModern(host.url, 'tools/call', { name: 'die', arguments: { how: 'exit' } }));
  const { status } = await host.end();
  const { plugin, running, what } = host.log.entries.at(-1);
  assert.deepEqual({ status, plugin, running, what },
    { status: 1, plugin: 'dying', running: 'die', what: 'it ends the host by calling exit' });
});

for (const isolation of ['in-process', 'worker']) {
  for (const [how, end] of [['segmentation fault', 'signal 11'], ['abort', 'signal 6'], ['exit', 'status 3']]) {
    test(`TheEndOfAPluginsChildIsNobodyElses: ${how}, ${isolation}`, { skip: sanitizer }, async (context) => {
      const components = await Components.create('dying');
      const host = (await HttpHost.start(components, ['--isolation', isolation])).killAfter(context, components);
      const call = (name, args) => postModern(host.url, 'tools/call', { name, arguments: args });
      const said = async (...args) => (await (await call(...args)).json()).result.content[0].text;
      const pid = await said('pid', {});
      assert.equal(await said('die_in_a_child', { how }), end);
      assert.equal(await said('pid', {}), pid);
      await host.stop();
      const events = host.log.entries.map(({ event }) => event);
      assert.ok(!events.some((event) => /crash|backtrace/.test(event)), JSON.stringify(events));
    });
  }
}

test('ACrashIsWordedAsTheLogIs', async (context) => {
  const components = await Components.create('dying');
  context.after(() => components.discard());
  const options = [...inProcess, '--listen', '127.0.0.1:0'];
  const words = argumentsOf('serve', components, options).map((word) => (word === 'json' ? 'text' : word));
  const host = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  context.after(() => host.kill('SIGKILL'));
  const ended = once(host, 'close');
  let log = '';
  let isAsked = false;
  host.stderr.on('data', (piece) => {
    log += piece;
    const url = / serving url=(\S+)/.exec(log)?.[1];
    if (isAsked || !url || !/ plugin loaded .*dying\.so/.test(log)) return;
    isAsked = true;
    postModern(new URL(url), 'tools/call', { name: 'die', arguments: { how: 'abort' } }).catch(() => {});
  });
  await ended;
  const line = /^(\S+) error   plugin crashed file=(\S+) plugin=dying what="it ends the host by SIGABRT \(Aborted\)" running=die /m;
  assert.match(log, line);
});
