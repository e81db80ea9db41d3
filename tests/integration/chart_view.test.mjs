// The page of the plugin chart in a browser: it speaks with a client as MCP Apps say, and draws what it is given.
import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import { env } from 'node:process';
import { after, before, test } from 'node:test';

import { openChromium, withChromium as options } from './support/chromium.mjs';
import { Components } from './support/components.mjs';
import { HttpHost } from './support/host.mjs';
import { postModern } from './support/http.mjs';
import { patience } from './support/patience.mjs';

// What a client must give a page that asks for nothing (SEP-1865, "Host Behavior").
const policy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "media-src 'self' data:",
  "connect-src 'none'",
].join('; ');

const dark = {
  theme: 'dark',
  styles: { variables: { '--color-background-primary': 'rgb(1, 2, 3)', '--color-text-primary': 'rgb(250, 240, 230)' } },
  containerDimensions: { width: 700, maxHeight: 600 },
};
const series = [
  { name: 'North', values: [1, 4, 2.5] },
  { name: 'South', values: [2, 3, -1] },
];
const bars = { kind: 'bar', title: 'Sales <b>', labels: ['Jan', 'Feb', 'Mar'], series, width: 800, height: 500 };

async function pageOfThePlugin() {
  const components = await Components.create();
  await copyFile(env.MCP_CHART, components.file('chart.so'));
  const host = await HttpHost.start(components);
  try {
    const answer = await (await postModern(host.url, 'resources/read', { uri: 'ui://chart/view' })).json();
    return answer.result.contents[0].text;
  } finally {
    await host.stop().finally(() => components.discard());
  }
}

let html;
let browser;
before(async () => {
  if (options.skip) return;
  html = await pageOfThePlugin();
  browser = await openChromium();
});
after(() => browser?.close());

// Runs in the browser: a client's page with the app in a frame. What the app says is kept, and its hello is answered.
function client(appHtml, csp, hostContext) {
  window.heard = [];
  const frame = document.createElement('iframe');
  frame.sandbox = 'allow-scripts';
  frame.style = 'width: 700px; height: 500px; border: 0';
  const send = (message) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*');
  window.notify = (method, params) => send({ method, params });
  window.ask = (id, method) => send({ id, method, params: {} });
  window.addEventListener('message', ({ source, data }) => {
    if (source !== frame.contentWindow) return;
    window.heard.push(data);
    if (data.method === 'ui/notifications/size-changed') frame.style.height = `${data.params.height}px`;
    if (data.method !== 'ui/initialize') return;
    const hostInfo = { name: 'test', version: '1' };
    send({ id: data.id, result: { protocolVersion: '2026-01-26', hostInfo, hostCapabilities: {}, hostContext } });
  });
  const meta = `<meta http-equiv="Content-Security-Policy" content="${csp}">`;
  frame.srcdoc = appHtml.replace('<head>', `<head>${meta}`);
  document.body.append(frame);
}

// A page with the app in it, once it has said that it is there.
async function show(context, hostContext = {}) {
  const page = await browser.newPage();
  page.setDefaultTimeout(patience);
  context.after(() => page.close());
  const mistakes = [];
  page.on('console', (message) => message.type() === 'error' && mistakes.push(message.text()));
  page.on('pageerror', (error) => mistakes.push(error.message));
  await page.setViewport({ width: 740, height: 640 });
  await page.evaluate(client, html, policy, hostContext);
  await page.waitForFunction(() => window.heard.some(({ method }) => method === 'ui/notifications/initialized'));
  const frame = page.frames().find((each) => each !== page.mainFrame());
  const app = {
    page,
    frame,
    notify: (method, params) => page.evaluate((...message) => window.notify(...message), method, params),
    ask: (id, method) => page.evaluate((...message) => window.ask(...message), id, method),
    heard: () => page.evaluate(() => window.heard),
    // Of every element that the selector finds: the text, or an attribute.
    all: (selector, attribute) =>
      frame.$$eval(
        selector,
        (found, name) => found.map((each) => (name ? each.getAttribute(name) : each.textContent)),
        attribute,
      ),
    until: (selector) => frame.waitForSelector(selector),
  };
  context.after(() => assert.deepEqual(mistakes, []));
  return app;
}

async function showResult(app, structuredContent) {
  await app.notify('ui/notifications/tool-input', { arguments: structuredContent });
  await app.notify('ui/notifications/tool-result', { content: [], structuredContent });
  await app.until('svg');
}

async function screenshot(app, name) {
  if (env.MCP_SCREENSHOTS) await app.page.screenshot({ path: `${env.MCP_SCREENSHOTS}/${name}.png` });
}

test('SaysHelloBeforeAnythingElse', options, async (context) => {
  const app = await show(context);
  const [hello, ready] = await app.heard();
  assert.equal(hello.method, 'ui/initialize');
  assert.deepEqual(hello.params, {
    protocolVersion: '2026-01-26',
    appInfo: { name: 'chart', version: '1.0.0' },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
  });
  assert.equal(ready.method, 'ui/notifications/initialized');
  assert.deepEqual(await app.all('#message'), ['Waiting for numbers']);
});

