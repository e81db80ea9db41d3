// Lists in pages of two.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';

import { connectHttp, connectStdio, connectWebSocket, kinds } from './support/clients.mjs';
import { Components } from './support/components.mjs';
import { serveAll } from './support/host.mjs';
import { postModern, Session } from './support/http.mjs';

const pageSize = ['--page-size', '2'];
const lists = [
  ['listTools', 'tools/list', 'tools', 5],
  ['listResources', 'resources/list', 'resources', 3],
  ['listResourceTemplates', 'resources/templates/list', 'resourceTemplates', 3],
  ['listPrompts', 'prompts/list', 'prompts', 3],
];

const components = await Components.create('catalogue');
const host = await serveAll(components, pageSize);

const transports = {
  HTTP: (kind) => connectHttp(kind, host.url),
  stdio: (kind) => connectStdio(kind, components, pageSize),
  WebSocket: (kind) => connectWebSocket(kind, host.url),
};

async function allPages(fetchPage, field) {
  const pages = [];
  let cursor;
  do {
    const page = await fetchPage(cursor === undefined ? {} : { cursor });
    pages.push(page[field]);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return pages;
}

for (const kind of kinds) {
  for (const [transport, connect] of Object.entries(transports)) {
    test(`EachItemIsListedOnce: ${kind.name} over ${transport}`, async () => {
      const client = await connect(kind);
      for (const [list, , field, count] of lists) {
        const pages = await allPages((params) => client[list](params), field);
        const keys = pages.flat().map((each) => each.uriTemplate ?? each.uri ?? each.name);
        assert.equal(new Set(keys).size, count);
        assert.equal(keys.length, count);
      }
      await client.close();
    });
  }
}

const eras = {
  legacy: async () => {
    const session = await Session.open(host.url);
    return (method, params) => session.ask(method, params);
  },
  modern: () => async (method, params) => (await postModern(host.url, method, params)).json(),
};

for (const [era, connect] of Object.entries(eras)) {
  describe(era, () => {
    let ask;
    before(async () => {
      ask = await connect();
    });

    for (const [, method, field, count] of lists) {
      test(`${method} ComesInPagesOfTwo`, async () => {
        const pages = await allPages(async (params) => (await ask(method, params)).result, field);
        assert.deepEqual(
          pages.map((page) => page.length),
          count === 5 ? [2, 2, 1] : [2, 1],
        );
      });

      for (const cursor of ['nonsense', '', '-1', 'MTAwMDAwMA==']) {
        test(`${method} RefusesTheCursor ${JSON.stringify(cursor)}`, async () => {
          assert.equal((await ask(method, { cursor })).error.code, -32602);
        });
      }

      test(`${method} RefusesACursorThatIsNoString`, async () => {
        assert.equal((await ask(method, { cursor: 2 })).error.code, -32602);
      });
    }

    test('ACursorOfOneListIsNoCursorOfAnother', async () => {
      const { nextCursor } = (await ask('tools/list', {})).result;
      assert.equal((await ask('prompts/list', { cursor: nextCursor })).error?.code ?? 'accepted', -32602);
    });
  });
}
