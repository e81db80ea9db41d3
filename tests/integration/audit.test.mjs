// What clients and operators have done is in the audit log, whose lines nobody can change unseen.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { AuditLog } from './support/audit_log.mjs';
import { Components } from './support/components.mjs';
import { freePort } from './support/free_port.mjs';
import { HttpHost, program } from './support/host.mjs';
import { modernRequest, newestLegacy, postModern, Session } from './support/http.mjs';
import { Issuer } from './support/issuer.mjs';
import { startV1 } from './support/sdk_servers.mjs';
import { LineClient } from './support/stdio.mjs';
import { bearer, Team } from './support/team.mjs';
import { addUpstream } from './support/upstreams.mjs';

const run = promisify(execFile);

const roles = `
[roles.user]
allow = ["tool:calculate", "prompt:*"]
deny = [{ match = "tool:calculate", arguments = { properties = { expression = { const = "6*7" } }, required = ["expression"] } }]
[roles.guest]
allow = ["prompt:*"]
`;

async function shipped() {
  const components = await Components.create();
  await components.addShipped('tools/calculator');
  return components;
}

// `more` is further TOML of [audit].
async function team(context, more) {
  const components = await shipped();
  const audit = new AuditLog(components.folder);
  const control = join(components.folder, 'control.sock');
  const served = await Team.serve(context, components, roles + (await audit.table(more)), ['--control', control]);
  return { audit, control, components, team: served };
}

async function call(url, token, expression, id = 1) {
  const params = { name: 'calculate', arguments: { expression } };
  return (await postModern(url, 'tools/call', params, { id, headers: bearer(token) })).json();
}

test('EachDecisionHasItsLine', async (context) => {
  const { audit, team: served } = await team(context);
  const ada = await served.token('ada', 'user');
  const bob = await served.token('bob', 'guest');
  assert.ok((await call(served.url, ada, '1+1', 'first')).result);
  assert.equal((await call(served.url, ada, '6*7')).error.code, 403);
  assert.equal((await call(served.url, bob, '1+1')).error.code, -32602);
  await (await postModern(served.url, 'tools/list', {}, { headers: bearer(ada) })).json();

  const [allowed, denied, hidden, ...others] = await audit.requests();
  assert.deepEqual(others, []);
  assert.equal(allowed.outcome, 'ok');
  assert.equal(allowed.method, 'tools/call');
  assert.equal(allowed.component, 'tool:calculate');
  assert.equal(allowed.principal.subject, 'ada');
  assert.ok(allowed.principal.credential.length > 0);
  assert.equal(allowed.source, '127.0.0.1');
  assert.equal(allowed.protocol_version, '2026-07-28');
  assert.equal(allowed.request_id, 'first');
  assert.equal(allowed.plugin.name, 'calculator');
  assert.match(allowed.plugin.digest, /^[0-9a-f]{64}$/);
  assert.ok(allowed.duration_ms >= 0 && allowed.request_bytes > 0 && allowed.response_bytes > 0);
  assert.deepEqual(allowed.client, { name: 'integration', version: '1' });
  assert.equal(allowed.arguments, undefined);
  assert.equal(denied.outcome, 'denied');
  assert.equal(denied.rule,
    'tool:calculate with arguments {"properties":{"expression":{"const":"6*7"}},"required":["expression"]}');
  assert.equal(hidden.outcome, 'denied');
  assert.equal(hidden.principal.subject, 'bob');
  assert.match(hidden.rule, /hidden/);
});

test('ATokenOfAnIssuerIsNamedByItsId', async (context) => {
  const issuer = await Issuer.start(context);
  const components = await shipped();
  const audit = new AuditLog(components.folder);
  const file = join(components.folder, 'host.toml');
  const publicUrl = 'http://127.0.0.1:8080';
  await writeFile(file, `[server]\nurl = "${publicUrl}"\n[issuers.mock]\nissuer = "${issuer.url}"\n` +
    `[roles.user]\nscopes = ["mcp:use"]\nallow = ["tool:calculate"]\n${await audit.table()}`);
  const host = await HttpHost.start(components, ['--config', file]);
  context.after(() => host.stop().finally(() => components.discard()));
  const token = (claims) => issuer.token({ aud: `${publicUrl}/mcp`, scope: 'mcp:use', ...claims });
  assert.ok((await call(host.url, await token({ jti: 'the first' }), '1+1')).result);
  assert.ok((await call(host.url, await token({}), '1+1')).result);
  const [named, unnamed] = await audit.requests();
  assert.equal(named.principal.subject, 'ada');
  assert.equal(named.principal.credential, 'the first');
  assert.equal(unnamed.principal.subject, 'ada');
  assert.equal(unnamed.principal.credential, undefined);
});

