// What a plugin asks of the host besides serving calls: subscriptions, values that last, metrics, capabilities. The
// languages have it asked of the same plugin in each of them, MCP_FIXTURES/interfaces.so.
import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { adminOf, Metrics } from './support/admin.mjs';
import { Components } from './support/components.mjs';
import { HttpHost, inProcess, serve } from './support/host.mjs';
import { legacyRevisions, newestLegacy, postModern, Session } from './support/http.mjs';
import { patience } from './support/patience.mjs';
import { sseEvents } from './support/sse.mjs';

const one = 'interfaces://one';
const item = 'interfaces://items/x';

// In Python it serves the files of this folder. What they add to the capabilities is said in them, so python.test.mjs
// looks at that.
const folder = process.env.MCP_FIXTURE_FOLDER;
const ofFiles = folder && 'said in its files';
// In others they are said when the plugin is compiled: those of the first test.
const areFixed = process.env.MCP_FIXTURE_CAPABILITIES === 'fixed' && 'said when it is compiled';

class Interfaces extends Components {
  static async create(...names) {
    const components = new Interfaces((await Components.create()).folder);
    for (const name of names) await components.addPlugin(name);
    return components;
  }

  async addPlugin(name, configuration = {}) {
    if (folder || Object.keys(configuration).length > 0) await this.configure(name, configuration);
    await this.add('interfaces', `${name}.so`);
  }

  configure(name, configuration) {
    return this.write(`${name}.json`, JSON.stringify({ folder, ...configuration }));
  }
}

async function call(host, name, args = {}) {
  const response = await postModern(host.url, 'tools/call', { name, arguments: args });
  const { result } = await response.json();
  return result.content[0]?.text;
}

// Until the plugin says so, which the host tells a moment later.
async function until(ask, wanted) {
  let last;
  for (const end = Date.now() + patience; Date.now() < end; await sleep(20)) {
    last = await ask();
    if (last === wanted) return;
  }
  assert.equal(last, wanted);
}

for (const revision of legacyRevisions) {
  test(`APluginIsToldOfTheSubscriptionsOfASession: ${revision}`, async (context) => {
    const host = await serve(context, await Interfaces.create('interfaces'));
    const session = await Session.open(host.url, revision);
    await session.ask('resources/subscribe', { uri: one });
    await until(() => call(host, 'heard'), `+${one}`);
    await session.ask('resources/subscribe', { uri: item });
    await until(() => call(host, 'heard'), `+${one} +${item}`);
    assert.equal(await call(host, 'subscriptions'), `${item} ${one}`);
    await session.ask('resources/unsubscribe', { uri: one });
    await until(() => call(host, 'subscriptions'), item);
    await session.delete();
    await until(() => call(host, 'subscriptions'), '');
  });
}

test('APluginIsToldOfTheFiltersOfListeningRequests', async (context) => {
  const host = await serve(context, await Interfaces.create('interfaces'));
  const closing = new AbortController();
  const notifications = { resourceSubscriptions: [item, 'strange://uri'] };
  const response = await postModern(
    host.url,
    'subscriptions/listen',
    { notifications },
    { id: 'l', signal: closing.signal },
  );
  await sseEvents(response.body).next();
  await until(() => call(host, 'heard'), `+${item}`);
  closing.abort();
  await until(() => call(host, 'heard'), `+${item} -${item}`);
});

test('TheNextVersionIsToldOfSubscriptionsThatStay', async (context) => {
  const components = await Interfaces.create('interfaces');
  const host = await serve(context, components);
  const session = await Session.open(host.url);
  await session.ask('resources/subscribe', { uri: one });
  await until(() => call(host, 'heard'), `+${one}`);
  await components.configure('interfaces', { another: 'instance' });
  await host.log.until({ event: 'plugin replaced' });
  await until(() => call(host, 'heard'), `+${one}`);
  await session.delete();
});

