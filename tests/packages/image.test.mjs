// The image as a container, by image.sh: who the host is there, what it can write, what becomes of orphans, how it ends,
// and how large it is.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';

import { Components } from '../integration/support/components.mjs';
import { postModern } from '../integration/support/http.mjs';
import { HttpHost } from '../integration/support/host.mjs';

const { MCP_CONTAINER: container, MCP_IMAGE: image } = process.env;
const orphans = Number(process.env.MCP_ORPHANS);
const maxBytes = 20e6;
const own = ['--mount', '--pid', '--fork', '--kill-child', container];

const childrenOf = (parent) => readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
  try {
    const [state, its] = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
    return Number(its) === parent ? [{ pid: Number(pid), state }] : [];
  } catch {
    return []; // it has ended
  }
});

test('ItIsSmall', () => {
  const bytes = readdirSync(image, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0);
  console.log(`size of the image: ${(bytes / 1e6).toFixed(1)} MB`);
  assert.ok(bytes <= maxBytes);
});

test('WithoutArgumentsItServesWhoStartedIt', async (context) => {
  const components = await Components.create();
  context.after(() => components.discard());
  const child = spawn('unshare', [...own, components.root], { stdio: ['pipe', 'pipe', 'pipe'] });
  context.after(() => child.kill('SIGKILL'));
  let said = '';
  child.stderr.on('data', (text) => (said += text));
  const lines = readline.createInterface({ input: child.stdout });
  const ask = async (message) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    if (message.id === undefined) return undefined;
    const [line] = await Promise.race([once(lines, 'line'), once(child, 'close').then(() => assert.fail(said))]);
    return JSON.parse(line).result;
  };
  const client = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  await ask({ id: 1, method: 'initialize', params: client });
  ask({ method: 'notifications/initialized' });
  const call = async (id, name, args) => ask({ id, method: 'tools/call', params: { name, arguments: args } });
  assert.equal((await call(2, 'calculate', { expression: '6 * 7' })).structuredContent.result, 42);
  const sales = { kind: 'bar', title: 'Sales', labels: ['January', 'February'], series: [{ values: [1, 2] }] };
  const chart = await call(3, 'draw_chart', sales);
  assert.ok(!chart.isError, JSON.stringify(chart).slice(0, 500));
  child.stdin.end();
  assert.deepEqual(await once(child, 'close'), [0, null]);
});

test('OrphansAreWaitedForNobodyIsRootAndSigtermEndsIt', async (context) => {
  const components = await Components.create('dying');
  context.after(() => components.discard());
  const args = ['serve', '--components', components.root, '--log-format', 'json', '--listen', '127.0.0.1:0'];
  const child = spawn('unshare', [...own, components.root, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  context.after(() => child.kill('SIGKILL'));
  const host = await HttpHost.of(child);
  const [first] = childrenOf(child.pid);
  const status = readFileSync(`/proc/${first.pid}/status`, 'utf8');
  assert.match(status, /^Uid:\t65532\t65532\t65532\t65532$/m);
  assert.match(readFileSync(`/proc/${first.pid}/mountinfo`, 'utf8'), / \/ ro[, ]/);

  const call = async (name, given) => (await postModern(host.url, 'tools/call', { name, arguments: given })).json();
  for (let count = 0; count < orphans; ++count) await call('start_daemon', { other_program: false });
  assert.equal(childrenOf(first.pid).length, 1 + orphans);
  await call('die', { how: 'abort' });
  for (let look = 0; look < 600 && childrenOf(first.pid).length > 1; ++look) await setTimeout(50);
  console.log(`orphans: ${orphans}, left: ${childrenOf(first.pid).length - 1}`);
  assert.equal(childrenOf(first.pid).length, 1);

  const begin = Date.now();
  process.kill(first.pid, 'SIGTERM');
  assert.equal((await host.end()).status, 0, host.log.text());
  console.log(`ended after SIGTERM in ${Date.now() - begin} ms`);
});
