// A stdio client that reads slowly is waited for: nothing more is taken from it while much is on its way to it, and it
// loses nothing that it has asked for.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Components } from './support/components.mjs';
import { StdioHost } from './support/host.mjs';
import { modernRequest } from './support/http.mjs';
import { LineClient } from './support/stdio.mjs';

const megabyte = 1 << 20;
const text = (bytes) => ({ name: 'text', arguments: { bytes } });

// A host with so many answers for a client that has read none of them that it takes nothing more from it.
async function startUnread(context, more = []) {
  const components = await Components.create('long_messages');
  const host = StdioHost.start(components, more).killAfter(context, components);
  const client = new LineClient(host);
  host.child.stdout.pause();
  const sizes = Array(11).fill(6 * megabyte);
  sizes.forEach((bytes, id) => client.send(modernRequest('tools/call', text(bytes), id)));
  const asked = setInterval(() => client.send(modernRequest('tools/list', {}, sizes.push(0) - 1)), 100);
  context.after(() => clearInterval(asked));
  await host.log.until({ event: 'client reads slowly' });
  clearInterval(asked);
  return { host, client, sizes };
}

// Now and then.
function readSlowly({ stdout }) {
  const reading = setInterval(() => {
    stdout.resume();
    setTimeout(() => stdout.pause(), 10);
  }, 25);
  stdout.on('close', () => clearInterval(reading));
}

function assertAnswered(answers, sizes) {
  assert.equal(answers.length, sizes.length);
  for (const { id, result } of answers) {
    if (sizes[id] === 0) assert.ok(result.tools.length > 0);
    else assert.equal(result.content[0].text.length, sizes[id]);
  }
}

test('AClientThatReadsSlowlyLosesNothing', async (context) => {
  const { host, client, sizes } = await startUnread(context);
  client.send(modernRequest('tools/call', text(5), sizes.push(5) - 1));
  readSlowly(host.child);
  const answers = [];
  while (answers.length < sizes.length) answers.push(await client.next());
  assertAnswered(answers, sizes);
  client.endInput();
  assert.deepEqual(await host.end(), { status: 0, signal: null });
  assert.deepEqual(host.log.matching({ event: 'client lost' }), []);
});

test('AClientThatGoesOnReadingGetsAllThoughItsInputHasEnded', async (context) => {
  const { host, client, sizes } = await startUnread(context, ['--shutdown-grace-s', '20']);
  client.endInput();
  readSlowly(host.child);
  assertAnswered(await client.rest(), sizes);
  assert.deepEqual(await host.end(), { status: 0, signal: null });
});

test('AHostWhoseClientReadsNothingEndsWhenItIsToldToAndSaysWithItsStatusThatAnswersAreLost', async (context) => {
  const { host } = await startUnread(context);
  host.signal('SIGTERM');
  assert.deepEqual(await host.end(), { status: 1, signal: null });
  assert.match(host.log.matching({ event: 'client lost' })[0].reason, /bytes unread/);
  assert.deepEqual(host.log.matching({ event: 'exit without unwinding' }), []);
});
