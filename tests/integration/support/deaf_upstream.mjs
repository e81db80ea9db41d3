// deaf_upstream.mjs: an MCP server of the legacy era over stdio that goes on with what is cancelled. `book` ends when
// `end` is called. `begun` and `cancelled` end when it has been called and cancelled. `ask` logs and asks what the work of
// `book` would, and says what it was answered.
import { createInterface } from 'node:readline';

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const say = (id, text) => send({ id, result: { content: [{ type: 'text', text }] } });
const booking = Promise.withResolvers();
const cancellation = Promise.withResolvers();
let answered;

const calls = {
  book: (id) => booking.resolve(id),
  begun: async (id) => {
    await booking.promise;
    say(id, 'begun');
  },
  cancelled: async (id) => {
    await cancellation.promise;
    say(id, 'cancelled');
  },
  end: async (id) => {
    say(await booking.promise, 'booked');
    say(id, 'ended');
  },
  ask: (id) => {
    answered = ({ result, error }) => say(id, JSON.stringify(result ?? error));
    send({ method: 'notifications/message', params: { level: 'error', data: 'the card of Ada is charged' } });
    const requestedSchema = { type: 'object', properties: { code: { type: 'string' } } };
    send({ id: 'q', method: 'elicitation/create', params: { message: 'The code of Ada?', requestedSchema } });
  },
};

const methods = {
  initialize: (id) => send({ id, result: {
    protocolVersion: '2025-11-25', capabilities: { tools: {}, logging: {} }, serverInfo: { name: 'deaf', version: '1' },
  } }),
  'logging/setLevel': (id) => send({ id, result: {} }),
  'tools/list': (id) => send({ id, result: { tools: Object.keys(calls).map((name) => ({ name, inputSchema: { type: 'object' } })) } }),
  'tools/call': (id, { name }) => calls[name](id),
  'notifications/cancelled': () => cancellation.resolve(),
};

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const message = JSON.parse(line);
    if (message.method === undefined) return answered(message);
    const method = methods[message.method];
    if (method) return method(message.id, message.params ?? {});
    if (message.id !== undefined) send({ id: message.id, error: { code: -32601, message: 'unknown' } });
  })
  .on('close', () => process.exit(0));
