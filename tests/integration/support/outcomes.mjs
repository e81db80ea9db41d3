// What the plugin `slow` has noted of its calls: "LABEL begun", "LABEL finished", "LABEL cancelled: client".
import assert from 'node:assert/strict';

import { postModern } from './http.mjs';
import { patience } from './patience.mjs';

// Until it has noted that, asked over HTTP with these headers.
export async function untilNoted(url, words, { headers = {}, patienceMs = patience } = {}) {
  for (let outcomes = '', end = Date.now() + patienceMs; !outcomes.includes(words); ) {
    assert.ok(Date.now() < end, outcomes);
    outcomes = JSON.stringify(await (await postModern(url, 'tools/call', { name: 'outcomes' }, { headers })).json());
  }
}