test('WhatHasNoIdentityIsSummedUpAndNoSecretIsWritten', async (context) => {
  const { audit, team: served } = await team(context);
  const token = await served.token('ada', 'user');
  await call(served.url, token, '1+1');
  const forged = `${token.slice(0, -6)}AAAAAA`;
  for (let i = 0; i < 5; ++i) {
    assert.equal((await postModern(served.url, 'tools/list', {}, { headers: bearer(forged) })).status, 401);
  }
  assert.equal((await postModern(served.url, 'tools/list')).status, 401);
  await served.host.stop();
  const sums = (await audit.lines()).filter(({ event, outcomes }) => event === 'refused' && outcomes['http 401']);
  // Two where the minute has just ended; asking until the host knows a token may be refused, too.
  const count = sums.reduce((sum, { outcomes }) => sum + outcomes['http 401'], 0);
  assert.ok(sums.length <= 2 && count >= 6, JSON.stringify(sums));
  for (const sum of sums) assert.equal(sum.source, '127.0.0.1');
  const text = await readFile(audit.file, 'utf8');
  assert.ok(!text.includes(token) && !text.includes(forged));
  assert.ok(!text.includes(token.slice(-20)));
});

test('WhatIsRefusedToStrangersIsSummedUpAlsoFromAChangeOfTheConfigurationOn', async (context) => {
  const components = await shipped();
  const audit = new AuditLog(components.folder);
  const file = join(components.folder, 'host.toml');
  const table = await audit.table();
  const anonymous = '[roles.anonymous]\nallow = ["prompt:*"]\n';
  await writeFile(file, anonymous + table);
  const host = await HttpHost.start(components, ['--config', file]);
  context.after(() => host.stop().finally(() => components.discard()));
  const params = { name: 'calculate', arguments: { expression: '1+1' } };
  const refuse = async (id) => {
    const answer = await postModern(host.url, 'tools/call', params, { id });
    assert.ok((await answer.json()).error);
  };
  await refuse('before');
  const taken = host.log.next({ event: 'configuration taken' });
  await writeFile(file, `${anonymous}[tokens]\nfile = "tokens.json"\n${table}`);
  const { file: named, changed } = await taken;
  assert.deepEqual({ named, changed }, { named: file, changed: 'tokens' });
  for (let i = 0; i < 5; ++i) await refuse('after');
  await host.stop();
  assert.deepEqual((await audit.requests()).map((request) => request.request_id), ['before']);
  const sums = (await audit.lines()).filter(({ event }) => event === 'refused');
  assert.equal(sums.reduce((sum, { count }) => sum + count, 0), 5);
});

test('WhatHttpAloneRefusesIsSummedUpByWhereItComesFrom', async (context) => {
  const components = await shipped();
  const audit = new AuditLog(components.folder);
  const config = join(components.folder, 'config.toml');
  const proxy = '\n[proxy]\ntrusted_addresses = ["127.0.0.1"]\n';
  await writeFile(config, (await audit.table()) + proxy);
  const host = await HttpHost.start(components, ['--config', config]);
  context.after(() => host.stop().finally(() => components.discard()));
  const json = { 'Content-Type': 'application/json' };
  const from = { 'X-Forwarded-For': '192.0.2.7' };
  const asked = [
    [404, '/nothing', {}],
    [405, '/mcp', { method: 'PUT' }],
    [406, '/mcp', { method: 'POST', body: '{}', headers: { ...json, Accept: 'text/plain' } }],
    [415, '/mcp', { method: 'POST', body: '{}', headers: { 'Content-Type': 'text/plain' } }],
    [403, '/mcp', { headers: { Origin: 'https://other.example' } }],
  ];
  for (const [status, path, { headers, ...request }] of asked) {
    const answer = await fetch(new URL(path, host.address), { ...request, headers: { ...headers, ...from } });
    assert.equal(answer.status, status, path);
  }
  await host.stop();
  const outcomes = {};
  for (const line of (await audit.lines()).filter(({ event }) => event === 'refused')) {
    assert.equal(line.source, '192.0.2.7');
    for (const [outcome, count] of Object.entries(line.outcomes)) outcomes[outcome] = (outcomes[outcome] ?? 0) + count;
  }
  assert.deepEqual(Object.keys(outcomes).sort(), asked.map(([status]) => `http ${status}`).sort());
});