test('DrawsBarsWithTheirTitleLegendLabelsAndScale', options, async (context) => {
  const app = await show(context);
  await showResult(app, bars);
  await screenshot(app, 'bars');
  assert.deepEqual(await app.all('.title'), ['Sales <b>']);
  assert.deepEqual(await app.all('.legend'), ['North', 'South']);
  assert.deepEqual(await app.all('.label'), ['Jan', 'Feb', 'Mar']);
  assert.deepEqual(await app.all('.tick'), ['-1', '0', '1', '2', '3', '4']);
  assert.deepEqual(await app.all('.bar > title'), [
    'North, Jan: 1',
    'North, Feb: 4',
    'North, Mar: 2.5',
    'South, Jan: 2',
    'South, Feb: 3',
    'South, Mar: -1',
  ]);
  const heights = (await app.all('.bar', 'height')).map(Number);
  assert.ok(Math.abs(heights[1] / heights[0] - 4) < 0.01, `${heights}`);
  assert.ok(Math.abs(heights[5] / heights[0] - 1) < 0.01, `${heights}`);
  assert.deepEqual(await app.all('#message'), ['']);
});

test('DrawsLines', options, async (context) => {
  const app = await show(context);
  await showResult(app, { ...bars, kind: 'line' });
  await screenshot(app, 'lines');
  assert.equal((await app.all('polyline')).length, 2);
  assert.equal((await app.all('circle')).length, 6);
});

test('DrawsLinesThatHardlyRise', options, async (context) => {
  const app = await show(context);
  for (const values of [
    [0, 5e-324],
    [434758051844.2855, 434758051844.2856],
  ]) {
    await showResult(app, { kind: 'line', title: `${values}`, labels: ['a', 'b'], series: [{ values }] });
    await app.frame.waitForFunction((title) => document.querySelector('.title')?.textContent === title, {}, `${values}`);
    const heights = (await app.all('circle', 'cy')).map(Number);
    assert.equal(heights.length, values.length);
    assert.ok(
      heights.every((each) => each > 0 && each < 640),
      `${heights}`,
    );
  }
});

test('DrawsAPie', options, async (context) => {
  const app = await show(context);
  const labels = ['a', 'b', 'none', 'c'];
  await showResult(app, { kind: 'pie', title: '', labels, series: [{ values: [1, 2, 0, 5] }] });
  await screenshot(app, 'pie');
  assert.deepEqual(await app.all('.wedge > title'), ['a: 1', 'b: 2', 'c: 5']);
  assert.deepEqual(await app.all('.part'), ['12.5%', '25%', '62.5%']);
  assert.deepEqual(await app.all('.legend'), ['a', 'b', 'none', 'c']);
});

test('DrawsTheArgumentsAsSoonAsTheyAreComplete', options, async (context) => {
  const app = await show(context);
  await app.notify('ui/notifications/tool-input-partial', { arguments: { kind: 'bar', labels: ['Jan', 'F'] } });
  await app.notify('ui/notifications/tool-input-partial', { arguments: { ...bars, series: [{ values: [1] }] } });
  // It takes what it is told in order, so that it has taken them when it answers.
  await app.ask('after', 'ping');
  await app.page.waitForFunction(() => window.heard.some(({ id }) => id === 'after'));
  assert.equal((await app.all('svg')).length, 0);
  await app.notify('ui/notifications/tool-input', { arguments: bars });
  await app.until('svg');
});

test('FollowsTheClientsColoursAndTheirChange', options, async (context) => {
  const app = await show(context, dark);
  await showResult(app, bars);
  await screenshot(app, 'dark');
  const colours = () =>
    app.frame.evaluate(() => [
      getComputedStyle(document.body).backgroundColor,
      getComputedStyle(document.querySelector('.title')).fill,
      getComputedStyle(document.documentElement).colorScheme,
    ]);
  assert.deepEqual(await colours(), ['rgb(1, 2, 3)', 'rgb(250, 240, 230)', 'dark']);
  const variables = { '--color-background-primary': 'rgb(255, 255, 254)' };
  await app.notify('ui/notifications/host-context-changed', { theme: 'light', styles: { variables } });
  await app.frame.waitForFunction(() => document.documentElement.style.colorScheme === 'light');
  assert.deepEqual(await colours(), ['rgb(255, 255, 254)', 'rgb(250, 240, 230)', 'light']);
});

test('TellsItsHeightAndTakesTheRoomThatItGets', options, async (context) => {
  const app = await show(context);
  await showResult(app, bars);
  const expected = Math.ceil(((700 - 24) * 500) / 800);
  await app.page.waitForFunction(
    (height) => window.heard.some(({ method, params }) => method?.endsWith('size-changed') && params.height === height),
    {},
    expected,
  );
  assert.deepEqual((await app.all('svg', 'width')).map(Number), [700 - 24]);
});

test('SaysWhyThereIsNoChart', options, async (context) => {
  const app = await show(context);
  await showResult(app, bars);
  const content = [{ type: 'text', text: 'a pie has one series' }];
  await app.notify('ui/notifications/tool-result', { isError: true, content });
  await app.frame.waitForFunction(() => document.getElementById('message').textContent !== '');
  assert.deepEqual(await app.all('#message'), ['a pie has one series']);
  assert.equal((await app.all('svg')).length, 0);
});

test('AnswersTheClientsRequests', options, async (context) => {
  const app = await show(context);
  await app.ask('p', 'ping');
  await app.ask('t', 'ui/resource-teardown');
  await app.ask('x', 'no/such/method');
  await app.page.waitForFunction(() => window.heard.some(({ id }) => id === 'x'));
  const answers = (await app.heard()).filter(({ method }) => method === undefined);
  assert.deepEqual(
    answers.map(({ id, result, error }) => [id, result, error?.code]),
    [
      ['p', {}, undefined],
      ['t', {}, undefined],
      ['x', undefined, -32601],
    ],
  );
});
