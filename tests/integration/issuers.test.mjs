// Whose token is good: what an issuer says in it, that it is signed with the issuer's key, and that it is for this
// server. Where a client gets one, and what it is told when the one that it has is not enough.
import assert from 'node:assert/strict';
import { createHash, createHmac, createSign, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';

import { calculateJwkThumbprint, exportJWK, exportSPKI, generateKeyPair, importJWK, SignJWT } from 'jose';

import { Components } from './support/components.mjs';
import { freePort } from './support/free_port.mjs';
import { HttpHost } from './support/host.mjs';
import { newestLegacy, postModern, request, Session } from './support/http.mjs';
import { Issuer, sign } from './support/issuer.mjs';
import { patience } from './support/patience.mjs';
import { sseEvents } from './support/sse.mjs';
import { bearer } from './support/team.mjs';
import { until } from './support/until.mjs';
import { writeWhole } from './support/whole_file.mjs';

const publicUrl = 'http://127.0.0.1:8080';
const audience = `${publicUrl}/mcp`;
const metadataPath = '/.well-known/oauth-protected-resource';
const roles = `
[roles.user]
scopes = ["mcp:use"]
allow = ["tool:version"]
[roles.admin]
scopes = ["mcp:admin"]
allow = ["tool:*"]
`;

// A host that takes tokens of the issuer.
async function serve(context, issuer, more = '', rest = roles) {
  const components = await Components.create('sample_v1');
  const file = join(components.folder, 'team.toml');
  await writeFile(file, `[server]\nurl = "${publicUrl}"\n[issuers.mock]\nissuer = "${issuer.url}"\n${more}\n${rest}`);
  const host = await HttpHost.start(components, ['--config', file]);
  context.after(() => host.stop().finally(() => components.discard()));
  return host;
}

const list = (host, token) =>
  postModern(host.url, 'tools/list', {}, token === undefined ? {} : { headers: bearer(token) });
const call = (host, token, name) =>
  postModern(host.url, 'tools/call', { name, arguments: {} }, { headers: bearer(token) });

async function namesOf(host, token) {
  const response = await list(host, token);
  assert.equal(response.status, 200, response.headers.get('WWW-Authenticate'));
  return (await response.json()).result.tools.map(({ name }) => name);
}

// What is wrong with the token, as the challenge says it.
async function refusalOf(host, token) {
  const response = await list(host, token);
  await response.arrayBuffer();
  assert.equal(response.status, 401, `accepted: ${token}`);
  return /^Bearer error="invalid_token", error_description="([^"]*)"/.exec(response.headers.get('WWW-Authenticate'))[1];
}

for (const algorithm of ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']) {
  test(`ATokenIsTakenThatIsSignedWith: ${algorithm}`, async (context) => {
    const issuer = await Issuer.start(context, [algorithm]);
    const host = await serve(context, issuer);
    const token = await issuer.token({ aud: audience, scope: 'mcp:admin' });
    assert.deepEqual(await namesOf(host, token), ['only_in_v1', 'version']);
    const [head, payload, signature] = token.split('.');
    const other = `${head}.${payload}.${(signature[0] === 'A' ? 'B' : 'A') + signature.slice(1)}`;
    assert.equal(await refusalOf(host, other), "the token's signature is not its issuer's");
  });
}

test('WhatAPathSaysAddsNothingToTheChallenge', async (context) => {
  const host = await serve(context, await Issuer.start(context));
  const { port } = new URL(host.address);
  const [response] = await once(get({ port, host: '127.0.0.1', path: '/upstream/x",realm="y/mcp' }), 'response');
  response.resume();
  assert.equal(response.statusCode, 401);
  assert.ok(response.headers['www-authenticate'].includes('/upstream/x\\",realm=\\"y/mcp"'), response.headers['www-authenticate']);
});

