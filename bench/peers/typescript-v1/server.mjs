// The echo server of the official TypeScript SDK, version 1, as its examples make one: Express, a server and a transport
// for each request, no sessions, JSON answers; and a process for each of two processors.
import cluster from 'node:cluster';

import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

function makeServer() {
  const server = new McpServer({ name: 'echo', version: '1.0.0' });
  server.registerTool('echo', { description: 'Says what it is given.', inputSchema: { text: z.string() } },
    ({ text }) => ({ content: [{ type: 'text', text }] }));
  return server;
}

if (cluster.isPrimary) {
  for (let i = 0; i < 2; ++i) cluster.fork();
  let listening = 0;
  cluster.on('listening', (worker, { port }) => {
    if (++listening === 2) console.log(`listening ${port}`);
  });
} else {
  const app = createMcpExpressApp();
  app.post('/mcp', async (request, response) => {
    const server = makeServer();
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
    response.on('close', () => { transport.close(); server.close(); });
    await server.connect(transport);
    await transport.handleRequest(request, response, request.body);
  });
  app.listen(0, '127.0.0.1');
}
