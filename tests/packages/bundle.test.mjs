// The bundle for desktop clients: it is valid, and what lies in it answers as its manifest has a client start it. And the
// entry for the MCP registry, judged by the registry's schema where that is there.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { Ajv } from 'ajv';
import formats from 'ajv-formats';

const here = path.dirname(fileURLToPath(import.meta.url));
const source = path.join(here, '../..');
const schema = process.env.MCP_REGISTRY_SCHEMA ?? path.join(source, '../shared/spec/registry/2025-12-11/server.schema.json');
const folder = mkdtempSync(path.join(os.tmpdir(), 'mcp-bundle-'));
after(() => rmSync(folder, { recursive: true }));

// Paths are relative to the folder, and not to the tree.
function run(command, ...args) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', cwd: folder });
  assert.equal(status, 0, `${stdout}${stderr}`);
  return stdout;
}
const url = 'https://h.example/?v=@VERSION@&file=/@FILE@';
run(path.join(source, 'scripts/mcpb.sh'), '--build', path.relative(folder, process.env.MCP_BUILD), '--url', url, '.');
const bundle = readdirSync(folder).find((name) => name.endsWith('.mcpb'));
const unpacked = path.join(folder, 'unpacked');
run(path.join(here, 'node_modules/.bin/mcpb'), 'unpack', path.join(folder, bundle), unpacked);

test('TheBundleAnswersAsItsManifestSays', async (context) => {
  const manifest = JSON.parse(readFileSync(path.join(unpacked, 'manifest.json'), 'utf8'));
  const filled = (text) => text.replaceAll('${user_config.components}', manifest.user_config.components.default)
    .replaceAll('${__dirname}', unpacked);
  const { command, args } = manifest.server.mcp_config;
  const server = spawn(filled(command), args.map(filled), {
    stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, XDG_STATE_HOME: path.join(folder, 'state') },
  });
  context.after(() => server.kill());
  const lines = readline.createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const ask = async (id, method, params) => {
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    for (;;) {
      const message = JSON.parse((await lines.next()).value);
      if (message.id === id) return message.result;
    }
  };
  const client = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const { serverInfo } = await ask(1, 'initialize', client);
  assert.equal(serverInfo.version, manifest.version);
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  const { structuredContent } = await ask(2, 'tools/call', { name: 'calculate', arguments: { expression: '6 * 7' } });
  assert.equal(structuredContent.result, 42);
  server.stdin.end();
  assert.deepEqual(await once(server, 'close'), [0, null]);
});

test('TheBundleTellsEachShellHowToComplete', () => {
  for (const shell of ['bash', 'fish', 'zsh'])
    assert.match(run(path.join(unpacked, 'server/bin/mcp-plugin-host'), 'completion', shell), /mcp-plugin-host/);
});

test('TheEntryForTheRegistryNamesTheBundle', () => {
  const entry = JSON.parse(readFileSync(path.join(folder, 'server.json'), 'utf8'));
  assert.equal(entry.packages[0].identifier, `https://h.example/?v=${entry.version}&file=/${bundle}`);
  assert.equal(entry.packages[0].fileSha256, createHash('sha256').update(readFileSync(path.join(folder, bundle))).digest('hex'));
  assert.doesNotMatch(JSON.stringify(entry), /@/);
});

test('TheEntryForTheRegistryIsWhatItsSchemaSays', { skip: !existsSync(schema) && 'the schema is not there' }, () => {
  const entry = JSON.parse(readFileSync(path.join(folder, 'server.json'), 'utf8'));
  const ajv = new Ajv({ strict: false });
  formats(ajv);
  const validate = ajv.compile(JSON.parse(readFileSync(schema, 'utf8')));
  assert.ok(validate(entry), JSON.stringify(validate.errors));
});
