// What a client may offer its user for an argument of a prompt or a variable of a resource template.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { connectHttp, connectStdio, connectWebSocket, kinds } from './support/clients.mjs';
import { Components } from './support/components.mjs';
import { serveAll } from './support/host.mjs';
import { legacyRevisions, postModern, Session } from './support/http.mjs';

const components = await Components.create('catalogue', 'plain_c');
const host = await serveAll(components);

const transports = {
  HTTP: (kind) => connectHttp(kind, host.url),
  stdio: (kind) => connectStdio(kind, components),
  WebSocket: (kind) => connectWebSocket(kind, host.url),
};
const prompt = (name) => ({ type: 'ref/prompt', name });
const template = (uri) => ({ type: 'ref/resource', uri });

for (const kind of kinds) {
  for (const [transport, connect] of Object.entries(transports)) {
    test(`OffersWhatThePluginKnows: ${kind.name} over ${transport}`, async () => {
      const client = await connect(kind);
      assert.deepEqual(client.getServerCapabilities().completions, {});
      const offered = async (ref, name, value, context) =>
        (await client.complete({ ref, argument: { name, value }, ...(context && { context }) })).completion;

      assert.deepEqual(await offered(prompt('review'), 'style', 'b'), {
        values: ['brief', 'broad'],
        total: 2,
        hasMore: false,
      });
      const chosen = { arguments: { style: 'brief' } };
      assert.deepEqual((await offered(prompt('review'), 'code', 'x', chosen)).values, ['x in brief style']);
      assert.deepEqual((await offered(prompt('review'), 'code', 'x')).values, ['x in any style']);

      const notes = await offered(template('catalogue://notes/{name}'), 'name', 'note');
      assert.deepEqual([notes.values.length, notes.total, notes.hasMore], [100, 150, true]);
      assert.equal(notes.values[0], 'note1');

      const none = { values: [], total: 0, hasMore: false };
      assert.deepEqual(await offered(template('catalogue://other/{+path}'), 'path', 'x'), none);
      assert.deepEqual(await offered(template('catalogue://text'), 'any', 'x'), none);
      assert.deepEqual(await offered(prompt('greet'), 'name', 'x'), none);
      await client.close();
    });

    test(`SaysWhatIsUnknown: ${kind.name} over ${transport}`, async () => {
      const client = await connect(kind);
      for (const [ref, message] of [
        [prompt('nothing'), 'Unknown prompt: nothing'],
        [template('nothing://{here}'), 'Unknown resource template: nothing://{here}'],
        [prompt('review'), 'Prompt review has no argument "here"'],
      ]) {
        await assert.rejects(client.complete({ ref, argument: { name: 'here', value: '' } }), (error) => {
          assert.equal(error.code, -32602);
          assert.ok(error.message.includes(message), error.message);
          return true;
        });
      }
      await client.close();
    });
  }
}

const asking = { ref: prompt('review'), argument: { name: 'style', value: 'th' } };
const offer = { completion: { values: ['thorough'], total: 1, hasMore: false } };

for (const revision of legacyRevisions) {
  test(`IsOfferedIn ${revision}`, async () => {
    const session = await Session.open(host.url, revision);
    assert.deepEqual((await session.ask('completion/complete', asking)).result, offer);
  });
}

test('IsOfferedIn 2026-07-28', async () => {
  const { result } = await (await postModern(host.url, 'completion/complete', asking)).json();
  assert.equal(result.resultType, 'complete');
  assert.deepEqual(result.completion, offer.completion);
});
