// What a client has of a server and knows by an id: it begins it, uses it, and would notice if somebody else had.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';

import {
  contentHeaders, initializeRequest, modernHeaders, modernMeta, modernRequest, newestLegacy, request,
} from './http.mjs';
import { nextWithData, sseEvents, sseMessages } from './sse.mjs';
import { bearer } from './team.mjs';
import { until } from './until.mjs';

const capabilities = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };
const knowing = { 'io.modelcontextprotocol/clientCapabilities': capabilities };
const newSecret = () => `hers-${randomBytes(8).toString('hex')}`;

// Somebody with a token, or without, at one server of the host.
export class Somebody {
  patienceMs = 5000; // with a stream that may say nothing

  constructor(url, token, server = '') {
    this.origin = new URL(url).origin;
    this.token = token;
    this.server = server; // "", or "/NAME"
  }

  async send(method, path, { headers = {}, message } = {}) {
    const authorization = this.token === undefined ? {} : bearer(this.token);
    const leaving = new AbortController();
    const response = await fetch(`${this.origin}${this.server}${path}`, {
      method,
      headers: { ...contentHeaders, ...authorization, ...headers },
      body: message === undefined ? undefined : JSON.stringify(message),
      signal: leaving.signal,
    });
    response.leave = () => leaving.abort();
    response.patienceMs = this.patienceMs;
    return response;
  }

  post(message, headers) {
    return this.send('POST', '/mcp', { message, headers });
  }

  modern(method, params = {}, id = 1) {
    const named = modernHeaders(method, params.name ?? params.uri ?? params.taskId);
    return this.post(modernRequest(method, { ...params, _meta: knowing }, id), named);
  }

  // The result of a request that must have one.
  async result(method, params) {
    const { text } = await heard(await this.modern(method, params));
    const { result, error } = JSON.parse(text);
    assert.equal(error, undefined, text);
    return result;
  }

  // The headers of a new legacy session; undefined if there is none for this client.
  async session() {
    const opened = await this.post(initializeRequest(newestLegacy));
    await opened.arrayBuffer();
    if (opened.status !== 200) return undefined;
    const headers = ofSession(opened.headers.get('Mcp-Session-Id'));
    await (await this.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers)).arrayBuffer();
    return headers;
  }

  // The names of all tools from the page of the cursor on.
  async tools(cursor) {
    const names = [];
    do {
      const { tools, nextCursor } = await this.result('tools/list', cursor === undefined ? {} : { cursor });
      names.push(...tools.map(({ name }) => name));
      cursor = nextCursor;
    } while (cursor !== undefined);
    return names;
  }
}

const ofSession = (id) => ({ 'Mcp-Session-Id': id, 'MCP-Protocol-Version': newestLegacy });
const stranger = ofSession('unknown');

// Whatever a response says: of a stream the messages, until one of them is wanted or it has been quiet for long.
async function heard(response, isWanted = () => false) {
  const about = { status: response.status, challenge: response.headers.get('WWW-Authenticate') };
  if (response.headers.get('Content-Type') !== 'text/event-stream') return { ...about, text: await response.text() };
  const texts = [];
  const timer = setTimeout(response.leave, response.patienceMs);
  try {
    for await (const { data } of sseEvents(response.body)) {
      if (data) texts.push(data);
      if (data && isWanted(JSON.parse(data))) break;
    }
  } catch (error) {
    if (error.name !== 'AbortError') throw error;
  } finally {
    clearTimeout(timer);
    response.leave();
  }
  return { ...about, text: texts.join('\n') };
}

const isUpdate = ({ method }) => method === 'notifications/resources/updated';

const taskThat = (owner, taskId, status) => until(async () => {
  const task = await owner.result('tasks/get', { taskId });
  return task.status === status && task;
}, () => `a task that is ${status}`);

async function longTask(owner) {
  const { taskId } = await owner.result('tools/call', { name: 'declared_long', arguments: { milliseconds: 60_000 } });
  await taskThat(owner, taskId, 'working');
  return taskId;
}

