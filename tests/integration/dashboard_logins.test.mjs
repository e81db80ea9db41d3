// Who looks at the dashboard: how they come in and leave, what the next one sees, and what is said while the host is away.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

import { Components } from './support/components.mjs';
import { browser, options, Page, roles, serveWithDashboard } from './support/dashboard.mjs';
import { Team } from './support/team.mjs';

// A page of the host, as somebody sees it who opens its address.
async function openAt(context, host) {
  const browserContext = await (await browser()).createBrowserContext();
  context.after(() => browserContext.close());
  const page = new Page(await browserContext.newPage(), host);
  await page.tab.goto(host.dashboard.href);
  await page.tab.waitForSelector('.login');
  return page;
}

test('ALinkMayBePastedIntoTheOpenPage', options, async (context) => {
  const host = await serveWithDashboard(context, await Components.create('sample_v1'));
  const page = await openAt(context, host);
  const { hash } = new URL(await host.link());
  await page.goTo(hash);
  await page.untilText('.plugins .opener', 'sample');
  assert.equal(page.tab.url(), host.dashboard.href, 'the token is gone');
  // One that has been used throws nobody out.
  await page.goTo(hash);
  await page.untilText('#complaint', 'This link has been used');
  assert.equal(page.tab.url(), host.dashboard.href);
  await page.goTo('calls');
  await page.until(() => document.querySelector('.calls') && document.getElementById('complaint').hidden);

  // Nor does it in another tab, which begins with it.
  const tab = await page.tab.browserContext().newPage();
  await tab.goto(new URL(hash, host.dashboard).href);
  await tab.waitForSelector('#state[data-state=live]');
  await tab.waitForFunction(() => document.getElementById('complaint').textContent.startsWith('This link has been used'));

  const other = await openAt(context, host);
  await other.goTo(hash);
  await other.untilText('.login .problem', 'This link has been used');
  assert.equal(other.tab.url(), host.dashboard.href);
});

async function serveTeam(context) {
  const components = await Components.create('sample_v1');
  const team = await Team.serve(context, components, `${roles}bodies = true\n`, ['--dashboard', '127.0.0.1:0', '--control', 'none']);
  team.host.dashboard = new URL((await team.host.log.until({ event: 'serving the dashboard' })).url);
  return team;
}

async function logInWith(page, token) {
  await page.tab.type('#credential', token);
  await page.press('Log in');
  await page.tab.waitForSelector('#state[data-state=live]');
}

const tried = async (page) => {
  await page.goTo('try/tools/only_in_v1');
  await page.untilText('.trial h2', 'only_in_v1');
  await page.press('Run', '.trial');
  await page.untilText('.result', 'only_in_v1');
};

test('TheNextOneSeesNothingOfWhoWasThereBefore', options, async (context) => {
  const team = await serveTeam(context);
  const page = await openAt(context, team.host);
  await logInWith(page, await team.token('kim', 'keeper'));
  await tried(page);
  await page.press('Log out');
  await page.tab.waitForSelector('.login');
  await logInWith(page, await team.token('lou', 'looker'));
  await page.untilText('#name', 'lou');
  await page.goTo('try');
  await page.untilText('.place', 'Choose what to try.');
  await page.untilText('.chooser', 'version');
  assert.deepEqual(await page.tab.$$eval('.chooser button', (all) => all.map((each) => each.textContent)), ['version']);
  await page.until(() => document.querySelector('nav a[aria-current]').hash === '#try');
  assert.equal(await page.tab.$('.result'), null);
  assert.ok(!(await page.tab.url()).includes('only_in_v1'));
  assert.deepEqual(page.mistakes.filter((each) => !each.includes('401')), []);
});

test('NorDoesOneWhoLogsInBesideThem', options, async (context) => {
  const team = await serveTeam(context);
  const page = await openAt(context, team.host);
  await logInWith(page, await team.token('kim', 'keeper'));
  await tried(page);
  await page.goTo('calls');
  await page.untilText('.calls tbody', 'only_in_v1');
  await page.press('Show only_in_v1', '.calls');
  await page.untilText('.bodies', 'Params');
  // In another tab. The stream here goes on until its login ends.
  const lou = await team.token('lou', 'looker');
  await page.tab.evaluate((token) => {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
    return fetch('/api/login/credential', { method: 'POST', headers, body: '{}' });
  }, lou);
  await team.revoke('kim');
  await page.untilText('#name', 'lou');
  await page.until(() => !document.querySelector('dialog, [aria-label^="Show "]'));
  await page.goTo('try');
  await page.until(() => document.querySelectorAll('.chooser button').length === 1);
  assert.equal(await page.tab.$('.result'), null);
});

test('AHostThatSaysNothingIsAway', options, async (context) => {
  const host = await serveWithDashboard(context, await Components.create('sample_v1'));
  const page = await Page.open(context, host);
  await page.untilText('.plugins .opener', 'sample');
  await page.press('sample', '.plugins');
  await page.untilText('.detail h3', 'Components');
  host.child.kill('SIGSTOP');
  try {
    await page.untilText('#state', 'The host is away');
    const up = await page.text('.figures dd');
    await pause(2500);
    assert.equal(await page.text('.figures dd'), up);
  } finally {
    host.child.kill('SIGCONT');
  }
  await page.untilText('#state', 'live');
  assert.equal(await page.tab.$eval('.detail', (detail) => detail.hidden), false, 'what was open is open');
  assert.deepEqual(page.mistakes, []);
});

test('WhoCannotLogOutIsTold', options, async (context) => {
  const host = await serveWithDashboard(context, await Components.create('sample_v1'));
  const page = await Page.open(context, host);
  await page.untilText('.plugins .opener', 'sample');
  await page.tab.setOfflineMode(true);
  await page.press('Log out');
  await page.untilText('#complaint', 'The host could not be told; this login is still good.');
  await page.untilText('.plugins .opener', 'sample');
  await page.tab.setOfflineMode(false);
  await page.press('Log out');
  await page.tab.waitForSelector('.login');
  assert.equal(await page.tab.$eval('#complaint', (each) => each.hidden), true);
});
