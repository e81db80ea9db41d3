// How often and how many at once a client is answered: by who sends it, by where it comes from, by component. What is
// refused says which limit it has met, and a retry at the time that it names succeeds.
import assert from 'node:assert/strict';
import http from 'node:http';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { adminOf, Metrics } from './support/admin.mjs';
import { Components } from './support/components.mjs';
import { serve } from './support/host.mjs';
import {
  allMessages,
  contentHeaders,
  modernHeaders,
  modernRequest,
  post,
  postModern,
  request,
  Session,
} from './support/http.mjs';
import { Issuer } from './support/issuer.mjs';
import { untilNoted } from './support/outcomes.mjs';
import { nextWithData, sseEvents } from './support/sse.mjs';
import { LineClient } from './support/stdio.mjs';
import { bearer, Team } from './support/team.mjs';
import { until } from './support/until.mjs';
import { RawWebSocket } from './support/websocket.mjs';

const roles = '[roles.user]\nallow = ["*"]\n[roles.guest]\nallow = ["*"]\n';

// A host without tokens whose limits are `limits`.
async function serveLimited(context, limits, plugins = ['sample_v1'], more = []) {
  const components = await Components.create(...plugins);
  const file = join(components.folder, 'host.toml');
  await writeFile(file, limits);
  const host = await serve(context, components, ['--config', file, ...more]);
  host.file = file;
  return host;
}

const list = (url, token) => postModern(url, 'tools/list', {}, { headers: token ? bearer(token) : {} });
const callTool = (url, name, token, args = {}, more = {}) =>
  postModern(url, 'tools/call', { name, arguments: args }, { headers: token ? bearer(token) : {}, ...more });

// A request of 127.0.0.2 and the like, which the host hears from there.
function from(localAddress, url, headers = {}) {
  const body = JSON.stringify(modernRequest('tools/list', {}, 'here'));
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST', localAddress, agent: false, headers: { ...contentHeaders, ...modernHeaders('tools/list'), ...headers },
    };
    http.request(url, options, (response) => {
      let text = '';
      response.on('data', (piece) => { text += piece; });
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
    }).on('error', reject).end(body);
  });
}

async function statusesOf(count, one) {
  const statuses = [];
  for (let i = 0; i < count; ++i) statuses.push((await one()).status);
  return statuses;
}

test('OnePrincipalIsHeldToItsRateAndAnotherIsNot', async (context) => {
  const team = await Team.serve(context, await Components.create('sample_v1'), roles);
  const [ada, bob] = [await team.token('ada', 'user'), await team.token('bob', 'user')];
  await team.reconfigure(`${roles}[limits.per_principal]\nrate = "2/s"\nburst = 3\n`);

  const first = await list(team.url, ada);
  assert.equal(first.status, 200);
  assert.equal(first.headers.get('RateLimit-Policy'), '"per_principal";q=3;w=2');
  assert.equal(first.headers.get('RateLimit'), '"per_principal";r=2;t=1');
  assert.equal(first.headers.get('X-RateLimit-Limit'), '3');
  assert.equal(first.headers.get('X-RateLimit-Remaining'), '2');
  assert.equal(first.headers.get('X-RateLimit-Reset'), '1');
  assert.equal(first.headers.get('Retry-After'), null);

  let refused = first;
  for (let i = 0; i < 20 && refused.status === 200; ++i) refused = await list(team.url, ada);
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get('Retry-After'), '1');
  assert.equal(refused.headers.get('RateLimit'), '"per_principal";r=0;t=1');
  assert.equal(refused.headers.get('X-RateLimit-Remaining'), '0');
  const { id, error } = await refused.json();
  assert.equal(id, 1);
  assert.equal(error.code, 429);
  assert.match(error.message, /^Too many requests: limits.per_principal allows 2\/s; try again in \d+ ms$/);
  assert.equal(error.data.limit, 'limits.per_principal');
  assert.ok(error.data.retryAfterMs > 0 && error.data.retryAfterMs <= 500, JSON.stringify(error));

  assert.equal((await list(team.url, bob)).status, 200);
  await sleep(error.data.retryAfterMs);
  assert.equal((await list(team.url, ada)).status, 200);
});

