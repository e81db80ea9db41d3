// Serving by HTTPS: certificates that change while it serves, and certificates of clients, which prove who they are.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';

import { adminOf } from './support/admin.mjs';
import { Authority, thumbprint, writePair } from './support/authority.mjs';
import { command } from './support/command.mjs';
import { Components } from './support/components.mjs';
import { HttpHost } from './support/host.mjs';
import { Issuer } from './support/issuer.mjs';
import { ask, listen, send, toolsOf } from './support/node_http.mjs';
import { patience } from './support/patience.mjs';
import { bearer } from './support/team.mjs';

const authority = new Authority('servers');
const clients = new Authority('clients');
const ca = authority.pem;
after(() => {
  authority.discard();
  clients.discard();
});
const ada = clients.issue('ada', { names: 'URI:spiffe://example/ada' });
const bob = clients.issue('bob', { names: 'URI:spiffe://example/bob' });
const asks = (how, subject = 'san_uri') =>
  `client_ca = "clients.pem"\nclient_certificates = "${how}"\nclient_subject = "${subject}"\n`;
const roles = '[roles.user]\nprincipals = ["mtls#spiffe://example/ada"]\nallow = ["tool:version"]\n';

class SecureHost {
  // `settings` are of [tls], `rest` is other tables.
  static async serve(context, { settings = '', rest = '', before = '', options = [] } = {}) {
    const secure = new SecureHost();
    secure.components = await Components.create('sample_v1');
    secure.folder = secure.components.folder;
    writePair(secure.folder, authority.issue('localhost'));
    writeFileSync(join(secure.folder, 'clients.pem'), clients.pem);
    const own = 'certificate = "server.pem"\nkey = "server.key"\n';
    secure.file = join(secure.folder, 'host.toml');
    writeFileSync(secure.file, `${before}[tls]\n${own}${settings}${rest}`);
    secure.host = await HttpHost.start(secure.components, ['--config', secure.file, ...options]);
    secure.url = secure.host.address.href;
    context.after(() => secure.host.stop().finally(() => secure.components.discard()));
    return secure;
  }

  connect(options = {}) {
    const { hostname, port } = new URL(this.url);
    return new Promise((resolve, reject) => {
      const socket = tls.connect({ host: hostname, port, ca, ...options });
      socket.on('secureConnect', () => resolve(socket)).on('error', reject);
    });
  }

  // Of the certificate that a new connection is shown.
  async serial() {
    const socket = await this.connect();
    const { serialNumber } = socket.getPeerCertificate();
    socket.destroy();
    return serialNumber;
  }

  async take(pair) {
    const taken = this.host.log.next({ event: 'certificate taken' });
    writePair(this.folder, pair);
    await taken;
  }
}

test('TheProtocolIsServedByHttps', async (context) => {
  const secure = await SecureHost.serve(context);
  assert.match(secure.url, /^https:\/\/127\.0\.0\.1:\d+\/mcp$/);
  assert.deepEqual(await toolsOf(secure.url, { ca }), ['only_in_v1', 'version']);
  const socket = await secure.connect({ ALPNProtocols: ['h2', 'http/1.1'] });
  assert.equal(socket.getProtocol(), 'TLSv1.3');
  assert.equal(socket.alpnProtocol, 'http/1.1');
  socket.destroy();
  const older = await secure.connect({ maxVersion: 'TLSv1.2' });
  assert.equal(older.getProtocol(), 'TLSv1.2');
  older.destroy();
  await assert.rejects(secure.connect({ maxVersion: 'TLSv1.1', minVersion: 'TLSv1' }));
});

test('OnlyTheNewestVersionIsSpokenWhereThatIsAskedFor', async (context) => {
  const secure = await SecureHost.serve(context, { settings: 'minimum_version = "1.3"\n' });
  await assert.rejects(secure.connect({ maxVersion: 'TLSv1.2' }), /protocol version/);
  assert.deepEqual(await toolsOf(secure.url, { ca }), ['only_in_v1', 'version']);
});

