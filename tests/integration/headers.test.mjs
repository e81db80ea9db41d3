// Modern requests repeat in headers what is in the body, and the two must agree.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';

import { connectHttp, kinds } from './support/clients.mjs';
import { Components } from './support/components.mjs';
import { HttpHost, serveAll } from './support/host.mjs';
import {
  contentHeaders,
  legacyRevisions,
  modern,
  modernHeaders,
  modernRequest,
  post,
  postModern,
  request,
} from './support/http.mjs';
import { RawConnection, requestText } from './support/raw_connection.mjs';

const host = await serveAll(await Components.create('catalogue'));

const add = { name: 'add', arguments: { a: 1, b: 2 } };
const base64 = (text) => `=?base64?${Buffer.from(text).toString('base64')}?=`;

async function assertMismatch(response, word) {
  assert.equal(response.status, 400);
  const { id, error } = await response.json();
  assert.equal(id, 1);
  assert.equal(error.code, -32020);
  assert.match(error.message, word);
}

function without(header) {
  const headers = modernHeaders('tools/call', 'add');
  delete headers[header];
  return headers;
}

const mismatches = [
  ['NoVersion', without('MCP-Protocol-Version'), /MCP-Protocol-Version/],
  ['NoMethod', without('Mcp-Method'), /Mcp-Method/],
  ['NoName', without('Mcp-Name'), /Mcp-Name/],
  ['AnotherVersion', { ...modernHeaders('tools/call', 'add'), 'MCP-Protocol-Version': '2025-11-25' }, /2025-11-25/],
  ['AnotherMethod', modernHeaders('tools/list', 'add'), /tools\/list/],
  ['AMethodInCapitals', modernHeaders('TOOLS/CALL', 'add'), /TOOLS/],
  ['AnotherName', modernHeaders('tools/call', 'subtract'), /subtract/],
  ['AnotherNameInBase64', modernHeaders('tools/call', base64('subtract')), /subtract/],
  ['BadBase64', modernHeaders('tools/call', '=?base64?YWR!?='), /base64/],
  ['Base64WithoutItsPadding', modernHeaders('tools/call', '=?base64?YWRkMg?='), /base64/],
];
for (const [what, headers, word] of mismatches) {
  test(`IsRefused: ${what}`, async () => {
    await assertMismatch(await post(host.url, modernRequest('tools/call', add), headers), word);
  });
}

const matches = [
  ['APlainName', modernHeaders('tools/call', 'add')],
  ['ANameInBase64', modernHeaders('tools/call', base64('add'))],
  ['HeadersInSmallLetters', { 'mcp-protocol-version': modern, 'mcp-method': 'tools/call', 'mcp-name': 'add' }],
];
for (const [what, headers] of matches) {
  test(`IsAccepted: ${what}`, async () => {
    const response = await post(host.url, modernRequest('tools/call', add), headers);
    assert.deepEqual((await response.json()).result.structuredContent, { result: 3 });
  });
}

test('ANameBeyondAsciiIsSentInBase64', async () => {
  const uri = 'catalogue://other/größe';
  const response = await post(
    host.url,
    modernRequest('resources/read', { uri }),
    modernHeaders('resources/read', base64(uri)),
  );
  assert.equal((await response.json()).result.contents[0].text, 'Other größe');
});

test('TheNameOfAResourceIsItsUri', async () => {
  const params = { uri: 'catalogue://text' };
  const accepted = await postModern(host.url, 'resources/read', params);
  assert.equal((await accepted.json()).result.contents[0].text, 'text');
  const other = { headers: { 'Mcp-Name': 'catalogue://bytes' } };
  await assertMismatch(await postModern(host.url, 'resources/read', params, other), /Mcp-Name/);
});

test('AMethodWithoutANameNeedsNoNameHeader', async () => {
  assert.equal((await postModern(host.url, 'tools/list')).status, 200);
});

const invalidMeta = [
  ['NoMeta', {}],
  ['AMetaThatIsNoObject', { _meta: 7 }],
  ['NoVersion', { _meta: { 'io.modelcontextprotocol/clientCapabilities': {} } }],
  ['NoCapabilities', { _meta: { 'io.modelcontextprotocol/protocolVersion': modern } }],
];
for (const [what, params] of invalidMeta) {
  test(`IsInvalid: ${what}`, async () => {
    const response = await post(host.url, request('tools/list', params), modernHeaders('tools/list'));
    assert.equal(response.status, 400);
    assert.equal((await response.json()).error.code, -32602);
  });
}

test('AClientOfALaterRevisionIsToldTheSupportedOnesWhateverElseItLacks', async () => {
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
  const headers = { 'MCP-Protocol-Version': '2099-01-01' };
  const { error } = await (await post(host.url, request('tools/list', { _meta: meta }), headers)).json();
  assert.deepEqual([error.code, error.data.supported], [-32022, [modern, ...legacyRevisions.toReversed()]]);
});

test('ARequestWithMetadataOfTheEraNeedsTheVersion', async () => {
  const meta = { 'io.modelcontextprotocol/clientCapabilities': {} };
  const response = await post(host.url, request('tools/list', { _meta: meta }));
  assert.equal(response.status, 400);
  const { error } = await response.json();
  assert.equal(error.code, -32602);
  assert.match(error.message, /protocolVersion/);
});

test('ClientInfoMayBeLeftOut', async () => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': modern,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const response = await post(host.url, request('tools/list', { _meta: meta }), modernHeaders('tools/list'));
  assert.equal(response.status, 200);
});

