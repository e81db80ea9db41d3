// Who may use a server on a loopback address: nobody whom a web page has sent there under another name.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Components } from './support/components.mjs';
import { serve, serveAll } from './support/host.mjs';
import { contentHeaders, modernHeaders, modernRequest, postModern } from './support/http.mjs';
import { RawConnection, requestText } from './support/raw_connection.mjs';

const host = await serveAll(await Components.create('catalogue'));

// fetch sets Host itself.
async function statusForHost(url, hostHeader) {
  const headers = { ...contentHeaders, ...modernHeaders('tools/list') };
  const connection = await RawConnection.open(url);
  connection.write(
    requestText(url, 'POST', { Host: hostHeader, ...headers }, JSON.stringify(modernRequest('tools/list'))),
  );
  const { status } = await connection.response();
  connection.end();
  return status;
}

const statusForOrigin = async (url, origin) =>
  (await postModern(url, 'tools/list', {}, { headers: { Origin: origin } })).status;

test('HostsAndOriginsCanBeAllowed', async (context) => {
  const allowed = ['--allow-host', 'Tools.Example', '--allow-origin', 'https://App.Example'];
  const host = await serve(context, await Components.create(), allowed);
  assert.equal(await statusForHost(host.url, 'tools.example:443'), 200);
  assert.equal(await statusForHost(host.url, 'other.example'), 403);
  assert.equal(await statusForOrigin(host.url, 'https://app.example'), 200);
  assert.equal(await statusForOrigin(host.url, 'https://other.example'), 403);
});

test('APreflightIsToldTheMethodsAndTheHeadersOfMcp', async () => {
  const response = await fetch(host.url, {
    method: 'OPTIONS',
    headers: {
      Origin: 'http://localhost:6274',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'content-type, mcp-session-id, mcp-param-region, x-unheard-of',
    },
  });
  assert.equal(response.status, 204);
  assert.equal(response.headers.get('Access-Control-Allow-Origin'), 'http://localhost:6274');
  const methods = response.headers.get('Access-Control-Allow-Methods').split(', ');
  for (const method of ['GET', 'POST', 'DELETE']) assert.ok(methods.includes(method), method);
  const headers = response.headers.get('Access-Control-Allow-Headers').toLowerCase().split(', ');
  const needed = [
    'accept',
    'authorization',
    'content-type',
    'last-event-id',
    'mcp-method',
    'mcp-name',
    'mcp-param-region',
    'mcp-protocol-version',
    'mcp-session-id',
    'payment-signature',
    'x-payment',
  ];
  for (const header of needed) assert.ok(headers.includes(header), header);
  assert.ok(!headers.includes('x-unheard-of'));
});

test('AWebPageMayReadTheAnswerAndTheHeadersOfMcp', async () => {
  const headers = { Origin: 'http://localhost:6274' };
  const response = await postModern(host.url, 'tools/list', {}, { headers });
  assert.equal(response.headers.get('Access-Control-Allow-Origin'), 'http://localhost:6274');
  assert.match(response.headers.get('Vary'), /Origin/);
  const exposed = response.headers.get('Access-Control-Expose-Headers');
  for (const header of ['Mcp-Session-Id', 'MCP-Protocol-Version', 'X-Session-Expires-At']) {
    assert.ok(exposed.includes(header), header);
  }
});

test('ACacheGivesNoPageWhatIsForAnother', async () => {
  for (const headers of [{}, { Origin: 'http://localhost:6274' }, { Origin: 'https://evil.example' }]) {
    assert.equal((await postModern(host.url, 'tools/list', {}, { headers })).headers.get('Vary'), 'Origin');
    for (const path of ['/readyz', '/nowhere'])
      assert.equal((await fetch(new URL(path, host.address), { headers })).headers.get('Vary'), 'Origin');
  }
});

test('APreflightOfAForeignPageIsRefused', async () => {
  const headers = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' };
  const response = await fetch(host.url, { method: 'OPTIONS', headers });
  assert.equal(response.status, 403);
  assert.equal(response.headers.get('Access-Control-Allow-Origin'), null);
});
