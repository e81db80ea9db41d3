// Those who start, stop and balance servers find out whether this one is alive and ready, without proving who they are.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';

import { adminOf } from './support/admin.mjs';
import { assertInFlight } from './support/assertions.mjs';
import { Components } from './support/components.mjs';
import { argumentsOf, HttpHost, inProcess, program, serve } from './support/host.mjs';
import { postModern } from './support/http.mjs';
import { LogLines } from './support/log_lines.mjs';
import { untilNoted } from './support/outcomes.mjs';
import { RawConnection, requestText } from './support/raw_connection.mjs';
import { Team } from './support/team.mjs';

const admin = ['--admin-listen', '127.0.0.1:0'];

async function answer(base, path, options) {
  const response = await fetch(new URL(path, base), options);
  const text = await response.text();
  return { status: response.status, text, headers: response.headers };
}

const status = async (base, path, options) => (await answer(base, path, options)).status;

test('AHostThatServesIsAliveAndReady', async (context) => {
  const host = await serve(context, await Components.create('sample_v1'), admin);
  for (const base of [host.address, await adminOf(host)]) {
    const alive = await answer(base, '/livez');
    assert.deepEqual([alive.status, alive.text], [200, '{"status":"alive"}\n']);
    assert.equal(alive.headers.get('Cache-Control'), 'no-store');
    const ready = await answer(base, '/readyz');
    assert.deepEqual([ready.status, ready.text], [200, '{"status":"ready"}\n']);
    for (const path of ['/livez', '/readyz']) {
      const head = await answer(base, path, { method: 'HEAD' });
      assert.deepEqual([head.status, head.text], [200, '']);
      assert.notEqual(head.headers.get('Content-Length'), '0');
      const posted = await answer(base, path, { method: 'POST', body: '{}' });
      assert.equal(posted.status, 405);
      assert.equal(posted.headers.get('Allow'), 'GET, OPTIONS, HEAD');
    }
  }
});

test('NobodyIsAskedForAToken', async (context) => {
  const team = await Team.serve(context, await Components.create('sample_v1'), '[roles.user]\nallow = ["*"]\n');
  assert.equal((await postModern(team.url, 'tools/list')).status, 401);
  assert.equal(await status(team.host.address, '/livez'), 200);
  assert.equal(await status(team.host.address, '/readyz'), 200);
});

test('ItIsNotLogged', async (context) => {
  const host = await serve(context, await Components.create('sample_v1'), ['--log-level', 'debug', ...admin]);
  const base = await adminOf(host);
  await postModern(host.url, 'tools/list');
  // What a busy machine makes a host say besides.
  const said = () => host.log.entries.filter(({ event }) => event !== 'components folder is slow').length;
  const before = said();
  for (let i = 0; i < 20; ++i) {
    for (const path of ['/livez', '/readyz']) {
      assert.equal(await status(host.address, path), 200);
      assert.equal(await status(base, path), 200);
    }
  }
  await postModern(host.url, 'tools/call', { name: 'no such tool' });
  await host.log.until({ event: 'call', outcome: 'refused' });
  assert.equal(said(), before + 1, host.log.text());
});

// One whose plugin does not come back waits for it for a second.
test('AHostThatStartsIsAliveAndNotReady', { skip: inProcess && 'such a plugin would never end' }, async (context) => {
  const components = await Components.create('hanging');
  const options = ['--listen', '127.0.0.1:0', ...admin];
  const child = spawn(program, argumentsOf('serve', components, options), { stdio: ['ignore', 'ignore', 'pipe'] });
  const log = new LogLines(child.stderr);
  const started = HttpHost.of(child);
  context.after(async () => (await started).stop().finally(() => components.discard()));
  const base = await adminOf({ log });
  const starting = await answer(base, '/readyz');
  const asked = Date.now();
  assert.equal(await status(base, '/livez'), 200);
  const host = await started;
  const { time } = await log.until({ event: 'serving' });
  if (starting.status === 503) assert.equal(starting.text, '{"status":"starting"}\n');
  // It is ready a moment before it says that it serves.
  else assert.ok(asked > Date.parse(time) - 1000, 'a host that starts is not ready');
  assert.equal(await status(base, '/readyz'), 200);
  assert.equal(await status(host.address, '/readyz'), 200);
});

