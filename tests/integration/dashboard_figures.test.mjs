// What the dashboard costs, and how soon it shows what happens. Here the counts are small and no time is a matter of
// success; scripts/promises.sh dashboard asks for the figures that the documentation has, by MCP_DASHBOARD_FIGURES=full.
import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { env } from 'node:process';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

import { Components } from './support/components.mjs';
import { options, Page, serveWithDashboard } from './support/dashboard.mjs';
import { HttpHost, inProcess } from './support/host.mjs';
import { modernHeaders, modernRequest, contentHeaders, postModern } from './support/http.mjs';

const full = env.MCP_DASHBOARD_FIGURES === 'full';
const repetitions = full ? 50 : 3;
const seconds = full ? 60 : 3;
const callsASecond = full ? 2000 : 300;

const percentile = (times, share) => [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))];
const shown = (times) => `p50 ${percentile(times, 0.5).toFixed(0)} ms, p99 ${percentile(times, 0.99).toFixed(0)} ms`;
const call = (host, name, args = {}) => postModern(host.url, 'tools/call', { name, arguments: args });

// How long it takes from `act` until the page shows something that fits, by the clock of the page's machine.
async function timeUntil(page, act, fits, ...args) {
  const watching = page.tab.evaluate((text, given) => new Promise((resolve) => {
    const fit = new Function(`return (${text})`)();
    const look = () => fit(...given) && (observer.disconnect(), resolve(Date.now()));
    const observer = new MutationObserver(look);
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    look();
  }), String(fits), args);
  const began = Date.now();
  await act();
  return (await watching) - began;
}

test('ThePageIsSmallAndAsksNobodyElse', options, async (context) => {
  const host = await serveWithDashboard(context, await Components.create('sample_v1'));
  const page = await Page.open(context, host);
  const protocol = await page.tab.createCDPSession();
  await protocol.send('Network.enable');
  const sizes = new Map();
  const asked = [];
  protocol.on('Network.requestWillBeSent', ({ request: { url } }) => asked.push(url));
  protocol.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => sizes.set(requestId, encodedDataLength));
  await page.tab.reload();
  await page.untilText('.plugins .opener', 'sample');
  // With the heads of the answers.
  const bytes = [...sizes.values()].reduce((sum, each) => sum + each, 0);
  const remote = asked.filter((url) => url.startsWith('http') && new URL(url).host !== host.dashboard.host);
  context.diagnostic(`${bytes} bytes in ${asked.filter((url) => url.startsWith('http')).length} requests`);
  assert.ok(bytes <= 40_000, `${bytes} bytes`);
  assert.ok(asked.filter((url) => url.startsWith('http')).length <= 4, asked.join(' '));
  assert.deepEqual(remote, []);
});

test('WhatHappensIsSeen', options, async (context) => {
  const components = await Components.create('sample_v1');
  const host = await serveWithDashboard(context, components);
  const page = await Page.open(context, host);
  await page.untilText('.plugins .opener', 'sample');
  const added = [];
  const crashed = [];
  for (let i = 0; i < repetitions; ++i) {
    // As somebody who puts a file in its place: it is there, and the host finds it.
    const loaded = host.log.next({ event: 'plugin loaded' });
    const seen = timeUntil(page, () => components.add('dying'), () => [...document.querySelectorAll('.plugins .opener')].some((each) => each.textContent === 'dying'));
    added.push(await seen);
    await loaded;
    if (!inProcess) {
      const before = await page.tab.$$eval('.plugins tr', (rows) => rows.find((row) => row.querySelector('.opener')?.textContent === 'dying').querySelector('[data-label="Runs in"]').textContent);
      const dead = host.log.next({ event: 'plugin crashed' });
      const dies = (was) => [...document.querySelectorAll('.plugins tr')].some((row) => row.querySelector('.opener')?.textContent === 'dying' && row.querySelector('[data-label="Runs in"]').textContent !== was);
      crashed.push(await timeUntil(page, () => call(host, 'die', { how: 'abort' }).then((response) => response.text()), dies, before));
      await dead;
    }
    await components.removeFile('dying.so');
    await page.until(() => document.querySelectorAll('.plugins .opener').length === 1);
  }
  context.diagnostic(`file to row: ${shown(added)}`);
  if (crashed.length > 0) context.diagnostic(`crash to state: ${shown(crashed)}`);
  if (full) assert.ok(percentile(added, 0.99) <= 500 && percentile(crashed, 0.99) <= 500);
  assert.deepEqual(page.mistakes, []);
});