test('ATokenDoesNotGetAroundTheRateOfItsPrincipal', async (context) => {
  const team = await Team.serve(context, await Components.create('sample_v1'), roles);
  const tokens = [await team.token('ada', 'user'), await team.token('ada', 'guest')];
  await team.reconfigure(`${roles}[limits.per_principal]\nrate = "2/h"\n`);
  const statuses = [];
  for (const token of [...tokens, ...tokens]) statuses.push((await list(team.url, token)).status);
  assert.deepEqual(statuses, [200, 200, 429, 429]);
});

test('EveryMethodCountsAndAPreflightDoesNot', async (context) => {
  const host = await serveLimited(context, '[limits.per_principal]\nrate = "3/h"\n');
  const statuses = [];
  for (const method of ['GET', 'HEAD', 'DELETE', 'GET'])
    statuses.push((await fetch(host.address, { method, headers: { Accept: 'text/event-stream' } })).status);
  assert.deepEqual(statuses, [400, 200, 400, 429]);
  assert.equal((await fetch(host.address, { method: 'OPTIONS' })).status, 204);
});

test('AnAddressIsHeldToItsRateAndAnotherIsNot', async (context) => {
  const host = await serveLimited(context, '[limits.per_address]\nrate = "2/h"\n');
  assert.deepEqual(await statusesOf(4, () => from('127.0.0.2', host.address)), [200, 200, 429, 429]);
  assert.equal((await from('127.0.0.3', host.address)).status, 200);
  const { headers, text } = await from('127.0.0.2', host.address);
  const { id, error } = JSON.parse(text);
  assert.equal(id, 'here');
  assert.equal(error.data.limit, 'limits.per_address');
  assert.equal(Number(headers['retry-after']), Math.ceil(error.data.retryAfterMs / 1000));
});

test('AnAddressWhoseCredentialsAreRefusedIsNotHeardForAWhile', async (context) => {
  const team = await Team.serve(context, await Components.create('sample_v1'), roles);
  const ada = await team.token('ada', 'user');
  await team.reconfigure(`${roles}[limits.failures]\nrate = "1/s"\nburst = 3\n`);
  const address = team.host.address;
  // Whoever says nothing of who he is has not failed to prove it.
  assert.deepEqual(await statusesOf(6, () => from('127.0.0.2', address)), Array(6).fill(401));
  assert.deepEqual(await statusesOf(6, () => from('127.0.0.2', address, bearer(ada))), Array(6).fill(200));
  const { headers } = await from('127.0.0.2', address, bearer(ada));
  assert.equal(headers.ratelimit, undefined, 'who is admitted has no rate of his own');
  const bad = () => from('127.0.0.2', address, bearer(ada.slice(0, -1) + (ada.endsWith('x') ? 'y' : 'x')));
  const statuses = await statusesOf(12, bad);
  assert.deepEqual(statuses.slice(0, 3), [401, 401, 401]);
  assert.ok(statuses.includes(429), String(statuses));
  // In a second another one is heard, and then none.
  const refused = async () => {
    if ((await bad()).status !== 429) return undefined;
    const good = await from('127.0.0.2', address, bearer(ada));
    return good.status === 429 && good;
  };
  const { error } = JSON.parse((await until(refused, () => 'good credentials are refused', { pauseMs: 0 })).text);
  assert.equal(error.data.limit, 'limits.failures');
  assert.equal((await from('127.0.0.3', address, bearer(ada))).status, 200);
  await sleep(error.data.retryAfterMs);
  assert.equal((await from('127.0.0.2', address, bearer(ada))).status, 200);
});

test('AllTogetherAreHeldToARateThatRefusedCredentialsDoNotCountFor', async (context) => {
  const team = await Team.serve(context, await Components.create('sample_v1'), roles);
  const [ada, bob] = [await team.token('ada', 'user'), await team.token('bob', 'user')];
  await team.reconfigure(`${roles}[limits.all]\nrate = "2/h"\n`);
  assert.deepEqual(await statusesOf(3, () => list(team.url, 'nonsense')), [401, 401, 401]);
  assert.equal((await list(team.url, ada)).status, 200);
  assert.equal((await list(team.url, bob)).status, 200);
  const refused = await list(team.url, bob);
  assert.equal(refused.status, 429);
  assert.equal((await refused.json()).error.data.limit, 'limits.all');
});