test('AClientWithoutATokenIsToldWhereToGetOne', async (context) => {
  const issuer = await Issuer.start(context);
  const host = await serve(context, issuer, '', '[oauth]\nscopes = ["mcp:use"]\n' + roles);
  const refused = await list(host);
  assert.equal(refused.status, 401);
  assert.equal(
    refused.headers.get('WWW-Authenticate'),
    `Bearer resource_metadata="${publicUrl}${metadataPath}/mcp", scope="mcp:use"`,
  );
  assert.equal((await refused.json()).id, 1);
  for (const path of [`${metadataPath}/mcp`, metadataPath, `/mcp${metadataPath}`]) {
    const response = await fetch(new URL(path, host.address), { headers: { Origin: 'https://elsewhere.example' } });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('Content-Type'), 'application/json');
    // What a cache keeps of it is good for every page.
    assert.equal(response.headers.get('Access-Control-Allow-Origin'), '*');
    assert.equal(response.headers.get('Vary'), null);
    assert.deepEqual(await response.json(), {
      resource: audience,
      authorization_servers: [issuer.url],
      bearer_methods_supported: ['header'],
      dpop_signing_alg_values_supported: [
        'ES256', 'ES384', 'ES512', 'EdDSA', 'PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512',
      ],
      resource_name: 'MCP Plugin Host',
      scopes_supported: ['mcp:use'],
    });
  }
  // Nobody had to be asked for that, nor to start.
  assert.deepEqual(issuer.asked, []);
});

test('WithoutAnIssuerThereIsNoMetadata', async (context) => {
  const components = await Components.create('sample_v1');
  const host = await HttpHost.start(components);
  context.after(() => host.stop().finally(() => components.discard()));
  for (const path of [`${metadataPath}/mcp`, metadataPath])
    assert.equal((await fetch(new URL(path, host.url))).status, 404);
});

// Each is a token that looks right but for one thing, and what is said of it.
const wrongClaims = {
  AnotherAudience: [{ aud: 'https://other.example/mcp' }, /not for this server/],
  NoAudience: [{ aud: undefined }, /not for this server/],
  AnEmptyAudience: [{ aud: [] }, /not for this server/],
  TheBeginningOfTheAudience: [{ aud: publicUrl }, /not for this server/],
  TheAudienceWithASlash: [{ aud: `${audience}/` }, /not for this server/],
  TheAudienceInCapitals: [{ aud: audience.toUpperCase() }, /not for this server/],
  AnObjectAsAudience: [{ aud: { [audience]: true } }, /not for this server/],
  AnotherIssuer: [{ iss: 'https://issuer.example' }, /none that this server trusts/],
  TheIssuerWithASlash: [(issuer) => ({ iss: `${issuer.url}/` }), /none that this server trusts/],
  NoIssuer: [{ iss: undefined }, /none that this server trusts/],
  AListOfIssuers: [(issuer) => ({ iss: [issuer.url] }), /none that this server trusts/],
  NoSubject: [{ sub: undefined }, /whose it is/],
  ANumberAsSubject: [{ sub: 7 }, /whose it is/],
  Expired: [() => ({ exp: Math.floor(Date.now() / 1000) - 61 }), /has expired/],
  NoExpiry: [{ exp: undefined }, /when it expires/],
  ATextAsExpiry: [{ exp: '9999999999' }, /no time/],
  ANegativeExpiry: [{ exp: -1 }, /no time/],
  AnExpiryBeyondAllTime: [{ exp: 2 ** 63 }, /no time/],
  NotYetValid: [() => ({ nbf: Math.floor(Date.now() / 1000) + 120 }), /not valid yet/],
  ANonceOfALogin: [{ nonce: 'x' }, /no access token/],
  ATypeOfALogin: [{ typ: 'ID' }, /no access token/],
  FromTheFuture: [() => ({ iat: Math.floor(Date.now() / 1000) + 120 }), /not valid yet/],
  BoundToACertificate: [{ cnf: { 'x5t#S256': 'x' } }, /bound to a certificate that the client has not shown/],
  BoundToSomethingElse: [{ cnf: { kid: 'x' } }, /bound in a way/],
  BoundInTwoWays: [{ cnf: { jkt: 'x', 'x5t#S256': 'x' } }, /bound in a way/],
};
for (const [name, [claims, expected]] of Object.entries(wrongClaims)) {
  test(`ATokenIsRefusedWith: ${name}`, async (context) => {
    const issuer = await Issuer.start(context);
    const host = await serve(context, issuer);
    const wrong = typeof claims === 'function' ? claims(issuer) : claims;
    assert.match(await refusalOf(host, await issuer.token({ aud: audience, scope: 'mcp:use', ...wrong })), expected);
  });
}

