// A host that is the first process of a container: what becomes of processes that lost their parents.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import { Components } from './support/components.mjs';
import { argumentsOf, HttpHost, program } from './support/host.mjs';
import { postModern } from './support/http.mjs';
import { until } from './support/until.mjs';

const orphans = Number(process.env.MCP_ORPHANS ?? 100);
const own = ['--pid', '--fork', '--kill-child', '--mount-proc', ...(process.getuid() === 0 ? [] : ['--map-root-user'])];
const skip = spawnSync('unshare', [...own, 'true']).status !== 0 && 'needs a namespace for processes of its own';

const statusOf = (pid) => {
  try {
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
    return { pid, state, parent: Number(parent) };
  } catch {
    return undefined; // it has ended
  }
};
const childrenOf = (parent) =>
  readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map((pid) => statusOf(Number(pid)))
    .filter((status) => status?.parent === parent);

async function becomes(count, parent, state) {
  const counted = () => childrenOf(parent).filter((child) => state.test(child.state)).length;
  await until(() => counted() === count, () => `${count} children, and there are ${counted()}`, { pauseMs: 50 });
}

test('OrphansOfAPluginAreWaitedForAndSignalsReachTheHost', { skip }, async (context) => {
  const components = await Components.create('dying');
  context.after(() => components.discard());
  const child = spawn('unshare', [...own, program, ...argumentsOf('serve', components, ['--listen', '127.0.0.1:0'])], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const host = await HttpHost.of(child, components);
  context.after(() => child.kill('SIGKILL'));
  const [first] = childrenOf(child.pid);
  const call = async (name, args) => (await postModern(host.url, 'tools/call', { name, arguments: args })).json();
  for (let count = 0; count < orphans; ++count) {
    const { result } = await call('start_daemon', { other_program: false });
    assert.ok(!result.isError);
  }
  await becomes(1 + orphans, first.pid, /S/); // the host, and those without a parent
  assert.match((await call('die', { how: 'abort' })).error.message, /SIGABRT/);
  await becomes(1, first.pid, /./); // the host

  process.kill(first.pid, 'SIGTERM');
  const { status } = await host.end();
  assert.equal(status, 0, host.log.text());
  assert.equal(host.log.matching({ event: 'stopping' })[0].signal, 'SIGTERM');
});
