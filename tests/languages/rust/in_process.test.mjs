// A plugin in Rust within the host's process, where nothing but its own library keeps it apart.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { Tutorial } from '../tutorial.mjs';

// How many versions of the library are in the host's memory.
async function mapped({ host }) {
  const maps = await readFile(`/proc/${host.child.pid}/maps`, 'utf8');
  return maps.split('\n').filter((line) => line.includes('tutorial') && line.includes(' r-xp ')).length;
}

test('AVersionThatIsReplacedStaysInMemoryBecauseItsThreadsMay', async (context) => {
  const tutorial = await Tutorial.serve(context, { isolation: 'in-process-resident' });
  assert.equal(await mapped(tutorial), 1);
  for (let i = 0; i < 20; ++i) {
    assert.equal(await tutorial.say('add', { a: i, b: 1 }), String(i + 1));
    const { error } = await tutorial.ask('break', { how: 'panic' });
    assert.match(error.message, /broken/);
    await tutorial.replace();
  }
  assert.equal(await tutorial.say('add', { a: 1, b: 1 }), '2');
  assert.equal(await mapped(tutorial), 21);
  tutorial.host.signal('SIGTERM');
  assert.deepEqual(await tutorial.host.end(), { status: 0, signal: null });
});
