// The echo server of the official TypeScript SDK, version 2, as its documentation serves one over HTTP: createMcpHandler,
// which is stateless in both eras and answers with JSON, on node:http; and a process for each of two processors.
import cluster from 'node:cluster';
import { createServer } from 'node:http';

import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

function makeServer() {
  const server = new McpServer({ name: 'echo', version: '1.0.0' });
  server.registerTool('echo', { description: 'Says what it is given.', inputSchema: z.object({ text: z.string() }) },
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
  createServer(toNodeHandler(createMcpHandler(makeServer))).listen(0, '127.0.0.1');
}
