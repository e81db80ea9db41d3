// What plugins, clients and other pages say and do to the dashboard: nothing of it runs in the page, and nothing of it
// changes the host.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { test } from 'node:test';

import { Components } from './support/components.mjs';
import { ask, askAs, browser, logIn, options, Page, serveWithDashboard } from './support/dashboard.mjs';
import { postModern } from './support/http.mjs';

const hit = 'window.__hit=1';
const strings = [
  `<script>${hit}</script>`, `"><script>${hit}</script>`, `</script><script>${hit}</script>`, `<img src=x onerror=${hit}>`, `"><img src=x onerror="${hit}">`,
  `<svg onload=${hit}>`, `<svg><script>${hit}</script></svg>`, `<svg><animate onbegin=${hit} attributeName=x dur=1s>`, `<body onload=${hit}>`, `<iframe src="javascript:parent.${hit}">`,
  `<iframe srcdoc="<script>parent.${hit}</script>">`, `<a href="javascript:${hit}">x</a>`, `javascript:${hit}`, `data:text/html,<script>${hit}</script>`, `<object data="javascript:${hit}">`,
  `<embed src="javascript:${hit}">`, `<details open ontoggle=${hit}>`, `<input autofocus onfocus=${hit}>`, `<video><source onerror=${hit}></video>`, `<math><mtext></form><form><mglyph><style></math><img src onerror=${hit}>`,
  `<link rel=stylesheet href="https://evil.example/x.css">`, `<meta http-equiv=refresh content="0;url=https://evil.example/">`, `<base href="https://evil.example/">`, `<form action="https://evil.example/"><button>`, `<style>@import "https://evil.example/";</style>`,
  `' onmouseover='${hit}' x='`, `" style="background:url(https://evil.example/)" x="`, '{{constructor.constructor("window.__hit=1")()}}', '${window.__hit=1}', '<%= window.__hit=1 %>',
  '[x](javascript:window.__hit=1)', '![x](https://evil.example/x.png)', '\u202Eoverridden\u202C', '\u0000nul\u0007', '\u2028line\u2029paragraph', '\uFEFF\u200B\u200D',
  '__proto__', 'constructor', 'x'.repeat(30_000), '\n\ndata: {"reset":true}\n\n',
];