// With a key of RSA, with which a client may ask for either.
test('OnlyCiphersWithForwardSecrecyAreSpoken', async (context) => {
  const secure = await SecureHost.serve(context);
  const [certificate, key] = ['rsa.pem', 'rsa.key'].map((name) => join(secure.folder, name));
  execFileSync('openssl', [
    'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost',
    '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-keyout', key, '-out', certificate,
  ], { stdio: 'ignore' });
  const pair = { cert: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') };
  await secure.take(pair);
  const connect = (ciphers) => secure.connect({ ca: pair.cert, maxVersion: 'TLSv1.2', ciphers });
  for (const ciphers of ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'AES128-SHA'])
    await assert.rejects(connect(ciphers), /handshake failure/, ciphers);
  const socket = await connect('ECDHE-RSA-AES128-GCM-SHA256');
  assert.equal(socket.getCipher().name, 'ECDHE-RSA-AES128-GCM-SHA256');
  socket.destroy();
});

test('WhoSpeaksWithoutTlsIsToldSo', async (context) => {
  const secure = await SecureHost.serve(context);
  const { status, text } = await ask(secure.url.replace('https:', 'http:'), 'tools/list');
  assert.equal(status, 400);
  assert.match(text, /HTTPS only/);
});

// Calls on kept connections while the certificate changes again and again.
test('ACertificateThatChangesCostsNoCallAndNoConnection', async (context) => {
  const secure = await SecureHost.serve(context);
  const agent = new https.Agent({ keepAlive: true, maxSockets: 4, ca });
  context.after(() => agent.destroy());
  let ends = false;
  let calls = 0;
  const sockets = new Set();
  const load = Array.from({ length: 4 }, async () => {
    while (!ends) {
      const { json } = await ask(secure.url, 'tools/call', { name: 'version', arguments: {} }, { agent });
      assert.equal(json.result.content[0].text, '1');
      ++calls;
      for (const each of Object.values(agent.freeSockets).flat()) sockets.add(each);
    }
  });
  for (let swap = 0; swap < 20; ++swap) {
    const before = await secure.serial();
    const pair = authority.issue('localhost'); // other programs do that, for long
    const began = Date.now();
    await secure.take(pair);
    assert.notEqual(await secure.serial(), before);
    assert.ok(Date.now() - began < 20_000, `${Date.now() - began} ms`);
  }
  ends = true;
  await Promise.all(load);
  assert.ok(calls > 20);
  assert.ok(sockets.size <= 4, `${sockets.size} connections`);
});

// What is not taken for this reason. A pair whose writing takes long may be refused because its key is another's.
const untaken = (reason) => ({ event: 'certificate not taken', reason: new RegExp(reason) });

test('ABadPairLeavesTheLastGoodOne', async (context) => {
  const rest = '[serving]\ncontrol = "control"\n';
  const secure = await SecureHost.serve(context, { rest, options: ['--admin-listen', '127.0.0.1:0'] });
  const first = authority.issue('localhost');
  await secure.take(first);
  const serial = await secure.serial();
  const good = authority.issue('localhost');
  const bad = {
    'the key is not that of the certificate': { cert: good.cert, key: authority.issue('localhost').key },
    'the certificate has expired at': authority.issue('localhost', { begin: -60, seconds: -10 }),
    'there is no private key in PEM': { cert: good.cert, key: '' },
    'a certificate in it is not whole': { cert: good.cert.slice(0, -100), key: good.key },
  };
  for (const [reason, pair] of Object.entries(bad)) {
    const refused = secure.host.log.next(untaken(reason));
    writePair(secure.folder, pair);
    await refused;
    assert.equal(await secure.serial(), serial);
  }
  await sleep(300);
  for (const reason of Object.keys(bad).slice(1)) assert.equal(secure.host.log.matching(untaken(reason)).length, 1, reason);
  // It is said that all is well again, though it is the one that has been served all along.
  await secure.take(first);
  assert.equal(await secure.serial(), serial);
  writePair(secure.folder, first);
  await secure.take(good);
  assert.notEqual(await secure.serial(), serial);
  const gone = secure.host.log.next(untaken('cannot be opened'));
  rmSync(join(secure.folder, 'server.key'));
  await gone;
  const { status, stdout } = await command('status', '--control', join(secure.folder, 'control'));
  assert.equal(status, 1);
  assert.match(stdout, /The configuration was not taken: \[tls\] cannot be used: .*server\.key: it cannot be opened/);
  const metrics = await (await fetch(new URL('metrics', await adminOf(secure.host)))).text();
  assert.match(metrics, /^mcph_certificate_last_refused 1$/m);
  const [, expiry] = /^mcph_certificate_expiry_seconds (\d+)$/m.exec(metrics) ?? assert.fail(metrics);
  assert.ok(Number(expiry) * 1000 > Date.now());
  assert.deepEqual(await toolsOf(secure.url, { ca }), ['only_in_v1', 'version']);
});

