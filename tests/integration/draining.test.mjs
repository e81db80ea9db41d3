// A call goes on with the version of the plugin that it started on, whatever happens to the file meanwhile.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { assertInFlight } from './support/assertions.mjs';
import { Components } from './support/components.mjs';
import { serve } from './support/host.mjs';
import { contentHeaders, modernHeaders, modernRequest, postModern } from './support/http.mjs';
import { untilNoted } from './support/outcomes.mjs';
import { RawConnection, requestText } from './support/raw_connection.mjs';

async function toolNames(host) {
  const { result } = await (await postModern(host.url, 'tools/list')).json();
  return result.tools.map((tool) => tool.name);
}

const changes = [
  [
    'Replaced',
    (components) => components.overwrite('slow.so', 'sample_v1'),
    'plugin replaced',
    ['only_in_v1', 'version'],
  ],
  ['Removed', (components) => components.removeFile('slow.so'), 'plugin withdrawn', []],
  [
    'Reconfigured',
    (components) => components.write('slow.json', '{"any": "thing"}'),
    'plugin replaced',
    ['ask_later', 'flood', 'hurry', 'ignore', 'log', 'outcomes', 'until_cancelled', 'wait'],
  ],
];
const call = { name: 'wait', arguments: { label: 'done', milliseconds: 12_000 } };
suite('ACallInFlight', { concurrency: true }, () => {
  for (const [what, change, event, toolsAfter] of changes) {
    test(`ACallInFlightFinishesWhenItsPluginIs ${what}`, async (context) => {
      const components = await Components.create('slow');
      const host = await serve(context, components);
      const answer = postModern(host.url, 'tools/call', call);
      await untilNoted(host.url, 'done begun');
      await change(components);
      await host.log.until({ event });
      assert.deepEqual(await toolNames(host), toolsAfter);
      await assertInFlight(answer);
      assert.equal((await (await answer).json()).result.content[0].text, 'done');
    });
  }
});

test('AConnectionOutlivesTheReplacementOfEveryPlugin', async (context) => {
  const components = await Components.create();
  await components.add('sample_v1', 'sample.so');
  const host = await serve(context, components);
  const connection = await RawConnection.open(host.url);
  const call = modernRequest('tools/call', { name: 'version', arguments: {} });
  const text = requestText(
    host.url,
    'POST',
    { ...contentHeaders, ...modernHeaders('tools/call', 'version') },
    JSON.stringify(call),
  );
  for (const [plugin, version] of [
    ['sample_v2', '2'],
    ['sample_v1', '1'],
  ]) {
    await components.overwrite('sample.so', plugin);
    await host.log.until({ event: 'plugin replaced', version, cause: 'its file has changed' });
    connection.write(text);
    assert.equal(JSON.parse((await connection.response()).body).result.content[0].text, version);
  }
  connection.end();
});
