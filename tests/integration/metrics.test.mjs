// What Prometheus reads of a host.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { adminOf, feed, Metrics } from './support/admin.mjs';
import { Authority, writePair } from './support/authority.mjs';
import { Components } from './support/components.mjs';
import { inProcess, serve } from './support/host.mjs';
import { allMessages, modern, newestLegacy, postModern, Session } from './support/http.mjs';
import { untilNoted } from './support/outcomes.mjs';
import { Team } from './support/team.mjs';
import { until } from './support/until.mjs';

const admin = ['--admin-listen', '127.0.0.1:0'];

async function call(host, name, args = {}, more = {}) {
  return allMessages(await postModern(host.url, 'tools/call', { name, arguments: args }, more));
}

test('EachRequestIsCountedByWhatItAskedForAndHowItEnded', async (context) => {
  const components = await Components.create('sample_v1', 'slow');
  const host = await serve(context, components, admin);
  const base = await adminOf(host);
  await call(host, 'version');
  await call(host, 'version');
  await call(host, 'version', 'no object');
  await call(host, 'no such tool');
  await postModern(host.url, 'tools/list');
  await postModern(host.url, 'prompts/get', { name: 'no such prompt' });
  await postModern(host.url, 'resources/read', { uri: 'secret://of/somebody' });
  await postModern(host.url, 'no/such/method');
  const session = await Session.open(host.url);
  await session.ask('tools/call', { name: 'version', arguments: {} });
  await session.ask('ping');
  await session.delete();

  const metrics = await Metrics.read(base);
  const version = { mcp_method_name: 'tools/call', gen_ai_tool_name: 'version' };
  assert.equal(metrics.requests({ ...version, mcp_protocol_version: modern, network_transport: 'tcp' }), 3);
  assert.equal(metrics.requests({ ...version, error_type: '-32602' }), 1);
  assert.equal(metrics.requests({ ...version, mcp_protocol_version: newestLegacy }), 1);
  const unknown = { mcp_method_name: 'tools/call', gen_ai_tool_name: '_OTHER', error_type: '-32602' };
  assert.equal(metrics.requests(unknown), 1);
  assert.equal(metrics.requests({ mcp_method_name: 'prompts/get', gen_ai_prompt_name: '_OTHER' }), 1);
  assert.equal(metrics.requests({ mcp_method_name: 'resources/read', error_type: '-32602' }), 1);
  assert.equal(metrics.requests({ mcp_method_name: '_OTHER', error_type: '-32601' }), 1);
  assert.equal(metrics.requests({ mcp_method_name: 'tools/list' }), 1);
  assert.equal(metrics.requests({ mcp_method_name: 'initialize', mcp_protocol_version: newestLegacy }), 1);
  assert.equal(metrics.requests({ mcp_method_name: 'ping' }), 1);
  assert.equal(metrics.sum('mcp_server_session_duration_seconds_count', { mcp_protocol_version: newestLegacy }), 1);
  assert.ok(!metrics.text.includes('secret:'), 'a URI is no label');
  assert.ok(metrics.sum('mcp_server_operation_duration_seconds_sum', version) > 0);
  assert.equal(metrics.sum('mcp_server_operation_duration_seconds_bucket', { ...version, le: '+Inf' }), 4);
});

test('ACallThatIsCancelledAndAToolThatFailsHaveErrorTypes', async (context) => {
  const host = await serve(context, await Components.create('slow'), admin);
  const base = await adminOf(host);
  await call(host, 'wait', {});
  assert.equal((await Metrics.read(base)).requests({ gen_ai_tool_name: 'wait', error_type: 'tool_error' }), 1);
  const controller = new AbortController();
  const waiting = call(host, 'wait', { milliseconds: 60_000, label: 'a' }, { signal: controller.signal }).catch(() => {});
  await untilNoted(host.url, 'a begun');
  assert.equal((await Metrics.read(base)).sum('mcph_plugin_calls_in_flight', { plugin: 'tools/slow.so' }), 1);
  controller.abort();
  await waiting;
  const labels = { gen_ai_tool_name: 'wait', error_type: 'cancelled' };
  await until(async () => (await Metrics.read(base)).requests(labels) >= 1, () => host.log.text());
});

