// Serving at a Unix socket, and proxies there, which say for whom they ask.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';

import { command } from './support/command.mjs';
import { Components } from './support/components.mjs';
import { freePort } from './support/free_port.mjs';
import { argumentsOf, HttpHost, program } from './support/host.mjs';
import { ask, toolsOf, untilReached } from './support/node_http.mjs';
import { writeWhole } from './support/whole_file.mjs';

const endpoint = 'http://localhost/mcp';
const all = ['only_in_v1', 'version'];
const proxied = '[proxy]\nfrom = ["unix"]\nuser_header = "X-Forwarded-User"\n';

class LocalHost {
  static async prepare(rest = '', http = '') {
    const local = new LocalHost();
    local.components = await Components.create('sample_v1');
    local.socketPath = join(local.components.folder, 'host.sock');
    local.file = join(local.components.folder, 'host.toml');
    writeFileSync(local.file, `[http]\nunix_socket = "host.sock"\n${http}\n${rest}`);
    return local;
  }
  static async serve(context, rest, http) {
    const local = await LocalHost.prepare(rest, http);
    await local.start();
    context.after(() => local.host.stop().finally(() => local.components.discard()));
    return local;
  }
  async start() {
    this.host = await HttpHost.start(this.components, ['--config', this.file]);
    return this.host;
  }
  tools(headers = {}) {
    return toolsOf(endpoint, { socketPath: this.socketPath, headers });
  }
}

test('TheUserAndItsGroupReachTheHostAtItsSocketUntilItEnds', async (context) => {
  const local = await LocalHost.prepare();
  (await local.start()).killAfter(context, local.components);
  assert.deepEqual(await local.tools(), all);
  assert.deepEqual(await toolsOf(local.host.address), all);
  assert.equal(statSync(local.socketPath).mode & 0o777, 0o660);
  const [{ also }] = local.host.log.matching({ event: 'serving' });
  assert.equal(also, `unix:${local.socketPath}`);
  await local.host.stop();
  assert.ok(!existsSync(local.socketPath));
});

test('TheSocketThatADeadHostHasLeftIsReplaced', async (context) => {
  const local = await LocalHost.prepare();
  (await local.start()).killAfter(context);
  local.host.signal('SIGKILL');
  await local.host.end();
  assert.ok(existsSync(local.socketPath));
  await local.start();
  context.after(() => local.host.stop().finally(() => local.components.discard()));
  assert.deepEqual(await local.tools(), all);
});

test('WhatIsAnothersIsLeftAlone', async (context) => {
  const local = await LocalHost.prepare();
  context.after(() => local.components.discard());
  const refusal = async () => {
    const options = ['--listen', '127.0.0.1:0', '--config', local.file];
    return (await command(...argumentsOf('serve', local.components, options))).stderr;
  };
  writeFileSync(local.socketPath, 'precious');
  assert.match(await refusal(), /host\.sock is there already, and no socket/);
  rmSync(local.socketPath);
  const other = createServer().listen(local.socketPath);
  context.after(() => other.close());
  await once(other, 'listening');
  assert.match(await refusal(), /another host listens at .*host\.sock/);
});

test('NothingElseNeedBeListenedAt', async (context) => {
  const local = await LocalHost.prepare();
  writeFileSync(local.file, '[http]\nlisten = "none"\nunix_socket = "host.sock"\n');
  const host = await HttpHost.of(
    spawn(program, argumentsOf('serve', local.components, ['--config', local.file]), {
      stdio: ['ignore', 'ignore', 'pipe'],
    }),
    local.components,
  );
  context.after(() => host.stop().finally(() => local.components.discard()));
  assert.equal(host.address.href, `unix:${local.socketPath}`);
  assert.deepEqual(await local.tools(), all);
});

test('HostAndOriginAreLookedAtThere', async (context) => {
  const local = await LocalHost.serve(context);
  const status = async (headers) => (await ask(endpoint, 'tools/list', {}, { socketPath: local.socketPath, headers })).status;
  assert.equal(await status({ Host: 'evil.example' }), 403);
  assert.equal(await status({ Origin: 'https://evil.example' }), 403);
  assert.equal(await status({ Host: 'localhost:8080' }), 200);
});

test('AProxyAtTheSocketSaysForWhomItAsks', async (context) => {
  const local = await LocalHost.serve(
    context,
    `${proxied}groups_header = "X-Forwarded-Groups"
[roles.user]
principals = ["proxy#ada"]
allow = ["tool:version"]
[roles.staff]
groups = ["staff"]
allow = ["tool:only_*"]
`,
  );
  assert.deepEqual(await local.tools({ 'X-Forwarded-User': 'ada' }), ['version']);
  assert.deepEqual(await local.tools({ 'x-forwarded-user': 'bob', 'X-Forwarded-Groups': 'guests, staff' }), ['only_in_v1']);
  assert.deepEqual(await local.tools({ 'X-Forwarded-User': 'ada', 'X-Forwarded-Groups': 'staff' }), all);
  assert.deepEqual(await local.tools({ 'X-Forwarded-User': 'eve' }), []);
  await assert.rejects(local.tools(), /401 ConnectionCredential realm="mcp"$/);
  await assert.rejects(local.tools({ 'X-Forwarded-Groups': 'staff' }), /401 ConnectionCredential realm="mcp"$/);
  await assert.rejects(local.tools({ 'X-Forwarded-User': ['ada', 'eve'] }), /401 .*the proxy says more than once/);
  const added = { 'X-Forwarded-User': 'bob', 'X-Forwarded-Groups': ['staff', 'guests'] };
  await assert.rejects(local.tools(added), /401 .*the proxy says groups more than once/);

  // By TCP anybody could say so.
  const forged = { 'X-Forwarded-User': 'ada', 'X-Forwarded-Groups': 'staff' };
  await assert.rejects(toolsOf(local.host.address, { headers: forged }), /401 ConnectionCredential realm="mcp"$/);
});