test('AComponentIsHeldToARateOfItsOwn', async (context) => {
  const limits = ['[limits.component.versions]', 'match = "tool:ver*"', 'rate = "2/h"',
    '[limits.component.texts]', 'match = "resource:sample://*"', 'rate = "1/h"', 'per = "all"',
    '[limits.component.guests]', 'match = "prompt:*"', 'rate = "1/h"', 'per = "address"', 'roles = ["guest"]'];
  const team = await Team.serve(context, await Components.create('sample_v1'), roles + limits.join('\n'));
  const [ada, bob] = [await team.token('ada', 'user'), await team.token('bob', 'guest')];

  const call = (token) => callTool(team.url, 'version', token);
  assert.deepEqual(await statusesOf(3, () => call(ada)), [200, 200, 429]);
  const refused = await call(ada);
  assert.equal(refused.headers.get('RateLimit-Policy'), '"component.versions";q=2;w=3600');
  const { id, error } = await refused.json();
  assert.deepEqual([id, error.code, error.data.limit], [1, 429, 'limits.component.versions']);
  assert.equal(Number(refused.headers.get('Retry-After')), Math.ceil(error.data.retryAfterMs / 1000));
  assert.equal((await call(bob)).status, 200, 'each principal by itself');
  assert.equal((await callTool(team.url, 'only_in_v1', ada)).status, 200, 'another tool');
  const unknown = await callTool(team.url, 'version_of_what', ada);
  assert.match((await unknown.json()).error.message, /^Unknown tool/, 'nothing is said of limits of what is not there');

  const read = (token) => postModern(team.url, 'resources/read', { uri: 'sample://text' }, { headers: bearer(token) });
  assert.equal((await read(ada)).status, 200);
  assert.equal((await read(bob)).status, 429, 'all together');

  const get = (token) => postModern(team.url, 'prompts/get', { name: 'sample_prompt' }, { headers: bearer(token) });
  assert.deepEqual([(await get(bob)).status, (await get(bob)).status], [200, 429]);
  assert.deepEqual([(await get(ada)).status, (await get(ada)).status], [200, 200], 'another role');
});

test('OneWhoFloodsWaitsAlone', async (context) => {
  const team = await Team.serve(context, await Components.create('slow'), roles);
  const [ada, bob] = [await team.token('ada', 'user'), await team.token('bob', 'user')];
  await team.reconfigure(`${roles}[limits.per_principal]\nconcurrent = 2\n`);
  const wait = (token, milliseconds = 1500, label = 'x') => callTool(team.url, 'wait', token, { label, milliseconds });
  const held = ['one', 'two'].map((label) => wait(ada, 10_000, label));
  for (const label of ['one', 'two']) await untilNoted(team.url, `${label} begun`, { headers: bearer(bob) });
  const refused = await wait(ada);
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get('Retry-After'), '1');
  assert.equal(refused.headers.get('RateLimit-Policy'), '"per_principal";q=2;qu="concurrent-requests"');
  const { error } = await refused.json();
  assert.equal(error.data.retryAfterMs, 1000);
  assert.match(error.message, /^Too many requests at once: limits.per_principal allows 2 in flight/);
  assert.equal((await wait(bob, 1)).status, 200);
  for (const each of held) assert.equal((await each).status, 200);
  // Whoever has been answered has a place again, at once.
  for (let i = 0; i < 20; ++i) {
    const both = await Promise.all([wait(ada, 1), wait(ada, 1)]);
    assert.deepEqual(both.map(({ status }) => status), [200, 200]);
    for (const each of both) await each.text();
  }
});

// The answer to the first ping that is not refused.
const untilPlace = (session) => until(async () => {
  const answer = await session.post(request('ping'));
  return answer.status !== 429 && answer;
}, () => 'a place');