// By name. `begin` makes one and returns what is known of it; `use` is what it is good for, to whoever knows that, and
// says what came of it; `works` whether that is what its owner gets. `unknown` is the same of one that does not exist,
// `intact` fails if somebody else has done something with it, and `end` is for what would stay otherwise. `touch` makes
// the resource watched://one change, of which everybody hears: what waits for that is alone.
export const belongings = {
  ASessionByPost: {
    begin: async (owner) => ({ headers: await owner.session() }),
    unknown: { headers: stranger },
    use: async (who, { headers }) => heard(await who.post(request('ping', undefined, 7), headers)),
    works: ({ status, text }) => status === 200 && text === '{"jsonrpc":"2.0","id":7,"result":{}}',
  },

  TheStreamOfASessionByGet: {
    isAlone: true,
    async begin(owner) {
      const headers = await owner.session();
      const subscribed = await owner.post(request('resources/subscribe', { uri: 'watched://one' }), headers);
      assert.ok((await subscribed.json()).result);
      return { headers };
    },
    unknown: { headers: stranger },
    async use(who, { headers }, touch) {
      const response = await who.send('GET', '/mcp', { headers: { ...headers, Accept: 'text/event-stream' } });
      if (response.status === 200) await touch();
      return heard(response, isUpdate);
    },
    works: ({ text }) => text.includes('watched://one'),
  },

  ASessionByDelete: {
    begin: async (owner) => ({ headers: await owner.session() }),
    unknown: { headers: stranger },
    use: async (who, { headers }) => heard(await who.send('DELETE', '/mcp', { headers })),
    works: ({ status }) => status === 204,
  },

  AnHttpSseClientByItsMessages: {
    async begin(owner) {
      const stream = await owner.send('GET', '/sse', { headers: { Accept: 'text/event-stream' } });
      assert.equal(stream.status, 200);
      const events = sseEvents(stream.body);
      const query = new URL((await events.next()).value.data, owner.origin).search;
      const has = { owner, query, stream, next: async () => (await nextWithData(events)).data };
      await this.say(owner, has, initializeRequest('2024-11-05'));
      assert.ok(JSON.parse(await has.next()).result);
      return has;
    },
    unknown: { query: '?sessionId=unknown' },
    say: (who, { query }, message) => who.send('POST', `/messages${query}`, { message }),
    async use(who, has) {
      const isOwner = who === has.owner;
      const said = await heard(await this.say(who, has, request('ping', undefined, isOwner ? 'hers' : 'his')));
      // What comes next on the stream is the answer to her, and to nobody else.
      return isOwner ? { ...said, text: await has.next() } : said;
    },
    works: ({ status, text }) => status === 202 && text === '{"jsonrpc":"2.0","id":"hers","result":{}}',
    end: (owner, { stream }) => stream.leave(),
  },

  AResponseByLastEventId: {
    async begin(owner) {
      const headers = await owner.session();
      const secret = newSecret();
      const waiting = { label: secret, milliseconds: 300, reports: 3 };
      const params = { name: 'wait', arguments: waiting, _meta: { progressToken: 1 } };
      const response = await owner.post(request('tools/call', params), headers);
      assert.equal(response.headers.get('Content-Type'), 'text/event-stream');
      const { value } = await sseEvents(response.body).next();
      response.leave();
      return { headers, eventId: value.id, secret };
    },
    unknown: { headers: stranger, eventId: 'r99-1' },
    async use(who, { headers, eventId }) {
      const resumed = await this.resume(who, headers, eventId);
      if (resumed.status === 200) return resumed;
      // Neither does it say anything in a session of his own.
      const own = await who.session();
      return { first: resumed, ...(own && (await this.resume(who, own, eventId))) };
    },
    async resume(who, headers, eventId) {
      const more = { ...headers, Accept: 'text/event-stream', 'Last-Event-ID': eventId };
      return heard(await who.send('GET', '/mcp', { headers: more }));
    },
    works: ({ text }, { secret }) => text?.includes(secret) ?? false,
  },

  ACallByItsRequestState: {
    async begin(owner) {
      const secret = newSecret();
      const first = await owner.result('tools/call', { name: 'two_rounds', arguments: {} });
      const second = await owner.result('tools/call', this.answer(first, secret));
      return { first: second, secret };
    },
    unknown: ({ first }) => ({ first: { ...first, requestState: 'unknown' } }),
    answer: ({ requestState, inputRequests }, name) => ({
      name: 'two_rounds',
      arguments: {},
      requestState,
      inputResponses: Object.fromEntries(
        Object.keys(inputRequests).map((key) => [key, { action: 'accept', content: { name } }]),
      ),
    }),
    async use(who, { first }) {
      return heard(await who.modern('tools/call', this.answer(first, 'second')));
    },
    works: ({ text }, { secret }) => text.includes(`${secret} second`),
  },

  ATaskByGet: {
    async begin(owner) {
      const secret = newSecret();
      const { taskId } = await owner.result('tools/call', { name: 'work_and_ask', arguments: {} });
      const { inputRequests } = await taskThat(owner, taskId, 'input_required');
      const [key] = Object.keys(inputRequests);
      const inputResponses = { [key]: { action: 'accept', content: { name: secret } } };
      await owner.result('tasks/update', { taskId, inputResponses });
      await taskThat(owner, taskId, 'completed');
      return { taskId, secret };
    },
    unknown: { taskId: 'unknown' },
    use: async (who, { taskId }) => heard(await who.modern('tasks/get', { taskId })),
    works: ({ text }, { secret }) => text.includes(`worked for ${secret}`),
  },

  ATaskByCancel: {
    begin: async (owner) => ({ taskId: await longTask(owner) }),
    unknown: { taskId: 'unknown' },
    async use(who, { taskId }) {
      const cancelled = await heard(await who.modern('tasks/cancel', { taskId }));
      const after = await heard(await who.modern('tasks/get', { taskId }));
      return { ...cancelled, after };
    },
    works: ({ text, after }) =>
      JSON.parse(text).result !== undefined && JSON.parse(after.text).result.status === 'cancelled',
    intact: async (owner, { taskId }) =>
      assert.equal((await owner.result('tasks/get', { taskId })).status, 'working'),
  },

  // It names a place in a list, and everybody has his own list: what he sees by it he could list without it.
  AListByItsCursor: {
    async begin(owner) {
      const { nextCursor } = await owner.result('tools/list');
      return { cursor: nextCursor };
    },
    async use(who, { cursor }) {
      const page = await heard(await who.modern('tools/list', { cursor }));
      return page.status === 200 ? { ...page, names: await who.tools(cursor) } : page;
    },
    works: ({ names }) => names?.length > 0,
    async isNothing(thief, { text, names }) {
      if (names === undefined) return;
      const own = await thief.tools();
      assert.deepEqual(names.filter((name) => !own.includes(name)), []);
      for (const hidden of thief.hidden) {
        assert.ok(!own.includes(hidden) && !names.includes(hidden) && !text.includes(hidden));
      }
    },
  },

  ASubscription: {
    isAlone: true,
    async begin(owner) {
      const taskId = await longTask(owner);
      const stream = await owner.modern('subscriptions/listen', {
        notifications: { resourceSubscriptions: ['watched://one'] },
      }, 'of hers');
      const messages = sseMessages(stream.body);
      const next = async () => (await messages.next()).value;
      assert.equal((await next()).method, 'notifications/subscriptions/acknowledged');
      return { taskId, stream, next };
    },
    unknown: { taskId: 'unknown' },
    async use(who, { taskId }) {
      const method = 'notifications/cancelled';
      const params = { requestId: 'of hers', _meta: modernMeta(knowing) };
      const cancelled = await heard(await who.post({ jsonrpc: '2.0', method, params }, modernHeaders(method)));
      const listening = await who.modern('subscriptions/listen', { notifications: { taskIds: [taskId] } });
      return { cancelled, ...(await heard(listening, () => true)) };
    },
    works: ({ text }, { taskId }) => text.includes(taskId),
    async intact(owner, { next }, touch) {
      await touch();
      assert.ok(isUpdate(await next()));
    },
    async end(owner, { taskId, stream }) {
      stream.leave();
      await owner.result('tasks/cancel', { taskId });
    },
  },
};
