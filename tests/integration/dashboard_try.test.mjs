// What can be tried in the dashboard: every kind of component, and all that can happen to a call.
import assert from 'node:assert/strict';
import { env } from 'node:process';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { Components } from './support/components.mjs';
import { options, Page, serveWithDashboard } from './support/dashboard.mjs';
import { postModern } from './support/http.mjs';

const run = async (page, component, fields = {}) => {
  await page.goTo(`try/${component}`);
  await page.untilText('.trial > .dim', decodeURIComponent(component.split('/')[1]));
  for (const [label, value] of Object.entries(fields)) await page.fill(label, value);
  await page.press('Run', '.trial');
};
const ended = (page, how = 'Done') => page.untilText('.trial [role=status]', how);

const answers = {
  tools: [{
    name: 'every_kind', description: 'x',
    default: { content: [
      { type: 'text', text: 'a text' },
      { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==' },
      { type: 'audio', mimeType: 'audio/wav', data: 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=' },
      { type: 'resource', resource: { uri: 'mock://embedded', mimeType: 'text/plain', text: 'an embedded text' } },
      { type: 'resource_link', uri: 'mock://notes/linked', name: 'a link' },
    ] },
  }, { name: 'structured', description: 'x', default: { response: { place: { city: 'Paris' }, degrees: 18 } } },
  { name: 'fails', description: 'x', default: { error: 'it does not work' } }],
  resources: [
    { uri: 'mock://plain', name: 'plain', mimeType: 'text/plain', default: { response: 'a plain text' } },
    { uriTemplate: 'mock://notes/{name}', name: 'notes', mimeType: 'text/plain', scenarios: [{ condition: { field: 'name', operator: 'equals', value: 'linked' }, response: 'the linked note' }], default: { response: 'another note' } },
  ],
  prompts: [{ name: 'greet', description: 'x', arguments: [{ name: 'who', required: true }], default: { messages: [{ role: 'user', text: 'Greet {who}' }] } }],
};

test('EveryKindOfComponentAndContent', options, async (context) => {
  const components = await Components.create();
  await components.addShipped('tools/mock', answers);
  const page = await Page.open(context, await serveWithDashboard(context, components));
  await run(page, 'tools/every_kind');
  await ended(page);
  assert.deepEqual(await page.tab.$$eval('.result > *', (all) => all.map((each) => each.tagName)), ['PRE', 'IMG', 'AUDIO', 'DIV', 'P']);
  await page.until(() => document.querySelector('.result img').naturalWidth === 1);
  assert.match(await page.text('.result'), /a text.*mock:\/\/embedded text\/plainan embedded text.*a link/s);
  await page.press('a link', '.result');
  await page.untilText('.trial > .dim', 'mock://notes/linked');
  await page.press('Run', '.trial');
  await page.untilText('.result', 'the linked note');

  await run(page, 'tools/structured');
  await page.untilText('.result .json-tree', 'degrees');
  await run(page, 'tools/fails');
  await page.untilText('.result .problem', 'The call failed.');
  await page.untilText('.result', 'it does not work');
  await run(page, `resources/${encodeURIComponent('mock://plain')}`);
  await page.untilText('.result', 'a plain text');
  await run(page, `templates/${encodeURIComponent('mock://notes/{name}')}`, { name: 'of mine' });
  await page.untilText('.result', 'another note');
  await run(page, 'prompts/greet', { who: 'Ada' });
  await page.untilText('.result', 'Greet Ada');
  assert.deepEqual(page.mistakes, []);
});

test('ATemplateOfAnyPathIsFilledIn', options, async (context) => {
  const components = await Components.create();
  await mkdir(join(components.folder, 'texts', 'guide'), { recursive: true });
  await writeFile(join(components.folder, 'texts', 'guide', '50% off?.md'), 'the text of the guide');
  await components.addShipped('resources/docs', { folder: join(components.folder, 'texts') });
  const page = await Page.open(context, await serveWithDashboard(context, components));
  await run(page, `templates/${encodeURIComponent('docs://*')}`, { '*': 'guide/50% off?.md' });
  await page.untilText('.result', 'the text of the guide');
  assert.deepEqual(page.mistakes, []);
});

test('WhatTheHostRefusesIsSaid', options, async (context) => {
  const page = await Page.open(context, await serveWithDashboard(context, await Components.create('asking')));
  await run(page, 'tools/take_long', { milliseconds: 'many' });
  await ended(page, 'Failed');
  assert.match(await page.text('.result'), /milliseconds/);
});

test('WhatStandsBeforeTheEndpointRefusesInWords', options, async (context) => {
  const page = await Page.open(context, await serveWithDashboard(context, await Components.create('sample_v1')), { at: 'try/tools/version' });
  await page.untilText('.trial h2', 'version');
  // The page itself does not know yet that nobody has logged in.
  await page.tab.deleteCookie(...await page.tab.cookies());
  await page.press('Run', '.trial');
  await ended(page, 'Failed');
  assert.match(await page.text('.result .problem'), /^Log in: /);
});

test('WhatTheFormCannotShowStaysJson', options, async (context) => {
  const components = await Components.create();
  const inputSchema = { type: 'object', properties: { name: { type: 'string' }, size: { type: 'integer' } } };
  await components.addShipped('tools/mock', { tools: [{ name: 'plain', description: 'x', inputSchema, default: { response: 'x' } }] });
  const page = await Page.open(context, await serveWithDashboard(context, components), { at: 'try/tools/plain' });
  await page.untilText('.trial h2', 'plain');
  assert.equal(await page.tab.evaluate(() => document.activeElement.textContent), 'plain', 'what has been chosen has the focus');
  const look = () => page.tab.$eval('.trial', (trial) =>
    [trial.querySelector('.check input').checked, trial.querySelector('.problem').textContent]);
  const write = (value) => page.tab.$eval('.trial form > textarea', (area, text) => { area.value = text; }, JSON.stringify(value));
  await page.tab.click('.trial .check input');
  await write({ name: 'a', size: 1, more: true });
  await page.tab.click('.trial .check input');
  assert.deepEqual(await look(), [true, 'The form cannot show all of this']);
  await write({ size: 2, name: 'b' });
  await page.tab.click('.trial .check input');
  assert.deepEqual(await look(), [false, '']);
  assert.deepEqual(await page.tab.$$eval('.field input', (all) => all.map(({ value }) => value)), ['b', '2']);
  assert.deepEqual(page.mistakes, []);
});

test('ACallThatTakesLongIsFollowedAndCancelled', options, async (context) => {
  const host = await serveWithDashboard(context, await Components.create('asking'), ['--task-after-ms', '200']);
  const page = await Page.open(context, host);
  await run(page, 'tools/take_long', { milliseconds: '5000' });
  await page.untilText('.trial [role=status]', 'Task working');
  await page.untilText('.result', 'worked for 5000 ms');
  await run(page, 'tools/work_and_ask');
  await page.untilText('.question', 'For whom?');
  await page.fill('name', 'Ada');
  await page.press('Answer', '.question');
  await page.untilText('.result', 'worked for Ada');
  await run(page, 'tools/declared_long', { milliseconds: '60003' });
  await page.untilText('.trial [role=status]', 'Task');
  await page.press('Cancel', '.trial');
  await ended(page, 'Cancelled');
  await host.log.until({ event: 'plugin says', text: 'cancelled: 60003 ms' });
  assert.deepEqual(page.mistakes, []);
});

test('TheSameRequestForATerminal', options, async (context) => {
  const host = await serveWithDashboard(context, await Components.create('sample_v1'));
  const page = await Page.open(context, host);
  await page.tab.browserContext().overridePermissions(host.dashboard.origin, ['clipboard-read', 'clipboard-write', 'clipboard-sanitized-write']);
  await page.goTo('try/tools/version');
  await page.untilText('.trial h2', 'version');
  await page.tab.bringToFront();
  await page.press('Copy as curl', '.trial');
  await page.untilText('.trial [role=status]', 'Copied');
  const command = await page.tab.evaluate(() => navigator.clipboard.readText());
  assert.match(command, new RegExp(`^curl '${host.address.href}'`));
  assert.match(command, /-H 'Mcp-Name: version'/);
});

test('AnAppIsShownInItsFrame', { ...options, ...(!env.MCP_CHART && { skip: 'the plugin chart is not built' }) }, async (context) => {
  const components = await Components.create();
  await copyFile(env.MCP_CHART, components.file('chart.so'));
  const page = await Page.open(context, await serveWithDashboard(context, components));
  await page.goTo('try/tools/draw_chart');
  await page.untilText('.trial > .dim', 'draw_chart');
  await page.tab.click('.trial .check input');
  await page.tab.$eval('.trial form > textarea', (area) => { area.value = JSON.stringify({ kind: 'bar', labels: ['a', 'b'], series: [{ values: [1, 2] }] }); });
  await page.press('Run', '.trial');
  const handle = await page.tab.waitForSelector('iframe.app');
  const frame = await handle.contentFrame();
  await frame.waitForSelector('svg');
  assert.ok((await frame.$$('rect')).length >= 2);
  assert.deepEqual(page.mistakes, []);
});

test('TheStatusOfTheServerIsAnAppThatStaysUpToDate', options, async (context) => {
  const components = await Components.create('sample_v1');
  await components.addShipped('resources/server');
  const host = await serveWithDashboard(context, components);
  const page = await Page.open(context, host);
  await run(page, 'tools/host_status');
  const frame = await (await page.tab.waitForSelector('iframe.app')).contentFrame();
  const calls = (name) => frame.waitForFunction((plugin) => [...document.querySelectorAll('tbody tr')].find((row) => row.firstChild.textContent === plugin)?.children[2].textContent, {}, name);
  assert.equal(await (await calls('sample')).jsonValue(), '0');
  await (await postModern(host.url, 'tools/call', { name: 'version', arguments: {} })).text();
  await frame.waitForFunction(() => [...document.querySelectorAll('tbody tr')].some((row) => row.firstChild.textContent === 'sample' && row.children[2].textContent === '1'));
  assert.deepEqual(page.mistakes, []);
});
