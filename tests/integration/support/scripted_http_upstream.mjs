// An MCP server over Streamable HTTP, without sessions, that answers as a test says. It ends with the test or the file that
// `context` belongs to.
import { HttpServer } from './http_server.mjs';

export const tool = (name) => ({ name, inputSchema: { type: 'object' } });
export const said = (text) => ({ content: [{ type: 'text', text }] });

// What a server of either era says of itself.
export const legacy = (capabilities) => ({
  initialize: () => ({ protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'scripted', version: '1' } }),
  ping: () => ({}),
});
export const modern = (capabilities) => ({
  'server/discover': () => ({ resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities }),
});

// A stream of events, with these messages at its beginning.
export function stream(response, ...messages) {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  for (const message of messages) response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
}

// `answers` has a function for each method that the server knows, of the params, the response and the id. It gives a
// result or { error }, or has answered itself; GET, of the request and the response, answers that. `heard` has the messages in their order, `until` waits for one.
export async function startScripted(context, answers) {
  const heard = [];
  const waiting = new Set();
  const answer = async (message, response) => {
    const { id, method, params } = message;
    const outcome = await answers[method]?.(params ?? {}, response, id);
    if (response.headersSent || response.destroyed) return;
    if (id === undefined) return void response.writeHead(202).end();
    const error = outcome?.error ?? (answers[method] ? undefined : { code: -32601, message: 'no such method' });
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(error ? { error } : { result: outcome }) }));
  };
  const server = await HttpServer.start(context, async (request, response) => {
    if (request.method === 'GET' && answers.GET) return answers.GET(request, response);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    let body = '';
    for await (const piece of request) body += piece;
    const message = JSON.parse(body);
    heard.push(message);
    for (const look of waiting) look();
    await answer(message, response);
  });
  const count = (method) => heard.filter((message) => message.method === method).length;
  const until = (is) => new Promise((resolve) => {
    const look = () => {
      if (!is(heard)) return;
      waiting.delete(look);
      resolve();
    };
    waiting.add(look);
    look();
  });
  return Object.assign(server, { heard, count, until });
}
