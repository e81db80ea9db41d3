// What belongs to a principal is nobody else's, whoever knows its id: sessions, streams, what can be resumed, tasks,
// states that clients carry, cursors and subscriptions. Who tries it gets what he would get of one that does not exist,
// and the owner does not notice. Credentials, issuers and virtual servers are real ones.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { belongings, Somebody } from './support/belongings.mjs';
import { Components } from './support/components.mjs';
import { Issuer } from './support/issuer.mjs';
import { patience } from './support/patience.mjs';
import { Team } from './support/team.mjs';

const publicUrl = 'http://127.0.0.1:8080';
const audience = `${publicUrl}/mcp`;
const all = { after };
const [company, partner, strange] = await Promise.all([Issuer.start(all), Issuer.start(all), Issuer.start(all)]);
const components = await Components.create('asking', 'slow', 'watched');
// The servers of the host share a key for what clients carry, as replicas do.
const stateKey = join(components.folder, 'state.key');
await writeFile(stateKey, randomBytes(32));
await chmod(stateKey, 0o600);
const team = await Team.serve(all, components, `
[server]
url = "${publicUrl}"
[issuers.company]
issuer = "${company.url}"
leeway_s = 0
[issuers.partner]
issuer = "${partner.url}"
[roles.member]
scopes = ["mcp:member"]
allow = ["*"]
[roles.guest]
scopes = ["mcp:guest"]
allow = ["*"]
deny = ["tool:touch"]
[servers.other]
allow = ["*"]
deny = ["tool:touch"]
`, ['--http-sse', '--page-size', '2', '--task-after-ms', '100', '--state-key', stateKey]);

const jwt = (issuer, claims = {}) =>
  issuer.token({ aud: audience, scope: 'mcp:member', client_id: 'laptop', ...claims });
const both = [audience, `${publicUrl}/other/mcp`];
const now = Math.floor(Date.now() / 1000);
const soon = new Date(Date.now() + 20_000).toISOString().replace(/\.\d+/, '');
const expired = (await team.command('create', 'ada', '--role', 'member', '--expires', soon)).at(-1);
const [ada, another] = [await team.token('ada', 'member'), await team.token('ada', 'member')];
const [bob, carol] = [await team.token('bob', 'guest'), await team.token('carol', 'member')];
const revoked = await team.token('ada', 'member');
await team.command('revoke', revoked.slice(4, 14));
await team.until(revoked, (status) => status === 401);
await team.until(expired, (status) => status === 401);
const adaOfCompany = await jwt(company, { aud: both });

const at = (token, server) => Object.assign(new Somebody(team.url, token, server), { hidden: [] });
const restricted = (token, server) => Object.assign(at(token, server), { hidden: ['touch'] });
const touch = () => at(carol).result('tools/call', { name: 'touch', arguments: { uri: 'watched://one' } });