test('VerifyFindsAChangedByteAndAMissingEnd', async (context) => {
  const { audit, components, team: served } = await team(context);
  const token = await served.token('ada', 'user');
  for (let i = 0; i < 5; ++i) await call(served.url, token, `${i}+1`);
  await served.host.stop();
  assert.equal((await stat(audit.file)).mode & 0o777, 0o600);
  const good = await audit.verify();
  assert.equal(good.status, 0, good.said);
  assert.match(good.said, /^ok: \d+ lines, 1 to \d+, \d+ checkpoints with good signatures\nhead: \d+:[0-9a-f]{64}\n$/);
  const [, head] = /head: (\S+)/.exec(good.said);
  assert.equal((await audit.verify('--head', head)).status, 0);
  assert.equal((await audit.verify('--require-signed')).status, 0);
  assert.equal((await audit.verifyWithoutKey('--require-signed')).status, 2);

  const text = await readFile(audit.file, 'utf8');
  await writeFile(audit.file, text.replace('"outcome":"ok"', '"outcome":"no"'));
  const changed = await audit.verify();
  assert.equal(changed.status, 1);
  assert.match(changed.said, /audit\.jsonl:\d+: its hash does not follow/);

  const lines = text.trimEnd().split('\n');
  await writeFile(audit.file, `${lines.slice(0, -3).join('\n')}\n`);
  const cut = await audit.verifyWithoutKey();
  assert.equal(cut.status, 0);
  assert.match(cut.said, /does not end with a stop/);
  const missed = await audit.verifyWithoutKey('--head', head);
  assert.equal(missed.status, 1);
  assert.match(missed.said, /that is known is not there/);
  assert.equal((await audit.verify('--head', 'nonsense')).status, 2);

  // Another host, whose last checkpoint is taken away.
  await writeFile(audit.file, text);
  const client = LineClient.start(context, components, ['--config', served.file]);
  client.endInput();
  assert.deepEqual(await client.host.end(), { status: 0, signal: null });
  const more = (await readFile(audit.file, 'utf8')).trimEnd().split('\n');
  await writeFile(audit.file, `${more.slice(0, -1).join('\n')}\n`);
  assert.equal((await audit.verify()).status, 0);
  const unsigned = await audit.verify('--require-signed');
  assert.equal(unsigned.status, 1);
  assert.match(unsigned.said, /the last \d+ lines are not signed yet/);

  // Which the next one signs.
  const next = LineClient.start(context, components, ['--config', served.file]);
  next.endInput();
  assert.deepEqual(await next.host.end(), { status: 0, signal: null });
  const later = await audit.verify('--require-signed');
  assert.equal(later.status, 0, later.said);
  assert.match(later.said, /^\d+ lines \(\d+ to \d+\) are signed by a later host alone: theirs was killed or had no key/m);
});

test('VerifySaysWhatItCannotLookAt', async (context) => {
  const { audit, team: served } = await team(context);
  await served.host.stop();
  const gone = await audit.verify(join(audit.folder, 'nowhere.jsonl'));
  assert.equal(gone.status, 2);
  assert.match(gone.said, /nowhere\.jsonl: cannot be read: No such file/);
  const folder = await audit.verify(audit.folder);
  assert.equal(folder.status, 2);
  const secret = await audit.verifyWithoutKey('--key', join(audit.folder, 'key.pem'));
  assert.equal(secret.status, 2);
  assert.match(secret.said, /key\.pem: is the private key, which signs; the public one is wanted, /);
});

