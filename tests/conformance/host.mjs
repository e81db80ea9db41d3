// The host that the official suite runs against, with the conformance plugin. With MCP_CONFORMANCE_AUTHENTICATION set it
// asks for a token, and the suite, which cannot be told one, reaches it through a proxy that adds it to each request.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request as forward } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { promisify } from 'node:util';

import { Components } from '../integration/support/components.mjs';
import { HttpHost, program } from '../integration/support/host.mjs';

// The scenario about polling wants a stream closed while a tool runs.
const options = ['--close-streams-after-ms', '2000'];

async function proxyWith(token, { hostname, port, pathname }) {
  const proxy = createServer((request, response) => {
    const onward = forward({
      hostname,
      port,
      method: request.method,
      path: request.url,
      headers: { ...request.headers, authorization: `Bearer ${token}` },
    });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return { url: new URL(`http://127.0.0.1:${proxy.address().port}${pathname}`), close: () => proxy.close() };
}

async function startProtected(components) {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-conformance-team-'));
  const file = join(folder, 'team.toml');
  await writeFile(file, '[tokens]\nfile = "tokens.json"\n[roles.suite]\nallow = ["*"]\n');
  const create = ['token', 'create', 'suite', '--role', 'suite', '--config', file];
  const token = (await promisify(execFile)(program, create)).stdout.trimEnd().split('\n').at(-1);
  const host = await HttpHost.start(components, [...options, '--config', file]);
  const without = await fetch(host.url, { method: 'POST' });
  if (without.status !== 401) throw new Error(`a request without a token got ${without.status}`);
  const proxy = await proxyWith(token, host.url);
  return {
    url: proxy.url,
    stop: async () => {
      proxy.close();
      await host.stop();
      await rm(folder, { recursive: true });
    },
  };
}

export async function startHost() {
  const components = new Components(env.MCP_CONFORMANCE);
  if (env.MCP_CONFORMANCE_AUTHENTICATION) return startProtected(components);
  return HttpHost.start(components, options);
}
