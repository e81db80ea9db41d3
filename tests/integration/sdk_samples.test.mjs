// The client in TypeScript of docs/clients.md, run as it stands there.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { Components } from './support/components.mjs';
import { serve } from './support/host.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));

test('TheClientInTypeScriptListsAndCalls', async (context) => {
  const page = await readFile(new URL('../../docs/clients.md', import.meta.url), 'utf8');
  const [, program] = /^```ts\n(.*?)^```$/ms.exec(page);
  const components = await Components.create();
  await components.addShipped('tools/calculator');
  const host = await serve(context, components);
  const text = program.replace('http://127.0.0.1:8080/mcp', String(host.url));
  const child = spawn(process.execPath, ['--input-type=module', '-'], { cwd: here, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(text);
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (part) => (printed += part));
  const [status] = await once(child, 'close');
  assert.equal(status, 0);
  assert.match(printed, /^calculate\n\{ result: 42, formatted: '42' \}\n$|^calculate\n.*result: 42/s);
});