// Whose it is, and who tries. Those without a good credential are refused whatever they ask for.
const thieves = {
  AnotherPrincipal: {
    AnotherUser: [at(ada), restricted(bob)],
    AnotherUserOfTheIssuer: [at(adaOfCompany), at(await jwt(company, { sub: 'bob' }))],
    HerOwnUserOfAnotherClient: [at(adaOfCompany), at(await jwt(company, { client_id: 'phone' }))],
  },
  NobodyInParticular: {
    WithoutAToken: [at(ada), at(undefined)],
    WithoutATokenOfTheIssuer: [at(adaOfCompany), at(undefined)],
  },
  ARevokedToken: { OfHers: [at(ada), at(revoked)] },
  AnExpiredToken: {
    OfHers: [at(ada), at(expired)],
    OfTheIssuer: [at(adaOfCompany), at(await jwt(company, { exp: now - 1 }))],
  },
  ATokenForSomethingElse: {
    ForAnotherAudience: [at(adaOfCompany), at(await jwt(company, { aud: 'https://other.example/mcp' }))],
    ForAnotherServerHere: [at(adaOfCompany), at(await jwt(company, { aud: both[1] }))],
    OfAnotherIssuerWithHerName: [at(adaOfCompany), restricted(await jwt(partner, { scope: 'mcp:guest' }))],
    OfAnIssuerThatNobodyTrusts: [at(adaOfCompany), at(await jwt(strange))],
    OfAnIssuerThatNobodyTrustsInTheNameOfHers: [at(adaOfCompany), at(await jwt(strange, { iss: company.url }))],
    WithHerNameAtTheHost: [at(ada), at(adaOfCompany)],
  },
  AnotherServer: {
    FromTheWhole: [at(ada), restricted(ada, '/other')],
    FromTheWholeByItsOtherPath: [at(ada), restricted(ada, '/s/other')],
    ToTheWhole: [at(ada, '/other'), at(ada)],
    WithATokenForBoth: [at(adaOfCompany), restricted(adaOfCompany, '/other')],
  },
};
const areGood = {
  AnotherPrincipal: () => true,
  NobodyInParticular: () => false,
  ARevokedToken: () => false,
  AnExpiredToken: () => false,
  ATokenForSomethingElse: (how) => ['OfAnotherIssuerWithHerName', 'WithHerNameAtTheHost'].includes(how),
  AnotherServer: () => true,
};

async function steal(kind, owner, thief, isGood) {
  const work = (used, has) =>
    assert.ok(kind.works(used, has), `it does not work for its owner: ${JSON.stringify(used)}`);
  const end = (has) => kind.end?.(owner, has);
  owner.patienceMs = patience; // she hears what is hers, however long it takes
  const first = await kind.begin(owner);
  work(await kind.use(owner, first, touch), first);
  await end(first);

  const has = await kind.begin(owner);
  const stolen = await kind.use(thief, has, touch);
  assert.ok(!has.secret || !JSON.stringify(stolen).includes(has.secret), JSON.stringify(stolen));
  if (kind.isNothing) {
    await kind.isNothing(thief, stolen);
  } else {
    assert.ok(!kind.works(stolen, has), JSON.stringify(stolen));
    const unknown = typeof kind.unknown === 'function' ? kind.unknown(has) : kind.unknown;
    assert.deepEqual(stolen, await kind.use(thief, unknown, touch));
  }
  assert.equal((stolen.first ?? stolen).status === 401, !isGood, JSON.stringify(stolen));
  await kind.intact?.(owner, has, touch);
  work(await kind.use(owner, has, touch), has);
  await end(has);
}

for (const [name, kind] of Object.entries(belongings)) {
  for (const [thief, attempts] of Object.entries(thieves)) {
    test(`IsNotStolen: ${name}, by ${thief}`, { concurrency: !kind.isAlone }, async (context) => {
      const running = [];
      for (const [how, [owner, who]] of Object.entries(attempts)) {
        running.push(context.test(how, () => steal(kind, owner, who, areGood[thief](how))));
        if (kind.isAlone) await running.at(-1);
      }
      await Promise.all(running);
    });
  }
  // That this would be noticed: to another token of hers nothing is denied.
  test(`ATheftWouldBeSeen: ${name}`, async () => {
    const herself = restricted(another);
    await assert.rejects(steal(kind, at(ada), herself, true), (error) =>
      error instanceof assert.AssertionError && !error.message.startsWith('it does not work for its owner'));
  });
}

test('ThoseWithAGoodTokenAreServed', async () => {
  for (const [thief, attempts] of Object.entries(thieves)) {
    for (const [how, [owner, who]] of Object.entries(attempts)) {
      assert.ok((await owner.tools()).length > 2);
      const response = await who.modern('tools/list');
      await response.arrayBuffer();
      assert.equal(response.status, areGood[thief](how) ? 200 : 401, `${thief}: ${how}`);
    }
  }
});