test('ValuesAreThereAfterAReloadAndARestart', async (context) => {
  const components = await Interfaces.create('interfaces');
  const host = await HttpHost.start(components);
  context.after(() => host.signal('SIGKILL'));
  assert.equal(await call(host, 'visit', { who: 'ada' }), '1');
  await components.configure('interfaces', { another: 'instance' });
  await host.log.until({ event: 'plugin replaced' });
  assert.equal(await call(host, 'visit', { who: 'ada' }), '2');
  host.signal('SIGKILL');
  await host.exited;
  const next = await serve(context, components);
  assert.equal(await call(next, 'visit', { who: 'ada' }), '3');
  assert.equal(await call(next, 'visit', { who: 'bob' }), '1');
});

test('ADamagedStoreIsSetAsideAndTold', async (context) => {
  const components = await Interfaces.create('interfaces');
  const host = await serve(context, components);
  assert.equal(await call(host, 'visit', { who: 'ada' }), '1');
  const folder = join(components.data, '.stores');
  await writeFile(join(folder, 'tools%2Finterfaces'), 'nothing that a host has written\n');
  assert.equal(await call(host, 'visit', { who: 'ada' }), '1');
  await host.log.until({ event: 'store damaged' });
  assert.ok((await readdir(folder)).some((name) => name.startsWith('tools%2Finterfaces.damaged-')));
});

test('AFloodOfPutsEndsAtTheLimitAndLeavesOthersAlone', async (context) => {
  const components = await Interfaces.create('interfaces');
  await components.addPlugin('other');
  await components.configure('interfaces', { limits: { storeBytes: 100_000 } });
  const host = await serve(context, components);
  const told = await call(host, 'flood_store');
  assert.match(told, /^9 kept; cannot keep "flood\/9": .* more than the 100000 that limits\.storeBytes allows$/);
  assert.equal(await call(host, 'visit', { who: 'ada' }), '1');
});

test('WhatAPluginRecordsIsAmongTheMetrics', async (context) => {
  const host = await serve(context, await Interfaces.create('interfaces'), ['--admin-listen', '127.0.0.1:0']);
  const admin = await adminOf(host);
  const plugin = 'tools/interfaces.so';
  for (const kind of ['a', 'a', 'b"\n\\']) await call(host, 'count', { kind });
  const served = async (kind) => (await Metrics.read(admin)).sum('mcp_plugin_served_total', { plugin, kind });
  await until(() => served('a'), 2);
  await until(() => served('b"\n\\'), 1);
  const took = async () => (await Metrics.read(admin)).sum('mcp_plugin_took_seconds_count', { plugin });
  await until(took, 3);
  const metrics = await Metrics.read(admin);
  assert.equal(metrics.types.get('mcp_plugin_served_total'), 'counter');
  assert.equal(metrics.types.get('mcp_plugin_took_seconds'), 'histogram');
  assert.equal(metrics.sum('mcp_plugin_took_seconds_bucket', { plugin, le: '0.1' }), 0);
  assert.equal(metrics.sum('mcp_plugin_took_seconds_bucket', { plugin, le: '1' }), 3);
  assert.equal(metrics.sum('mcp_plugin_took_seconds_sum', { plugin }), 1.5);
  assert.equal(metrics.sum('mcp_plugin_mood', { plugin }), -1.5);
});

test('AFloodOfSeriesEndsAtTheBoundAndIsTold', async (context) => {
  const host = await serve(context, await Interfaces.create('interfaces'), ['--admin-listen', '127.0.0.1:0']);
  const admin = await adminOf(host);
  await call(host, 'flood_metrics');
  await host.log.until({ event: 'plugin misbehaved' });
  const count = async () => {
    const { samples } = await Metrics.read(admin);
    return [...samples.keys()].filter((key) => key.startsWith('mcp_plugin_served_total{')).length;
  };
  await until(count, 1000);
});

