// The pictures of the four views for the site's page of docs/dashboard.md, made from a host at work.
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { env } from 'node:process';
import { test } from 'node:test';

import { Components } from './support/components.mjs';
import { options, Page, serveWithDashboard } from './support/dashboard.mjs';
import { postModern } from './support/http.mjs';

const maxBytes = 60_000;

async function hostAtWork(context) {
  const components = await Components.create();
  for (const plugin of ['tools/calculator', 'tools/clock', 'resources/docs', 'resources/files', 'prompts/prompts']) await components.addShipped(plugin);
  await components.write('half_copied.so', 'no library');
  return serveWithDashboard(context, components);
}

async function work(host) {
  const client = { 'io.modelcontextprotocol/clientInfo': { name: 'claude-code', version: '2.1.0' } };
  const call = async (name, args) => (await postModern(host.url, 'tools/call', { name, arguments: args, _meta: client })).text().catch(() => '');
  for (let round = 0; round < 6; ++round) {
    for (let i = 0; i < 12 + round * 8; ++i) await call('calculate', { expression: `${i} ^ 2 + sqrt(${i})` });
    await call('now', {});
    await call('get_time', { timezone: 'Europe/Paris' });
    await call('calculate', { expression: '1 / (' });
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
}

test('TheFourViews', options, async (context) => {
  const host = await hostAtWork(context);
  const page = await Page.open(context, host, { width: 1100, height: 620 });
  await page.untilText('.plugins .chip', 'refused');
  await work(host);
  const shoot = async (name) => {
    const picture = await page.tab.screenshot({ type: 'webp', quality: name === 'log' ? 45 : 60 });
    assert.ok(picture.length < maxBytes, `${name}: ${picture.length} bytes`);
    await mkdir(env.MCP_PICTURES, { recursive: true });
    await writeFile(join(env.MCP_PICTURES, `dashboard-${name}.webp`), picture);
  };
  await page.press('calculator', '.plugins');
  await page.untilText('.detail h3', 'Answer times');
  await shoot('plugins');
  await page.goTo('try/tools/calculate');
  await page.untilText('.trial h2', 'Calculate');
  await page.fill('expression', '2 * pi * 6371');
  await page.press('Run', '.trial');
  await page.untilText('.trial [role=status]', 'Done');
  await page.tab.evaluate(() => document.querySelector('.trial').scrollIntoView({ block: 'end' }));
  await shoot('try');
  await page.goTo('calls');
  await page.untilText('.calls tbody', 'calculate');
  await shoot('calls');
  await page.goTo('log');
  await page.untilText('.lines', 'plugin loaded');
  await page.tab.setViewport({ width: 1100, height: 440 });
  await shoot('log');
  assert.deepEqual(page.mistakes, []);
});
