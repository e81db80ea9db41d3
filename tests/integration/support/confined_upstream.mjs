// An MCP server over stdio that does what it is told, to see what it may.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const reached = (where) => new Promise((resolve, reject) => {
  const socket = connect(where, () => resolve(socket.end()));
  socket.on('error', reject);
});
const attempts = {
  read: (path) => void readFileSync(path),
  write: (path) => writeFileSync(path, 'written'),
  write_temporary: (name) => writeFileSync(join(tmpdir(), name), 'written'),
  connect: (port) => reached({ port: Number(port), host: '127.0.0.1' }),
  connect_locally: (path) => reached({ path }),
  pair: (type) => void execFileSync('perl', ['-MSocket', '-e', `exit !socketpair(my $a, my $b, AF_UNIX, ${type}, 0)`]),
};

const server = new McpServer({ name: 'confined', version: '1.0.0' });
for (const [name, attempt] of Object.entries(attempts)) {
  server.registerTool(name, { inputSchema: z.object({ what: z.string() }) }, async ({ what }) => {
    const text = await Promise.resolve().then(() => attempt(what)).then(() => 'done', ({ code, status }) => code ?? `status ${status}`);
    return { content: [{ type: 'text', text }] };
  });
}
await server.connect(new StdioServerTransport());
