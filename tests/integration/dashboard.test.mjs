// The dashboard: who comes in, what the page shows while it happens, and what it does about it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

import { AuditLog } from './support/audit_log.mjs';
import { Authority, writePair } from './support/authority.mjs';
import { Components } from './support/components.mjs';
import { ask, askAs, logIn, options, Page, roles, serveWithDashboard } from './support/dashboard.mjs';
import { HttpHost, program, serve } from './support/host.mjs';
import { modernHeaders, modernRequest, postModern } from './support/http.mjs';
import { nextWithData, sseEvents, untilEnd } from './support/sse.mjs';
import { Team } from './support/team.mjs';

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
      const refused = await ask(host, path, { method });
      assert.equal(refused.status, 401, `${method} ${path}`);
      assert.equal(refused.headers.get('WWW-Authenticate'), 'DashboardLogin');
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

async function serveTeam(context, { isAudited = false, more = '', options: moreOptions = [], plugins = ['sample_v1'] } = {}) {
  const components = await Components.create(...plugins);
  const audit = new AuditLog(components.folder);
  const team = await Team.serve(context, components, roles + more + (isAudited ? await audit.table() : ''), [...moreOptions, '--dashboard', '127.0.0.1:0', '--control', 'none']);
  team.host.dashboard = new URL((await team.host.log.until({ event: 'serving the dashboard' })).url);
  team.audit = audit;
  return team;
}

const logInWith = (host, token) => ask(host, '/api/login/credential', { method: 'POST', body: {}, headers: token ? { Authorization: `Bearer ${token}` } : {} });
// At the endpoint beside the page.
const askMcp = (host, cookie, method, params) => ask(host, '/mcp', { method: 'POST', cookie, body: modernRequest(method, params),
  headers: { Accept: 'application/json, text/event-stream', ...modernHeaders(method, params.name) } });
const cookieOf = (response) => response.headers.get('Set-Cookie').split(';')[0];

test('CredentialsOfClientsLetInByTheirRoles', async (context) => {
  const team = await serveTeam(context);
  const { host } = team;
  const tokens = { guest: await team.token('gus', 'guest'), looker: await team.token('lou', 'looker'), keeper: await team.token('kim', 'keeper') };
  assert.equal((await logInWith(host)).status, 401);
  assert.equal((await logInWith(host, 'wrong')).status, 401);
  assert.equal((await logInWith(host, tokens.guest)).status, 403);
  const looker = await logInWith(host, tokens.looker);
  assert.deepEqual(await looker.json(), { name: 'lou', mayOperate: false });
  const keeper = await logInWith(host, tokens.keeper);
  assert.deepEqual(await keeper.json(), { name: 'kim', mayOperate: true });

  const reload = (cookie) => ask(host, '/api/reload', { method: 'POST', cookie, body: { plugin: 'sample' } });
  assert.equal((await reload(cookieOf(looker))).status, 403);
  assert.equal((await reload(cookieOf(keeper))).status, 200);
  await host.log.until({ event: 'dashboard command', who: 'host#kim' });

  // Each may use what the roles permit, and no more.
  const call = async (cookie, name) => (await askMcp(host, cookie, 'tools/call', { name, arguments: {} })).json();
  assert.equal((await call(cookieOf(looker), 'version')).result.content[0].text, '1');
  assert.match((await call(cookieOf(looker), 'only_in_v1')).error.message, /Unknown tool/);
  assert.equal((await call(cookieOf(keeper), 'only_in_v1')).result.content[0].text, 'only_in_v1');
});

test('WhoShowsNothingHearsWhatLetsIn', async (context) => {
  const { host } = await serveTeam(context, { more: '[roles.anonymous]\nallow = ["*"]\n' });
  const refused = await logInWith(host);
  assert.equal(refused.status, 401);
  assert.equal((await refused.json()).error,
    'Nothing has been shown that says who you are; write a token, or use the link that mcp-plugin-host dashboard prints');
});

test('ALoginEndsWithItsCredential', async (context) => {
  const team = await serveTeam(context);
  const { host } = team;
  const cookie = cookieOf(await logInWith(host, await team.token('lou', 'looker')));
  const events = sseEvents((await ask(host, '/api/events', { cookie })).body);
  const { reset, login } = JSON.parse((await nextWithData(events)).data);
  assert.deepEqual([reset, login], [true, { name: 'lou', mayOperate: false }]);
  await team.revoke('lou');
  await untilEnd(events);
  assert.equal((await ask(host, '/api/plugin?file=x', { cookie })).status, 401);
});

