// Who may use what, and by which rule, without a server that runs.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { command } from './support/command.mjs';
import { Components } from './support/components.mjs';

const configuration = `[tokens]
file = "tokens.json"

[server]
url = "https://mcp.example.com"

[issuers.company]
issuer = "https://login.example.com"

[roles.user]
allow = ["prompt:*", { match = "tool:calculate", arguments = { properties = { expression = { maxLength = 5 } } } }]
groups = ["staff"]

[roles.guest]
deny = ["tool:calc*"]

[servers.times]
allow = ["tool:*time*"]

[servers.sums]
allow = ["tool:calc*"]

[roles.lead]
allow = ["tool:calculate"]
principals = ["company#7#eve"]

[roles.scoped]
allow = ["tool:calculate"]
scopes = ["mcp:use"]
`;

async function team(context) {
  const components = await Components.create();
  context.after(() => components.discard());
  await components.addShipped('tools/calculator');
  const file = join(components.folder, 'team.toml');
  await writeFile(file, configuration);
  const run = async (...args) => {
    const more = ['--config', file];
    if (args[0] === 'explain') more.push('--components', components.root, '--data', components.data);
    const { status, stdout, stderr } = await command(...args, ...more);
    return { status, out: stdout.replaceAll(file, 'team.toml'), stderr };
  };
  await run('token', 'create', 'ada', '--role', 'user');
  await run('token', 'create', 'bob', '--role', 'user', '--role', 'guest');
  return run;
}

test('WithoutRolesAServersOwnRulesDecide', async (context) => {
  const components = await Components.create();
  context.after(() => components.discard());
  await components.addShipped('tools/calculator');
  const file = join(components.folder, 'team.toml');
  await writeFile(file, '[servers.times]\nallow = ["tool:*time*"]\n[servers.sums]\nallow = ["tool:calc*"]\n');
  const explain = (...args) => command('explain', 'tools/call', 'calculate', '{"expression": "1+2"}', ...args,
    '--config', file, '--components', components.root, '--data', components.data);
  const elsewhere = await explain('--server', 'times');
  assert.equal(elsewhere.status, 1);
  assert.match(elsewhere.stdout, /may not call the tool calculate\n {2}the server times does not have it: /);
  const there = await explain('--server', 'sums');
  assert.equal(there.status, 0, there.stderr);
  assert.match(there.stdout, /the server sums has it: .*\n {2}there are no roles: everybody may use all that it has\n$/);
  const without = await explain();
  assert.equal(without.status, 2);
  assert.match(without.stderr, /there are no roles, and everybody may use everything/);
});