test('ATokenMayBeGoodForEver', async (context) => {
  const issuer = await Issuer.start(context);
  const host = await serve(context, issuer);
  const token = await issuer.token({ aud: audience, scope: 'mcp:use', exp: 9_999_999_999 });
  assert.deepEqual(await namesOf(host, token), ['only_in_v1', 'version']);
});

test('WithinTheLeewayClocksMayDiffer', async (context) => {
  const issuer = await Issuer.start(context);
  const host = await serve(context, issuer);
  const now = Math.floor(Date.now() / 1000);
  const token = await issuer.token({ aud: [audience, 'other'], scope: 'mcp:use', exp: now - 30, nbf: now + 30 });
  assert.deepEqual(await namesOf(host, token), ['only_in_v1', 'version']);
});

// Attacks on how a token says with which key it is signed (RFC 8725).
test('TheHeaderOfATokenIsNotTrusted', async (context) => {
  const issuer = await Issuer.start(context, ['RS256']);
  const host = await serve(context, issuer);
  const key = issuer.key;
  const claims = { iss: issuer.url, sub: 'eve', aud: audience, scope: 'mcp:admin', exp: Math.floor(Date.now() / 1000) + 300 };
  const encode = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
  const payload = encode(claims);
  const own = { ...(await exportJWK((await generateKeyPair('RS256', { extractable: true })).privateKey)), alg: 'RS256' };
  const ownPublic = { kty: own.kty, n: own.n, e: own.e };
  const spki = await exportSPKI(await importJWK({ kty: key.kty, n: key.n, e: key.e }, 'RS256'));
  const hmac = (header, secret) => {
    const text = `${encode(header)}.${payload}`;
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  };
  // With the issuer's own key, as no library would.
  const signed = (header) => {
    const text = `${encode(header)}.${payload}`;
    return `${text}.${createSign('sha256').update(text).sign({ key, format: 'jwk' }, 'base64url')}`;
  };
  const good = await issuer.token({ aud: audience, scope: 'mcp:admin' });
  assert.deepEqual(await namesOf(host, signed({ alg: 'RS256', kid: key.kid })), ['only_in_v1', 'version']);
  assert.deepEqual(await namesOf(host, good), ['only_in_v1', 'version']);
  const [head, body, signature] = good.split('.');
  const attacks = {
    unsigned: `${encode({ alg: 'none' })}.${payload}.`,
    unsignedWithASignature: `${encode({ alg: 'none', kid: key.kid })}.${payload}.${signature}`,
    unsignedInCapitals: `${encode({ alg: 'NONE', kid: key.kid })}.${payload}.${signature}`,
    unverified: `${head}.${payload}.${signature}`,
    publicKeyAsSecret: hmac({ alg: 'HS256', kid: key.kid }, spki),
    modulusAsSecret: hmac({ alg: 'HS256', kid: key.kid }, Buffer.from(key.n, 'base64url')),
    weakSecret: hmac({ alg: 'HS256', kid: key.kid }, 'secret1'),
    ownKeyInHeader: await sign(claims, { alg: 'RS256', kid: key.kid, jwk: ownPublic }, own),
    ownKeyByUrl: await sign(claims, { alg: 'RS256', kid: key.kid, jku: `${issuer.url}/evil` }, own),
    ownCertificateByUrl: await sign(claims, { alg: 'RS256', kid: key.kid, x5u: `${issuer.url}/evil` }, own),
    keyOutsideOfTheSet: hmac({ alg: 'HS256', kid: '../../../dev/null' }, ''),
    anotherAlgorithmOfTheKey: await sign(claims, { alg: 'PS256', kid: key.kid }, { ...key, alg: 'PS256' }),
    mustBeUnderstood: signed({ alg: 'RS256', kid: key.kid, crit: ['exp'], exp: 9_999_999_999 }),
    mustBeUnderstoodOfThePayload: signed({ alg: 'RS256', kid: key.kid, crit: ['b64'], b64: true }),
    jsonSerialization: JSON.stringify({ payload: body, protected: head, signature }),
    padded: `${head}=.${body}.${signature}`,
    fourParts: `${good}.x`,
    twoParts: `${head}.${body}`,
    duplicateMember: `${encode(`{"alg":"none","alg":"RS256","kid":"${key.kid}"}`)}.${body}.${signature}`,
    anIdToken: await issuer.token({ aud: audience }, { header: { typ: 'id_token+jwt' } }),
    aLogoutToken: await issuer.token({ aud: audience }, { header: { typ: 'logout+jwt' } }),
    anAssertionForAnIssuer: await issuer.token({ aud: audience }, { header: { typ: 'oauth-id-jag+jwt' } }),
    noClaims: await sign('null', { alg: 'RS256', kid: key.kid }, key),
    claimsTwice: await sign(`{"iss":"${issuer.url}","sub":"a","sub":"eve","aud":"${audience}","exp":9999999999}`,
      { alg: 'RS256', kid: key.kid }, key),
    veryLong: `${encode({ alg: 'RS256', kid: key.kid, x: 'x'.repeat(17_000) })}.${payload}.${signature}`,
    manyDots: '.'.repeat(1000),
    encrypted: `${encode({ alg: 'RSA-OAEP', enc: 'A256GCM', zip: 'DEF' })}.a.b.c.d`,
    claimsThatAreNoUtf8: await sign(Buffer.from(JSON.stringify(claims).replace('eve', '\xff\xfe'), 'latin1'),
      { alg: 'RS256', kid: key.kid }, key),
  };
  for (const [name, token] of Object.entries(attacks)) {
    await context.test(name, async () => {
      const response = await list(host, token);
      assert.equal(response.status, 401);
      assert.match(response.headers.get('WWW-Authenticate'), /^Bearer error="invalid_token"/);
    });
  }
  // Where a token says that its key is, nobody has looked.
  assert.equal(issuer.timesAsked('/evil'), 0);
});

