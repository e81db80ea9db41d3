// Every response says in which revision of the protocol it is; and a legacy request without a session.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { Components } from './support/components.mjs';
import { serveAll } from './support/host.mjs';
import { legacyRevisions, modern, post, postModern, request, Session } from './support/http.mjs';

const host = await serveAll(await Components.create('catalogue'));
const optional = await serveAll(await Components.create('catalogue'), ['--sessions', 'optional']);

const revisionOf = (response) => response.headers.get('mcp-protocol-version');

suite('RevisionField', () => {
  test('ModernAnswersAreInTheModernRevision', async () => {
    assert.equal(revisionOf(await postModern(host.url, 'tools/list')), modern);
  });

  for (const revision of legacyRevisions) {
    test(`AnswersInASessionAreInItsRevision_${revision}`, async () => {
      const session = await Session.open(host.url, revision);
      assert.equal(session.initializeHeaders.get('mcp-protocol-version'), revision);
      assert.equal(revisionOf(await post(host.url, request('ping'), { 'Mcp-Session-Id': session.id })), revision);
    });
  }

  test('AnswersInASessionAreInItsRevisionThoughARequestNamesAnother', async () => {
    const session = await Session.open(host.url, '2025-11-25');
    const headers = { 'Mcp-Session-Id': session.id, 'MCP-Protocol-Version': '2025-06-18' };
    assert.equal(revisionOf(await post(host.url, request('ping'), headers)), '2025-11-25');
  });

  test('WhatIsNoMessageIsRefusedInTheNewestRevision', async () => {
    for (const path of ['/mcp', '/nothing']) {
      const response = await fetch(new URL(path, host.address), { method: 'PUT', body: '{' });
      assert.ok(response.status >= 400);
      assert.equal(revisionOf(response), modern);
    }
  });
});

suite('OptionalSessions', () => {
  test('ACallWithoutASessionIsAnswered', async () => {
    const call = request('tools/call', { name: 'add', arguments: { a: 1, b: 2 } });
    const response = await post(optional.url, call, { Accept: '*/*' });
    assert.equal(response.status, 200);
    assert.equal(revisionOf(response), '2025-03-26'); // of a client that names none
    const { result } = await response.json();
    assert.deepEqual([result.isError, result.content[0].text], [undefined, '3']);
  });

  test('WhatNeedsASessionIsRefusedInWords', async () => {
    const response = await post(optional.url, request('logging/setLevel', { level: 'info' }));
    assert.equal(response.status, 400);
    assert.match((await response.json()).error.message, /send initialize first/);
  });

  test('SessionsGoOn', async () => {
    const session = await Session.open(optional.url, '2025-06-18');
    assert.equal((await post(optional.url, request('ping'), { 'Mcp-Session-Id': session.id })).status, 200);
  });
});
