// Tool calls that take long become tasks (SEP-2663), for clients that know them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

import { Client } from '@modelcontextprotocol/client';
import { createTaskSessionFromClient, resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client';

import { Components } from './support/components.mjs';
import { HttpHost, serveAll } from './support/host.mjs';
import { allMessages, modern, modernHeaders, modernMeta, modernRequest, post, Session } from './support/http.mjs';
import { sseEvents } from './support/sse.mjs';
import { LineClient } from './support/stdio.mjs';
import { connectHttp, kinds } from './support/clients.mjs';
import { until } from './support/until.mjs';

const options = ['--task-after-ms', '300', '--max-tasks', '40'];
const components = await Components.create('asking');
const host = await serveAll(components, options);

const extension = 'io.modelcontextprotocol/tasks';
const capabilities = { elicitation: {}, extensions: { [extension]: {} } };
const knowing = { 'io.modelcontextprotocol/clientCapabilities': capabilities };

async function ask(method, params, { _meta = knowing, id = 1, headers = {} } = {}) {
  const name = params.name ?? params.uri ?? params.taskId;
  const body = modernRequest(method, { ...params, _meta }, id);
  const messages = await allMessages(await post(host.url, body, { ...modernHeaders(method, name), ...headers }));
  return messages.at(-1);
}
const result = async (...of) => {
  const answer = await ask(...of);
  assert.equal(answer.error, undefined, JSON.stringify(answer.error));
  return answer.result;
};
const call = (name, args = {}, ...more) => result('tools/call', { name, arguments: args }, ...more);
const get = (taskId) => result('tasks/get', { taskId });

const untilIs = (taskId, wanted) => until(async () => {
  const task = await get(taskId);
  return task.status === wanted && task;
}, async () => `${wanted}: ${JSON.stringify(await get(taskId))}`, { pauseMs: 50 });

// What the plugin logs of a call that was to take so long.
const cancelledCall = (milliseconds) => ({ event: 'plugin says', text: `cancelled: ${milliseconds} ms` });
const form = (name) => ({ action: 'accept', content: { name } });

test('TheServerSaysThatItKnowsTasksWhereTheRevisionHasExtensions', async () => {
  const { capabilities: said } = await result('server/discover', {});
  assert.deepEqual(said.extensions[extension], {});
  const session = await Session.open(host.url);
  assert.equal(session.result.capabilities.tasks, undefined);
});

test('AQuickCallIsNoTask', async () => {
  for (const name of ['take_long', 'declared_long', 'only_a_task']) {
    const args = name === 'only_a_task' ? {} : { milliseconds: 0 };
    // On a busy machine it may take too long.
    let type;
    for (let tries = 0; type !== 'complete' && tries < 5; ++tries) type = (await call(name, args)).resultType;
    assert.equal(type, 'complete', name);
  }
});

test('ACallThatTakesTooLongBecomesATaskWhoseResultIsKept', async () => {
  const created = await call('take_long', { milliseconds: 10_000 });
  assert.equal(created.resultType, 'task');
  assert.equal(created.status, 'working');
  assert.match(created.taskId, /^[\w-]{24}$/);
  assert.match(created.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(created.ttlMs, 3_600_000);
  assert.ok(Number.isInteger(created.pollIntervalMs));
  const working = await get(created.taskId);
  assert.deepEqual([working.resultType, working.status], ['complete', 'working']);
  const done = await untilIs(created.taskId, 'completed');
  assert.equal(done.result.content[0].text, 'worked for 10000 ms');
  assert.deepEqual(await get(created.taskId), done, 'the result is kept');
});

test('ACallOfAToolThatIsDeclaredLongBecomesATaskSoon', async () => {
  const began = Date.now();
  const created = await call('declared_long', { milliseconds: 60_000 });
  assert.ok(Date.now() - began < 30_000, 'long before the call would have ended');
  assert.equal(created.resultType, 'task');
  await ask('tasks/cancel', { taskId: created.taskId });
});

test('ACallOfAToolThatForbidsItNeverBecomesATask', async () => {
  assert.equal((await call('never_a_task', { milliseconds: 700 })).resultType, 'complete');
});

test('AClientThatDoesNotKnowTasksGetsTheResult', async () => {
  assert.equal((await call('take_long', { milliseconds: 600 }, { _meta: {} })).resultType, 'complete');
  const session = await Session.open(host.url);
  const { result: legacy } = await session.ask('tools/call', { name: 'take_long', arguments: { milliseconds: 600 } });
  assert.equal(legacy.content[0].text, 'worked for 600 ms');
  const { result: only } = await session.ask('tools/call', { name: 'only_a_task' });
  assert.equal(only.content[0].text, 'done');
});

test('AToolThatMustBeATaskIsRefusedToAClientThatDoesNotKnowThem', async () => {
  const refused = { requiredCapabilities: { extensions: { [extension]: {} } } };
  for (const [method, params] of [
    ['tools/call', { name: 'only_a_task', arguments: {} }],
    ['tasks/get', { taskId: 'x' }],
    ['tasks/update', { taskId: 'x', inputResponses: {} }],
    ['tasks/cancel', { taskId: 'x' }],
    ['subscriptions/listen', { notifications: { taskIds: ['x'] } }],
  ]) {
    const { error } = await ask(method, params, { _meta: {} });
    assert.deepEqual([error.code, error.data], [-32021, refused], method);
    assert.equal(error.message, `This request requires the client capability "extensions.${extension}"`);
  }
});

test('ACancelledTaskEndsAndItsPluginHearsOfIt', async () => {
  const created = await call('declared_long', { milliseconds: 60_001 });
  const acknowledged = await result('tasks/cancel', { taskId: created.taskId });
  assert.equal(acknowledged.resultType, 'complete');
  assert.equal(acknowledged.status, undefined);
  assert.equal((await get(created.taskId)).status, 'cancelled');
  assert.equal((await result('tasks/cancel', { taskId: created.taskId })).resultType, 'complete');
  await host.log.until(cancelledCall(60_001));
});

test('ATaskAsksItsClientAndGoesOnWithTheAnswer', async () => {
  const created = await call('work_and_ask');
  assert.equal(created.resultType, 'task');
  const { taskId } = created;
  const asked = await untilIs(taskId, 'input_required');
  const [key] = Object.keys(asked.inputRequests);
  assert.equal(asked.inputRequests[key].params.message, 'For whom?');

  const wrong = await ask('tasks/update', { taskId, inputResponses: { [key]: { action: 'perhaps' } } });
  assert.equal(wrong.error.code, -32602);
  const many = await ask('tasks/update', { taskId, inputResponses: { [key]: { ...form('Ada'), x: Array(20_000).fill(0) } } });
  assert.match(many.error.message, /params\.inputResponses has more than 20000 values/);
  const stranger = await result('tasks/update', { taskId, inputResponses: { stranger: form('x') } });
  assert.equal(stranger.resultType, 'complete');
  assert.equal((await get(taskId)).status, 'input_required');

  await result('tasks/update', { taskId, inputResponses: { [key]: form('Ada') } });
  assert.equal((await untilIs(taskId, 'completed')).result.content[0].text, 'worked for Ada');
});

test('AnotherTaskIsUnknown', async () => {
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    const { error } = await ask(method, { taskId: 'nobody', inputResponses: {} });
    assert.deepEqual([error.code, error.message], [-32602, 'Task not found: it is unknown, or its time is over']);
  }
  for (const method of ['tasks/result', 'tasks/list']) {
    assert.equal((await ask(method, { taskId: 'nobody' })).error.code, -32601);
  }
});

test('TheHeaderWithTheTasksIdMustBeRight', async () => {
  const { error } = await ask('tasks/get', { taskId: 'one' }, { headers: { 'Mcp-Name': 'another' } });
  assert.equal(error.code, -32020);
});

test('ASubscriptionTellsOfATask', async () => {
  const { taskId } = await call('declared_long', { milliseconds: 10_000 });
  const body = modernRequest('subscriptions/listen', { notifications: { taskIds: [taskId, 'nobody'] }, _meta: knowing }, 'l');
  const stream = await post(host.url, body, modernHeaders('subscriptions/listen'));
  const messages = [];
  for await (const { data } of sseEvents(stream.body)) {
    if (data) messages.push(JSON.parse(data));
    if (messages.at(-1)?.params.status === 'completed') break;
  }
  assert.deepEqual(messages[0].params.notifications, { taskIds: [taskId] });
  for (const { method, params } of messages.slice(1)) {
    assert.equal(method, 'notifications/tasks');
    assert.equal(params._meta['io.modelcontextprotocol/subscriptionId'], 'l');
    assert.equal(params.taskId, taskId);
  }
  assert.equal(messages[1].params.status, 'working');
  assert.equal(messages[1].params.statusMessage, 'half way');
  assert.equal(messages.at(-1).params.result.content[0].text, 'worked for 10000 ms');
});

test('AClientThatLeavesBeforeThereIsATaskCancelsTheCall', async () => {
  const leaving = new AbortController();
  const params = { name: 'never_a_task', arguments: { milliseconds: 60_002 }, _meta: { ...knowing, progressToken: 1 } };
  const body = modernRequest('tools/call', params);
  // Its answer begins with what it tells when it has begun.
  const answer = await post(host.url, body, modernHeaders('tools/call', params.name), { signal: leaving.signal });
  leaving.abort();
  await assert.rejects(answer.text());
  await host.log.until(cancelledCall(60_002));
});

test('WithAsManyTasksAsThereMayBeACallStaysACall', async () => {
  const full = await HttpHost.start(components, ['--task-after-ms', '50', '--max-tasks', '1']);
  try {
    const body = modernRequest('tools/call', { name: 'take_long', arguments: { milliseconds: 400 }, _meta: knowing });
    const types = await Promise.all(
      [1, 2, 3].map(async () => (await (await post(full.url, body, modernHeaders('tools/call', 'take_long'))).json()).result.resultType),
    );
    assert.deepEqual(types.sort(), ['complete', 'complete', 'task']);
  } finally {
    await full.stop();
  }
});

test('ATaskIsForgottenWhenItsTimeIsOver', async () => {
  const brief = await HttpHost.start(components, ['--task-after-ms', '50', '--task-lifetime-s', '5']);
  const askBrief = async (method, params, name) =>
    (await post(brief.url, modernRequest(method, { ...params, _meta: knowing }), modernHeaders(method, name))).json();
  try {
    const created = await askBrief('tools/call', { name: 'take_long', arguments: { milliseconds: 60_000 } }, 'take_long');
    const { taskId } = created.result;
    assert.equal((await askBrief('tasks/get', { taskId }, taskId)).result.status, 'working');
    await pause(6000);
    assert.equal((await askBrief('tasks/get', { taskId }, taskId)).error.code, -32602);
    await brief.log.until(cancelledCall(60_000));
  } finally {
    await brief.stop();
  }
});

test('ATaskWhoseClientDoesNotAnswerInTimeFails', async () => {
  const strict = await HttpHost.start(components, ['--task-after-ms', '50', '--answer-time-s', '1']);
  const askStrict = async (method, params, name) =>
    (await post(strict.url, modernRequest(method, { ...params, _meta: knowing }), modernHeaders(method, name))).json();
  try {
    const { result: created } = await askStrict('tools/call', { name: 'work_and_ask', arguments: {} }, 'work_and_ask');
    assert.equal(created.resultType, 'task');
    const { taskId } = created;
    const failed = await until(async () => {
      const { result: task } = await askStrict('tasks/get', { taskId }, taskId);
      return task.status === 'failed' && task;
    }, () => 'the task has failed', { pauseMs: 50 });
    assert.equal(failed.error.message, 'The client did not answer elicitation/create within 1 s');
  } finally {
    await strict.stop();
  }
});

test('TasksWorkOverStdio', async (context) => {
  const client = LineClient.start(context, await Components.create('asking'), options);
  const line = (id, method, params) => client.ask(modernRequest(method, { ...params, _meta: knowing }, id));
  const { result: created } = await line(1, 'tools/call', { name: 'work_and_ask' });
  const { taskId } = created;
  let id = 1;
  const untilIt = (wanted) => until(async () => {
    const task = (await line(++id, 'tasks/get', { taskId })).result;
    return task.status === wanted && task;
  }, () => wanted, { pauseMs: 50 });
  const [key] = Object.keys((await untilIt('input_required')).inputRequests);
  await line(++id, 'tasks/update', { taskId, inputResponses: { [key]: form('Ada') } });
  assert.equal((await untilIt('completed')).result.content[0].text, 'worked for Ada');
});

// The official requester of tasks, which the SDK lets speak for itself: its own codecs do not know tasks.
test('TheOfficialTasksClientRunsATaskToItsEnd', async () => {
  const v2 = kinds.find(({ name }) => name === 'SDK v2, modern');
  const client = await connectHttp(v2, host.url, { options: { capabilities } });
  assert.ok(client instanceof Client);
  let id = 0;
  const rawDispatch = async ({ method, params }) => {
    id += 1;
    const message = { jsonrpc: '2.0', id, method, params };
    const response = await post(host.url, message, modernHeaders(method, params.name ?? params.taskId));
    const { result: got, error } = (await allMessages(response)).at(-1);
    return error ? { kind: 'error', error } : { kind: 'result', result: got };
  };
  const v2RequestFraming = {
    protocolVersion: modern,
    clientInfo: modernMeta()['io.modelcontextprotocol/clientInfo'],
    clientCapabilities: capabilities,
  };
  const session = createTaskSessionFromClient(client, {
    endpointId: 'integration',
    rawDispatch,
    v2RequestFraming,
    onInputRequest: async ({ kind }) => (assert.equal(kind, 'elicitation'), form('Ada')),
  });
  try {
    const text = async (name, args) => {
      const execution = await session.callTool(name, args);
      const { outcome } = await execution.settle();
      return resultFromTaskOutcome(outcome).content[0].text;
    };
    assert.equal(await text('declared_long', { milliseconds: 500 }), 'worked for 500 ms');
    assert.equal(await text('work_and_ask', {}), 'worked for Ada');
    assert.equal(await text('take_long', { milliseconds: 0 }), 'worked for 0 ms');
  } finally {
    await session.close();
    await client.close();
  }
});
