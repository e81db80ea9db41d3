// The tutorial's two servers, the real FastMCP and this host with the plugin, are asked the same by an official client
// and answer the same, but for what stands in the table of differences.
import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { env, exit } from 'node:process';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

import { connectStdio, kinds } from '../integration/support/clients.mjs';
import { Components } from '../integration/support/components.mjs';
import { readSections } from './sections.mjs';

if (!existsSync(env.MCP_FASTMCP_PYTHON)) {
  console.log('skipped: FastMCP is not installed; the test fastmcp.packages says why');
  exit(0);
}

const [kind] = kinds;
const tutorial = fileURLToPath(new URL('tutorial.py', import.meta.url));

const components = await Components.create();
await copyFile(env.MCP_TUTORIAL, components.file('tutorial.so'));
const ours = await connectStdio(kind, components);
const fastmcp = kind.create();
await fastmcp.connect(kind.stdio({ command: env.MCP_FASTMCP_PYTHON, args: [tutorial], stderr: 'ignore' }));
after(() => Promise.all([fastmcp.close(), components.discard()]));

const tool = (name, args = {}) => (client) => kind.call(client, { name, arguments: args });
const resource = (uri) => (client) => client.readResource({ uri });

const calls = {
  add: [tool('add', { a: 2, b: 3 })],
  error: [tool('divide', { a: 1, b: 4 }), tool('divide', { a: 1, b: 0 })],
  template: [resource('users://Ada')],
};

// What may differ: `of` makes of FastMCP's answer what this host says. Each of these is needed by some call.
const differences = [
  {
    reason: 'FastMCP says of a result that it is no error; the protocol takes that for granted',
    of: ({ isError, ...rest }) => (isError === false ? rest : { isError, ...rest }),
  },
  {
    reason: 'FastMCP says in _meta that it has wrapped a value; the output schema says that, too',
    of: ({ _meta, ...rest }) => (_meta?.fastmcp ? rest : { _meta, ...rest }),
  },
  {
    reason: 'FastMCP says of a text that it is one; here a MIME type is what the author says',
    of: ({ contents, ...rest }) => contents
      ? { ...rest, contents: contents.map(({ mimeType, ...each }) => (mimeType === 'text/plain' ? each : { mimeType, ...each })) }
      : rest,
  },
];

// An error is one, whatever it says.
const answerOf = (client, ask) => ask(client).then(
  (answer) => (answer.isError ? { isError: true } : answer),
  () => ({ error: true }),
);
const plain = (value) => JSON.parse(JSON.stringify(value)); // without members that are undefined

for (const { name } of readSections()) {
  test(`TheAnswersAreEqual: ${name}`, { skip: name === 'header' }, async () => {
    assert.ok(calls[name]?.length > 0, `no call of the section "${name}"`);
    for (const ask of calls[name]) {
      let theirs = plain(await answerOf(fastmcp, ask));
      for (const difference of differences) {
        const changed = plain(difference.of(theirs));
        difference.isNeeded ||= !isDeepStrictEqual(changed, theirs);
        theirs = changed;
      }
      assert.deepEqual(plain(await answerOf(ours, ask)), theirs);
    }
  });
}

test('NothingElseDiffers', () => {
  assert.deepEqual(differences.filter((each) => !each.isNeeded).map((each) => each.reason), []);
});
