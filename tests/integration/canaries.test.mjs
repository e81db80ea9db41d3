// No byte of a token or another secret comes to light anywhere: a host that does all that it can, with something to
// recognise in each of them.
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';

import { adminOf } from './support/admin.mjs';
import { AuthorizationServer } from './support/authorization_server.mjs';
import { Canaries, filesBelow, memoryOf, newCanary } from './support/canaries.mjs';
import { Collector } from './support/collector.mjs';
import { command } from './support/command.mjs';
import { Components } from './support/components.mjs';
import { argumentsOf, HttpHost, inProcess, program, sanitizer } from './support/host.mjs';
import { initializeRequest, post, postModern, request } from './support/http.mjs';
import { Issuer } from './support/issuer.mjs';
import { bearer, Team } from './support/team.mjs';
import { workersOf } from './support/workers.mjs';

const run = promisify(execFile);
const publicUrl = 'http://127.0.0.1:8080';
const audience = `${publicUrl}/mcp`;
const secretFiles = ['audit.key', 'introspection.secret', 'trace_headers', 'state.key'];

const configuration = (issuer, server, collector) => `
[server]
url = "${publicUrl}"
[issuers.company]
issuer = "${issuer.url}"
[issuers.opaque]
issuer = "${server.url}"
introspection_url = "${server.url}/token/introspection"
client_id = "host"
client_secret_file = "introspection.secret"
subject_claim = "client_id"
[oauth]
scopes = ["mcp:use"]
[roles.user]
scopes = ["mcp:use"]
allow = ["*"]
[servers.part]
allow = ["tool:tell"]
[limits.failures]
rate = "1000/s"
[audit]
file = "audit.jsonl"
key = "audit.key"
[audit.arguments]
"tool:tell_in_full" = "full"
"tool:tell_nobody" = "off"
"*" = "hash"
[traces]
endpoint = "${collector.url}"
headers_file = "trace_headers"
`;

// A process that crashes may leave its memory in the folder, where the system does not send it elsewhere.
function startWithCores(components, options, environment = {}) {
  const args = argumentsOf('serve', components, ['--listen', '127.0.0.1:0', ...options]);
  return HttpHost.of(spawn('sh', ['-c', 'ulimit -c unlimited 2>&1; exec "$0" "$@"', program, ...args], {
    cwd: components.folder, stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...environment },
  }), components);
}

// All that is on: the host, and who it talks to.
class Scene {
  canaries = new Canaries();
  answers = [];

  static async play(context) {
    const scene = new Scene();
    scene.issuer = await Issuer.start(context);
    scene.server = await AuthorizationServer.start(context, 'opaque');
    scene.collector = await Collector.start(context);
    scene.components = await Components.create('telling', 'rude', 'dying');
    await scene.prepare();
    const { folder } = scene.components;
    const options = ['--config', scene.team.file, '--log-level', 'debug', '--admin-listen', '127.0.0.1:0', '--http-sse',
      '--control', join(folder, 'control.sock'), '--state-key', join(folder, 'state.key')];
    const tmp = join(folder, 'tmp');
    await mkdir(tmp);
    scene.host = await startWithCores(scene.components, options, { TMPDIR: tmp, XDG_RUNTIME_DIR: tmp });
    context.after(() => scene.host.stop().finally(() => scene.components.discard()));
    scene.team.host = scene.host;
    return scene;
  }

  async prepare() {
    const { folder } = this.components;
    this.team = new Team(this.components);
    await this.team.configure(configuration(this.issuer, this.server, this.collector));
    const key = join(folder, 'audit.key');
    await run(program, ['audit', 'key', key]);
    const pem = (await run('cat', [key])).stdout.split('\n').filter((line) => line && !line.startsWith('-')).join('');
    this.canaries.add('the key of the audit log', pem);
    this.canaries.add('the key of the audit log, its bytes', Buffer.from(pem, 'base64').subarray(16));
    const keep = async (file, name, secret, text = secret) => {
      this.canaries.add(name, secret);
      await writeFile(join(folder, file), text, { mode: 0o600 });
    };
    await keep('introspection.secret', 'the secret to ask an issuer', this.server.secret);
    const traceKey = newCanary();
    await keep('trace_headers', 'the key for the collector', traceKey, `X-Api-Key: ${traceKey}\n`);
    await keep('state.key', 'the key of request states', randomBytes(32));
  }

  // Something of this name in a secret.
  canary(name) {
    const canary = newCanary();
    this.canaries.add(name, canary);
    return canary;
  }

  async hostToken(name, ...more) {
    const token = (await this.team.command('create', name, '--role', 'user', ...more)).at(-1);
    this.canaries.add(`host token of ${name}`, token.slice(15));
    return token;
  }