const cpuSeconds = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
};

// So many calls a second, by a few connections. Each must be answered.
async function load(host, perSecond, during) {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const body = JSON.stringify(modernRequest('tools/call', { name: 'only_in_v1', arguments: {} }));
  const headers = { ...contentHeaders, ...modernHeaders('tools/call', 'only_in_v1'), 'Content-Length': Buffer.byteLength(body) };
  const one = () => new Promise((resolve, reject) => {
    request(host.address, { method: 'POST', agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
      response.resume().on('end', resolve);
    }).on('error', reject).end(body);
  });
  const began = performance.now();
  let sent = 0;
  while (performance.now() - began < during * 1000) {
    const due = Math.floor(((performance.now() - began) / 1000) * perSecond) - sent;
    await Promise.all(Array.from({ length: Math.min(due, 100) }, one));
    sent += Math.min(due, 100);
    if (due <= 0) await pause(2);
  }
  agent.destroy();
  return sent / during;
}

test('ABusyHostIsLookedAtForLittle', options, async (context) => {
  const host = await serveWithDashboard(context, await Components.create('sample_v1'), ['--log-level', 'debug']);
  const pid = host.child.pid;
  await load(host, callsASecond, 1);
  const used = async (run) => {
    const before = cpuSeconds(pid);
    const rate = await run();
    return { rate, share: (100 * (cpuSeconds(pid) - before)) / seconds };
  };
  const alone = await used(() => load(host, callsASecond, seconds));
  const page = await Page.open(context, host, { at: 'calls' });
  const protocol = await page.tab.createCDPSession();
  const heap = async () => {
    await protocol.send('HeapProfiler.collectGarbage');
    return (await page.tab.metrics()).JSHeapUsedSize;
  };
  await page.tab.evaluate(() => {
    globalThis.longest = 0;
    new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => { globalThis.longest = Math.max(globalThis.longest, duration); })).observe({ type: 'longtask' });
  });
  await pause(1000);
  const heapBefore = await heap();
  const looked = await used(() => load(host, callsASecond, seconds));
  const growth = (await heap()) - heapBefore;
  const longest = await page.tab.evaluate(() => globalThis.longest);
  const cost = looked.share - alone.share * (looked.rate / alone.rate);
  context.diagnostic(`${looked.rate.toFixed(0)} calls a second for ${seconds} s: longest task ${longest.toFixed(0)} ms, heap ${(growth / 2 ** 20).toFixed(1)} MiB more, ${cost.toFixed(1)} % of a processor for the page (${alone.share.toFixed(1)} % without it at ${alone.rate.toFixed(0)} calls)`);
  await page.goTo('log');
  await page.untilText('.lines', 'call');
  assert.deepEqual(page.mistakes, []);
  assert.ok(growth < 20 * 2 ** 20, `${growth} bytes`);
  if (full) {
    assert.ok(looked.rate >= 0.95 * callsASecond, `${looked.rate} calls a second`);
    assert.ok(longest <= 100 && cost <= 2, `${longest} ms, ${cost} %`);
  }
});

const threads = (pid) => readdirSync(`/proc/${pid}/task`).length;
const sockets = (pid) => readdirSync(`/proc/${pid}/fd`).filter((fd) => {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith('socket:');
  } catch {
    return false;
  }
}).length;

test('WithoutItThereIsNothingOfIt', async (context) => {
  const components = await Components.create();
  const off = await HttpHost.start(components, ['--control', 'none']);
  context.after(() => off.stop());
  const on = await serveWithDashboard(context, components);
  await pause(300);
  // The other listens at a control socket, too.
  assert.deepEqual([sockets(off.child.pid) + 2, threads(off.child.pid) + 1], [sockets(on.child.pid), threads(on.child.pid)]);
});