test('ALoginMayDoWhatItsRolesPermitNow', async (context) => {
  const kept = roles.replace('[roles.keeper]', '[roles.keeper]\nprincipals = ["host#kim"]');
  const team = await serveTeam(context);
  const { host } = team;
  const token = await team.token('kim', 'guest');
  await team.reconfigure(kept);
  const cookie = cookieOf(await logInWith(host, token));
  const reload = async () => (await ask(host, '/api/reload', { method: 'POST', cookie, body: { plugin: 'sample' } })).status;
  assert.equal(await reload(), 200);
  await team.reconfigure(kept.replace('principals', '# principals').replace('[roles.looker]', '[roles.looker]\nprincipals = ["host#kim"]'));
  assert.equal(await reload(), 403);
  await team.reconfigure(roles);
  assert.equal(await reload(), 401);
});

test('PluginsAreToldTheRolesOfNow', async (context) => {
  const team = await serveTeam(context, { plugins: ['telling'] });
  const { host } = team;
  const cookie = cookieOf(await logInWith(host, await team.token('kim', 'keeper')));
  const told = async () => {
    const { result } = await (await askMcp(host, cookie, 'tools/call', { name: 'tell', arguments: { text: '' } })).json();
    return JSON.parse(result.content[0].text).caller[5];
  };
  const listen = async () => {
    const events = sseEvents((await askMcp(host, cookie, 'subscriptions/listen', { notifications: { toolsListChanged: true } })).body);
    await nextWithData(events);
    return events;
  };
  const before = await listen();
  assert.deepEqual(await told(), ['keeper']);
  await team.reconfigure(roles.replace('[roles.guest]', '[roles.guest]\nprincipals = ["host#kim"]'));
  assert.deepEqual(await told(), ['guest', 'keeper']);
  // What began with other roles ends with the login, too.
  const since = await listen();
  assert.equal((await ask(host, '/api/logout', { method: 'POST', cookie, body: {} })).status, 200);
  for (const events of [before, since]) while (await nextWithData(events).catch(() => undefined));
});

test('ATokenWhoseRolesAreTakenAwayLosesThemHereToo', async (context) => {
  const team = await serveTeam(context);
  const { host } = team;
  const token = await team.token('kim', 'keeper');
  const cookie = cookieOf(await logInWith(host, token));
  const reload = async () => (await ask(host, '/api/reload', { method: 'POST', cookie, body: { plugin: 'sample' } })).status;
  assert.equal(await reload(), 200);
  const begin = async () => {
    const events = sseEvents((await ask(host, '/api/events', { cookie })).body);
    return { events, login: JSON.parse((await nextWithData(events)).data).login };
  };
  const { events, login } = await begin();
  assert.equal(login.mayOperate, true);
  const file = join(dirname(team.file), 'tokens.json');
  const taken = host.log.next({ event: 'configuration taken' });
  await writeFile(file, (await readFile(file, 'utf8')).replace('keeper', 'looker'));
  await taken;
  assert.equal(await reload(), 403);
  await untilEnd(events);
  assert.equal((await begin()).login.mayOperate, false);
});

test('WhoFailsBehindAProxyKeepsNobodyElseOut', async (context) => {
  const team = await serveTeam(context);
  const { host } = team;
  const token = await team.token('lou', 'looker');
  await team.reconfigure(`${roles}[proxy]\ntrusted_addresses = ["127.0.0.1"]\n[limits]\nfailures = { rate = "1/d", burst = 2 }\n`);
  const logInFrom = async (address, given) => (await ask(host, '/api/login/credential',
    { method: 'POST', body: {}, headers: { Authorization: `Bearer ${given}`, 'X-Forwarded-For': address } })).status;
  for (const status of [401, 401, 429]) assert.equal(await logInFrom('203.0.113.1', 'wrong'), status);
  assert.equal(await logInFrom('203.0.113.2', token), 200);
});