test('KeysAreFetchedWhenTheyAreNeededAndRarely', async (context) => {
  const issuer = await Issuer.start(context);
  const host = await serve(context, issuer);
  assert.deepEqual(issuer.asked, []);
  const token = await issuer.token({ aud: audience, scope: 'mcp:use' });
  const answers = await Promise.all(Array.from({ length: 20 }, () => list(host, token)));
  assert.deepEqual(answers.map(({ status }) => status), Array(20).fill(200));
  assert.equal(issuer.timesAsked('/jwks'), 1);
  // Strangers name keys that there are not.
  const old = issuer.key;
  for (let i = 0; i < 100; ++i)
    assert.equal(await refusalOf(host, await issuer.token({ aud: audience }, { header: { kid: `k${i}` } })), 'its issuer has no such key');
  assert.equal(issuer.timesAsked('/jwks'), 1);
  // Known keys go on while the issuer is away.
  await issuer.stop();
  assert.deepEqual(await namesOf(host, await issuer.token({ aud: audience, scope: 'mcp:use' }, { key: old })), ['only_in_v1', 'version']);
});

test('AHostServesThoughItsIssuerIsAway', async (context) => {
  const issuer = await Issuer.start(context, ['RS256'], await freePort());
  await issuer.stop();
  const host = await serve(context, issuer);
  const token = await issuer.token({ aud: audience, scope: 'mcp:use' });
  const away = await list(host, token);
  assert.equal(away.status, 503);
  assert.ok(Number(away.headers.get('Retry-After')) >= 1);
  const { id, error } = await away.json();
  assert.deepEqual([id, error.code], [1, -32603]);
  assert.equal((await list(host)).status, 401);
  await host.log.until({ event: 'keys of an issuer not fetched' });
  await issuer.listen();
  await until(async () => (await list(host, token)).status === 200, () => host.log.text(), { pauseMs: 200 });
});

test('KeysMayComeFromAUrlOrAFile', async (context) => {
  const issuer = await Issuer.start(context);
  const byUrl = await serve(context, issuer, `jwks_url = "${issuer.url}/jwks"`);
  const token = await issuer.token({ aud: audience, scope: 'mcp:use' });
  assert.equal((await list(byUrl, token)).status, 200);
  assert.deepEqual(issuer.asked, ['/jwks']);
  const components = await Components.create();
  context.after(() => components.discard());
  const file = join(components.folder, 'keys.json');
  await writeFile(file, JSON.stringify({ keys: issuer.issuer.keys.toJSON() }));
  const byFile = await serve(context, issuer, `jwks_file = "${file}"`);
  assert.equal((await list(byFile, token)).status, 200);
  assert.deepEqual(issuer.asked, ['/jwks']);
});

