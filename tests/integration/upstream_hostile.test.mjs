// Upstream servers that do harm, all behind one host at once: each is refused or contained, and what is well beside it
// is served on.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { connectHttp, kinds } from './support/clients.mjs';
import { command } from './support/command.mjs';
import { Components } from './support/components.mjs';
import { serveAll } from './support/host.mjs';
import { postModern, request, Session } from './support/http.mjs';
import { until } from './support/until.mjs';
import { addUpstream, script } from './support/upstreams.mjs';

// The reason for which a server is not served at all.
const refused = {
  endless_pages: /tools\/list has more than 200 pages/,
  cursor_loop: /tools\/list has more than 200 pages/,
  endless_list: /tools\/list has more than 10000 entries/,
  silent: /did not answer initialize within 1500 ms/,
  strange_revision: /the protocol version "1999-12-31", which this host does not speak/,
  dies: /exited with status 7.*there is no such database/,
};
// What a call of a server's faulty tool comes to, where the server is served.
const called = {
  huge: /sent a message of 4\d+ bytes, more than/,
  huge_id_last: /sent a message of 4\d+ bytes, more than/,
  nobody: 'fine',
  duplicate: 'fine',
  both: /both a result and an error/,
  broken_text: /no UTF-8 text/,
  nested: /nest/,
  half_line: /exited with status 3/,
  noise: 'fine',
  faulty_result: /unknown type "riddle"/,
  progress_flood: 'fine',
  reads_the_host: '1 refused: there is no such method here',
};
// Those that list something faulty, are restless, or do not end.
const listed = ['long_list', 'shadow', 'faulty_schema', 'faulty_names', 'unreadable', 'lying_schema', 'tags', 'restless', 'stays',
  'daemon', 'plain'];
const faults = [...Object.keys(refused), ...Object.keys(called), ...listed, 'flood'];

// How long the program sleeps that `daemon` starts: known by it, because no other process has this number.
const seconds = `1000.${process.pid}`;
const sleeping = () => execFileSync('ps', ['-eo', 'pid,args']).toString().split('\n')
  .filter((line) => line.endsWith(` sleep ${seconds}`)).map((line) => parseInt(line));
process.on('exit', () => spawnSync('kill', ['-KILL', ...sleeping()])); // if the host has not ended it

const components = await Components.create();
await components.addShipped('tools/calculator');
for (const fault of faults) {
  const prefix = fault === 'shadow' ? '' : `${fault}_`;
  const more = fault === 'silent' ? { prefix, connectMs: 1500 } : { prefix };
  await addUpstream(components, fault, script('hostile_upstream.mjs', [fault, seconds], more));
}
const host = await serveAll(components);
const [legacy, modern] = kinds;
const client = await connectHttp(modern, host.url);
const text = (result) => result.content[0].text;
const call = (name) => modern.call(client, { name, arguments: {} });
const loaded = (fault) =>
  host.log.until({ event: 'plugin loaded', file: components.file(`${fault}.mcp.json`) }, { patienceMs: 90_000 });
const names = async () => (await client.listTools()).tools.map(({ name }) => name);
const fine = async (fault) => assert.equal(text(await call(`${fault}_fine`)), 'fine');

for (const [fault, reason] of Object.entries(refused)) {
  test(`AnUpstreamIsRefused, ${fault}`, async () => {
    const file = components.file(`${fault}.mcp.json`);
    const line = await host.log.until({ event: 'plugin refused', file }, { patienceMs: 90_000 });
    assert.match(line.reason, reason);
    assert.ok(!(await names()).some((name) => name.startsWith(`${fault}_`)));
  });
}

for (const [fault, outcome] of Object.entries(called)) {
  test(`ACallIsContained, ${fault}`, async () => {
    await loaded(fault);
    const told = await call(`${fault}_${fault}`).then(text, ({ message }) => message);
    if (typeof outcome === 'string') {
      assert.equal(told, outcome);
    } else {
      assert.match(told, outcome);
      assert.match(told, new RegExp(`[Pp]lugin ${fault}`));
    }
    await fine(fault);
  });
}

// It has ended before it has been told anything.
test('ACommandOutlivesAProgramThatEndsAtOnce', async (context) => {
  const components = await Components.create();
  context.after(() => components.discard());
  await components.addShipped('tools/calculator');
  await addUpstream(components, 'ends', { command: '/bin/false' });
  for (let i = 0; i < 5; ++i) {
    const { status, stdout, stderr } = await command(
      'call', '--components', components.root, '--data', components.data, 'calculate', '{"expression": "6 * 7"}');
    assert.equal(status, 0, stderr);
    assert.match(stdout, /42/);
  }
});

test('AListThatIsTooLongCostsItsLongEntries', async () => {
  await loaded('long_list');
  const line = await host.log.until({ event: 'plugin remark', file: components.file('long_list.mcp.json') });
  assert.match(line.remark, /tools "long" of the upstream is left out/);
});