test('EverybodyThatAProxyNamesMayHaveARole', async (context) => {
  const roles = '[roles.user]\nissuers = ["proxy"]\nallow = ["tool:version"]\n[roles.anonymous]\nallow = ["tool:only_*"]\n';
  const local = await LocalHost.serve(context, proxied + roles);
  assert.deepEqual(await local.tools({ 'X-Forwarded-User': 'ada' }), ['version']);
  assert.deepEqual(await local.tools(), ['only_in_v1']);
  assert.deepEqual(await toolsOf(local.host.address, { headers: { 'X-Forwarded-User': 'ada' } }), ['only_in_v1']);
});

test('WhomToTrustCanChangeWhileTheHostServes', async (context) => {
  const roles = '[roles.user]\nissuers = ["proxy"]\nallow = ["tool:version"]\n[roles.anonymous]\n';
  const local = await LocalHost.serve(context, proxied + roles);
  const taken = local.host.log.next({ event: 'configuration taken' });
  await writeWhole(local.file, `[http]\nunix_socket = "host.sock"\n${proxied.replace('Forwarded', 'Remote')}${roles}`);
  await taken;
  assert.deepEqual(await local.tools({ 'X-Forwarded-User': 'ada' }), []);
  assert.deepEqual(await local.tools({ 'X-Remote-User': 'ada' }), ['version']);
  assert.equal(local.host.log.matching({ event: 'configuration needs a restart' }).length, 0);
});

test('WhereARequestComesFromIsSaidByTrustedProxiesOnly', async (context) => {
  const limits = '[limits.per_address]\nrate = "2/h"\n';
  const local = await LocalHost.serve(context, `[proxy]\nfrom = ["unix"]\ntrusted_addresses = ["127.0.0.2"]\n${limits}`);
  const count = async (url, headers, options = {}) => {
    const statuses = [];
    for (let i = 0; i < 3; ++i) statuses.push((await ask(url, 'tools/list', {}, { headers, ...options })).status);
    return statuses;
  };
  const limited = [200, 200, 429];
  const from = (address) => ({ 'X-Forwarded-For': address });
  const atSocket = { socketPath: local.socketPath };
  assert.deepEqual(await count(endpoint, from('203.0.113.1'), atSocket), limited);
  assert.deepEqual(await count(endpoint, from('203.0.113.2'), atSocket), limited);
  // What a client has written itself stands before what the proxy adds.
  assert.deepEqual(await count(endpoint, from('203.0.113.9, 203.0.113.1'), atSocket), [429, 429, 429]);
  const proxy = { localAddress: '127.0.0.2' };
  assert.deepEqual(await count(local.host.address, from('203.0.113.3'), proxy), limited);
  assert.deepEqual(await count(local.host.address, from('203.0.113.3, 127.0.0.2'), proxy), [429, 429, 429]);
  const anybody = { localAddress: '127.0.0.3' };
  assert.deepEqual(await count(local.host.address, from('203.0.113.4'), anybody), limited);
  assert.deepEqual(await count(local.host.address, from('203.0.113.5'), anybody), [429, 429, 429]);
});

const nginx = spawnSync('nginx', ['-v']).error === undefined;

test('NginxInFrontSaysForWhomItAsks', { skip: !nginx && 'nginx is not installed' }, async (context) => {
  const local = await LocalHost.prepare(
    `${proxied}[roles.user]\nprincipals = ["proxy#ada"]\nallow = ["tool:version"]\n`,
    'allow_hosts = ["tools.example"]',
  );
  const host = await local.start();
  let endOfFront = () => {};
  context.after(async () => {
    await endOfFront();
    await host.stop().finally(() => local.components.discard());
  });
  const port = await freePort();
  const folder = join(local.components.folder, 'nginx');
  mkdirSync(folder);
  writeFileSync(join(folder, 'users'), 'ada:{PLAIN}secret\neve:{PLAIN}secret\n');
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr; ${process.getuid() === 0 ? 'user root;' : ''}
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port};
    auth_basic "tools"; auth_basic_user_file ${folder}/users;
    location / {
      proxy_pass http://unix:${local.socketPath};
      proxy_http_version 1.1;
      proxy_buffering off;
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-User $remote_user;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    }
  }
}
`,
  );
  const front = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: ['ignore', 'ignore', 'inherit'] });
  const gone = once(front, 'exit');
  endOfFront = () => {
    front.kill('SIGTERM');
    return gone;
  };
  const url = `http://127.0.0.1:${port}/mcp`;
  const as = (user) => ({ Host: 'tools.example', Authorization: `Basic ${btoa(`${user}:secret`)}` });
  assert.deepEqual(await untilReached(() => toolsOf(url, { headers: as('ada') })), ['version']);
  // What a client says of itself is what nginx replaces.
  assert.deepEqual(await toolsOf(url, { headers: { ...as('eve'), 'X-Forwarded-User': 'ada' } }), []);
});
