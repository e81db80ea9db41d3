// What a collector of traces hears of requests, and that no request waits for it.
import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { adminOf, Metrics } from './support/admin.mjs';
import { Collector } from './support/collector.mjs';
import { Components } from './support/components.mjs';
import { HttpHost, serve, StdioHost } from './support/host.mjs';
import { modern, modernMeta, postModern, Session } from './support/http.mjs';
import { until } from './support/until.mjs';

const admin = ['--admin-listen', '127.0.0.1:0'];
const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const parent = (flags = '01') => `00-${traceId}-${spanId}-${flags}`;

async function configured(components, url, more = '') {
  const file = join(components.folder, 'traces.toml');
  await writeFile(file, `[server]\nname = "traced"\n[traces]\nendpoint = "${url}"\n${more}`);
  return ['--config', file];
}

async function traced(context, plugins, collector, more = '', options = []) {
  const components = await Components.create(...plugins);
  return serve(context, components, [...(await configured(components, collector.url, more)), ...options]);
}

const call = (host, name, args = {}, meta = {}, headers = {}) =>
  postModern(host.url, 'tools/call', { name, arguments: args, _meta: meta }, { headers });

const byName = (spans, name) => spans.filter((each) => each.name === name);

test('ACallIsASpanOfItsClientsTraceWithAChildInThePlugin', async (context) => {
  const collector = await Collector.start(context);
  const host = await traced(context, ['catalogue'], collector);
  const other = '00-11111111111111111111111111111111-2222222222222222-01';
  const meta = { traceparent: parent(), tracestate: 'vendor=1' };
  const response = await call(host, 'caller', {}, meta, { traceparent: other });
  const { result } = await response.json();
  const [part, whole] = await collector.until(2);

  assert.equal(whole.name, 'tools/call caller');
  assert.equal(whole.kind, 2);
  assert.deepEqual([whole.traceId, whole.parentSpanId, whole.traceState], [traceId, spanId, 'vendor=1']);
  assert.deepEqual(whole.links, [{ traceId: '1'.repeat(32), spanId: '2'.repeat(16) }]);
  assert.equal(whole.status, undefined);
  assert.deepEqual(whole.attributes, {
    'mcp.method.name': 'tools/call',
    'mcp.protocol.version': modern,
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'caller',
    'jsonrpc.request.id': '1',
    'network.transport': 'tcp',
    'network.protocol.name': 'http',
  });
  assert.equal(whole.resource['service.name'], 'traced');
  assert.ok(Math.abs(Number(BigInt(whole.endTimeUnixNano) / 1_000_000n) - Date.now()) < 60_000);

  assert.deepEqual([part.traceId, part.parentSpanId], [traceId, whole.spanId]);
  assert.equal(part.kind, 1);
  assert.equal(part.attributes['mcph.plugin.outcome'], 'ok');
  // What the plugin does further belongs to its own part.
  assert.equal(result.structuredContent.traceparent, `00-${traceId}-${part.spanId}-01`);
});

test('WhatGoesWrongSaysSo', async (context) => {
  const collector = await Collector.start(context);
  const host = await traced(context, ['slow'], collector);
  await call(host, 'no such tool');
  await call(host, 'wait', {});
  await postModern(host.url, 'no/such/method');
  const spans = await collector.until(3);
  const [unknown] = byName(spans, 'tools/call');
  assert.equal(unknown.attributes['error.type'], '-32602');
  assert.equal(unknown.attributes['rpc.response.status_code'], '-32602');
  assert.equal(unknown.attributes['gen_ai.tool.name'], 'no such tool');
  assert.deepEqual(unknown.status, { code: 2 });
  const [invalid] = byName(spans, 'tools/call wait');
  assert.equal(invalid.attributes['error.type'], 'tool_error');
  const [other] = byName(spans, 'no/such/method');
  assert.equal(other.attributes['error.type'], '-32601');
});

test('WhatClientsDoNotRecordIsNotRecorded', async (context) => {
  const collector = await Collector.start(context);
  const host = await traced(context, ['sample_v1'], collector, 'sample_ratio = 0.0\n');
  await call(host, 'version', {}, { traceparent: parent('00') });
  await call(host, 'version');
  await call(host, 'version', {}, { traceparent: 'nonsense' });
  await call(host, 'version', {}, { traceparent: parent('01') });
  await collector.until(2);
  // What is recorded besides goes before the end.
  await host.stop();
  assert.deepEqual(collector.mistakes, []);
  assert.deepEqual(collector.spans.map((span) => span.traceId), [traceId, traceId]);
});

test('AShareOfTheTracesThatBeginHereIsRecorded', async (context) => {
  const collector = await Collector.start(context);
  const host = await traced(context, ['sample_v1'], collector, 'sample_ratio = 0.5\n');
  for (let i = 0; i < 400; i += 20) await Promise.all(Array.from({ length: 20 }, () => postModern(host.url, 'tools/list')));
  await collector.until(121);
  await host.stop();
  assert.deepEqual(collector.mistakes, []);
  assert.ok(collector.spans.length > 120 && collector.spans.length < 280, `${collector.spans.length} of 400`);
  assert.equal(new Set(collector.spans.map((span) => span.traceId)).size, collector.spans.length);
});