test('SessionsAreRecordedFromInitializeToTheirEnd', async (context) => {
  const { audit, team: served } = await team(context);
  const token = await served.token('ada', 'user');
  const session = await Session.open(served.url, newestLegacy, bearer(token));
  await session.ask('tools/call', { name: 'calculate', arguments: { expression: '1+1' } });
  await session.delete();
  const ended = await audit.until({ event: 'session_ended' });
  const [initialize, called] = await audit.requests();
  assert.equal(initialize.method, 'initialize');
  assert.match(initialize.session, /^[0-9a-f]{16}$/);
  assert.equal(called.session, initialize.session);
  assert.deepEqual(called.client, { name: 'integration', version: '1' });
  assert.equal(ended.session, initialize.session);
  assert.ok(!(await readFile(audit.file, 'utf8')).includes(session.id));
});

test('ArgumentsAreWrittenAsTheirPatternSays', async (context) => {
  const { audit, team: served } = await team(context, '[audit.arguments]\n"*" = "full"\n"tool:calc*" = "redacted"');
  const token = await served.token('ada', 'user');
  await call(served.url, token, '1+1');
  assert.deepEqual((await audit.requests())[0].arguments, { expression: 'string' });
});

test('PluginsConfigurationAndOperatorsAreRecorded', async (context) => {
  const { audit, control, team: served } = await team(context);
  const loaded = await audit.until({ event: 'plugin', action: 'loaded' });
  assert.equal(loaded.plugin, 'calculator');
  await served.reconfigure(`${roles}\n[audit]\nfile = "audit.jsonl"\nkey = "key.pem"\nmode = "async"\n`);
  await audit.until({ event: 'configuration', action: 'taken' });
  assert.equal((await audit.until({ event: 'configuration', action: 'needs a restart' })).settings, 'audit.mode');
  await run(program, ['status', '--control', control]);
  await run(program, ['disable', 'calculator', '--control', control]);
  const disabled = await audit.until({ event: 'operator', action: 'disable' });
  assert.equal(disabled.plugin, 'calculator');
  assert.equal(disabled.outcome, 'ok');
  assert.deepEqual((await audit.lines()).filter(({ event }) => event === 'operator').length, 1);
  await audit.until({ event: 'plugin', action: 'disabled' });
});

for (const transport of ['http', 'stdio']) {
  test(`WhatAPluginDoesAtTheEndOfTheHostIsRecorded, ${transport}`, async (context) => {
    const components = await Components.create();
    await components.add('stopping');
    await components.write('stopping.json', JSON.stringify({ dies: true }));
    const audit = new AuditLog(components.folder);
    const config = join(components.folder, 'config.toml');
    await writeFile(config, await audit.table());
    if (transport === 'http') {
      context.after(() => components.discard());
      await (await HttpHost.start(components, ['--isolation', 'worker', '--config', config])).stop();
    } else {
      const client = LineClient.start(context, components, ['--isolation', 'worker', '--config', config]);
      await audit.until({ event: 'plugin', action: 'loaded' });
      client.endInput();
      assert.equal((await client.host.end()).status, 0);
    }
    const [badly, stop] = (await audit.lines()).filter(({ event }) => event !== 'checkpoint').slice(-2);
    assert.deepEqual([badly.event, badly.action, badly.plugin], ['plugin', 'did not stop well', 'stopping']);
    assert.equal(stop.event, 'stop');
    assert.equal((await audit.verify()).status, 0);
  });
}