test('MetadataOfAnotherIssuerIsNotTaken', async (context) => {
  const issuer = await Issuer.start(context);
  issuer.answer = (req, res) => res.end(JSON.stringify({ issuer: 'https://other.example', jwks_uri: `${issuer.url}/jwks` }));
  const host = await serve(context, issuer);
  assert.equal((await list(host, await issuer.token({ aud: audience }))).status, 503);
  const { reason } = await host.log.until({ event: 'keys of an issuer not fetched' });
  assert.match(reason, /it is the metadata of another issuer/);
  assert.equal(issuer.timesAsked('/jwks'), 0);
});

test('ARedirectIsNotFollowed', async (context) => {
  const issuer = await Issuer.start(context);
  issuer.answer = (req, res) => res.writeHead(302, { Location: 'http://169.254.169.254/latest' }).end();
  const host = await serve(context, issuer, `jwks_url = "${issuer.url}/keys"`);
  assert.equal((await list(host, await issuer.token({ aud: audience }))).status, 503);
  assert.match((await host.log.until({ event: 'keys of an issuer not fetched' })).reason, /answered with status 302/);
});

test('AnIssuerGivesTheRolesThatItIsLeft', async (context) => {
  const issuer = await Issuer.start(context);
  const components = await Components.create('sample_v1');
  const file = join(components.folder, 'team.toml');
  const leave = (more) =>
    writeWhole(file, `[server]\nurl = "${publicUrl}"\n[issuers.mock]\nissuer = "${issuer.url}"\n${more}\n${roles}`);
  await leave('');
  const host = await HttpHost.start(components, ['--config', file]);
  context.after(() => host.stop().finally(() => components.discard()));
  const token = await issuer.token({ aud: audience, scope: 'mcp:use mcp:admin' });
  assert.deepEqual(await namesOf(host, token), ['only_in_v1', 'version']);
  const taken = host.log.next({ event: 'configuration taken' });
  await leave('roles = ["user"]');
  await taken;
  assert.deepEqual(await namesOf(host, token), ['version']);
});

test('RolesComeFromScopesGroupsAndClaims', async (context) => {
  const issuer = await Issuer.start(context);
  const rules = `
[oauth.implied]
"mcp:all" = ["mcp:use"]
[roles.user]
scopes = ["mcp:use"]
allow = ["tool:version"]
[roles.staff]
groups = ["staff"]
allow = ["tool:version"]
[roles.ada]
principals = ["${issuer.url}#ada"]
allow = ["tool:only_in_v1"]
`;
  const host = await serve(context, issuer, 'groups_claim = "/access/groups"\nroles_claim = "roles"', rules);
  const names = async (claims) => {
    const response = await list(host, await issuer.token({ aud: audience, sub: 'bob', ...claims }));
    const { tools } = (await response.json()).result;
    const called = await Promise.all(tools.map(async ({ name }) => [
      name, (await call(host, await issuer.token({ aud: audience, sub: 'bob', ...claims }), name)).status,
    ]));
    return called.filter(([, status]) => status === 200).map(([name]) => name);
  };
  assert.deepEqual(await names({}), []);
  assert.deepEqual(await names({ scope: 'other mcp:use' }), ['version']);
  assert.deepEqual(await names({ scp: ['mcp:use'] }), ['version']);
  assert.deepEqual(await names({ scope: 'mcp:all' }), ['version']);
  assert.deepEqual(await names({ scope: 'mcp:user' }), []);
  assert.deepEqual(await names({ access: { groups: ['staff'] } }), ['version']);
  assert.deepEqual(await names({ groups: ['staff'] }), []);
  assert.deepEqual(await names({ roles: ['user', 'nobody'] }), ['version']);
  assert.deepEqual(await names({ sub: 'ada' }), ['only_in_v1']);
});

