// An MCP server over stdio that does what it is told, to see what it may.
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const reached = (port) => new Promise((resolve, reject) => {
  const socket = connect(port, '127.0.0.1', () => resolve(socket.end()));
  socket.on('error', reject);
});
const attempts = {
  read: (path) => void readFileSync(path),
  write: (path) => writeFileSync(path, 'written'),
  write_temporary: (name) => writeFileSync(join(tmpdir(), name), 'written'),
  connect: (port) => reached(Number(port)),
};

const server = new McpServer({ name: 'confined', version: '1.0.0' });
for (const [name, attempt] of Object.entries(attempts)) {
  server.registerTool(name, { inputSchema: z.object({ what: z.string() }) }, async ({ what }) => {
    const text = await Promise.resolve().then(() => attempt(what)).then(() => 'done', ({ code }) => code);
    return { content: [{ type: 'text', text }] };
  });
}
await server.connect(new StdioServerTransport());
