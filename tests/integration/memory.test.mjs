// The plugin memory: notes that outlive the session, and that nobody else sees.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Components } from './support/components.mjs';
import { exampleConfiguration } from './support/example_configuration.mjs';
import { HttpHost, inProcess, serve } from './support/host.mjs';
import { postModern } from './support/http.mjs';
import { bearer, Team } from './support/team.mjs';

async function componentsWith(configuration) {
  const components = await Components.create();
  await components.addShipped('tools/memory', configuration);
  return components;
}

async function ask(url, method, params, token) {
  return (await postModern(url, method, params, { headers: token ? bearer(token) : {} })).json();
}

async function call(url, name, args = {}, token = undefined) {
  const { result, error } = await ask(url, 'tools/call', { name, arguments: args }, token);
  assert.equal(error, undefined, JSON.stringify(error));
  return result.isError ? result.content[0].text : (result.structuredContent ?? result.content[0].text);
}
const textsOf = ({ notes }) => notes.map(({ text }) => text);

test('TheExampleOfTheDocumentationWorksAndOutlivesTheServer', async (context) => {
  const configuration = await exampleConfiguration('memory.md');
  if (inProcess) delete configuration.sandbox;
  const components = await componentsWith(configuration);
  const first = (await HttpHost.start(components)).killAfter(context, components);
  const kept = await call(first.url, 'remember', { text: 'Ada likes tea', tags: ['Drinks', 'people'] });
  assert.deepEqual([kept.uri, kept.tags], [`memory://notes/${kept.id}`, ['drinks', 'people']]);
  await first.stop();
  const second = (await HttpHost.start(components)).killAfter(context);
  assert.deepEqual(await call(second.url, 'recall', { query: 'tea' }), { notes: [kept] });
  const { result } = await ask(second.url, 'resources/read', { uri: kept.uri });
  assert.deepEqual(JSON.parse(result.contents[0].text), kept);
  await second.stop();
});

// As its page names it.
test('InAStrictSandboxEverythingWorks', { skip: inProcess && 'needs a worker' }, async (context) => {
  const configuration = await exampleConfiguration('memory.md');
  assert.equal(configuration.sandbox.profile, 'strict');
  const host = await serve(context, await componentsWith(configuration));
  const { id, uri } = await call(host.url, 'remember', { text: 'Ada likes tea', tags: ['drinks'] });
  assert.deepEqual(textsOf(await call(host.url, 'recall', { query: 'lik' })), ['Ada likes tea']);
  assert.deepEqual(await call(host.url, 'list_tags'), { tags: [{ tag: 'drinks', notes: 1 }] });
  assert.equal(JSON.parse((await ask(host.url, 'resources/read', { uri })).result.contents[0].text).id, id);
  assert.equal(await call(host.url, 'forget', { id }), `Forgot the note ${id}`);
  assert.deepEqual(await call(host.url, 'recall', {}), { notes: [] });
  assert.deepEqual(host.log.matching({ event: 'plugin restarted' }), []);
});

test('NotesAreFoundByWordsAndTags', async (context) => {
  const host = await serve(context, await componentsWith({ enabled: true }));
  await call(host.url, 'remember', { text: 'Ada likes tea', tags: ['drinks'] });
  const { id } = await call(host.url, 'remember', { text: 'Bob likes coffee', tags: ['drinks', 'people'] });
  await call(host.url, 'remember', { text: 'The door code changed' });
  const recall = async (args) => textsOf(await call(host.url, 'recall', args));
  assert.deepEqual(await recall({}), ['The door code changed', 'Bob likes coffee', 'Ada likes tea']);
  assert.deepEqual(await recall({ limit: 1 }), ['The door code changed']);
  assert.deepEqual(await recall({ query: 'cof' }), ['Bob likes coffee']);
  assert.deepEqual(await recall({ query: 'unheardof tea' }), ['Ada likes tea']);
  assert.deepEqual(await recall({ query: 'likes', tags: ['People'] }), ['Bob likes coffee']);
  assert.deepEqual(await recall({ tags: ['drinks'] }), ['Bob likes coffee', 'Ada likes tea']);
  for (const query of ['"', 'NEAR(', 'text:', '* OR', "'; DROP TABLE notes; --"]) await recall({ query });
  assert.deepEqual(await call(host.url, 'list_tags'), { tags: [{ tag: 'drinks', notes: 2 }, { tag: 'people', notes: 1 }] });
  assert.equal(await call(host.url, 'forget', { id }), `Forgot the note ${id}`);
  assert.equal(await call(host.url, 'forget', { id }), `There is no note ${id}`);
  assert.deepEqual(await recall({ query: 'coffee' }), []);
  assert.deepEqual(await call(host.url, 'list_tags'), { tags: [{ tag: 'drinks', notes: 1 }] });
});

test('EverybodyHasNotesOfTheirOwnUnlessTheyAreShared', async (context) => {
  for (const shared of [false, true]) {
    const team = await Team.serve(context, await componentsWith({ enabled: true, shared }), '[roles.user]\nallow = ["*"]\n');
    const [ada, bob] = [await team.token('ada', 'user'), await team.token('bob', 'user')];
    const { id, uri } = await call(team.url, 'remember', { text: 'the secret of Ada', tags: ['mine'] }, ada);
    assert.deepEqual(textsOf(await call(team.url, 'recall', {}, ada)), ['the secret of Ada']);
    assert.deepEqual(textsOf(await call(team.url, 'recall', { query: 'secret' }, bob)), shared ? ['the secret of Ada'] : []);
    assert.equal((await call(team.url, 'list_tags', {}, bob)).tags.length, shared ? 1 : 0);
    const { result, error } = await ask(team.url, 'resources/read', { uri }, bob);
    assert.equal(shared ? JSON.parse(result.contents[0].text).text : error.code, shared ? 'the secret of Ada' : -32602);
    assert.equal(await call(team.url, 'forget', { id }, bob), shared ? `Forgot the note ${id}` : `There is no note ${id}`);
  }
});

test('TheStoreIsBounded', async (context) => {
  const host = await serve(context, await componentsWith({ enabled: true, maxNotes: 2, maxBytes: 100 }));
  assert.match(await call(host.url, 'remember', { text: 'x'.repeat(101) }), /0 of 100 bytes, and this one has 101\. Forget some, or keep/);
  await call(host.url, 'remember', { text: 'one' });
  await call(host.url, 'remember', { text: 'two' });
  assert.match(await call(host.url, 'remember', { text: 'three' }), /^There are 2 notes, which is the limit\. Forget some/);
  assert.match(await call(host.url, 'remember', { text: 'x', tags: ['a\nb'] }), /is no tag/);
});

test('WithoutBeingAskedForThereIsNothingAndAWrongConfigurationIsRefusedInWords', async (context) => {
  const host = await serve(context, await componentsWith({}));
  const { result } = await ask(host.url, 'tools/list', {});
  assert.deepEqual(result.tools, []);
  for (const [configuration, reason] of [
    [{ enabled: 'yes' }, /enabled/],
    [{ enabled: true, maxNotes: 0 }, /maxNotes must be at least 1/],
    [{ enabled: true, maxStoreBytes: 1 }, /maxStoreBytes must be at least 1048576/],
  ]) {
    const refused = await serve(context, await componentsWith(configuration));
    await refused.log.until({ event: 'plugin refused', reason });
  }
});
