// What the operator says of a server elsewhere: in the configuration file, and its sandbox.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { adminOf, Metrics } from './support/admin.mjs';
import { connectHttp, kinds } from './support/clients.mjs';
import { command } from './support/command.mjs';
import { Components } from './support/components.mjs';
import { HttpHost, serve } from './support/host.mjs';
import { addUpstream, script } from './support/upstreams.mjs';

const [kind] = kinds;
const here = dirname(fileURLToPath(import.meta.url));
const text = (result) => result.content[0].text;

async function configured(context, toml) {
  const components = await Components.create();
  const file = join(components.folder, 'host.toml');
  await writeFile(file, toml);
  context.after(() => components.discard());
  return { components, file };
}

const plain = (prefix) => `
[upstreams.wiki]
command = "${process.execPath}"
args = ["${join(here, 'support/hostile_upstream.mjs')}", "plain"]
prefix = "${prefix}"
`;

test('TheConfigurationFileHasUpstreamsToo', async (context) => {
  const { components, file } = await configured(context, plain('wiki_'));
  const control = join(components.folder, 'control.sock');
  const host = await HttpHost.start(components, ['--config', file, '--control', control]);
  context.after(() => host.stop());
  await host.log.until({ event: 'plugin loaded' });
  for (const [word, name] of [['disable', 'wiki'], ['enable', '[upstreams.wiki]']]) {
    const { stdout } = await command(word, name, '--control', control);
    assert.match(stdout, /^\[upstreams\.wiki\]: /);
  }
  const client = await connectHttp(kind, host.url);
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(({ name }) => name), ['wiki_fine', 'wiki_plain']);
  assert.equal(text(await kind.call(client, { name: 'wiki_fine', arguments: {} })), 'fine');
  await client.close();
  const restart = host.log.next({ event: 'configuration needs a restart' });
  await writeFile(file, plain('other_'));
  assert.match(JSON.stringify(await restart), /upstreams/);
});

test('AnUpstreamOfTheConfigurationFileIsCalledByItsTableInStatusAndMetrics', async (context) => {
  const { components, file } = await configured(context, plain('w_'));
  await addUpstream(components, 'dropped', { command: 'no-such-program' });
  const control = join(components.folder, 'control.sock');
  const host = await HttpHost.start(components, ['--config', file, '--control', control, '--admin-listen', '127.0.0.1:0']);
  context.after(() => host.stop());
  await host.log.until({ event: 'plugin loaded' });
  await host.log.until({ event: 'plugin refused' });
  const { stdout } = await command('status', '--control', control);
  assert.match(stdout, /^wiki +\[upstreams\.wiki\] /m);
  const metrics = await Metrics.read(await adminOf(host));
  assert.equal(metrics.sum('mcph_plugin_serving', { plugin: '[upstreams.wiki]' }), 1);
  assert.equal(metrics.sum('mcph_plugin_serving', { plugin: 'tools/dropped.mcp.json' }), 0);
});

test('RemoveSaysWhereTheConfigurationFileHasAnUpstream', async (context) => {
  const { components, file } = await configured(context, plain('w_'));
  const { status, stdout, stderr } = await command('remove', '--components', components.root, '--config', file, 'wiki');
  assert.deepEqual([status, stdout], [1, '']);
  assert.match(stderr,
    /^mcp-plugin-host: there is no \S*\/wiki\.mcp\.json; it is configured at \S*host\.toml:2:\d+: take it out there, and restart the host\n$/);
});

const mistakes = {
  'neither way': ['[upstreams.wiki]\nprefix = "w_"\n', /host\.toml:1:12: "wiki" must have either a "command" or a "url"/],
  'a member that is wrong': ['[upstreams.wiki]\ncommand = "x"\nargs = 7\n', /host\.toml:3:1: "args" must be a list of texts\n/],
  'a member that there is not': ['[upstreams.wiki]\nurl = "https://a.example/mcp"\ngraceMS = 1\n', /host\.toml:3:1: "graceMS" is not known; the members are /],
  'a name that is none': ['[upstreams."no name"]\nurl = "https://a.example/mcp"\n', /host\.toml:1:\d+: .*no name/s],
};
for (const [what, [toml, words]] of Object.entries(mistakes)) {
  test(`AMistakeInTheFileIsSaidWithItsPlace: ${what}`, async (context) => {
    const { components, file } = await configured(context, toml);
    const folders = ['--components', components.root, '--data', components.data];
    const { status, stderr } = await command('serve', ...folders, '--listen', '127.0.0.1:0', '--config', file);
    assert.equal(status, 2);
    assert.match(stderr, words);
  });
}

