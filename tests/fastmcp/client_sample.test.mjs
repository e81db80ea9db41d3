// The client in Python of docs/clients.md, run as it stands there.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { env, exit } from 'node:process';
import { test } from 'node:test';

import { Components } from '../integration/support/components.mjs';
import { serve } from '../integration/support/host.mjs';

if (!existsSync(env.MCP_FASTMCP_PYTHON)) {
  console.log('skipped: FastMCP is not installed; the test python.packages says why');
  exit(0);
}

test('TheClientInPythonListsAndCalls', async (context) => {
  const page = await readFile(new URL('../../docs/clients.md', import.meta.url), 'utf8');
  const [, program] = /^```py\n(.*?)^```$/ms.exec(page);
  const components = await Components.create();
  await components.addShipped('tools/calculator');
  const host = await serve(context, components);
  const text = program.replace('http://127.0.0.1:8080/mcp', String(host.url));
  const printed = await new Promise((resolve, reject) => {
    execFile(env.MCP_FASTMCP_PYTHON, ['-c', text], (error, stdout) => (error ? reject(error) : resolve(stdout)));
  });
  assert.match(printed, /^calculate\n.*'result': 42/);
});