test('ASessionIsResumedThoughTheCertificateHasChanged', async (context) => {
  const secure = await SecureHost.serve(context);
  const first = await secure.connect();
  const session = await new Promise((resolve) => first.once('session', resolve));
  first.destroy();
  await secure.take(authority.issue('localhost'));
  const again = await secure.connect({ session });
  assert.ok(again.isSessionReused());
  again.destroy();
});

test('WithoutAGoodCertificateNobodyIsServedWhereOneIsRequired', async (context) => {
  const secure = await SecureHost.serve(context, { settings: asks('required'), rest: roles });
  assert.deepEqual(await toolsOf(secure.url, { ca, ...ada }), ['version']);
  await assert.rejects(toolsOf(secure.url, { ca }), /certificate required/);
  await assert.rejects(toolsOf(secure.url, { ca, ...authority.issue('ada') }), /unknown ca|self.signed/i);
  const expired = clients.issue('ada', { begin: -60, seconds: -10 });
  await assert.rejects(toolsOf(secure.url, { ca, ...expired }), /certificate expired/);
});

test('ACertificateProvesWhoAClientIs', async (context) => {
  const secure = await SecureHost.serve(context, { settings: asks('optional'), rest: roles });
  assert.deepEqual(await toolsOf(secure.url, { ca, ...ada }), ['version']);
  assert.deepEqual(await toolsOf(secure.url, { ca, ...bob }), []);
  await assert.rejects(toolsOf(secure.url, { ca }), /401 ConnectionCredential realm="mcp"$/);
  const { json } = await ask(secure.url, 'tools/list', {}, { ca });
  assert.match(json.error.message, /^Unauthorized: connect with a client certificate/);
  const nameless = clients.issue('ada', { names: 'DNS:ada' });
  await assert.rejects(toolsOf(secure.url, { ca, ...nameless }), /401 ConnectionCredential realm="mcp"$/);
  const refused = await ask(secure.url, 'tools/call', { name: 'only_in_v1', arguments: {} }, { ca, ...ada });
  assert.match(refused.json.error.message, /Unknown tool/);
});

for (const [subject, names, principal] of [
  ['san_dns', 'DNS:ada.example', 'mtls#ada.example'],
  ['san_email', 'email:ada@example.com', 'mtls#ada@example.com'],
  ['subject', 'DNS:x', 'mtls#CN=Ada'],
]) {
  test(`TheSubjectIsWhatTheConfigurationSays: ${subject}`, async (context) => {
    const rest = `[roles.user]\nprincipals = ["${principal}"]\nallow = ["tool:version"]\n`;
    const secure = await SecureHost.serve(context, { settings: asks('optional', subject), rest });
    assert.deepEqual(await toolsOf(secure.url, { ca, ...clients.issue('Ada', { names }) }), ['version']);
  });
}

test('ACertificateDoesNotBeginToSayWhoAClientIsWhileTheHostRuns', async (context) => {
  const secure = await SecureHost.serve(context, { settings: asks('required', 'none') });
  const refused = secure.host.log.next({ event: 'configuration not taken' });
  writeFileSync(secure.file, readFileSync(secure.file, 'utf8').replace('"none"', '"san_uri"') + roles);
  assert.match((await refused).reason, /\[tls\] client_subject cannot become none, or be none no longer, .*; start the host anew$/);
});

test('EverybodyWithACertificateMayHaveARole', async (context) => {
  const rest = '[roles.user]\nissuers = ["mtls"]\nallow = ["tool:version"]\n';
  const secure = await SecureHost.serve(context, { settings: asks('optional'), rest });
  assert.deepEqual(await toolsOf(secure.url, { ca, ...bob }), ['version']);
});

