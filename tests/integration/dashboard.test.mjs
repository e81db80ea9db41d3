// The dashboard: who comes in, what the page shows while it happens, and what it does about it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

import { Components } from './support/components.mjs';
import { ask, logIn, options, Page, serveWithDashboard } from './support/dashboard.mjs';
import { program, serve } from './support/host.mjs';
import { postModern } from './support/http.mjs';

const call = async (host, name, args = {}) => (await postModern(host.url, 'tools/call', { name, arguments: args })).json();

test('WhoHasNotLoggedInGetsThePageAndNothingElse', async (context) => {
  const host = await serveWithDashboard(context, await Components.create('sample_v1'));
  for (const path of ['/', '/style.css', '/dashboard.js', '/frame']) {
    const response = await ask(host, path);
    assert.equal(response.status, 200, path);
    assert.match(response.headers.get('Content-Security-Policy'), path === '/frame' ? /sandbox allow-scripts/ : /trusted-types 'none'/);
  }
  for (const path of ['/api/events', '/api/plugin?file=x', '/api/reload', '/api/nothing', '/mcp', '/status']) {
    for (const method of ['GET', 'POST']) {
      const cookie = `mcp-dashboard-${host.dashboard.port}=guess`;
      assert.equal((await ask(host, path, { method })).status, 401, `${method} ${path}`);
      assert.equal((await ask(host, path, { method, cookie })).status, 401, `${method} ${path}`);
    }
  }
});

test('ALinkLetsInOnce', async (context) => {
  const host = await serveWithDashboard(context, await Components.create());
  const token = new URL(await host.link()).hash.slice('#t='.length);
  const use = (body, headers) => ask(host, '/api/login', { method: 'POST', body, headers });
  assert.equal((await use({ token: `${token}x` })).status, 401);
  const first = await use({ token });
  assert.equal(first.status, 200);
  assert.deepEqual(await first.json(), { name: 'operator', mayOperate: true });
  const cookie = first.headers.get('Set-Cookie');
  assert.match(cookie, /; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/);
  assert.equal((await use({ token })).status, 401, 'a second time');
  assert.equal((await use({})).status, 400);
  assert.equal((await ask(host, '/api/login')).status, 405);

  const mine = cookie.split(';')[0];
  assert.equal((await ask(host, '/api/plugin?file=x', { cookie: mine })).status, 404);
  assert.equal((await ask(host, '/api/logout', { method: 'POST', cookie: mine, body: {} })).status, 200);
  assert.equal((await ask(host, '/api/plugin?file=x', { cookie: mine })).status, 401);
});

test('AHostWithoutADashboardSaysHowToHaveOne', async (context) => {
  const components = await Components.create();
  const control = join(components.folder, 'control.sock');
  await serve(context, components, ['--control', control]);
  const ended = await promisify(execFile)(program, ['dashboard', '--control', control]).catch((error) => error);
  assert.equal(ended.code, 2);
  assert.match(ended.stderr, /this host has no dashboard; serve with --dashboard 127\.0\.0\.1:8081/);
});

test('CommandsComeFromThePageItselfAndByPost', async (context) => {
  const components = await Components.create('sample_v1');
  const host = await serveWithDashboard(context, components);
  const cookie = await logIn(host);
  const body = { plugin: 'sample' };
  const before = await call(host, 'version');
  const command = (more) => ask(host, '/api/disable', { method: 'POST', cookie, body, ...more });
  for (const [headers, status] of [
    [{ Origin: 'http://127.0.0.1:1' }, 403],
    [{ Origin: 'http://evil.example' }, 403],
    [{ Origin: 'null' }, 403],
    [{ 'Sec-Fetch-Site': 'cross-site' }, 403],
    [{ 'Sec-Fetch-Site': 'same-site', Origin: host.dashboard.origin }, 403],
    [{ 'Content-Type': 'text/plain' }, 400],
  ]) assert.equal((await command({ headers })).status, status, JSON.stringify(headers));
  assert.equal((await ask(host, '/api/disable', { cookie })).status, 405);
  assert.deepEqual(await call(host, 'version'), before);

  const good = await command({ headers: { 'Sec-Fetch-Site': 'same-origin', Origin: host.dashboard.origin } });
  assert.equal(good.status, 200);
  assert.equal((await good.json()).ok, true);
  assert.notDeepEqual(await call(host, 'version'), before);
  await host.log.until({ event: 'dashboard command', command: 'disable', who: 'operator#control-socket' });
});

test('ThePageIsAlive', options, async (context) => {
  const components = await Components.create('sample_v1');
  const host = await serveWithDashboard(context, components);
  const page = await Page.open(context, host);
  await page.untilText('.plugins .opener', 'sample');
  assert.equal(new URL(page.tab.url()).hash, '', 'the token is gone');

  await components.add('dying');
  await page.untilText('.plugins .opener', 'dying');
  await call(host, 'only_in_v1');
  await page.press('Disable sample');
  await page.untilText('.plugins .chip', 'disabled');
  await page.press('Enable sample');
  await page.until(() => [...document.querySelectorAll('.plugins .chip')].every((each) => each.textContent === 'serving'));
  await components.removeFile('dying.so');
  await page.until(() => document.querySelectorAll('.plugins .opener').length === 1);

  await page.press('sample', '.plugins');
  await page.untilText('.detail h3', 'Components');
  await page.goTo('calls');
  await page.untilText('.calls tbody', 'only_in_v1');
  await page.goTo('log');
  await page.untilText('.lines', 'plugin disabled');
  assert.deepEqual(page.mistakes, []);
  const hosts = new Set(page.requests.map((request) => request.url()).filter((url) => url.startsWith('http')).map((url) => new URL(url).host));
  assert.deepEqual([...hosts], [host.dashboard.host]);
});

test('WhatIsTriedGoesThroughTheEndpointOfTheClients', options, async (context) => {
  const host = await serveWithDashboard(context, await Components.create('asking'));
  const page = await Page.open(context, host, { at: 'try/tools/order' });
  await page.untilText('.trial h2', 'order');
  await page.press('Run', '.trial');
  await page.untilText('.question', 'Your order?');
  await page.fill('name', 'Ada');
  await page.fill('favourite', '1');
  await page.press('Answer', '.question');
  await page.untilText('.trial .result', '"Ada"');
  await pause(50);
  assert.deepEqual(page.mistakes, []);
});