  // With a canary in its claims and its header.
  async jwt(name, claims = {}, options = {}) {
    const header = { canary: this.canary(`${name}: header`), ...options.header };
    const all = { aud: audience, scope: 'mcp:use', canary: this.canary(`${name}: claim`), ...claims };
    const token = await this.issuer.token(all, { ...options, header });
    this.canaries.addJwt(name, token);
    return token;
  }

  // The status; what else the answer says is kept.
  async keep(response) {
    const text = await response.text();
    this.answers.push(`${response.status} ${JSON.stringify([...response.headers])} ${text}`);
    return response.status;
  }

  async list(headers, query = '') {
    return this.keep(await postModern(this.host.url.href + query, 'tools/list', {}, { headers }));
  }

  async call(headers, name, args) {
    return this.keep(await postModern(this.host.url, 'tools/call', { name, arguments: args }, { headers }));
  }

  async session(headers) {
    const opened = await post(this.host.url, initializeRequest('2025-11-25'), headers);
    await opened.arrayBuffer();
    const session = { ...headers, 'Mcp-Session-Id': opened.headers.get('Mcp-Session-Id') };
    this.canaries.add('the id of a session', session['Mcp-Session-Id']);
    assert.equal(await this.keep(await post(this.host.url, request('ping'), session)), 200);
    assert.equal(await this.keep(await fetch(this.host.url, { method: 'DELETE', headers: session })), 204);
  }

  // Every way to be let in, and to be refused, with everything that a client may send a token in by mistake.
  async useTokens() {
    const expiry = new Date(Date.now() + 20_000).toISOString().replace(/\.\d+/, '');
    const expired = await this.hostToken('eve', '--expires', expiry);
    const [ada, revoked] = [await this.hostToken('ada'), await this.hostToken('bob')];
    await this.team.until(ada, (status) => status !== 401);
    await this.team.revoke('bob');
    await this.team.until(revoked, (status) => status === 401);
    const opaque = await this.server.robotToken(audience, 'mcp:use');
    this.canaries.add('an opaque token', opaque);
    const good = [ada, await this.jwt('a good JWT'), opaque];
    for (const token of good) {
      for (const tool of ['tell', 'tell_nobody']) {
        assert.equal(await this.call(bearer(token), tool, { text: this.argument }), 200);
      }
      assert.equal(await this.call(bearer(token), 'tell_in_full', { text: this.planted }), 200);
      assert.equal(await this.call(bearer(token), 'print'), 200);
      await this.session(bearer(token));
    }
    const now = Math.floor(Date.now() / 1000);
    const bad = [
      revoked, expired, `${ada}x`, `${ada.slice(0, -1)}${ada.endsWith('x') ? 'y' : 'x'}`,
      `mph_${this.canary('no host token')}`,
      await this.jwt('an expired JWT', { exp: now - 1000 }),
      await this.jwt('a JWT for others', { aud: 'https://other.example' }),
      await this.jwt('a JWT of others', { iss: 'https://other.example' }),
      await this.jwt('a JWT without an end', { exp: undefined }),
      await this.jwt('a JWT of an unknown key', {}, { header: { kid: this.canary('the name of a key') } }),
      `${await this.jwt('a forged JWT')}AAAA`, `${await this.jwt('a JWT of four parts')}.x`,
      (await this.jwt('a JWT without a signature')).replace(/[^.]*$/, ''),
      await this.jwt('a long JWT', { x: 'x'.repeat(17_000) }), this.canary('an unknown opaque token'),
      this.canary('a token with a quote').replace(/^canary/, '$&"'), this.canary('two words').replace(/^canary/, '$& '),
    ];
    await this.team.until(expired, (status) => status === 401);
    for (const token of bad) {
      assert.equal(await this.list(bearer(token)), 401);
      assert.equal(await this.list({ Authorization: token }), 401);
      assert.equal(await this.list({ Authorization: `Basic ${Buffer.from(`ada:${token}`).toString('base64')}` }), 401);
    }
    for (const token of [...good, this.canary('a token elsewhere')]) await this.misplace(token, bearer(ada));
  }