test('AHostThatStopsIsAliveAndNotReady', async (context) => {
  const components = await Components.create('slow');
  const options = [...admin, '--shutdown-grace-s', '60'];
  const host = (await HttpHost.start(components, options)).killAfter(context, components);
  const base = await adminOf(host);
  const call = postModern(host.url, 'tools/call', { name: 'wait', arguments: { milliseconds: 12_000, label: 'a' } });
  await untilNoted(host.url, 'a begun');
  const stopping = host.log.until({ event: 'stopping' });
  host.signal('SIGTERM');
  await stopping;
  const notReady = await answer(base, '/readyz');
  assert.deepEqual([notReady.status, notReady.text], [503, '{"status":"stopping"}\n']);
  assert.equal(notReady.headers.get('Retry-After'), '1');
  assert.equal(await status(base, '/readyz', { method: 'HEAD' }), 503);
  assert.equal(await status(base, '/livez'), 200);
  await assertInFlight(call);
  assert.equal((await call).status, 200);
  const end = await host.end();
  assert.equal(end.status, 0);
});

// A browser must not read it on behalf of a web page that knows the port.
test('AnotherHostAndAForeignOriginAreRefused', async (context) => {
  const host = await serve(context, await Components.create(), admin);
  for (const base of [host.address, await adminOf(host)]) {
    const connection = await RawConnection.open(base);
    connection.write(requestText(new URL('/readyz', base), 'GET', { Host: 'evil.example' }, ''));
    assert.equal((await connection.response()).status, 403);
    connection.end();
    assert.equal(await status(base, '/readyz', { headers: { Origin: 'https://evil.example' } }), 403);
  }
});

test('APageThatMayUseTheServerMayNotReadWhatIsForTheOperator', async (context) => {
  for (const allowed of ['https://app.example', '*']) {
    const host = await serve(context, await Components.create(), [...admin, '--allow-origin', allowed]);
    const fromPage = { headers: { Origin: 'https://app.example' } };
    assert.equal(await status(host.address, '/readyz', fromPage), 200);
    for (const path of ['/livez', '/readyz', '/status', '/metrics'])
      assert.equal(await status(await adminOf(host), path, fromPage), 403);
  }
});

test('AnAddressThatOthersReachNeedsAnOption', async (context) => {
  const components = await Components.create();
  await assert.rejects(
    HttpHost.start(components, ['--admin-listen', '0.0.0.0:0']),
    /--admin-listen 0\.0\.0\.0:0 is reached by others, and nobody is asked there who they are\..*--allow-remote-admin/,
  );
  const host = await serve(context, components, ['--admin-listen', '0.0.0.0:0', '--allow-remote-admin']);
  const { port } = await adminOf(host);
  assert.equal(await status(`http://127.0.0.1:${port}/`, '/livez'), 200);
});

test('AnIssuerThatIsDownMakesTheHostNoLessReady', async (context) => {
  const components = await Components.create('sample_v1');
  await components.write(
    '../../team.toml',
    `[server]\nurl = "http://127.0.0.1"\n[issuers.down]\nissuer = "http://127.0.0.1:1"\n[roles.user]\nallow = ["*"]\n`,
  );
  const file = components.file('../../team.toml');
  const host = await HttpHost.start(components, ['--config', file, ...admin]);
  context.after(() => host.stop().finally(() => components.discard()));
  const base = await adminOf(host);
  const part = (json) => Buffer.from(JSON.stringify(json)).toString('base64url');
  const token = `${part({ alg: 'RS256', kid: '1' })}.${part({ iss: 'http://127.0.0.1:1', sub: 'a' })}.AAAA`;
  const response = await postModern(host.url, 'tools/list', {}, { headers: { Authorization: `Bearer ${token}` } });
  assert.equal(response.status, 503);
  assert.deepEqual(await answer(host.address, '/readyz').then(({ status, text }) => [status, text]), [
    200, '{"status":"ready"}\n',
  ]);
  const { status: code, text } = await answer(base, '/readyz');
  assert.equal(code, 200);
  assert.deepEqual(JSON.parse(text).degraded, ['the keys of the issuer down cannot be fetched']);
});
