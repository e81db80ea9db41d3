// Servers of the official SDKs over HTTP, on free ports, for a host that has them as upstreams. Each ends with the test or
// the file that `context` belongs to.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  acceptedContent, createMcpHandler, inputRequired, McpServer as McpServerV2,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

import { freePort } from './free_port.mjs';
import { HttpServer } from './http_server.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const text = (words) => ({ content: [{ type: 'text', text: words }] });

// The same for both SDKs. `connection` is what a transport shares with it, `shape` how the SDK wants a prompt's arguments.
function describe(server, connection, shape) {
  server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, (args) => text(args.text));
  server.registerTool('count', { inputSchema: z.object({ to: z.number() }) }, async ({ to }, context) => {
    const meta = context._meta ?? context.mcpReq?._meta;
    const notify = context.sendNotification ?? context.mcpReq.notify;
    for (let progress = 1; progress <= to; ++progress) {
      const params = { progressToken: meta.progressToken, progress, total: to };
      await notify({ method: 'notifications/progress', params });
    }
    return text(`counted to ${to}`);
  });
  server.registerTool('whoami', { inputSchema: z.object({}) }, () => text(JSON.stringify({
    authorization: connection.headers.authorization ?? null,
    agent: connection.headers['user-agent'],
  })));
  server.registerTool('wait', { inputSchema: z.object({}) }, async (args, context) => {
    const signal = context.signal ?? context.mcpReq.signal;
    connection.waits?.();
    await new Promise((resolve) => { signal.addEventListener('abort', resolve); });
    connection.cancelled?.();
    return text('cancelled');
  });
  server.registerPrompt('greet', { argsSchema: shape({ name: z.string() }) }, ({ name }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Hello ${name}` } }],
  }));
  server.registerResource('motto', 'test://motto', {}, (uri) => ({ contents: [{ uri: uri.href, text: 'Onward' }] }));
  return server;
}

// Of the legacy era. `sessions`: it has them; `json`: it answers with JSON, and not with streams of events.
export async function startV1(context, { sessions = true, json = false, guard = () => true, ...options } = {}) {
  const transports = new Map();
  const connection = {};
  const create = async (more) => {
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: json, ...more });
    const server = describe(new McpServerV1({ name: 'sdk v1', version: '1.2.3' }), connection, (members) => members);
    await server.connect(transport);
    return { transport, server };
  };
  const http = await HttpServer.start(context, async (request, response) => {
    if (!(await guard(request, response))) return;
    connection.headers = request.headers;
    const known = transports.get(request.headers['mcp-session-id']);
    if (known) return known.transport.handleRequest(request, response);
    if (sessions && request.headers['mcp-session-id']) return void response.writeHead(404).end();
    if (!sessions && request.method !== 'POST') return void response.writeHead(405).end();
    const created = await create({
      sessionIdGenerator: sessions ? randomUUID : undefined,
      onsessioninitialized: (id) => transports.set(id, created),
    });
    await created.transport.handleRequest(request, response);
  }, options);
  return Object.assign(http, {
    connection,
    sessions: () => [...transports.keys()],
    forget: () => transports.clear(),
    // A tool comes to all that there are.
    grow: (name) => { for (const { server } of transports.values()) server.registerTool(name, {}, () => text(name)); },
  });
}

// Tools that ask their clients more than once, and know of the time before only what comes back.
function askTwice(server) {
  const confirmation = z.object({ confirm: z.boolean() });
  const ask = (message) => ({ confirm: inputRequired.elicit({ message, requestedSchema: z.toJSONSchema(confirmation) }) });
  server.registerTool('remove', { inputSchema: z.object({}) }, (args, { mcpReq }) => {
    const state = mcpReq.requestState();
    const confirmed = acceptedContent(mcpReq.inputResponses, 'confirm', confirmation);
    if (!confirmed) return inputRequired({ inputRequests: ask(`${state ?? 'a'}?`), requestState: state ?? 'a' });
    if (state === 'a') return inputRequired({ inputRequests: ask('b?'), requestState: 'b' });
    return text(`removed a and ${state}`);
  });
  server.registerTool('again', { inputSchema: z.object({}) }, (args, { mcpReq }) => {
    const times = Number(mcpReq.requestState() ?? 0);
    return times < 3 ? inputRequired({ requestState: String(times + 1) }) : text(`asked again ${times} times`);
  });
  const form = z.object({ name: z.string() });
  server.registerTool('introduce', { inputSchema: z.object({}) }, (args, { mcpReq }) => {
    const opinion = mcpReq.inputResponses?.opinion;
    if (opinion) return text(`${mcpReq.requestState()}: ${[opinion.content].flat()[0].text}`);
    const known = acceptedContent(mcpReq.inputResponses, 'name', form);
    if (!known) {
      const inputRequests = { name: inputRequired.elicit({ message: 'Who?', requestedSchema: z.toJSONSchema(form) }) };
      return inputRequired({ inputRequests, requestState: 'nobody yet' });
    }
    const messages = [{ role: 'user', content: { type: 'text', text: `Say something to ${known.name}` } }];
    return inputRequired({
      inputRequests: { opinion: inputRequired.createMessage({ messages, maxTokens: 10 }) },
      requestState: `${mcpReq.requestState()}, then ${known.name}`,
    });
  });
  return server;
}

// Of the modern era, with the default way to answer, or always with a stream. `asks`: it has a tool that asks, too.
export async function startV2(context, { responseMode, legacy = 'reject', asks = false, ...options } = {}) {
  const connection = {};
  const make = () => describe(new McpServerV2({ name: 'sdk v2', version: '2.3.4' }), connection, z.object);
  const create = () => (asks ? askTwice(make()) : make());
  const handler = createMcpHandler(create,
    { legacy, ...(responseMode && { responseMode }) });
  const answer = toNodeHandler(handler);
  const http = await HttpServer.start(context, (request, response) => {
    connection.headers = request.headers;
    return answer(request, response);
  }, options);
  return Object.assign(http, { connection, handler });
}

// The official reference server, "streamableHttp" or "sse".
export async function startEverything(context, transport) {
  const port = await freePort();
  const program = join(here, '../node_modules/@modelcontextprotocol/server-everything/dist/index.js');
  const child = spawn(process.execPath, ['--import', join(here, 'on_loopback.mjs'), program, transport],
    { env: { ...process.env, PORT: String(port) }, stdio: ['ignore', 'ignore', 'pipe'] });
  const gone = once(child, 'exit');
  context.after(async () => {
    child.kill('SIGKILL');
    await gone;
  });
  await new Promise((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (piece) => {
      said += piece;
      if (/on port/.test(said)) resolve();
    });
    gone.then(() => reject(new Error(said)));
  });
  return { url: `http://127.0.0.1:${port}/${transport === 'sse' ? 'sse' : 'mcp'}` };
}