// 2026-07-28, basic/authorization, "Scope Challenge Handling".
test('AClientIsToldWhichScopeACallNeeds', async (context) => {
  const issuer = await Issuer.start(context);
  const host = await serve(context, issuer);
  const weak = await issuer.token({ aud: audience, scope: 'mcp:use' });
  assert.deepEqual(await namesOf(host, weak), ['only_in_v1', 'version']);
  assert.equal((await call(host, weak, 'version')).status, 200);
  const refused = await call(host, weak, 'only_in_v1');
  assert.equal(refused.status, 403);
  assert.equal(
    refused.headers.get('WWW-Authenticate'),
    'Bearer error="insufficient_scope", error_description="the token lacks a scope", ' +
      `resource_metadata="${publicUrl}${metadataPath}/mcp", scope="mcp:admin mcp:use"`,
  );
  const { error } = await refused.json();
  assert.equal(error.code, 403);
  assert.match(error.message, /The tool only_in_v1 is not permitted without the scope mcp:admin/);
  assert.deepEqual(error.data, { requiredScopes: ['mcp:admin'] });
  const strong = await issuer.token({ aud: audience, scope: 'mcp:use mcp:admin' });
  assert.equal((await call(host, strong, 'only_in_v1')).status, 200);
});

test('ASessionGoesOnWithTheNextToken', async (context) => {
  const issuer = await Issuer.start(context);
  const host = await serve(context, issuer);
  const next = (claims) => issuer.token({ aud: audience, scope: 'mcp:use', jti: `${Math.random()}`, ...claims });
  const session = await Session.open(host.url, newestLegacy, bearer(await next()));
  const ping = async (token) => (await session.post(request('ping'), bearer(token))).status;
  for (let i = 0; i < 100; ++i) assert.equal(await ping(await next()), 200);
  assert.equal(await ping(await next({ sub: 'bob' })), 404);
  assert.equal(await ping(await next({ client_id: 'another' })), 404);
});

test('AStreamEndsWithItsToken', async (context) => {
  const issuer = await Issuer.start(context);
  const host = await serve(context, issuer, 'leeway_s = 0');
  const expiry = Math.ceil(Date.now() / 1000) + 8;
  const token = await issuer.token({ aud: audience, scope: 'mcp:use', exp: expiry });
  const response = await postModern(host.url, 'subscriptions/listen', { notifications: { toolsListChanged: true } },
    { headers: bearer(token) });
  assert.equal(response.status, 200);
  for await (const event of sseEvents(response.body)) void event;
  const late = Date.now() - expiry * 1000;
  assert.ok(late >= 0 && late < patience, `${late} ms after the token`);
});

test('NoPartOfATokenIsWrittenDown', async (context) => {
  const issuer = await Issuer.start(context);
  const host = await serve(context, issuer);
  const good = await issuer.token({ aud: audience, scope: 'mcp:use' });
  const bad = await issuer.token({ aud: 'other' });
  const texts = [];
  for (const token of [good, bad, 'opaque-0123456789abcdefghij']) {
    for (const response of [await list(host, token), await call(host, token, 'only_in_v1')])
      texts.push(JSON.stringify([...response.headers]), await response.text());
  }
  texts.push(host.log.text());
  for (const token of [good, bad]) {
    for (const part of token.split('.')) assert.ok(texts.every((text) => !text.includes(part.slice(0, 40))));
  }
  assert.ok(texts.every((text) => !text.includes('opaque-0123456789')));
});