test('SaysTheRuleThatDecides', async (context) => {
  const run = await team(context);
  const short = '{"expression": "1+2"}';
  const allowed = await run('explain', '--as', 'ada', 'tools/call', 'calculate', short);
  assert.equal(allowed.status, 0, allowed.stderr);
  assert.match(allowed.out, /^ada \(token \w+\), with the roles user, may call the tool calculate\n {2}team\.toml:11:22: \[roles\.user\] allow tool:calculate with arguments \{"properties":\{"expression":\{"maxLength":5\}\}\}\n$/);

  const long = await run('explain', '--as', 'ada', 'tools/call', 'calculate', '{"expression": "1+2+34"}');
  assert.equal(long.status, 1);
  assert.match(long.out, /may not call.*\n {2}team\.toml:11:22: .* does not allow these arguments: .*5/);

  // What does not depend on arguments is said although they are none of the tool.
  const careless = await run('explain', '--as', 'bob', 'tools/call', 'calculate');
  assert.equal(careless.status, 1);
  assert.match(careless.out, /may not call.*\n {2}team\.toml:15:9: \[roles\.guest\] deny tool:calc\*/);
  assert.match(careless.stderr, /does not take these arguments: .*expression/);

  const denied = await run('explain', '--as', 'bob', 'tools/call', 'calculate', short);
  assert.equal(denied.status, 1);
  assert.match(denied.out, /with the roles guest, user, may not call the tool calculate\n {2}team\.toml:15:9: \[roles\.guest\] deny tool:calc\*/);

  const nobody = await run('explain', 'tools/call', 'calculate', short);
  assert.match(nobody.out, /^anonymous, with no role, may not call the tool calculate\n {2}no rule allows it\n$/);

  const member = await run('explain', '--as', 'company#eve', '--group', 'staff', 'tools/call', 'calculate', short);
  assert.match(member.out, /^company#eve, with the roles user, may call/);

  const stranger = await run('explain', '--as', 'compny#eve', 'tools/call', 'calculate', short);
  assert.equal(stranger.status, 2);
  assert.match(stranger.stderr, /--as must be ISSUER#SUBJECT of an issuer that there is, as \[issuers\.NAME\], but is "compny#eve"/);

  // The first # ends the issuer.
  const lead = await run('explain', '--as', 'company#7#eve', 'tools/call', 'calculate', short);
  assert.match(lead.out, /^company#7#eve, with the roles lead, may call/);

  const elsewhere = await run('explain', '--as', 'ada', '--server', 'times', 'tools/call', 'calculate', short);
  assert.equal(elsewhere.status, 1);
  assert.match(elsewhere.out, /may not call the tool calculate\n {2}the server times does not have it: no rule of \[servers\.times\] allows it\n$/);
  const there = await run('explain', '--as', 'ada', '--server', 'sums', 'tools/call', 'calculate', short);
  assert.equal(there.status, 0);
  assert.match(there.out, /\n {2}the server sums has it: team\.toml:21:10: \[servers\.sums\] allow tool:calc\*\n {2}team\.toml:11:22: \[roles\.user\]/);
});

test('TakesOwnersOfTokensAsPrincipalsAreWritten', async (context) => {
  const run = await team(context);
  const use = ['tools/call', 'calculate', '{"expression": "1+2"}'];
  const ada = await run('explain', '--as', 'host#ada', ...use);
  assert.equal(ada.status, 0, ada.stderr);
  assert.match(ada.out, /^host#ada \(token \w+\), with the roles user, may call the tool calculate\n/);
  const zoe = await run('explain', '--as', 'host#zoe', ...use);
  assert.equal(zoe.status, 2);
  assert.match(zoe.stderr, /host#zoe has no good token/);
  for (const [option, who] of [['--role', 'ada'], ['--group', 'host#ada'], ['--scope', 'anonymous']]) {
    const refused = await run('explain', '--as', who, option, 'lead', ...use);
    assert.equal(refused.status, 2);
    assert.match(refused.stderr, /--role, --group and --scope are of ISSUER#SUBJECT, but --as is /);
  }
});

test('SaysTheScopeThatWouldPermitIt', async (context) => {
  const run = await team(context);
  const use = ['tools/call', 'calculate', '{"expression": "1+2"}'];
  const without = await run('explain', '--as', 'company#kim', ...use);
  assert.equal(without.status, 1, without.stderr);
  assert.match(without.out, /^company#kim, with no role, may not call the tool calculate\n {2}no rule allows it\n {2}with the scope mcp:use it would be permitted; its client is told so\n$/);
  const having = await run('explain', '--as', 'company#kim', '--scope', 'mcp:use', ...use);
  assert.equal(having.status, 0, having.stderr);
  const nobody = await run('explain', ...use);
  assert.doesNotMatch(nobody.out, /scope/);
});

test('SaysWhatCannotBeExplained', async (context) => {
  const run = await team(context);
  const unserved = await run('explain', '--as', 'ada', 'tools/call', 'unheard_of');
  assert.equal(unserved.status, 1);
  assert.match(unserved.out, /it is not served/);
  const stranger = await run('explain', '--as', 'zoe', 'tools/call', 'calculate');
  assert.equal(stranger.status, 2);
  assert.match(stranger.stderr, /zoe has no good token/);
  const method = await run('explain', 'tools/list', 'calculate');
  assert.equal(method.status, 2);
  assert.match(method.stderr, /METHOD must be tools\/call, resources\/read or prompts\/get/);
});