test('ALegacyClientThatHangsUpKeepsThePlaceOfACallThatGoesOn', async (context) => {
  const host = await serveLimited(context, '[limits.per_principal]\nconcurrent = 1\n', ['slow'], ['--admin-listen', '127.0.0.1:0']);
  const base = await adminOf(host);
  const session = await Session.open(host.url);
  const gone = new AbortController();
  const call = request('tools/call', { name: 'wait', arguments: { label: 'x', milliseconds: 10_000 } });
  const sent = session.post(call, {}, { signal: gone.signal }).catch(() => 'gone');
  const inFlight = async () => (await Metrics.read(base)).sum('mcph_plugin_calls_in_flight', { plugin: 'tools/slow.so' });
  await until(async () => (await inFlight()) === 1, () => 'a call in flight');
  gone.abort();
  assert.equal(await sent, 'gone');
  // There is a place again when the call has ended, and not before.
  await untilPlace(session);
  assert.equal(await inFlight(), 0);
  await untilNoted(host.url, 'x finished');
});

test('AnOpenStreamCounts', async (context) => {
  const host = await serveLimited(context, '[limits.per_address]\nconcurrent = 1\n');
  const session = await Session.open(host.url);
  const closing = new AbortController();
  const stream = await session.get({}, { signal: closing.signal });
  assert.equal(stream.status, 200);
  assert.equal((await session.post(request('ping'))).status, 429);
  closing.abort();
  assert.equal((await untilPlace(session)).status, 200);
});

test('AnOpenWebSocketCountsBesidesWhatComesByIt', async (context) => {
  const host = await serveLimited(context, '[limits.per_address]\nconcurrent = 1\n');
  const client = await RawWebSocket.open(host.url);
  assert.equal((await list(host.url)).status, 429);
  const { error } = await client.ask(modernRequest('tools/list', {}, 'by it'));
  assert.deepEqual([error.code, error.data.limit], [429, 'limits.per_address']);
  client.end();
  await until(async () => (await list(host.url)).status === 200, () => 'a place');
});

test('EachRequestOfABatchCounts', async (context) => {
  const limits = '[limits.per_principal]\nrate = "6/h"\n[limits.component.versions]\nmatch = "tool:version"\nrate = "2/h"\n';
  const host = await serveLimited(context, limits);
  const session = await Session.open(host.url, '2025-03-26'); // two requests
  const ping = (id) => request('ping', undefined, id);
  const version = (id) => request('tools/call', { name: 'version' }, id);
  const notification = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99 } };
  // Four of them are left.
  const batch = [notification, version(1), version(2), version(3), ping(4), ping(5), ping(6)];
  const response = await session.post(batch);
  assert.equal(response.status, 200);
  const answers = Object.fromEntries((await response.json()).map((answer) => [answer.id, answer]));
  assert.deepEqual(Object.keys(answers), ['1', '2', '3', '4', '5', '6']);
  assert.equal(answers[1].result.content[0].text, '1');
  assert.deepEqual([answers[3].error.code, answers[3].error.data.limit], [429, 'limits.component.versions']);
  assert.deepEqual(answers[4].result, {});
  for (const id of [5, 6]) {
    assert.equal(answers[id].error.code, 429);
    assert.equal(answers[id].error.data.limit, 'limits.per_principal');
    assert.ok(answers[id].error.data.retryAfterMs > 0);
  }
  assert.equal((await session.post(ping(7))).status, 429);
});

test('AChangedConfigurationCountsAtOnceAndRefillsNothingThatHasNotChanged', async (context) => {
  const components = await Components.create('sample_v1');
  const team = await Team.serve(context, components, roles);
  const ada = await team.token('ada', 'user');
  const one = '[limits.per_principal]\nrate = "2/h"\n';
  await team.reconfigure(roles + one);
  assert.deepEqual(await statusesOf(3, () => list(team.url, ada)), [200, 200, 429]);
  await team.reconfigure(`${roles}${one}[limits.all]\nrate = "1000/s"\n`);
  assert.equal((await list(team.url, ada)).status, 429, 'what is used stays used');
  await team.reconfigure(roles + one.replace('2/h', '3/h'));
  assert.equal((await list(team.url, ada)).status, 200, 'another limit');
  const refused = team.host.log.next({ event: 'configuration not taken' });
  await team.configure(`${roles}[limits.per_principal]\nrate = "often"\n`);
  assert.match((await refused).reason, /team\.toml:\d+:\d+: "rate" must be COUNT\/PERIOD/);
  assert.deepEqual(await statusesOf(3, () => list(team.url, ada)), [200, 200, 429], 'the last good one counts');
  await team.reconfigure(roles);
  assert.equal((await list(team.url, ada)).status, 200, 'none');
  assert.equal(team.host.log.entries.filter(({ event }) => event === 'configuration needs a restart').length, 0);
});

