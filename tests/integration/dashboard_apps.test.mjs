// MCP Apps in the dashboard: what one may ask, how much it can say, and that it is there as long as what has brought it.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Components } from './support/components.mjs';
import { options, Page, serveWithDashboard } from './support/dashboard.mjs';
import { patience } from './support/patience.mjs';
import { legacy, said, startScripted, tool } from './support/scripted_http_upstream.mjs';
import { addUpstream } from './support/upstreams.mjs';

// An app that writes down what it hears, each answer with its id.
const appOf = (script) => `<!doctype html><p id="heard"></p><script>
  const send = (message) => parent.postMessage(Object.assign({ jsonrpc: '2.0' }, message), '*');
  const write = (words) => { document.getElementById('heard').append(words, '; '); };
  const callOther = (id) => send({ id, method: 'tools/call', params: { name: 'other' } });
  addEventListener('message', ({ data }) => {
    if (data.method === 'ui/notifications/tool-result') write(data.params.content[0].text);
    if (data.error) write(data.id + ' ' + data.error.message);
    if (data.result) write(data.id + ' ' + JSON.stringify(data.result.content));
    if (data.id === 'begin') send({ method: 'ui/notifications/initialized' });
  });
  send({ id: 'begin', method: 'ui/initialize', params: { } });
  ${script}
</script>`;

// The page with the app of a tool: `heard` is what it has written.
async function showApp(context, script, { uri = 'ui://far/app' } = {}) {
  const tools = [{ ...tool('show'), _meta: { ui: { resourceUri: uri } } }, tool('other')];
  const resource = { uri: 'ui://far/app', name: 'app', mimeType: 'text/html;profile=mcp-app' };
  const server = await startScripted(context, {
    ...legacy({ tools: {}, resources: {} }),
    'tools/list': () => ({ tools }),
    'tools/call': ({ name }) => said(name === 'show' ? 'it is shown' : 'the other one'),
    'resources/list': () => ({ resources: [resource] }),
    'resources/read': () => ({ contents: [{ ...resource, text: appOf(script) }] }),
  });
  const components = await Components.create();
  await addUpstream(components, 'far', { url: server.url, prefix: '' });
  const page = await Page.open(context, await serveWithDashboard(context, components), { at: 'try/tools/show' });
  await page.untilText('.trial > .dim', 'show');
  await page.press('Run', '.trial');
  page.app = async () => (await page.tab.waitForSelector('iframe.app')).contentFrame();
  const hasHeard = (words) => document.getElementById('heard')?.textContent.includes(words);
  page.untilHeard = async (words) => (await page.app()).waitForFunction(hasHeard, { timeout: patience }, words);
  return page;
}

test('WhatAnAppAsksIsAskedWhereItCannotReach', options, async (context) => {
  const page = await showApp(context, `
    const shrink = () => send({ method: 'ui/notifications/size-changed', params: { height: 60 } });
    addEventListener('click', () => { callOther(1); callOther(2); shrink(); }, { once: true });
    addEventListener('message', ({ data }) => { if (data.id === 1) callOther(3); if (data.id === 3) callOther(4); });
  `);
  await page.untilHeard('it is shown');
  // As it is when it appears, and for how long nothing can be allowed.
  const asked = page.tab.evaluate(() => new Promise((resolve) => {
    let [first, shownAt] = [];
    const { showModal } = HTMLDialogElement.prototype;
    HTMLDialogElement.prototype.showModal = function showAndNote() {
      shownAt ??= performance.now();
      showModal.call(this);
    };
    new MutationObserver((_, observer) => {
      const dialog = document.querySelector('dialog');
      if (!dialog) return;
      const mayAllow = [...dialog.querySelectorAll('button')].some((each) => each.textContent === 'Allow' && !each.disabled);
      const [words, focus] = [dialog.querySelector('h2').textContent, document.activeElement.textContent];
      first ??= { isModal: dialog.matches(':modal'), words, focus, mayAllow };
      if (!mayAllow) return;
      observer.disconnect();
      resolve({ ...first, allowedAfter: performance.now() - shownAt });
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
  }));
  // What two clicks of one intention do.
  await (await page.app()).click('#heard', { count: 2 });
  const { allowedAfter, ...look } = await asked;
  assert.deepEqual(look, { isModal: true, words: 'The app asks to call other', focus: 'Refuse', mayAllow: false });
  assert.ok(allowedAfter >= 690, `${allowedAfter} ms`);
  await page.untilHeard('2 The person who looks at it has refused');
  await page.press('Allow', 'dialog');
  await page.untilHeard('the other one');
  // Once it has been refused something, it does not keep anybody from the page.
  await page.tab.waitForSelector('dialog');
  await page.tab.keyboard.press('Enter');
  await page.untilHeard('3 The person who looks at it has refused');
  await page.untilHeard('4 The person who looks at it has refused');
  assert.equal(await page.tab.$('dialog'), null);
  assert.deepEqual(page.mistakes, []);
});

test('WhoLeavesHasRefused', options, async (context) => {
  const page = await showApp(context, 'callOther(1);');
  await page.tab.waitForSelector('dialog');
  await page.goTo('plugins');
  await page.untilText('.plugins .opener', 'far');
  await page.goTo('try/tools/show');
  await page.untilHeard('it is shown');
  assert.equal(await page.tab.$('dialog'), null);
  await page.untilHeard('1 The person who looks at it has refused');
  assert.deepEqual(page.mistakes, []);
});

test('AnAppSaysNoMoreThanSomebodyReads', options, async (context) => {
  const page = await showApp(context, `
    for (let i = 1; i <= 50; ++i) send({ id: i, method: 'ui/message', params: { text: 'number ' + i } });
  `);
  await page.untilText('.result', 'number 50');
  const said = await page.tab.$$eval('.result section', (all) => all.map((each) => each.textContent));
  assert.equal(said.length, 20);
  assert.match(said[0], /number 31/);
});

test('AnAppIsThereAfterALookAtSomethingElse', options, async (context) => {
  const page = await showApp(context, '');
  await page.untilHeard('it is shown');
  for (const view of ['calls', 'log']) {
    await page.goTo(view);
    await page.until(() => !document.querySelector('iframe'));
    await page.goTo('try');
    await page.untilHeard('it is shown');
    assert.equal((await (await page.app()).$eval('#heard', (each) => each.textContent)).split('it is shown').length, 2, 'once');
  }
  assert.deepEqual(page.mistakes, []);
});

test('AToolWhoseAppIsNotThereHasSucceeded', options, async (context) => {
  const page = await showApp(context, '', { uri: 'ui://far/none' });
  await page.untilText('.result .problem', 'Its app cannot be shown');
  assert.match(await page.text('.result'), /^it is shown/);
  assert.match(await page.text('.trial [role=status]'), /^Done/);
  assert.deepEqual(page.mistakes, []);
});
