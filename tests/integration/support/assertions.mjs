// What several tests expect in the same words.
import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';

// That all of it was heard that a plugin told, which counts by one: from the first to the last.
export function assertCounted(progress, last, first = 1) {
  assert.deepEqual(progress, Array.from({ length: last - first + 1 }, (_, i) => first + i));
}

// That an answer is not there yet: what is promised of calls in flight can be seen only of one that is.
export async function assertInFlight(answer) {
  await setImmediate(); // for what has arrived
  const none = Symbol('no answer');
  assert.equal(await Promise.race([answer, none]), none, 'the call has ended too soon to show anything');
}
