// The built site: where its links lead, and what a browser makes of it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { env, exit } from 'node:process';
import { test } from 'node:test';

import { launchChromium, withChromium } from '../integration/support/chromium.mjs';

const site = env.MCP_SITE;
if (!existsSync(path.join(site, 'index.html'))) {
  console.log('skipped: the site is not built; the test site.build says why');
  exit(0);
}

const files = readdirSync(site, { recursive: true }).filter((name) => statSync(path.join(site, name)).isFile());
const pages = files.filter((name) => name.endsWith('.html') && name !== '404.html');
const texts = new Map(pages.map((name) => [name, readFileSync(path.join(site, name), 'utf8')]));
const anchors = new Map([...texts].map(([name, text]) =>
  [name, new Set([...text.matchAll(/ (?:id|name)="([^"]+)"/g)].map(([, anchor]) => anchor))]));

// Which links to headings in its own pages that it leaves out where they would be empty.
const isDoxygens = (name) => name.startsWith('api/');

test('EveryLinkLeadsSomewhere', () => {
  const there = new Set(files);
  const missing = [];
  for (const [name, text] of texts) {
    for (const [, link] of text.matchAll(/<(?:a|link|script|img)\b[^>]*? (?:href|src)="([^"]*)"/g)) {
      if (/^([a-z]+:|#__|$)/.test(link)) continue;
      const [file, anchor] = link.replaceAll('&amp;', '&').split('#');
      const target = file === '' ? name : path.normalize(path.join(path.dirname(name), decodeURI(file.split('?')[0])));
      const found = there.has(target) ? target : path.join(target, 'index.html');
      const isRight = there.has(found) && (!anchor || isDoxygens(name) || anchors.get(found)?.has(decodeURI(anchor)));
      if (!isRight) missing.push(`${name}: ${link}`);
    }
  }
  assert.deepEqual(missing, []);
});

test('ThePicturesThatHaveBeenMadeAreShown', () => {
  const made = existsSync(env.MCP_PICTURES) ? readdirSync(env.MCP_PICTURES) : [];
  const shown = [...texts.values()].flatMap((text) => [...text.matchAll(/<img [^>]*src="[^"]*pictures\/([^"]*)"/g)].map(([, name]) => name));
  assert.deepEqual(shown.sort(), made.sort());
});

// A browser on the site, which is told of requests that leave it.
async function browse(context) {
  const server = createServer((request, response) => {
    const file = path.join(site, decodeURI(new URL(request.url, 'http://site').pathname));
    const types = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.svg': 'image/svg+xml' };
    if (!existsSync(file)) response.writeHead(404).end();
    else response.writeHead(200, { 'Content-Type': types[path.extname(file)] ?? 'text/plain' }).end(readFileSync(file));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${server.address().port}`;
  const page = await (await launchChromium(context)).newPage();
  page.setDefaultTimeout(90_000);
  const foreign = [];
  const mistakes = [];
  page.on('request', (each) => !/^(data|blob):/.test(each.url()) && !each.url().startsWith(origin) && foreign.push(each.url()));
  page.on('pageerror', (error) => mistakes.push(error.message));
  return { page, foreign, mistakes, go: (name) => page.goto(`${origin}/${name}`, { waitUntil: 'load' }) };
}

test('DiagramsAreDrawnAndNothingComesFromAnotherHost', withChromium, async (context) => {
  const { page, foreign, mistakes, go } = await browse(context);
  const drawn = [...texts].filter(([, text]) => text.includes('class="mermaid"')).map(([name]) => name);
  assert.ok(drawn.includes('index.html'));
  for (const name of drawn) {
    await go(name);
    await page.waitForFunction(() => !document.querySelector('pre.mermaid'));
    const heights = await page.$$eval('div.mermaid', (all) => all.map((each) => each.offsetHeight));
    assert.ok(heights.length > 0 && heights.every((height) => height > 50), `${name}: ${heights}`);
  }
  for (const name of ['tutorial.html', 'from-fastmcp.html', 'api/index.html', 'api/classmcp_1_1Plugin.html']) await go(name);
  assert.deepEqual(foreign, []);
  assert.deepEqual(mistakes, []);
});

test('WhatIsSearchedForIsFound', withChromium, async (context) => {
  const { page, go } = await browse(context);
  await go('index.html');
  await page.type('input[name=query]', 'elicitation');
  await page.waitForSelector('.md-search-result__item a[href*="h=elicitation"]');
});

test('TheReferenceHasTheCommentsOfTheHeaders', () => {
  assert.match(texts.get('api/classmcp_1_1Tool.html'), /Changes nothing in its environment\./);
  assert.match(texts.get('api/structmcp__host.html'), /Ends a call, exactly once, during invoke or later\./);
});