for (const method of ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'no/such/method']) {
  test(`TheModernEraHasNo ${method}`, async () => {
    const response = await postModern(host.url, method);
    assert.equal(response.status, 404);
    const { id, error } = await response.json();
    assert.deepEqual([id, error.code], [1, -32601]);
  });
}

test('AnInputRequestThatTheClientCannotAnswerNamesTheMissingCapability', async () => {
  const response = await postModern(host.url, 'tools/call', { name: 'ask_name', arguments: {} });
  assert.equal(response.status, 400);
  const { error } = await response.json();
  assert.equal(error.code, -32021);
  assert.equal(error.message, 'This request requires the client capability "elicitation.form"');
  assert.deepEqual(error.data, { requiredCapabilities: { elicitation: { form: {} } } });
});

test('AnInputRequestIsAResultThatTheClientAnswersInTheNextRequest', async () => {
  const _meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
  const params = { name: 'ask_name', arguments: {}, _meta };
  const first = (await (await postModern(host.url, 'tools/call', params)).json()).result;
  assert.equal(first.resultType, 'input_required');
  assert.equal(first.inputRequests.name.method, 'elicitation/create');
  const inputResponses = { name: { action: 'accept', content: { name: 'Ada' } } };
  const requestState = first.requestState;
  const second = await postModern(host.url, 'tools/call', {
    ...params,
    inputResponses,
    ...(requestState && { requestState }),
  });
  assert.match((await second.json()).result.content[0].text, /Ada/);
});

test('ResultsSayHowLongTheyMayBeKept', async () => {
  const list = (await (await postModern(host.url, 'tools/list')).json()).result;
  assert.deepEqual([list.resultType, list.ttlMs, list.cacheScope], ['complete', 5000, 'public']);
  const read = async (uri) => (await (await postModern(host.url, 'resources/read', { uri })).json()).result;
  const text = await read('catalogue://text');
  assert.deepEqual([text.ttlMs, text.cacheScope], [0, 'private']);
  const cached = await read('catalogue://cached');
  assert.deepEqual([cached.ttlMs, cached.cacheScope], [60_000, 'public']);
});

suite('HeadersThatRepeatArguments', () => {
  let own;
  let serving;
  before(async () => {
    own = await Components.create('mirrored');
    serving = await HttpHost.start(own);
  });
  after(() => serving.stop().finally(() => own.discard()));

  const ask = (args, headers) => postModern(serving.url, 'tools/call', { name: 'query', arguments: args }, { headers });
  const textOf = async (response) => (await response.json()).result.content[0].text;
  const south = { place: { region: 'süd' } };

  test('AreCheckedWhereTheValuesAre', async () => {
    const headers = { 'Mcp-Param-Region': base64('süd'), 'mcp-param-exact': 'true', 'MCP-PARAM-LIMIT': '7.0' };
    const accepted = await ask({ place: { region: 'süd', exact: true }, limit: 7 }, headers);
    assert.equal(await textOf(accepted), 'süd exactly 7');
    assert.equal(await textOf(await ask(south, { 'Mcp-Param-Region': base64('süd') })), 'süd');
    const unrelated = { 'Mcp-Param-Region': base64('süd'), 'Mcp-Param-Other': '1' };
    assert.equal(await textOf(await ask(south, unrelated)), 'süd');
  });

  const refused = [
    ['Missing', south, {}, /Mcp-Param-Region header is missing/],
    ['OfAnotherValue', south, { 'Mcp-Param-Region': 'nord' }, /'nord' does not match body value 'süd'/],
    ['InBadBase64', south, { 'Mcp-Param-Region': '=?base64?c8O8ZA?=' }, /base64/],
    ['WithoutAnArgument', south, { 'Mcp-Param-Region': base64('süd'), 'Mcp-Param-Limit': '1' }, /no argument/],
    ['OfADefault', south, { 'Mcp-Param-Region': base64('süd'), 'Mcp-Param-Exact': 'false' }, /no argument/],
    ['OfANumberThatIsNoInteger', { ...south, limit: 1.5 }, { 'Mcp-Param-Region': base64('süd'), 'Mcp-Param-Limit': '42' }, /'42' does not match body value '1.5'/],
    ['OfAnInvalidCall', { place: { region: 7 } }, { 'Mcp-Param-Region': '8' }, /'8' does not match body value '7'/],
  ];
  for (const [what, args, headers, word] of refused) {
    test(`AreRefused: ${what}`, async () => {
      await assertMismatch(await ask(args, headers), word);
    });
  }

  test('AreRefused: GivenTwice', async () => {
    const connection = await RawConnection.open(serving.url);
    const body = JSON.stringify(modernRequest('tools/call', { name: 'query', arguments: { place: { region: 'a' } } }));
    const headers = { ...contentHeaders, ...modernHeaders('tools/call', 'query'), 'Mcp-Param-Region': 'a' };
    const once = requestText(serving.url, 'POST', headers, body);
    connection.write(once.replace('\r\n\r\n', '\r\nmcp-param-region: a\r\n\r\n'));
    const response = await connection.response();
    assert.equal(response.status, 400);
    assert.equal(JSON.parse(response.body).error.code, -32020);
    connection.end();
  });

  for (const kind of kinds) {
    test(`AreSentAndAccepted: ${kind.name}`, async () => {
      const client = await connectHttp(kind, serving.url);
      const listed = (await client.listTools()).tools.map((tool) => tool.name);
      assert.deepEqual(listed, ['query']);
      const result = await client.callTool({ name: 'query', arguments: { place: { region: 'süd' }, limit: 42 } });
      assert.equal(result.content[0].text, 'süd 42');
      await client.close();
    });
  }
});