test('WhatIsRefusedOverHttpSseIsSaidWhereItWasAsked', async (context) => {
  const limits = '[limits.component.waits]\nmatch = "tool:wait"\nrate = "1/h"\n';
  const host = await serveLimited(context, limits, ['slow'], ['--http-sse']);
  const closing = new AbortController();
  const stream = await fetch(new URL('/sse', host.url),
    { headers: { Accept: 'text/event-stream' }, signal: closing.signal });
  const events = sseEvents(stream.body);
  const next = async () => (await nextWithData(events)).data;
  const endpoint = new URL(await next(), host.url);
  const say = (message) => post(endpoint, message);
  await say({ ...request('initialize', {
    protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'integration', version: '1' } }, 0) });
  assert.equal(JSON.parse(await next()).id, 0);
  const wait = (id) => request('tools/call', { name: 'wait', arguments: { label: 'x', milliseconds: 1 } }, id);
  assert.equal((await say(wait(1))).status, 202);
  assert.equal(JSON.parse(await next()).result.content[0].text, 'x');
  const refused = await say(wait(2));
  assert.equal(refused.status, 429);
  const { id, error } = await refused.json();
  assert.deepEqual([id, error.code, error.data.limit], [2, 429, 'limits.component.waits']);
  closing.abort();
});

test('ARequestThatWaitsForAnIssuerCountsOnce', async (context) => {
  const issuer = await Issuer.start(context);
  const url = 'http://127.0.0.1:8080';
  const host = await serveLimited(context, `[server]\nurl = "${url}"\n[issuers.mock]\nissuer = "${issuer.url}"\n` +
    '[roles.user]\nissuers = ["mock"]\nallow = ["*"]\n[limits.per_address]\nrate = "3/h"\nconcurrent = 1\n');
  const token = await issuer.token({ aud: `${url}/mcp` });
  assert.deepEqual(await statusesOf(4, () => list(host.url, token)), [200, 200, 200, 429]);
  assert.ok(issuer.asked.length > 0);
});

test('APageOfAnotherOriginMayReadTheLimits', async (context) => {
  const host = await serveLimited(context, '[limits.per_principal]\nrate = "100/h"\n');
  const response = await postModern(host.url, 'tools/list', {}, { headers: { Origin: 'http://localhost:3000' } });
  const exposed = response.headers.get('Access-Control-Expose-Headers');
  for (const name of ['RateLimit', 'RateLimit-Policy', 'Retry-After', 'X-RateLimit-Remaining'])
    assert.ok(exposed.split(', ').includes(name), exposed);
});

test('AStreamedAnswerSaysWhatIsLeft', async (context) => {
  const host = await serveLimited(context, '[limits.per_principal]\nrate = "100/h"\n', ['slow']);
  const args = { label: 'x', milliseconds: 50, reports: 2 };
  const response = await postModern(host.url, 'tools/call',
    { name: 'wait', arguments: args, _meta: { progressToken: 1 } });
  assert.equal(response.headers.get('Content-Type'), 'text/event-stream');
  assert.equal(response.headers.get('X-RateLimit-Remaining'), '99');
  assert.equal((await allMessages(response)).at(-1).result.content[0].text, 'x');
});

test('OverStdioNothingIsLimited', async (context) => {
  const components = await Components.create('sample_v1');
  const file = join(components.folder, 'host.toml');
  await writeFile(file, '[limits.all]\nrate = "1/h"\n[limits.component.any]\nmatch = "*"\nrate = "1/h"\n');
  const client = LineClient.start(context, components, ['--config', file]);
  for (let i = 0; i < 3; ++i) {
    client.send(modernRequest('tools/call', { name: 'version', arguments: {} }, i));
    assert.equal((await client.next()).result.content[0].text, '1');
  }
});