test('ANameThatCannotBeIsAnError', async (context) => {
  const host = await serve(context, await Interfaces.create('interfaces'));
  const [key, metric] = (await call(host, 'invalid')).split('\n');
  assert.equal(key, 'cannot keep "": a key is not empty');
  if (!ofFiles) assert.match(metric, /Not a name|MetricRefused/);
});

async function discovered(host) {
  const { result } = await (await postModern(host.url, 'server/discover')).json();
  return result.capabilities;
}

test('ClientsAreToldWhatPluginsAddToTheCapabilities', { skip: ofFiles }, async (context) => {
  const components = await Interfaces.create();
  await components.addPlugin('interfaces', { extension: { 'com.example/search': { languages: ['en'] } } });
  const host = await serve(context, components);
  const modern = await discovered(host);
  assert.deepEqual(modern.extensions['com.example/search'], { languages: ['en'] });
  assert.deepEqual(modern.extensions['io.modelcontextprotocol/tasks'], {});
  assert.deepEqual(modern.experimental, { drafts: { version: 1 } });
  const session = await Session.open(host.url, newestLegacy);
  assert.deepEqual(session.result.capabilities.experimental, { drafts: { version: 1 } });
  assert.deepEqual(session.result.capabilities.extensions['com.example/search'], { languages: ['en'] });
  await session.delete();

  if (!areFixed) {
    await call(host, 'withdraw');
    assert.equal((await discovered(host)).experimental, undefined);
  }
  await components.removeFile('interfaces.so');
  await host.log.until({ event: 'plugin withdrawn' });
  assert.equal((await discovered(host)).extensions['com.example/search'], undefined);
});

test('OfTwoPluginsThatAddTheSameTheFirstByPathCounts', { skip: ofFiles || areFixed }, async (context) => {
  const components = await Interfaces.create();
  for (const [name, version] of [
    ['a', 1],
    ['b', 2],
  ]) {
    await components.addPlugin(name, { extension: { 'com.example/search': { version } } });
  }
  const host = await serve(context, components);
  assert.deepEqual((await discovered(host)).extensions['com.example/search'], { version: 1 });
  const hidden = await host.log.until({ event: 'component hidden', extension: 'com.example/search' });
  assert.equal(hidden.served, components.file('a.so'));
  await components.removeFile('a.so');
  await host.log.until({ event: 'component no longer hidden', extension: 'com.example/search' });
  assert.deepEqual((await discovered(host)).extensions['com.example/search'], { version: 2 });
});

test('AnExtensionOfMcpsOwnIsRefused', { skip: ofFiles || areFixed }, async (context) => {
  const components = await Interfaces.create();
  await components.addPlugin('interfaces', { extension: { 'io.modelcontextprotocol/tasks': {} } });
  const host = await serve(context, components);
  const { reason } = await host.log.until({ event: 'plugin refused' });
  assert.match(reason, /capabilities\.extensions "io\.modelcontextprotocol\/tasks" has a prefix that is reserved for MCP/);
});

test('AWorkerThatCrashesIsToldAnewAndKeepsItsFigures', { skip: inProcess && 'no worker' }, async (context) => {
  const host = await serve(context, await Interfaces.create('interfaces'), ['--admin-listen', '127.0.0.1:0']);
  const admin = await adminOf(host);
  const session = await Session.open(host.url);
  await session.ask('resources/subscribe', { uri: one });
  await until(() => call(host, 'heard'), `+${one}`);
  await call(host, 'count', { kind: 'a' });
  const served = async () => (await Metrics.read(admin)).sum('mcp_plugin_served_total');
  await until(served, 1);
  const { pid } = await host.log.until({ event: 'plugin loaded' });
  process.kill(Number(pid), 'SIGKILL');
  await host.log.until({ event: 'plugin restarted' });
  await until(() => call(host, 'heard'), `+${one}`);
  await call(host, 'count', { kind: 'a' });
  await until(served, 2);
  await session.delete();
});
