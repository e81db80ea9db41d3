// The servers of the reference collection that are written in Python, behind the host over stdio, asked by the official
// clients of both eras.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { connectHttp, kinds } from '../integration/support/clients.mjs';
import { Components } from '../integration/support/components.mjs';
import { serveAll } from '../integration/support/host.mjs';
import { addUpstream } from '../integration/support/upstreams.mjs';

const python = process.env.MCP_UPSTREAMS_PYTHON;
if (!existsSync(python)) {
  console.log('skipped: the servers in Python are not installed; the test python.packages says why');
  process.exit(0);
}
if (spawnSync('git', ['--version']).error) {
  console.log('skipped: install git');
  process.exit(0);
}

const components = await Components.create();
const repository = join(components.folder, 'repository');
await mkdir(repository);
const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
const git = (...args) => execFileSync('git', ['-C', repository, ...author, ...args]);
git('init', '--quiet');
await writeFile(join(repository, 'notes.txt'), 'one\n');
git('add', 'notes.txt');
git('commit', '--quiet', '-m', 'Begin the notes');
const page = createServer((request, response) => {
  response.setHeader('Content-Type', 'text/html');
  response.end('<html><body><h1>News</h1><p>The bridge is open again.</p></body></html>');
});
await new Promise((resolve) => page.listen(0, '127.0.0.1', resolve));

// On a busy machine they take long to start.
const module = (name, ...args) => ({ command: python, args: ['-m', name, ...args], connectMs: 60_000 });
await addUpstream(components, 'time', module('mcp_server_time', '--local-timezone', 'Etc/UTC'));
await addUpstream(components, 'git', module('mcp_server_git', '--repository', repository));
await addUpstream(components, 'fetch', module('mcp_server_fetch', '--ignore-robots-txt', '--allow-private-ips'));
const host = await serveAll(components);
after(() => page.close());

for (const kind of kinds) {
  test(`ServersInPythonAreServed, ${kind.name}`, async () => {
    const client = await connectHttp(kind, host.url);
    const wanted = ['get_current_time', 'git_log', 'fetch'];
    const areListed = async () => {
      const { tools } = await client.listTools();
      return wanted.every((wantedName) => tools.some(({ name }) => name === wantedName));
    };
    while (!(await areListed())) await sleep(100);
    const patience = { timeout: 90_000 };
    const call = async (name, args) => (await kind.call(client, { name, arguments: args }, patience)).content[0].text;
    assert.match(await call('get_current_time', { timezone: 'Europe/Paris' }), /Europe\/Paris/);
    assert.match(await call('git_log', { repo_path: repository }), /Begin the notes/);
    const url = `http://127.0.0.1:${page.address().port}/`;
    assert.match(await call('fetch', { url }), /The bridge is open again/);
    await client.close();
  });
}
