// Of whom is asked what a server elsewhere asks that does not say which of its calls it is for.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Components } from './support/components.mjs';
import { allMessages, postModern } from './support/http.mjs';
import { bearer, Team } from './support/team.mjs';
import { addUpstream, script } from './support/upstreams.mjs';

const _meta = {
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  'io.modelcontextprotocol/logLevel': 'debug',
};

test('WhatACancelledCallAsksAndLogsReachesNobodyElse', async (context) => {
  const components = await Components.create();
  await addUpstream(components, 'deaf', script('deaf_upstream.mjs', [], { prefix: '' }));
  const team = await Team.serve(context, components, '[roles.user]\nallow = ["*"]\n');
  await team.host.log.until({ event: 'plugin loaded', file: components.file('deaf.mcp.json') });
  const [ada, bob] = [await team.token('ada', 'user'), await team.token('bob', 'user')];
  const call = async (token, name, signal) => {
    const params = { name, arguments: {}, _meta };
    return allMessages(await postModern(team.url, 'tools/call', params, { headers: bearer(token), signal }));
  };

  const givingUp = new AbortController();
  const given = assert.rejects(call(ada, 'book', givingUp.signal));
  await call(bob, 'begun');
  givingUp.abort();
  await given;
  await call(bob, 'cancelled');
  const [{ result: refused }] = await call(bob, 'ask');
  assert.match(refused.content[0].text, /a call that nobody waits for any more may still run/);
  await team.host.log.until({ event: 'plugin says', text: 'the card of Ada is charged' });

  // Its call is over there, too, so that whatever comes now is Bob's.
  await call(bob, 'end');
  const [{ params: said }, { result: asked }] = await call(bob, 'ask');
  assert.equal(said.data, 'the card of Ada is charged');
  assert.equal(asked.resultType, 'input_required');
});
