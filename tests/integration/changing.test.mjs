// Components that a plugin changes while it runs, in either isolation.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Components } from './support/components.mjs';
import { serve } from './support/host.mjs';
import { postModern } from './support/http.mjs';
import { until } from './support/until.mjs';

async function call(host, name, args = {}) {
  return (await postModern(host.url, 'tools/call', { name, arguments: args })).json();
}

for (const tool of ['add', 'add_long']) {
  test(`AToolThatACallHasAddedIsThereWhenItsAnswerIs: ${tool}`, async (context) => {
    const host = await serve(context, await Components.create('changing'));
    for (let i = 0; i < 50; ++i) {
      const begin = Date.now();
      assert.equal((await call(host, tool, { name: `new_${i}` })).error, undefined);
      // An answer waits for a second at most, which is not enough for a busy machine.
      if (Date.now() - begin > 900) await until(async () => !(await call(host, `new_${i}`)).error, () => host.log.text());
      const { result, error } = await call(host, `new_${i}`);
      assert.equal(error, undefined, `${i}: ${error?.message}`);
      assert.equal(result.content[0].text, `new_${i}`);
    }
  });
}

// Publications, which each client is told of, and lines of the log.
test('ChangesWithoutEndArePublishedTwentyTimesASecondAtMost', async (context) => {
  const host = await serve(context, await Components.create('changing'));
  const { result } = await call(host, 'change', { milliseconds: 1500 });
  assert.ok(result.structuredContent.result > 100, 'it has changed often');
  await call(host, 'add', { name: 'last' });
  assert.equal((await call(host, 'last')).error, undefined);
  const times = host.log.matching({ event: 'plugin changed its components' }).map(({ time }) => Date.parse(time));
  const seconds = (times.at(-1) - times[0]) / 1000;
  assert.ok(times.length - 1 <= 20 * seconds + 1, `${times.length} publications in ${seconds} s`);
});
