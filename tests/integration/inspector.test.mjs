// The Inspector's command line, as somebody would type it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { Components } from './support/components.mjs';
import { argumentsOf, program, serveAll } from './support/host.mjs';
import { heardCommand } from './support/wire/wire.mjs';

const inspector = fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector/clients/launcher/build/index.js'));

const components = await Components.create('catalogue');
const host = await serveAll(components);

const targets = {
  HTTP: () => ['--transport', 'http', '--server-url', host.url.href],
  stdio: () => {
    const { command, args } = heardCommand(program, argumentsOf('stdio', components));
    return [command, ...args];
  },
};

async function inspect(target, era, ...question) {
  const options = ['--cli', ...question, '--protocol-era', era, '--quiet'];
  const { stdout } = await promisify(execFile)(process.execPath, [inspector, ...options, ...target], {
    env: { ...process.env, HOME: components.folder },
  });
  return JSON.parse(stdout);
}

for (const [transport, target] of Object.entries(targets)) {
  for (const era of ['legacy', 'modern']) {
    describe(`${era} over ${transport}`, { concurrency: 2 }, () => {
      test('ListsTools', async () => {
        const { tools } = await inspect(target(), era, '--method', 'tools/list');
        assert.deepEqual(
          tools.map((tool) => tool.name),
          ['add', 'ask_name', 'caller', 'contents', 'forecast'],
        );
      });

      test('CallsATool', async () => {
        const call = ['--method', 'tools/call', '--tool-name', 'add', '--tool-args-json', '{"a":1,"b":2}'];
        assert.deepEqual((await inspect(target(), era, ...call)).structuredContent, { result: 3 });
      });

      test('ReadsAResource', async () => {
        const { contents } = await inspect(target(), era, '--method', 'resources/read', '--uri', 'catalogue://text');
        assert.equal(contents[0].text, 'text');
      });

      test('GetsAPrompt', async () => {
        const get = ['--method', 'prompts/get', '--prompt-name', 'greet', '--prompt-args', 'name=Ada'];
        assert.equal((await inspect(target(), era, ...get)).messages[0].content.text, 'Hello Ada');
      });
    });
  }
}