test('RequestsOfSessionsAndOverStdioAreTraced', async (context) => {
  const collector = await Collector.start(context);
  const host = await traced(context, ['sample_v1'], collector);
  const session = await Session.open(host.url);
  await session.ask('tools/call', { name: 'version', arguments: {}, _meta: { traceparent: parent() } });
  await collector.until(3);
  assert.equal(byName(collector.spans, 'initialize').length, 1);
  const [version] = byName(collector.spans, 'tools/call version');
  assert.deepEqual([version.traceId, version.attributes['mcp.protocol.version']], [traceId, '2025-11-25']);

  const components = await Components.create('sample_v1');
  const options = await configured(components, collector.url);
  const stdio = StdioHost.start(components, options).killAfter(context, components);
  const request = { jsonrpc: '2.0', id: 'a', method: 'tools/list', params: { _meta: modernMeta() } };
  stdio.child.stdin.write(`${JSON.stringify(request)}\n`);
  await new Promise((resolve) => stdio.child.stdout.once('data', resolve));
  stdio.child.stdin.end();
  assert.equal((await stdio.end()).status, 0);
  // The last batch goes before the end.
  const [list] = byName(collector.spans, 'tools/list');
  assert.equal(list.attributes['network.transport'], 'pipe');
  assert.equal(list.attributes['jsonrpc.request.id'], 'a');
});

test('TheCollectorGetsTheHeadersOfTheFile', async (context) => {
  const collector = await Collector.start(context);
  const components = await Components.create('sample_v1');
  const file = join(components.folder, 'headers');
  await writeFile(file, 'X-Api-Key: canary-1234\nX-Tenant: team\n');
  const options = await configured(components, collector.url, `headers_file = "headers"\n`);
  await chmod(file, 0o644);
  await assert.rejects(HttpHost.start(components, options), /headers: /);
  await chmod(file, 0o600);
  const host = await serve(context, components, [...options, '--log-level', 'debug', ...admin]);
  await postModern(host.url, 'tools/list');
  await collector.until(1);
  const [{ method, path, headers }] = collector.requests;
  assert.deepEqual([method, path, headers['content-type']], ['POST', '/v1/traces', 'application/json']);
  assert.deepEqual([headers['x-api-key'], headers['x-tenant']], ['canary-1234', 'team']);
  const { text } = await Metrics.read(await adminOf(host));
  assert.ok(!text.includes('canary') && !host.log.text().includes('canary'));
});

for (const [what, answer] of [
  ['hangs', () => {}],
  ['answers 503', (response) => response.writeHead(503).end()],
  ['closes the connection', (response) => response.destroy()],
]) {
  test(`ACollectorThatKeepsNobodyWaiting: it ${what}`, async (context) => {
    const collector = await Collector.start(context);
    collector.answer = answer;
    const host = await traced(context, ['sample_v1'], collector, '', admin);
    const base = await adminOf(host);
    for (let i = 0; i < 4000; i += 40) await Promise.all(Array.from({ length: 40 }, () => call(host, 'version')));
    const begin = Date.now();
    await call(host, 'version');
    assert.ok(Date.now() - begin < 9000, 'the collector has 10 s to answer');
    const metrics = await Metrics.read(base);
    assert.ok(metrics.sum('mcph_trace_spans_total', { outcome: 'dropped' }) > 0);
    assert.equal(metrics.sum('mcph_trace_spans_total', { outcome: 'sent' }), 0);
    assert.ok(metrics.sum('mcph_trace_queue_bytes') <= 1.5 * 2 ** 20);
  });
}

test('ACollectorThatComesBackGetsWhatHasWaitedForIt', async (context) => {
  const collector = await Collector.start(context);
  let fails = 1;
  collector.answer = (response) => response.writeHead(fails-- > 0 ? 503 : 200).end('{}');
  const host = await traced(context, ['sample_v1'], collector, '', admin);
  await call(host, 'version');
  const warning = await host.log.until({ event: 'traces not taken' });
  assert.match(warning.reason, /status 503/);
  await collector.until(2);
  await host.log.until({ event: 'traces taken again' });
  const metrics = await Metrics.read(await adminOf(host));
  assert.equal(metrics.sum('mcph_trace_spans_total', { outcome: 'sent' }), 2);
  assert.equal(metrics.sum('mcph_trace_requests_failed_total'), 1);
});

test('WhatTheCollectorRejectsIsCounted', async (context) => {
  const collector = await Collector.start(context);
  collector.answer = (response) => response.writeHead(200).end('{"partialSuccess":{"rejectedSpans":"1"}}');
  const host = await traced(context, ['sample_v1'], collector, '', admin);
  await call(host, 'version');
  await collector.until(2);
  const base = await adminOf(host);
  const spans = async (labels) => (await Metrics.read(base)).sum('mcph_trace_spans_total', labels);
  await until(async () => (await spans()) >= 2, spans);
  assert.equal(await spans({ outcome: 'dropped' }), 1);
});

test('AMistakeInTheSettingsHasItsPlace', async (context) => {
  const components = await Components.create();
  context.after(() => components.discard());
  const file = join(components.folder, 'traces.toml');
  for (const [text, message] of [
    ['sample_ratio = 0.5', /traces\.toml:1:2: "traces" needs endpoint, where they go/],
    ['endpoint = "http://collector.example/"', /traces\.toml:2:12: "endpoint" cannot be used: .* must begin with https/],
    ['endpoint = "http://127.0.0.1:1/"\nsample_ratio = 1.5', /traces\.toml:3:16: "sample_ratio" /],
  ]) {
    await writeFile(file, `[traces]\n${text}\n`);
    await assert.rejects(HttpHost.start(components, ['--config', file]), message);
  }
});
