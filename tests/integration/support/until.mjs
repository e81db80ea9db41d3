// Waiting for what nothing tells of: it is looked at again and again.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

import { patience } from './patience.mjs';

// What `isSo` returns, once that is true. Fails after a while, with what `words` gives: what was waited for.
export async function until(isSo, words, { patienceMs = patience, pauseMs = 20 } = {}) {
  for (const end = Date.now() + patienceMs; ; await sleep(pauseMs)) {
    const found = await isSo();
    if (found) return found;
    if (Date.now() > end) assert.fail(`not within ${patienceMs} ms: ${await words()}`);
  }
}