test('WhatIsDoneAndRefusedThereIsInTheAuditLog', async (context) => {
  const team = await serveTeam(context, { isAudited: true });
  const { audit, host } = team;
  assert.equal((await logInWith(host, await team.token('gus', 'guest'))).status, 403);
  const cookie = cookieOf(await logInWith(host, await team.token('kim', 'keeper')));
  assert.equal((await ask(host, '/api/reload', { method: 'POST', cookie, body: { plugin: 'sample' } })).status, 200);
  const reloaded = await audit.until({ event: 'operator', action: 'reload' });
  assert.deepEqual([reloaded.plugin, reloaded.outcome, reloaded.principal.subject], ['sample', 'ok', 'kim']);
  await host.stop();
  const refused = (await audit.lines()).filter(({ event, principal }) => event === 'refused' && principal?.subject === 'gus');
  assert.deepEqual(refused.map(({ outcomes }) => outcomes['http 403']).filter(Boolean), [1]);
});

test('LoggingOutEndsWhatGoesOn', async (context) => {
  const host = await serveWithDashboard(context, await Components.create('sample_v1'));
  const [here, elsewhere] = [await logIn(host), await logIn(host)];
  const logOut = (cookie) => ask(host, '/api/logout', { method: 'POST', cookie, body: {} });
  const events = sseEvents((await askMcp(host, here, 'subscriptions/listen', { notifications: { toolsListChanged: true } })).body);
  await nextWithData(events);
  // Another login of the same operator is another matter.
  await logOut(elsewhere);
  await ask(host, '/api/disable', { method: 'POST', cookie: here, body: { plugin: 'sample' } });
  assert.equal(JSON.parse((await nextWithData(events)).data).method, 'notifications/tools/list_changed');
  await logOut(here);
  assert.equal(await nextWithData(events).catch(() => undefined), undefined);
});

test('OperatorsSeeBodiesWhereTheyAreKept', options, async (context) => {
  const components = await Components.create('sample_v1');
  const configuration = join(components.folder, 'host.toml');
  await writeFile(configuration, '[dashboard]\nbodies = true\n');
  const host = await serveWithDashboard(context, components, ['--config', configuration]);
  await call(host, 'nothing', { secret: 'x'.repeat(10) });
  const page = await Page.open(context, host, { at: 'calls' });
  await page.untilText('.calls tbody', 'nothing');
  await page.press('Show nothing', '.calls');
  await page.untilText('.bodies', '"secret":"xxxxxxxxxx"');
  await page.untilText('.bodies', 'Unknown tool');
  await page.press('Close', '.bodies');
  await page.until(() => !document.querySelector('dialog'));
  assert.deepEqual(page.mistakes, []);
  assert.equal((await ask(host, '/api/call?number=1')).status, 401);
  assert.equal((await ask(host, '/api/call?number=99', { cookie: await logIn(host) })).status, 404);
});

test('ViewersSeeNoBodies', async (context) => {
  const team = await serveTeam(context, { isAudited: true, more: 'bodies = true\n', options: ['--log-level', 'trace'], plugins: ['telling'] });
  const { audit, host } = team;
  const logins = {};
  for (const [name, role] of [['lou', 'looker'], ['kim', 'keeper']]) logins[name] = await logInWith(host, await team.token(name, role));
  assert.equal((await logins.lou.json()).seesBodies, undefined);
  assert.equal((await logins.kim.json()).seesBodies, true);
  const [looker, keeper] = [cookieOf(logins.lou), cookieOf(logins.kim)];
  const first = async (cookie) => {
    const events = sseEvents((await ask(host, '/api/events', { cookie })).body);
    for await (const { data } of events) if (data) return JSON.parse(data);
  };
  await (await askMcp(host, keeper, 'tools/call', { name: 'tell', arguments: { text: 'swordfish' } })).text();
  const seen = { looker: await first(looker), keeper: await first(keeper) };
  const { number } = seen.looker.calls.find(({ component }) => component === 'tell');
  assert.ok(!JSON.stringify(seen.looker).includes('swordfish'));
  assert.ok(JSON.stringify(seen.keeper.log).includes('swordfish'));
  assert.equal((await ask(host, `/api/call?number=${number}`, { cookie: looker })).status, 403);
  const shown = await ask(host, `/api/call?number=${number}`, { cookie: keeper });
  assert.match((await shown.json()).params, /swordfish/);
  assert.equal((await audit.until({ event: 'operator', action: 'call' })).principal.subject, 'kim');

  const without = await serveTeam(context);
  const cookie = cookieOf(await logInWith(without.host, await without.token('kim', 'keeper')));
  assert.equal((await ask(without.host, '/api/call?number=1', { cookie })).status, 404);
});

