// The plugin http in a running host, and servers on the loopback that it asks.
import assert from 'node:assert/strict';

import { Components } from './components.mjs';
import { HttpHost } from './host.mjs';
import { allMessages, postModern } from './http.mjs';
import { HttpServer } from './http_server.mjs';
import { sseEvents } from './sse.mjs';

// A server whose `answer(request, response, body)` says what it does. It keeps the bodies, too.
export async function startUpstream(context, answer) {
  return HttpServer.start(context, async (request, response, { requests }) => {
    const asked = requests.at(-1);
    const parts = [];
    for await (const part of request) parts.push(part);
    asked.body = Buffer.concat(parts).toString();
    await answer(request, response, asked.body);
  });
}

export const json = (value, status = 200, headers = {}) => (request, response) => {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(value));
};

// The plugin with this configuration, in a host of its own.
export class Served {
  static async start(context, configuration, environment = {}) {
    const components = await Components.create();
    await components.addShipped('tools/http', configuration);
    const host = await HttpHost.start(components, ['--log-level', 'debug'], '127.0.0.1:0', environment);
    context.after(() => host.stop().finally(() => components.discard()));
    return new Served(host);
  }

  constructor(host) {
    this.host = host;
  }

  async messages(name, args = {}, { meta, ...options } = {}) {
    return allMessages(await postModern(this.host.url, 'tools/call', { name, arguments: args, _meta: meta }, options));
  }

  // What is said of a call, as it comes.
  async *stream(name, args = {}) {
    const params = { name, arguments: args, _meta: { progressToken: name } };
    const { body } = await postModern(this.host.url, 'tools/call', params);
    for await (const { data } of sseEvents(body)) if (data) yield JSON.parse(data);
  }

  async call(name, args, options) {
    const { result, error } = (await this.messages(name, args, options)).at(-1);
    assert.equal(error, undefined, JSON.stringify(error));
    return result;
  }

  async text(name, args) {
    const result = await this.call(name, args);
    assert.equal(result.isError, undefined, result.content[0].text);
    return result.content[0].text;
  }

  async error(name, args) {
    const result = await this.call(name, args);
    assert.equal(result.isError, true, JSON.stringify(result));
    return result.content[0].text;
  }
}

export const text = { type: 'string' };
export const tool = (request, more = {}) => ({
  name: 't',
  description: 'T.',
  inputSchema: { type: 'object', properties: { x: text, y: text, list: { type: 'array', items: text } } },
  request,
  result: { type: 'text' },
  ...more,
});

// One tool that asks this server, and the plugin with it.
export async function serveTool(context, answer, toolOf, more = {}, environment) {
  const upstream = await startUpstream(context, answer);
  const made = toolOf(upstream.origin);
  const served = await Served.start(
    context, { allowAddresses: ['127.0.0.1'], tools: Array.isArray(made) ? made : [made], ...more }, environment);
  return { upstream, served };
}