// Certificates whose time begins or ends, after what has to happen before on a busy machine.
const briefS = 30;
suite('Times', { concurrency: true }, () => {
  test('ACertificateIsTakenWhenItsTimeComes', async (context) => {
    const secure = await SecureHost.serve(context);
    const notYet = untaken('not good before');
    const refused = secure.host.log.next(notYet);
    const pair = authority.issue('localhost', { begin: briefS });
    const taken = refused.then(() => secure.host.log.next({ event: 'certificate taken' }));
    writePair(secure.folder, pair);
    await taken;
    assert.equal(secure.host.log.matching(notYet).length, 1);
  });

  test('AStreamEndsWhenTheCertificateHasExpired', async (context) => {
    const secure = await SecureHost.serve(context, { settings: asks('required'), rest: roles });
    const brief = clients.issue('ada', { names: 'URI:spiffe://example/ada', seconds: briefS });
    const expiry = Date.parse(new X509Certificate(brief.cert).validTo);
    const agent = new https.Agent({ keepAlive: true, ca, ...brief });
    context.after(() => agent.destroy());
    assert.deepEqual(await toolsOf(secure.url, { agent }), ['version']);
    for await (const _ of await listen(secure.url, { ca, ...brief }));
    const late = Date.now() - expiry;
    assert.ok(late >= 0 && late < patience, `${late} ms`);
    // On a connection that was opened with it before.
    const refusal = /401 .*the client's certificate has expired|ECONNRESET|expired/;
    await assert.rejects(toolsOf(secure.url, { agent }), refusal);
  });

  test('AStreamEndsAlsoWhereTheCertificateAdmitsAndProvesNothing', async (context) => {
    const settings = 'client_ca = "clients.pem"\nclient_certificates = "required"\n';
    const secure = await SecureHost.serve(context, { settings });
    const brief = clients.issue('ada', { names: 'URI:spiffe://example/ada', seconds: briefS });
    const expiry = Date.parse(new X509Certificate(brief.cert).validTo);
    await assert.rejects(async () => {
      for await (const _ of await listen(secure.url, { ca, ...brief }));
    }, /aborted|ECONNRESET/);
    const late = Date.now() - expiry;
    assert.ok(late >= 0 && late < patience, `${late} ms`);
  });
});

test('ATokenCountsInsteadOfTheCertificate', async (context) => {
  const issuer = await Issuer.start(context);
  const rest = `[issuers.mock]\nissuer = "${issuer.url}"\n[roles.user]\nscopes = ["mcp:use"]\nallow = ["tool:version"]\n`;
  const before = '[server]\nurl = "https://localhost"\n';
  const secure = await SecureHost.serve(context, { settings: asks('optional'), rest, before });
  const token = (more) => issuer.token({ aud: 'https://localhost/mcp', scope: 'mcp:use', ...more });
  const tools = (pair, jwt) => toolsOf(secure.url, { ca, ...pair, headers: bearer(jwt) });
  assert.deepEqual(await tools(ada, await token()), ['version']);
  assert.deepEqual(await toolsOf(secure.url, { ca, ...ada }), []);

  // One that is bound to a certificate is of use with that one only (RFC 8705 section 3).
  const bound = await token({ cnf: { 'x5t#S256': thumbprint(ada) } });
  assert.deepEqual(await tools(ada, bound), ['version']);
  const refusal = /401 Bearer error="invalid_token", error_description="the token is bound to a certificate/;
  await assert.rejects(tools(bob, bound), refusal);
  await assert.rejects(tools({}, bound), refusal);
  await assert.rejects(tools(ada, await token({ cnf: { 'x5t#S256': thumbprint(ada), x: 1 } })), /bound in a way/);

  const document = await send(secure.url.replace('/mcp', '/.well-known/oauth-protected-resource'), { method: 'GET', ca });
  const metadata = JSON.parse((await document.setEncoding('utf8').toArray()).join(''));
  assert.equal(metadata.tls_client_certificate_bound_access_tokens, true);
});

test('AProxyWithACertificateIsBelievedAndOthersAreNot', async (context) => {
  const rest =
    '[proxy]\nfrom = ["mtls#spiffe://example/ada"]\nuser_header = "X-Forwarded-User"\n' +
    '[roles.user]\nprincipals = ["proxy#carol"]\nallow = ["tool:version"]\n';
  const secure = await SecureHost.serve(context, { settings: asks('optional'), rest });
  const headers = { 'X-Forwarded-User': 'carol' };
  assert.deepEqual(await toolsOf(secure.url, { ca, ...ada, headers }), ['version']);
  await assert.rejects(toolsOf(secure.url, { ca, ...ada }), /401/);
  assert.deepEqual(await toolsOf(secure.url, { ca, ...bob, headers }), []);
  await assert.rejects(toolsOf(secure.url, { ca, headers }), /401/);
});