test('OperatorsSeeConfigurationsWithoutSecrets', async (context) => {
  const components = await Components.create();
  await components.addShipped('tools/calculator', {
    root: '/srv', passwd: 'SECRET', db_pwd: 'SECRET', access_key_id: 'SECRET', signature: 'SECRET', apiKey: 'SECRET',
    url: 'https://example.com/v1?page=1&api_key=SECRET',
    two: 'http://ada:SECRET@a.example,http://bob:SECRET@b.example/x',
    args: ['--port=80', '--token', 'SECRET', '--api-key=SECRET', '-H', 'Authorization: Bearer SECRET', 'https://h/a@b'],
  });
  const host = await serveWithDashboard(context, components);
  const file = components.file('calculator.so');
  const shown = await ask(host, `/api/plugin?file=${encodeURIComponent(file)}`, { cookie: await logIn(host) });
  assert.equal(shown.status, 200);
  assert.deepEqual((await shown.json()).configuration, {
    root: '/srv', passwd: '•••', db_pwd: '•••', access_key_id: '•••', signature: '•••', apiKey: '•••',
    url: 'https://example.com/v1?page=1&api_key=•••',
    two: 'http://•••@a.example,http://•••@b.example/x',
    args: ['--port=80', '--token', '•••', '--api-key=•••', '-H', 'Authorization:•••', 'https://h/a@b'],
  });
});

test('SomethingMayStandBeforeIt', async (context) => {
  const components = await Components.create('sample_v1');
  const configuration = join(components.folder, 'host.toml');
  await writeFile(configuration, '[dashboard]\nurl = "https://host.example.com"\n');
  const host = await serveWithDashboard(context, components, ['--config', configuration]);
  assert.equal(host.dashboard.href, 'https://host.example.com/');
  host.dashboard = new URL(`http://${(await host.log.until({ event: 'serving the dashboard' })).address}`);
  assert.match(await host.link(), /^https:\/\/host\.example\.com\/#t=/);
  const token = new URL(await host.link()).hash.slice('#t='.length);
  // One that says the name by which it reaches the host, and one that passes on what the browser says.
  assert.equal((await askAs(host, host.dashboard.host, '/api/login', { method: 'POST', origin: 'https://host.example.com', body: {} })).statusCode, 400);
  const logInAs = (name) => askAs(host, name, '/api/login', { method: 'POST', origin: `https://${name}`, body: { token } });
  assert.equal((await logInAs('other.example.com')).statusCode, 403);
  const login = await logInAs('host.example.com');
  assert.equal(login.statusCode, 200);
  assert.match(login.headers['set-cookie'][0], /; Secure$/);
});

test('OverTlsItIsTheSamePage', options, async (context) => {
  const components = await Components.create('sample_v1');
  const authority = new Authority('servers');
  context.after(() => authority.discard());
  writePair(components.folder, authority.issue('localhost'));
  const configuration = join(components.folder, 'host.toml');
  await writeFile(configuration, '[tls]\ncertificate = "server.pem"\nkey = "server.key"\n');
  const host = await serveWithDashboard(context, components, ['--config', configuration], '0.0.0.0:0');
  assert.equal(host.dashboard.protocol, 'https:');
  const link = await host.link();
  host.link = async () => link.replace('0.0.0.0', 'localhost');
  const page = await Page.open(context, host);
  await page.untilText('.plugins .opener', 'sample');
  await page.press('Disable sample', '.plugins');
  await page.untilText('.plugins .chip', 'disabled');
  const [cookie] = await page.tab.cookies();
  assert.deepEqual([cookie.secure, cookie.httpOnly, cookie.sameSite], [true, true, 'Strict']);
  assert.deepEqual(page.mistakes, []);
});

test('OthersReachItByTlsOnly', async (context) => {
  const components = await Components.create();
  context.after(() => components.discard());
  await assert.rejects(HttpHost.start(components, ['--dashboard', '0.0.0.0:0']),
    /--dashboard 0\.0\.0\.0:0 is reached by others, and there is no TLS.*--allow-remote-dashboard/);
  const host = await serve(context, components, ['--dashboard', '0.0.0.0:0', '--allow-remote-dashboard']);
  const { port } = new URL((await host.log.until({ event: 'serving the dashboard' })).url);
  assert.equal((await fetch(`http://127.0.0.1:${port}/api/events`)).status, 401);
});
