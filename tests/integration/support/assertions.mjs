// What several tests expect in the same words.
import assert from 'node:assert/strict';

// The plugin counts by one, but not always to the end where the machine is busy.
export function assertCounted(progress, from = 1) {
  assert.ok(progress.length > 0);
  assert.deepEqual(
    progress,
    progress.map((_, i) => from + i),
  );
}