test('WhatClientsInventAddsNothing', { timeout: 400_000 }, async (context) => {
  const host = await serve(context, await Components.create('sample_v1'), admin);
  const base = await adminOf(host);
  // Straight to the host, because they are many and their answers are all the same.
  const straight = { url: host.address };
  const once = (i) => call(straight, `invented ${i}`);
  await once(0);
  await postModern(straight.url, 'invented/method');
  const before = await Metrics.read(base);
  for (let i = 0; i < 10_000; i += 50) await Promise.all(Array.from({ length: 50 }, (_, k) => once(i + k)));
  for (let i = 0; i < 100; ++i) await postModern(straight.url, `invented/${i}`);
  const after = await Metrics.read(base);
  const added = [...after.samples.keys()].filter((each) => !before.samples.has(each));
  assert.deepEqual(added, []);
  assert.equal(after.requests({ gen_ai_tool_name: '_OTHER' }), 10_001);
  assert.ok(!after.text.includes('invented'));
});

test('WhatIsServedNoMoreIsCountedNoMore', async (context) => {
  const components = await Components.create('sample_v1');
  const host = await serve(context, components, admin);
  const base = await adminOf(host);
  await call(host, 'only_in_v1');
  await call(host, 'version');
  assert.equal((await Metrics.read(base)).requests({ gen_ai_tool_name: 'only_in_v1' }), 1);
  const replaced = host.log.next({ event: 'plugin replaced' });
  await components.renameOver('sample_v1.so', 'sample_v2');
  await replaced;
  const metrics = await Metrics.read(base);
  assert.equal(metrics.requests({ gen_ai_tool_name: 'only_in_v1' }), 0);
  assert.equal(metrics.requests({ gen_ai_tool_name: 'version' }), 1, 'what both have goes on');
  assert.equal(metrics.sum('mcph_plugin_loads_total', { outcome: 'served' }), 2);
});

test('ComponentsAreCountedThatNoListShows', async (context) => {
  const host = await serve(context, await Components.create('sample_v1'), [...admin, '--find-tools', '--list-at-most', '1']);
  const metrics = await Metrics.read(await adminOf(host));
  assert.equal(metrics.sum('mcph_components', { kind: 'tool' }), 3);
});

test('TellsHowThePluginsFare', async (context) => {
  const components = await Components.create('sample_v1', 'no_entry');
  if (!inProcess) await components.add('dying');
  const host = await serve(context, components, admin);
  const base = await adminOf(host);
  await call(host, 'version');
  const metrics = await Metrics.read(base);
  assert.equal(metrics.sum('mcph_ready'), 1);
  assert.equal(metrics.sum('mcph_plugin_serving', { plugin: 'tools/sample_v1.so' }), 1);
  assert.equal(metrics.sum('mcph_plugin_serving', { plugin: 'tools/no_entry.so' }), 0);
  assert.equal(metrics.sum('mcph_plugin_calls_total', { plugin: 'tools/sample_v1.so' }), 1);
  assert.equal(metrics.sum('mcph_plugins', { state: 'refused' }), 1);
  assert.equal(metrics.sum('mcph_plugin_files_refused'), 1);
  assert.equal(metrics.sum('mcph_plugin_loads_total', { outcome: 'refused' }), 1);
  assert.ok(metrics.sum('mcph_components', { kind: 'tool' }) >= 2);
  assert.ok(metrics.sum('mcph_http_connections') >= 1);
  assert.ok(metrics.sum('process_resident_memory_bytes') > 1e6);
  assert.ok(metrics.sum('process_open_fds') > 3);
  assert.ok(Math.abs(metrics.sum('process_start_time_seconds') - Date.now() / 1000) < 60);
  if (inProcess) return;
  await call(host, 'die', { how: 'abort' }).catch(() => {});
  const restarts = async () => (await Metrics.read(base)).sum('mcph_plugin_restarts_total', { plugin: 'tools/dying.so' });
  await until(async () => (await restarts()) === 1, () => host.log.text());
});

