// The dashboard for everybody: by keyboard alone, on a narrow screen, in dark colours, and with what axe looks for.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { Components } from './support/components.mjs';
import { options, Page, serveWithDashboard } from './support/dashboard.mjs';
import { postModern } from './support/http.mjs';

const axe = await readFile(new URL('node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const views = ['plugins', 'try', 'try/tools/order', 'calls', 'log'];

async function busyHost(context) {
  const host = await serveWithDashboard(context, await Components.create('asking', 'sample_v1'));
  for (const name of ['only_in_v1', 'nothing']) await (await postModern(host.url, 'tools/call', { name, arguments: {} })).text();
  return host;
}

async function seriousViolations(page) {
  await page.tab.evaluate(axe);
  const { violations } = await page.tab.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
  return violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)).map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).slice(0, 3).join(' ')}`);
}

for (const scheme of ['light', 'dark']) {
  test(`AxeFindsNothingSerious, ${scheme}`, options, async (context) => {
    const page = await Page.open(context, await busyHost(context));
    await page.tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.untilText('.plugins .opener', 'sample');
    await page.press('sample', '.plugins');
    await page.untilText('.detail h3', 'Components');
    for (const view of views) {
      await page.goTo(view);
      await page.until((name) => document.querySelector('nav a[aria-current]')?.hash === `#${name}`, view.split('/')[0]);
      if (view === 'try/tools/order') await page.untilText('.trial h2', 'order');
      assert.deepEqual(await seriousViolations(page), [], view);
    }
    const dark = await page.tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(scheme === 'dark', Number(dark.match(/\d+/)[0]) < 64, dark);
  });
}

test('ItFitsOnAScreenOf320Pixels', options, async (context) => {
  const page = await Page.open(context, await busyHost(context), { width: 320, height: 640 });
  await page.untilText('.plugins .opener', 'sample');
  await page.press('sample', '.plugins');
  await page.untilText('.detail h3', 'Components');
  for (const view of views) {
    await page.goTo(view);
    await page.until((name) => document.querySelector('nav a[aria-current]')?.hash === `#${name}`, view.split('/')[0]);
    if (view === 'try/tools/order') await page.untilText('.trial h2', 'order');
    assert.ok(await page.tab.evaluate(() => document.documentElement.scrollWidth <= 320), view);
  }
});

// Presses Tab until what is focused has these words.
async function tabTo(page, words) {
  for (let tries = 0; tries < 80; ++tries) {
    await page.tab.keyboard.press('Tab');
    const focused = await page.tab.evaluate(() => {
      const at = document.activeElement;
      return (at.getAttribute('aria-label') ?? document.querySelector(`label[for="${at.id}"]`)?.textContent ?? at.textContent).trim();
    });
    if (focused.startsWith(words)) return;
  }
  assert.fail(`Tab does not come to ${words}`);
}

test('EverythingCanBeDoneByKeyboard', options, async (context) => {
  const page = await Page.open(context, await busyHost(context));
  const { keyboard } = page.tab;
  await page.untilText('.plugins .opener', 'sample');
  await tabTo(page, 'sample');
  await keyboard.press('Enter');
  await page.untilText('.detail h3', 'Components');
  await tabTo(page, 'Disable sample');
  await keyboard.press('Enter');
  await page.untilText('.plugins .chip', 'disabled');
  await page.tab.evaluate(() => document.activeElement.blur());
  await tabTo(page, 'Try');
  await keyboard.press('Enter');
  await page.untilText('.chooser', 'order');
  await tabTo(page, 'order');
  await keyboard.press('Enter');
  await page.untilText('.trial h2', 'order');
  await tabTo(page, 'Run');
  await keyboard.press('Enter');
  await page.untilText('.question', 'Your order?');
  assert.equal(await page.tab.evaluate(() => document.activeElement.closest('.question') !== null), true, 'the question has the focus');
  await keyboard.type('Ada');
  await tabTo(page, 'Decline');
  await keyboard.press('Enter');
  await page.untilText('.trial .result', 'declined');
});