  async misplace(token, good) {
    for (const name of ['access_token', 'token', 'api_key', 'code']) {
      assert.equal(await this.list({}, `?${name}=${token}`), 401);
      assert.equal(await this.list(good, `?${name}=${token}`), 200);
    }
    assert.equal(await this.list({}, `/nothing/here?access_token=${token}`), 404);
    for (const name of ['X-Api-Key', 'Proxy-Authorization', 'X-Forwarded-Access-Token', 'DPoP']) {
      assert.equal(await this.list({ [name]: token }), 401, name);
      assert.equal(await this.list({ ...good, [name]: token }), 200, name);
    }
    assert.equal(await this.list({ Cookie: `token=${token}` }), 401);
    assert.equal(await this.list({ ...good, Authorization: `${good.Authorization}, Bearer ${token}` }), 401);
    const ping = (headers) => post(this.host.url, request('ping'), headers);
    assert.equal(await this.keep(await ping({ ...good, 'Mcp-Session-Id': token })), 404);
    const stream = { Accept: 'text/event-stream', 'Mcp-Session-Id': token, 'Last-Event-ID': token };
    assert.equal(await this.keep(await fetch(this.host.url, { headers: { ...good, ...stream } })), 404);
    const messages = new URL(`/messages?sessionId=${token}`, this.host.address);
    assert.equal(await this.keep(await post(messages, request('ping'), good)), 404);
  }

  // RFC 9449.
  async useProofs() {
    const own = await generateKeyPair('ES256', { extractable: true });
    const jwk = await exportJWK(own.publicKey);
    const token = await this.jwt('a bound JWT', { cnf: { jkt: await calculateJwkThumbprint(jwk) } });
    const proof = async (name, claims = {}) => {
      const all = {
        jti: `${randomUUID()}${this.canary(`${name}: id`)}`, htm: 'POST', htu: audience,
        iat: Math.floor(Date.now() / 1000), ath: createHash('sha256').update(token).digest('base64url'),
        canary: this.canary(`${name}: claim`), ...claims,
      };
      const header = { typ: 'dpop+jwt', alg: 'ES256', jwk };
      const text = await new SignJWT(all).setProtectedHeader(header).sign(own.privateKey);
      this.canaries.addJwt(name, text);
      return text;
    };
    const good = await proof('a proof');
    const send = (text) => this.list({ Authorization: `DPoP ${token}`, DPoP: text });
    assert.equal(await send(good), 200);
    assert.equal(await send(good), 401);
    assert.equal(await send(await proof('a proof of another method', { htm: this.canary('a method') })), 401);
    const elsewhere = `${publicUrl}/${this.canary('a URL')}`;
    assert.equal(await send(await proof('a proof of another URL', { htu: elsewhere })), 401);
    assert.equal(await send(this.canary('what is no proof')), 401);
  }

  // Of a host that goes on while much goes wrong.
  async upset() {
    if (!inProcess) {
      const crashed = this.host.log.next({ event: 'plugin crashed' });
      const restarted = this.host.log.next({ event: 'plugin restarted' });
      await this.call(bearer(await this.jwt('the JWT of a crash')), 'die', { how: 'abort' });
      await crashed;
      await restarted;
    }
    const refused = this.host.log.next({ event: 'configuration not taken' });
    await this.team.configure('[roles.user]\nallow = 7\n');
    await refused;
    await this.team.reconfigure(configuration(this.issuer, this.server, this.collector));
    await this.server.stop();
    assert.equal(await this.list(bearer(this.canary('a token that nobody is asked about'))), 503);
  }

  // By where it is: all that the host has said, written, sent and started.
  async *places() {
    await this.collector.until(20);
    yield ['the log', this.host.log.text()];
    yield ['answers', this.answers.join('\n')];
    const admin = await adminOf(this.host);
    for (const path of ['/metrics', '/status', '/livez', '/readyz', '/nothing']) {
      yield [`the admin listener at ${path}`, await (await fetch(new URL(path, admin))).text()];
    }
    for (const { body, headers: { 'x-api-key': ours, ...headers } } of this.collector.requests) {
      yield ['traces', body + JSON.stringify(headers)];
    }
    yield ['what the issuer of JWTs is asked', this.issuer.asked.join('\n')];
    if (!inProcess) yield* this.workers();
    yield* this.commands();
    for (const line of ['{"command":"status"}', '{"command":"reload"}', '{"command":"nothing"}', '{']) {
      yield [`the control socket to ${line}`, await this.control(line)];
    }
    for (const [file, bytes] of filesBelow(this.components.folder, ...secretFiles)) {
      yield [file.startsWith('audit') ? 'the audit log' : `the file ${file}`, bytes];
    }
  }

  * workers() {
    const workers = workersOf(this.host.child.pid).map(({ pid }) => pid);
    assert.ok(workers.length >= 2);
    for (const pid of workers) {
      yield* filesOfProcess(pid);
      if (!sanitizer) for (const part of memoryOf(pid)) yield ['the memory of a worker', part];
    }
  }