// RFC 9449.
test('ATokenThatIsBoundToAKeyNeedsAProofEachTime', async (context) => {
  const issuer = await Issuer.start(context);
  const host = await serve(context, issuer);
  const own = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(own.publicKey);
  const token = await issuer.token({
    aud: audience, scope: 'mcp:use', cnf: { jkt: await calculateJwkThumbprint(jwk) },
  });
  const now = Math.floor(Date.now() / 1000);
  const proof = (claims = {}, header = {}, key = own.privateKey) =>
    new SignJWT({
      jti: randomUUID(), htm: 'POST', htu: audience, iat: now,
      ath: createHash('sha256').update(token).digest('base64url'), ...claims,
    }).setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk, ...header }).sign(key);
  const send = (headers) => postModern(host.url, 'tools/list', {}, { headers });
  const prove = async (text, scheme = 'DPoP') => {
    const response = await send({ Authorization: `${scheme} ${token}`, DPoP: text });
    return [response.status, response.headers.get('WWW-Authenticate') ?? ''];
  };

  const once = await proof();
  assert.equal((await prove(once))[0], 200);
  const [status, challenge] = await prove(once);
  assert.equal(status, 401);
  assert.match(challenge, /^DPoP error="invalid_dpop_proof", error_description="of the proof: it has been used already"/);
  assert.match(challenge, /algs="ES256 /);
  assert.equal((await prove(await proof()))[0], 200);
  assert.equal((await prove(await proof({ htu: `${audience}?a=b` })))[0], 200);

  const other = await generateKeyPair('ES256', { extractable: true });
  const wrong = [
    [await proof({ htm: 'GET' }), /another method/],
    [await proof({ htu: `${publicUrl}/other` }), /another URL/],
    [await proof({ iat: now - 301 }), /not of now/],
    [await proof({ iat: now + 900 }), /not of now/],
    [await proof({ iat: `${now}` }), /not of now/],
    [await proof({ ath: createHash('sha256').update('x').digest('base64url') }), /another token/],
    [await proof({ jti: undefined }), /no jti/],
    [await proof({}, { typ: 'jwt' }), /does not say/],
    [await proof({}, {}, other.privateKey), /signature/],
    [await proof({}, { jwk: await exportJWK(other.publicKey) }, other.privateKey), /another key/],
    [await proof({}, { jwk: await exportJWK(own.privateKey) }), /its key is none/],
    ['x', /no signed proof/],
  ];
  for (const [text, expected] of wrong) {
    const answer = await prove(text);
    assert.equal(answer[0], 401, answer[1]);
    assert.match(answer[1], expected);
  }
  // Neither does it count without a proof, nor does another token with one.
  assert.match((await prove(await proof(), 'Bearer'))[1], /^DPoP error="invalid_token".*needs the scheme DPoP/);
  assert.equal((await send({ Authorization: `DPoP ${token}` })).status, 401);
  const unbound = await issuer.token({ aud: audience, scope: 'mcp:use' });
  const misused = await send({ Authorization: `DPoP ${unbound}`, DPoP: await proof() });
  assert.equal(misused.status, 401);
});

// RFC 9449 section 9.
test('AProofHasANonceOfThisServerWhereTheOperatorAsksForIt', async (context) => {
  const issuer = await Issuer.start(context);
  const more = '[oauth]\nproof_nonces = true\n[servers.part]\nallow = ["tool:*"]\n[limits.failures]\nrate = "2/min"';
  const host = await serve(context, issuer, more);
  const part = audience.replace('/mcp', '/part/mcp');
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  const token = await issuer.token({ aud: [audience, part], scope: 'mcp:use', cnf: { jkt: await calculateJwkThumbprint(jwk) } });
  const send = async (nonce, url = audience) => {
    const proof = await new SignJWT({
      jti: randomUUID(), htm: 'POST', htu: url, iat: Math.floor(Date.now() / 1000), nonce,
      ath: createHash('sha256').update(token).digest('base64url'),
    }).setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk }).sign(privateKey);
    const asked = new URL(new URL(url).pathname, host.url);
    return postModern(asked, 'tools/list', {}, { headers: { Authorization: `DPoP ${token}`, DPoP: proof } });
  };

  const asked = await send(undefined);
  assert.equal(asked.status, 401);
  assert.match(asked.headers.get('WWW-Authenticate'), /^DPoP error="use_dpop_nonce", /);
  const nonce = asked.headers.get('DPoP-Nonce');
  assert.match(nonce, /^[\w-]{43}$/);
  assert.equal((await send(nonce)).status, 200);
  assert.equal((await send(nonce)).status, 200);
  assert.equal((await send(nonce, part)).status, 200);
  // Being asked for a nonce is no failure, of which few are admitted here.
  for (const wrong of [`${nonce}x`, '', 7]) {
    const refused = await send(wrong);
    assert.equal(refused.status, 401);
    assert.match(refused.headers.get('DPoP-Nonce'), /^[\w-]{43}$/);
  }
  // Whoever sends a token that is bound to no key is told of none.
  const unbound = await issuer.token({ aud: audience, scope: 'mcp:use' });
  for (const [scheme, status] of [['Bearer', 200], ['DPoP', 401]]) {
    const answer = await postModern(host.url, 'tools/list', {}, { headers: { Authorization: `${scheme} ${unbound}` } });
    assert.equal(answer.status, status);
    assert.equal(answer.headers.get('DPoP-Nonce'), null);
  }
});
