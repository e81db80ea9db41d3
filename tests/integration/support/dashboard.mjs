// The dashboard of a host in a browser: the page as somebody sees it, and what it does on the wire.
import { execFile } from 'node:child_process';
import { request } from 'node:http';
import { join } from 'node:path';
import { after } from 'node:test';
import { promisify } from 'node:util';

import { openChromium, withChromium } from './chromium.mjs';
import { HttpHost, program } from './host.mjs';
import { patience } from './patience.mjs';

const run = promisify(execFile);

export const options = withChromium;

// Who may look, who may change something, and who neither.
export const roles = `
[roles.guest]
allow = [{ match = "tool:version" }]
[roles.looker]
allow = [{ match = "tool:version" }]
[roles.keeper]
allow = [{ match = "*" }]
[dashboard]
viewers = ["looker"]
operators = ["keeper"]
`;

// One browser for all tests of a file.
let launching;
export function browser() {
  launching ??= openChromium({ acceptInsecureCerts: true });
  return launching;
}
after(async () => (await launching)?.close());

// A host with a dashboard: `dashboard` is its address.
export async function serveWithDashboard(context, components, more = [], listen = '127.0.0.1:0') {
  const control = join(components.folder, 'control.sock');
  const host = await HttpHost.start(components, ['--dashboard', listen, '--control', control, ...more]);
  context.after(() => host.stop().finally(() => components.discard()));
  host.control = control;
  host.dashboard = new URL((await host.log.until({ event: 'serving the dashboard' })).url);
  host.link = async () => (await run(program, ['dashboard', '--control', control])).stdout.trim();
  return host;
}

// What a program without a browser sends to the dashboard.
export function ask(host, path, { method = 'GET', cookie, headers = {}, body } = {}) {
  return fetch(new URL(path, host.dashboard), {
    method,
    headers: { ...(cookie && { Cookie: cookie }), ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

// The same from a page that knows the host by another name: the response, without its body.
export function askAs(host, name, path, { method = 'GET', cookie, origin, body } = {}) {
  const headers = { Host: name, ...(cookie && { Cookie: cookie }), ...(origin && { Origin: origin }), ...(body && { 'Content-Type': 'application/json' }) };
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, host.dashboard), { method, headers }, (response) => resolve(response.resume()));
    sent.on('error', reject).end(body && JSON.stringify(body));
  });
}

// The cookie of a new login.
export async function logIn(host) {
  const token = new URL(await host.link()).hash.slice('#t='.length);
  const response = await ask(host, '/api/login', { method: 'POST', body: { token } });
  if (response.status !== 200) throw new Error(`status ${response.status}: ${await response.text()}`);
  return response.headers.get('Set-Cookie').split(';')[0];
}

// The page, logged in by its link. Whatever goes wrong in it is in `mistakes`, every request in `requests`.
export class Page {
  static async open(context, host, { width = 1280, height = 860, at = '' } = {}) {
    const browserContext = await (await browser()).createBrowserContext();
    const page = new Page(await browserContext.newPage(), host);
    context.after(() => browserContext.close());
    page.tab.setDefaultTimeout(patience);
    await page.tab.setViewport({ width, height });
    await page.tab.goto(await host.link());
    await page.tab.waitForSelector('#state[data-state=live]');
    if (at) await page.goTo(at);
    return page;
  }

  mistakes = [];
  requests = [];

  constructor(tab, host) {
    this.tab = tab;
    this.host = host;
    tab.on('console', (message) => message.type() === 'error' && this.mistakes.push(message.text()));
    tab.on('pageerror', (error) => this.mistakes.push(error.message));
    tab.on('dialog', (dialog) => {
      this.mistakes.push(`dialog: ${dialog.message()}`);
      dialog.dismiss();
    });
    tab.on('request', (request) => this.requests.push(request));
  }

  // A view, or a component in one: "try/tools/add".
  goTo(hash) {
    return this.tab.evaluate((to) => { location.hash = to; }, hash);
  }

  text(selector) {
    return this.tab.$eval(selector, (found) => found.textContent);
  }

  // Once the page shows something that fits: a function that runs in the page.
  until(fits, ...args) {
    return this.tab.waitForFunction(fits, { polling: 'mutation', timeout: patience }, ...args);
  }

  untilText(selector, words) {
    return this.until((where, wanted) => [...document.querySelectorAll(where)].some((each) => each.textContent.includes(wanted)), selector, words);
  }

  press(words, within = 'body') {
    return this.tab.evaluate((wanted, where) => {
      const all = [...document.querySelectorAll(`${where} button, ${where} summary, ${where} a`)];
      const found = all.find((each) => (each.getAttribute('aria-label') ?? each.textContent).trim() === wanted);
      if (!found) throw new Error(`no button ${wanted} among ${all.map((each) => each.textContent)}`);
      found.click();
    }, words, within);
  }

  // Into the field of this label.
  fill(label, value) {
    return this.tab.evaluate((wanted, to) => {
      const found = [...document.querySelectorAll('label')].find((each) => each.firstChild.textContent.trim() === wanted);
      if (!found) throw new Error(`no field ${wanted}`);
      const input = document.getElementById(found.htmlFor) ?? found.querySelector('input, select, textarea');
      input.value = to;
      input.dispatchEvent(new Event('input', { bubbles: true }));
      input.dispatchEvent(new Event('change', { bubbles: true }));
    }, label, value);
  }
}
