// The dashboard's tables while they change: whoever is in a row stays there.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Components } from './support/components.mjs';
import { options, Page, serveWithDashboard } from './support/dashboard.mjs';
import { postModern } from './support/http.mjs';

const call = async (host, name) => (await postModern(host.url, 'tools/call', { name, arguments: {} })).text();

test('ACallKeepsItsRowWhileOthersCome', options, async (context) => {
  const host = await serveWithDashboard(context, await Components.create('sample_v1'));
  await call(host, 'version');
  const page = await Page.open(context, host, { at: 'calls' });
  await page.untilText('.calls tbody button', 'version');
  await page.tab.focus('.calls tbody button');
  for (let i = 0; i < 3; ++i) {
    await call(host, 'only_in_v1');
    await page.until((rows) => document.querySelectorAll('.calls tbody tr').length === rows, i + 2);
  }
  assert.equal(await page.tab.evaluate(() => document.activeElement.textContent), 'version');
  const called = await page.tab.$$eval('.calls tbody button', (all) => all.map((each) => each.textContent));
  assert.deepEqual(called, ['only_in_v1', 'only_in_v1', 'only_in_v1', 'version']);
  const time = await page.tab.$eval('.calls tbody time', (each) => `${each.textContent} ${each.dateTime}`);
  assert.match(time, /^\d\d:\d\d:\d\d \d{4}-\d\d-\d\dT.*Z$/);
  // Those that are gone go.
  await page.fill('With the words', 'version');
  await page.until(() => document.querySelectorAll('.calls tbody tr').length === 1);
  assert.deepEqual(page.mistakes, []);
});

test('WhoHasDisabledAPluginIsWhereItIsEnabled', options, async (context) => {
  const host = await serveWithDashboard(context, await Components.create('sample_v1'));
  const page = await Page.open(context, host);
  await page.untilText('.plugins .chip', 'serving');
  const isAt = (label) => page.until((wanted) => document.activeElement.getAttribute('aria-label') === wanted, label);
  await page.tab.focus('[aria-label="Disable sample"]');
  await page.tab.keyboard.press('Enter');
  await page.untilText('.plugins .chip', 'disabled');
  await isAt('Enable sample');
  await page.tab.keyboard.press('Enter');
  await page.untilText('.plugins .chip', 'serving');
  await isAt('Reload sample');
  assert.deepEqual(page.mistakes, []);
});

test('AComplaintGoesWithTheNextCommand', options, async (context) => {
  const components = await Components.create('sample_v1');
  const page = await Page.open(context, await serveWithDashboard(context, components));
  await page.untilText('.plugins .chip', 'serving');
  await page.tab.setOfflineMode(true);
  await page.press('Reload sample');
  await page.untilText('[role=alert]:not([hidden])', 'reload sample_v1.so');
  await page.tab.setOfflineMode(false);
  await page.press('Reload sample');
  await page.until(() => ![...document.querySelectorAll('main [role=alert]')].some((each) => !each.hidden));
});