test('AnUpstreamThatGoesAndComesBackIsRecorded', async (context) => {
  const port = await freePort();
  const server = await startV1(context, { port });
  const components = await Components.create();
  await addUpstream(components, 'far', { url: server.url, prefix: '', graceMs: 100 });
  const audit = new AuditLog(components.folder);
  const config = join(components.folder, 'config.toml');
  await writeFile(config, await audit.table());
  const host = await HttpHost.start(components, ['--config', config]);
  context.after(() => host.stop().finally(() => components.discard()));
  await audit.until({ event: 'plugin', action: 'loaded', plugin: 'far' });
  await server.stop();
  // A call that fails makes the host look whether it is there; else it would at the next ping.
  await (await postModern(host.url, 'tools/call', { name: 'echo', arguments: { text: 'a' } })).text();
  const lost = await audit.until({ event: 'plugin', action: 'upstream lost', plugin: 'far' });
  assert.equal(lost.next, 'it is connected to again');
  assert.ok(lost.reason.length > 0);
  await audit.until({ event: 'plugin', action: 'upstream withdrawn', plugin: 'far' });
  await startV1(context, { port });
  await audit.until({ event: 'plugin', action: 'upstream is back', plugin: 'far' });
});

test('ACallThatBecomesATaskIsRecordedThenAndWhenItEnds', async (context) => {
  const components = await Components.create('asking');
  const audit = new AuditLog(components.folder);
  const config = join(components.folder, 'config.toml');
  await writeFile(config, await audit.table());
  const host = await HttpHost.start(components, ['--config', config, '--task-after-ms', '100']);
  context.after(() => host.stop().finally(() => components.discard()));
  const extensions = { 'io.modelcontextprotocol/tasks': {} };
  const _meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, extensions } };
  const params = { name: 'take_long', arguments: { milliseconds: 4000 }, _meta };
  const { result } = await (await postModern(host.url, 'tools/call', params)).json();
  assert.equal(result.resultType, 'task');
  await audit.until({ event: 'request', outcome: 'ok' });
  const requests = await audit.requests();
  assert.deepEqual(requests.map(({ outcome }) => outcome), ['task', 'ok']);
  assert.ok(requests[1].duration_ms >= 4000);
  assert.equal(requests[1].component, 'tool:take_long');

  const other = { ...params, arguments: { milliseconds: 60_000 } };
  const { taskId } = (await (await postModern(host.url, 'tools/call', other)).json()).result;
  await (await postModern(host.url, 'tasks/cancel', { taskId, _meta }, { headers: { 'Mcp-Name': taskId } })).json();
  const ended = await audit.until({ event: 'request', method: 'tools/call', outcome: 'cancelled' });
  assert.equal(ended.plugin.name, requests[1].plugin.name);
});

test('FilesArePutAsideAndOldOnesRemoved', async (context) => {
  const { audit, team: served } = await team(context, 'mode = "async"\nrotate_bytes = 65536\nkeep = 2');
  const token = await served.token('ada', 'user');
  for (let i = 0; i < 500; ++i) await call(served.url, token, '1+1');
  await served.host.stop();
  const names = (await readdir(audit.folder)).filter((name) => name.startsWith('audit.jsonl')).sort();
  assert.equal(names.length, 3);
  const files = [...names.slice(1), names[0]].map((name) => join(audit.folder, name));
  const { stdout } = await run(program, ['audit', 'verify', ...files, '--key', audit.publicKey]);
  assert.match(stdout, /^ok: /);
});

test('AFileIsWrittenByOneHost', async (context) => {
  const { components, team: served } = await team(context);
  await assert.rejects(HttpHost.start(components, ['--config', served.file]), /status 2: .*another host writes it/s);
});

test('AFileThatIsOldIsPutAside', async (context) => {
  const { audit, team: served } = await team(context, 'rotate_s = 1');
  const token = await served.token('ada', 'user');
  await sleep(1100);
  await call(served.url, token, '1+1');
  await audit.until({ event: 'rotated' });
});

test('AClientOnStdioIsRecorded', async (context) => {
  const components = await shipped();
  const audit = new AuditLog(components.folder);
  const config = join(components.folder, 'config.toml');
  await writeFile(config, await audit.table());
  const client = LineClient.start(context, components, ['--config', config]);
  client.send(modernRequest('tools/call', { name: 'calculate', arguments: { expression: '1+1' } }));
  assert.ok((await client.next()).result);
  client.endInput();
  assert.deepEqual(await client.host.end(), { status: 0, signal: null });
  const [request] = await audit.requests();
  assert.equal(request.source, 'stdio');
  assert.equal(request.outcome, 'ok');
  assert.equal(request.principal, undefined);
  assert.equal((await audit.verify()).status, 0);
});