test('WhatCannotBeReachedIsSaidWithItsPlace', async (context) => {
  const { components, file } = await configured(context, '\n[upstreams.wiki]\ncommand = "no-such-program"\n');
  const host = await HttpHost.start(components, ['--config', file]);
  context.after(() => host.stop());
  const { reason } = await host.log.until({ event: 'plugin refused' });
  assert.match(reason, /^the program no-such-program cannot be started: .*; it is configured at \S*host\.toml:2:\d+$/);
});

test('AnUpstreamIsCalledOneAndNamesThatNothingHasAreTold', async (context) => {
  const { components, file } = await configured(context, plain('w_') + 'include = ["tool:fine", "tool:serach"]\nrename = { wirte = "x" }\n');
  const control = join(components.folder, 'control.sock');
  const host = await HttpHost.start(components, ['--config', file, '--control', control]);
  context.after(() => host.stop());
  await host.log.until({ event: 'plugin remark', remark: /"include" has tool:serach, which nothing of the upstream is called/ });
  await host.log.until({ event: 'plugin loaded' });
  const { stdout } = await command('status', '--control', control);
  assert.match(stdout, /^wiki .* upstream +\d+ +serving /m);
  assert.match(stdout, /^\[upstreams\.wiki\]: remark: "rename" has wirte, which nothing of the upstream is called$/m);
});

test('AProgramInAStrictSandboxReachesWhatItIsGivenAndNothingElse', async (context) => {
  const components = await Components.create();
  const [given, other] = ['given', 'other'].map((name) => join(components.folder, name));
  await Promise.all([mkdir(given), mkdir(other)]);
  await writeFile(join(other, 'secret'), 'secret');
  const listen = async (...where) => {
    const server = createServer((socket) => socket.end()).listen(...where);
    await once(server, 'listening');
    context.after(() => server.close());
    return server;
  };
  const server = await listen(0, '127.0.0.1');
  const localSocket = join(given, 'socket');
  await listen(localSocket);
  // Node.js does not begin without the last.
  const read = [dirname(dirname(await realpath(process.execPath))), here, '/etc/ssl/openssl.cnf'];
  for (const [name, sandbox] of Object.entries({
    strict: { profile: 'strict', required: true, read, write: [given] },
    networked: { profile: 'strict', network: 'all', required: true, read, write: [given] },
    none: { profile: 'none' },
  })) {
    await addUpstream(components, name, script('confined_upstream.mjs', [], { prefix: `${name}_`, sandbox }));
  }
  const host = await serve(context, components);
  for (const plugin of ['strict', 'networked', 'none']) await host.log.until({ event: 'upstream connected', plugin });
  const client = await connectHttp(kind, host.url);
  const tries = async (name) => {
    const attempt = async (tool, what) => text(await kind.call(client, { name: `${name}_${tool}`, arguments: { what } }));
    return {
      givenFolder: await attempt('write', join(given, name)),
      temporaryFolder: await attempt('write_temporary', `confined-${process.pid}`),
      otherFolder: await attempt('write', join(other, name)),
      secret: await attempt('read', join(other, 'secret')),
      neighbour: await attempt('read', components.file('none.mcp.json')),
      network: await attempt('connect', String(server.address().port)),
      localSocket: await attempt('connect_locally', localSocket),
      // Each of its messages could name another socket.
      datagrams: await attempt('pair', 'SOCK_RAW'),
      stream: await attempt('pair', 'SOCK_STREAM'),
    };
  };
  // A local socket could be the operator's, or that of a service that does as its user says.
  const denied = {
    otherFolder: 'EACCES', secret: 'EACCES', neighbour: 'EACCES',
    localSocket: 'EPERM', datagrams: 'status 1', stream: 'done',
  };
  const { network, ...others } = await tries('strict');
  assert.deepEqual(others, { givenFolder: 'done', temporaryFolder: 'done', ...denied });
  assert.match(network, /^E(ACCES|PERM)$/);
  assert.deepEqual(await tries('networked'), { givenFolder: 'done', temporaryFolder: 'done', ...denied, network: 'done' });
  for (const [what, outcome] of Object.entries(await tries('none'))) assert.equal(outcome, 'done', what);
  await client.close();
});