test('CountsWhoHasProvenWhatAndWhatBecameOfTheConfiguration', async (context) => {
  const user = '[roles.user]\nallow = ["*"]\n';
  const team = await Team.serve(context, await Components.create('sample_v1'), user, admin);
  const base = await adminOf(team.host);
  const token = await team.token('ada', 'user');
  const authentications = async (outcome) => (await Metrics.read(base)).sum('mcph_authentications_total', { outcome });
  const [accepted, missing, invalid] = await Promise.all(['accepted', 'missing', 'invalid'].map(authentications));
  for (const headers of [{}, { Authorization: 'Bearer x' }, { Authorization: `Bearer ${token}` }]) {
    await postModern(team.url, 'tools/list', {}, { headers });
  }
  assert.equal(await authentications('accepted'), accepted + 1);
  assert.equal(await authentications('missing'), missing + 1);
  assert.equal(await authentications('invalid'), invalid + 1);
  const refused = team.host.log.next({ event: 'configuration not taken' });
  await team.configure('[roles.user]\nallow = 7\n');
  await refused;
  const metrics = await Metrics.read(base);
  assert.equal(metrics.sum('mcph_configuration_reloads_total', { outcome: 'refused' }), 1);
  assert.equal(metrics.sum('mcph_configuration_last_refused'), 1);
  await team.reconfigure(user);
  assert.equal((await Metrics.read(base)).sum('mcph_configuration_last_refused'), 0);
  assert.ok(!metrics.text.includes(token));
});

test('TheStatusIsThatOfTheCommand', async (context) => {
  const host = await serve(context, await Components.create('sample_v1'), admin);
  const response = await fetch(new URL('/status', await adminOf(host)));
  assert.equal(response.headers.get('Content-Type'), 'application/json');
  const { ok, host: about, plugins } = await response.json();
  assert.equal(ok, true);
  assert.equal(about.url, host.address.href);
  assert.deepEqual(plugins.map(({ state }) => state), ['serving']);
  assert.equal((await fetch(new URL('/mcp', await adminOf(host)))).status, 404);
});

test('TheDocumentationHasEachMetricAndNoOther', async (context) => {
  const components = await Components.create('sample_v1');
  const authority = new Authority();
  context.after(() => authority.discard());
  writePair(components.folder, authority.issue('localhost'));
  const file = join(components.folder, 'host.toml');
  await writeFile(file, '[tls]\ncertificate = "server.pem"\nkey = "server.key"\n');
  const host = await serve(context, components, ['--config', file, ...admin]);
  const { types } = await Metrics.read(await adminOf(host));
  const page = await readFile(new URL('../../docs/observability.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `([a-z_]+)` \| (counter|gauge|histogram) \|/gm)];
  assert.deepEqual(new Map(rows.map(([, name, type]) => [name, type])), types);
  for (const [name] of page.matchAll(/\bmcph?_[a-z_]+|\bprocess_[a-z_]+/g)) {
    const isLabel = /^mcp_(method_name|protocol_version)$/.test(name);
    const isOfAPlugin = name.startsWith('mcp_plugin_');
    assert.ok(isLabel || isOfAPlugin || types.has(name) || types.has(name.replace(/_(bucket|count|sum)$/, '')), name);
  }
});

test('PromtoolFindsNothing', { skip: !process.env.MCP_PROMTOOL && 'MCP_PROMTOOL names no promtool' }, async (context) => {
  const host = await serve(context, await Components.create('sample_v1', 'interfaces'), admin);
  await call(host, 'version');
  await call(host, 'count', { kind: 'a' });
  const base = await adminOf(host);
  const read = async () => (await Metrics.read(base)).text;
  await until(async () => (await read()).includes('mcp_plugin_served_total'), read);
  const promtool = spawn(process.env.MCP_PROMTOOL, ['check', 'metrics'], { stdio: ['pipe', 'inherit', 'inherit'] });
  assert.equal(await feed(promtool, await read()), 0);
});