// A plugin with a tool, a resource and a prompt for each of them.
function hostileConfiguration() {
  return {
    tools: strings.map((words, i) => ({
      name: `tool_${i}`, title: words.slice(0, 1000), description: words,
      inputSchema: { type: 'object', title: words.slice(0, 100), description: words, properties: { [words.slice(0, 100)]: { type: 'string', title: words, description: words, default: words, enum: [words] } } },
      scenarios: [{ condition: { field: 'fail', operator: 'exists', value: true }, error: words }],
      default: { content: [
        { type: 'text', text: words },
        { type: 'resource_link', uri: i % 2 ? 'javascript:window.__hit=1' : 'https://evil.example/', name: words },
        { type: 'resource', resource: { uri: 'https://evil.example/', mimeType: 'text/html', text: words } },
        { type: 'image', mimeType: 'image/svg+xml', data: Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" onload="${hit}"><script>${hit}</script></svg>`).toString('base64') },
        { type: 'image', mimeType: 'text/html', data: Buffer.from(words).toString('base64') },
      ] },
    })),
    prompts: strings.map((words, i) => ({ name: `prompt_${i}`, title: words.slice(0, 1000), description: words, default: { messages: [{ role: 'user', text: words.replace(/[{}]/g, '') }] } })),
  };
}

// Whether anything of it has become more than text.
const harm = () => ({
  hit: globalThis.__hit ?? null,
  violations: globalThis.__violations,
  elements: document.querySelectorAll('main script, main link, main style, main base, main meta, main object, main embed, main iframe:not(.app), main [onerror], main [onload], main [href^="javascript:"], main a[href^="http"]').length,
});
const none = { hit: null, violations: [], elements: 0 };

test('WhatAPluginSaysIsText', options, async (context) => {
  const components = await Components.create('annotated'); // which has icons of a script, and of another host
  await components.addShipped('tools/mock', hostileConfiguration());
  const host = await serveWithDashboard(context, components, ['--log-level', 'debug']);
  for (const i of strings.keys()) await (await postModern(host.url, 'tools/call', { name: `tool_${i}`, arguments: { fail: true } })).json();
  for (const words of strings.slice(0, 36)) await (await postModern(host.url, 'tools/call', { name: words.slice(0, 200), arguments: {} }, { headers: { 'Mcp-Name': `=?base64?${Buffer.from(words.slice(0, 200)).toString('base64')}?=` } })).json();
  const page = await Page.open(context, host);
  await page.tab.evaluate(() => {
    globalThis.__violations = [];
    document.addEventListener('securitypolicyviolation', (event) => globalThis.__violations.push(event.violatedDirective));
  });
  const look = async (where) => assert.deepEqual(await page.tab.evaluate(harm), none, where);

  await page.untilText('.plugins .opener', 'mock');
  await page.press('mock', '.plugins');
  await page.untilText('.detail h3', 'Configuration');
  await look('the plugin');
  for (const [i, words] of strings.entries()) {
    await page.goTo(`try/tools/tool_${i}`);
    await page.untilText('.trial > .dim', `tool_${i}`);
    await page.press('Run', '.trial');
    await page.untilText('.trial [role=status]', 'Done');
    await look(`tool ${words.slice(0, 40)}`);
    if (i % 4 !== 0) continue;
    await page.goTo(`try/prompts/prompt_${i}`);
    await page.untilText('.trial > .dim', `prompt_${i}`);
    await look(`prompt ${words.slice(0, 40)}`);
  }
  await page.goTo('try/tools/contents');
  await page.untilText('.trial > .dim', 'contents');
  await look('a tool with icons');
  await page.goTo('calls');
  await page.untilText('.calls tbody', 'tool_1');
  await look('the calls');
  await page.goTo('log');
  await page.untilText('.lines', 'tool_1');
  await look('the log');
  assert.deepEqual(page.mistakes, []);
  const foreign = page.requests.map((each) => each.url()).filter((url) => url.startsWith('http') && new URL(url).host !== host.dashboard.host);
  assert.deepEqual(foreign, []);
});

// A page of another origin in the browser of somebody who has logged in. Another port of the same machine is the same
// site: cookies go there and from there.
test('APageOfAnotherOriginCanDoNothing', options, async (context) => {
  const components = await Components.create('sample_v1');
  const host = await serveWithDashboard(context, components);
  const server = createServer((incoming, response) => response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Other</title>'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  const page = await Page.open(context, host);
  const other = await page.tab.browserContext().newPage();
  await other.goto(`http://127.0.0.1:${server.address().port}/`);
  const results = await other.evaluate(async (base) => {
    const attempt = async (name, make) => [name, await make().catch(() => 'failed')];
    const text = (path, init) => async () => {
      const response = await fetch(base + path, { credentials: 'include', ...init });
      return response.ok ? `read ${response.status}` : 'refused';
    };
    const all = [
      await attempt('json', text('api/disable', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"plugin":"sample"}' })),
      await attempt('plain', text('api/disable', { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: '{"plugin":"sample"}' })),
      await attempt('opaque', async () => (await fetch(`${base}api/disable`, { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{"plugin":"sample"}' })).type),
      await attempt('get', text('api/disable?plugin=sample')),
      await attempt('mcp', text('mcp', { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: '{}' })),
      await attempt('details', text('api/plugin?file=x')),
      await attempt('events', () => new Promise((resolve) => {
        const events = new EventSource(`${base}api/events`, { withCredentials: true });
        events.onmessage = () => resolve('read');
        events.onerror = () => (events.close(), resolve('failed'));
      })),
    ];
    const frame = document.createElement('iframe');
    frame.src = base;
    document.body.append(frame);
    const title = () => { try { return frame.contentDocument?.title ?? 'not readable'; } catch { return 'not readable'; } };
    // Until it has been refused, it is an empty page of this one's own.
    for (const end = Date.now() + 30_000; title() === '' && Date.now() < end; ) await new Promise((resolve) => setTimeout(resolve, 50));
    all.push(['frame', title()]);
    const form = Object.assign(document.createElement('form'), { method: 'post', enctype: 'text/plain', action: `${base}api/disable`, target: 'elsewhere' });
    const field = Object.assign(document.createElement('input'), { name: '{"plugin":"sample","x":"', value: '"}' });
    form.append(field);
    document.body.append(form);
    form.submit();
    await new Promise((resolve) => setTimeout(resolve, 300));
    return Object.fromEntries(all);
  }, host.dashboard.href);
  const failed = Object.fromEntries(['json', 'plain', 'opaque', 'get', 'mcp', 'details', 'events'].map((name) => [name, 'failed']));
  assert.deepEqual(results, { ...failed, frame: 'not readable' });
  await page.until(() => document.querySelector('.plugins .chip').textContent === 'serving');
  assert.equal(host.log.text().includes('dashboard command'), false);
});

test('ANameThatLeadsHereIsNotThisHost', async (context) => {
  const host = await serveWithDashboard(context, await Components.create());
  const cookie = await logIn(host);
  assert.equal((await askAs(host, host.dashboard.host, '/api/plugin?file=x', { cookie })).statusCode, 404);
  assert.equal((await askAs(host, `evil.example:${host.dashboard.port}`, '/api/plugin?file=x', { cookie })).statusCode, 403);
  assert.equal((await ask(host, '/api/login', { method: 'POST', body: { token: 'x'.repeat(3000) } })).status, 401);
  assert.equal((await ask(host, '/api/login', { method: 'POST', body: { token: 'x'.repeat(30_000) } })).status, 413);
});

// What an app shows has an origin of its own, and nothing of the page's.
test('AnAppHasNothingOfThePage', options, async (context) => {
  // Which lets everybody read what it has.
  let asked = 0;
  const server = createServer((incoming, response) => {
    ++asked;
    response.writeHead(200, { 'Access-Control-Allow-Origin': '*', 'Content-Type': 'text/html' }).end('<!doctype html><title>Other</title>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  const foreign = `http://127.0.0.1:${server.address().port}/`;
  const components = await Components.create();
  const app = `<!doctype html><script>
    const told = {};
    const attempt = (name, make) => { try { told[name] = String(make()); } catch (error) { told[name] = 'refused'; } };
    attempt('cookie', () => document.cookie);
    attempt('parent', () => parent.document.title);
    attempt('storage', () => localStorage.length);
    told.origin = String(self.origin);
    const rest = [fetch('/api/plugin?file=x').then(() => 'read', () => 'refused'), fetch('${foreign}').then(() => 'read', () => 'refused')];
    Promise.all(rest).then(([own, foreign]) => {
      Object.assign(told, { own, foreign });
      parent.postMessage({ jsonrpc: '2.0', id: 1, method: 'ui/message', params: told }, '*');
    });
  </script>`;
  await components.addShipped('tools/mock', {
    tools: [{ name: 'show', description: 'x', _meta: { ui: { resourceUri: 'ui://mock/app' } }, default: { response: 'shown' } }],
    resources: [{ uri: 'ui://mock/app', name: 'app', mimeType: 'text/html;profile=mcp-app', default: { response: app } }],
  });
  const host = await serveWithDashboard(context, components);
  const page = await Page.open(context, host);
  const show = async (html, source) => {
    const frame = document.createElement('iframe');
    Object.assign(frame, source ? { src: source } : { srcdoc: html });
    frame.setAttribute('sandbox', 'allow-scripts');
    const heard = new Promise((resolve) => window.addEventListener('message', ({ data }) => resolve(data.params)));
    if (source) frame.addEventListener('load', () => frame.contentWindow.postMessage({ html }, '*'), { once: true });
    document.body.append(frame);
    return heard;
  };
  const found = await page.tab.evaluate(show, app, '/frame');
  assert.deepEqual(found, { cookie: 'refused', parent: 'refused', storage: 'refused', origin: 'null', own: 'refused', foreign: 'refused' });
  assert.equal(asked, 0);
  // In a page that does not forbid it an app gets there.
  const other = await page.tab.browserContext().newPage();
  await other.goto(foreign);
  assert.equal((await other.evaluate(show, app)).foreign, 'read');
});

test('AnUnknownBrowserMayNotEvenTry', options, async (context) => {
  const host = await serveWithDashboard(context, await Components.create());
  const tab = await (await (await browser()).createBrowserContext()).newPage();
  context.after(() => tab.browserContext().close());
  await tab.goto(host.dashboard.href);
  await tab.waitForSelector('.login');
  assert.equal(await tab.evaluate(async () => (await fetch('/mcp', { method: 'POST' })).status), 401);
});