test('AnUpstreamDoesNotTakeTheNameOfAPlugin', async () => {
  await loaded('shadow');
  const result = await modern.call(client, { name: 'calculate', arguments: { expression: '6 * 7' } });
  assert.match(text(result), /42/);
  const line = await host.log.until({ event: 'component hidden', tool: 'calculate' });
  assert.match(line.hidden, /shadow\.mcp\.json$/);
  assert.match(line.next, /give the upstream a "prefix", or the tool another name with "rename"/);
});

test('AFaultyComponentCostsOnlyItself', async () => {
  for (const fault of ['faulty_schema', 'faulty_names', 'unreadable']) {
    await loaded(fault);
    await fine(fault);
  }
  const served = (await names()).filter((name) => /^(faulty_names|faulty_schema|unreadable)_/.test(name));
  assert.deepEqual(served.sort(), [
    'faulty_names_fine', 'faulty_names_not_a_name', 'faulty_names_twice', 'faulty_schema_fine', 'unreadable_fine']);
  const remarks = host.log.matching({ event: 'plugin remark' }).map(({ remark }) => remark).join('\n');
  assert.match(remarks, /"faulty" of the upstream is left out: .*minProperties/);
  assert.match(remarks, /"deeper" of the upstream is left out: is JSON nested deeper than 64 levels/);
  assert.match(remarks, /"wide" of the upstream is left out: is JSON object with more than 4096 keys/);
});

test('StructuredContentThatIsNotAsItsSchemaSaysIsAnError', async () => {
  await loaded('lying_schema');
  const told = await call('lying_schema_lie').then(text, ({ message }) => message);
  assert.match(told, /does not fit the tool's outputSchema/);
});

test('AnUpstreamGivesItselfNoTags', async () => {
  await loaded('tags');
  const { tools } = await client.listTools();
  const { _meta } = tools.find(({ name }) => name === 'tags_fine');
  assert.deepEqual(_meta, { other: 1 });
});

test('ListsThatChangeAllTheTimeAreAskedForNowAndThen', async () => {
  await loaded('restless');
  const listings = async () => Number(text(await call('restless_restless')));
  const begin = performance.now();
  const before = await listings();
  let since = 0;
  while (since < 4) {
    await fine('restless');
    await sleep(50);
    since = (await listings()) - before;
  }
  // Every 250 ms at most, of which one may end as the time begins.
  const most = 1 + Math.floor((performance.now() - begin) / 250);
  assert.ok(since <= most, `${since} listings where ${most} are the most`);
  assert.deepEqual((await names()).filter((name) => name.startsWith('restless_')).sort(), ['restless_fine', 'restless_restless']);
});

for (const kind of [legacy, modern]) {
  test(`AFloodOfQuestionsIsRefused, ${kind.name}`, async () => {
    await loaded('flood');
    let asked = 0;
    let others = 0;
    const prepare = (person) => kind.answer(person, {
      elicit: () => (++asked, { action: 'accept', content: { a: 'b' } }),
      sample: () => ++others,
      roots: () => ++others,
    });
    const options = { capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} } };
    const person = await connectHttp(kind, host.url, { options, prepare });
    const told = await kind.call(person, { name: 'flood_flood', arguments: {} }).then(text, ({ message }) => message);
    assert.match(told, /asked too much/);
    assert.equal(parseInt(told) + asked, 1000, told);
    assert.ok(asked <= 256, `${asked} questions`);
    assert.equal(others, 0);
    await person.close();
    await fine('flood');
  });
}

// What is handed out with questions is the host's to hand back.
test('AClientHandsNoStateToAnUpstreamOrAPlugin', async () => {
  await loaded('plain');
  for (const [name, args] of [['plain_fine', {}], ['calculate', { expression: '1 + 1' }]]) {
    for (let i = 0; i < 20; ++i) {
      const response = await postModern(host.url, 'tools/call', { name, arguments: args, inputState: 'abc' });
      assert.ok((await response.json()).result, name);
    }
    const session = await Session.open(host.url);
    const answer = await session.post(request('tools/call', { name, arguments: args, inputState: 'abc' }));
    assert.match(await answer.text(), /"result"/);
  }
  for (const [method, params] of [['prompts/get', { name: 'nobody' }], ['resources/read', { uri: 'test://nobody' }]])
    await (await postModern(host.url, method, { ...params, inputState: 'abc' })).text();
  await fine('plain');
});

const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test('AProgramThatStaysIsEnded', async () => {
  const { pid } = await loaded('stays');
  assert.ok(isAlive(pid));
  await rm(components.file('stays.mcp.json'));
  await until(() => !isAlive(pid), () => `the end of process ${pid}`);
});

test('WhatAProgramHasStartedEndsWithIt', async () => {
  const { pid } = await loaded('daemon');
  const [first, ...others] = sleeping();
  assert.ok(first);
  assert.deepEqual(others, []);
  process.kill(pid, 'SIGKILL');
  await host.log.until({ event: 'plugin crashed', plugin: 'daemon' });
  await fine('daemon');
  await until(() => !sleeping().includes(first), () => `the end of process ${first}`);
  assert.equal(sleeping().length, 1);
});

test('WhatIsWellIsServedBesideAllOfThem', async () => {
  const result = await modern.call(client, { name: 'calculate', arguments: { expression: '1 + 1' } });
  assert.match(text(result), /2/);
});