  async *commands() {
    const config = ['--config', this.team.file];
    const plugins = ['--components', this.components.root, '--data', this.components.data];
    const control = ['--control', join(this.components.folder, 'control.sock')];
    for (const [expected, ...args] of [
      [0, 'status', ...control], [0, 'status', '--json', ...control], [0, 'list', ...plugins, ...config],
      [0, 'explain', '--as', 'ada', 'tools/call', 'tell', '{"text":"x"}', ...plugins, ...config],
      [0, 'config', 'show', ...config], [0, 'config', 'show', '--json', ...config], [0, 'config', 'check', ...config],
      [0, 'token', 'list', ...config], [0, 'audit', 'verify', join(this.components.folder, 'audit.jsonl')],
    ]) {
      const { status, stdout, stderr } = await command(...args);
      assert.equal(status, expected, `${args.join(' ')}: ${stdout}${stderr}`);
      assert.notEqual(stdout + stderr, '', args.join(' '));
      yield [`the command ${args.slice(0, 2).join(' ')}`, stdout + stderr];
    }
  }

  async control(line) {
    const socket = createConnection(join(this.components.folder, 'control.sock'));
    socket.end(`${line}\n`);
    return (await socket.setEncoding('utf8').toArray()).join('');
  }
}

function* filesOfProcess(pid) {
  for (const [, bytes] of ['environ', 'cmdline'].map((name) => [name, readFileSync(`/proc/${pid}/${name}`)])) {
    yield ['the environment and the arguments of a worker', bytes];
  }
}

test('NoSecretComesToLight', async (context) => {
  const scene = await Scene.play(context);
  // Arguments are no secret of the host's, but nobody is told them who need not know.
  const [argument, planted] = ['an argument', 'an argument that is to be recorded'];
  scene.argument = scene.canary(argument);
  scene.planted = scene.canary(planted);
  await scene.useTokens();
  await scene.useProofs();
  await scene.upset();
  await sleep(300);
  const found = {};
  let [bytes, places] = [0, 0];
  for await (const [place, text] of scene.places()) {
    bytes += text.length;
    ++places;
    for (const name of scene.canaries.in(text)) (found[name] ??= new Set()).add(place);
  }
  context.diagnostic(`${places} places with ${bytes} bytes`);
  // What is to be recorded shows that all the others would be found; plugins are told their arguments.
  const { [argument]: hashed = new Set(), [planted]: recorded, ...others } = found;
  const told = inProcess || sanitizer ? [] : ['the memory of a worker'];
  assert.deepEqual(others, {});
  assert.deepEqual([...recorded].sort(), ['the audit log', ...told]);
  assert.deepEqual([...hashed], told.filter((place) => hashed.has(place)));
});

// Whether a process that dies there leaves a core file at all.
function leavesACore(folder) {
  const before = readdirSync(folder);
  spawnSync('sh', ['-c', 'ulimit -c unlimited; kill -ABRT $$'], { cwd: folder });
  const cores = readdirSync(folder).filter((name) => !before.includes(name));
  for (const name of cores) rmSync(join(folder, name));
  return cores.length > 0;
}

test('NoSecretIsInWhatAHostLeavesThatDies', async (context) => {
  const components = await Components.create('telling');
  context.after(() => components.discard());
  if (!leavesACore(components.folder)) return context.skip('core files are not written into the folder of a process here');
  const team = new Team(components);
  await team.configure('[roles.user]\nallow = ["*"]\n');
  const token = (await team.command('create', 'ada', '--role', 'user')).at(-1);
  const canaries = new Canaries();
  canaries.add('a token', token.slice(15));
  const host = await startWithCores(components, ['--config', team.file]);
  const call = { name: 'tell', arguments: { text: 'x' } };
  assert.equal((await postModern(host.url, 'tools/call', call, { headers: bearer(token) })).status, 200);
  // Nobody but root may read its memory while it lives, either.
  if (process.getuid() !== 0) assert.throws(() => memoryOf(host.child.pid), /EACCES/);
  host.signal('SIGABRT');
  assert.equal((await host.end()).signal, 'SIGABRT');
  for (const [file, bytes] of filesBelow(components.folder)) assert.deepEqual(canaries.in(bytes), [], file);
});

test('ACanaryIsFoundHoweverItIsWritten', () => {
  const canaries = new Canaries();
  const secret = newCanary();
  canaries.add('it', secret);
  assert.deepEqual(canaries.in(`something ${newCanary()} else`), []);
  assert.deepEqual(canaries.in(`something ${secret} else`), ['it']);
  assert.deepEqual(canaries.in(`the end of it is ${secret.slice(-20)}`), ['it']);
  assert.deepEqual(canaries.in(Buffer.from(secret).toString('hex')), ['it, hexadecimal']);
  for (const before of ['', 'a', 'ab', 'abc']) {
    const text = Buffer.from(`${before}${secret} and more`);
    for (const encoding of ['base64', 'base64url']) {
      assert.ok(canaries.in(`[${text.toString(encoding)}]`).length > 0, `${before} in ${encoding}`);
    }
  }
});
