// Other names for components, by NAME.json: each is a component of its own, without a build and without a restart.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { connectHttp, kinds } from './support/clients.mjs';
import { command as run } from './support/command.mjs';
import { Components } from './support/components.mjs';
import { serve, serveAll } from './support/host.mjs';
import { postModern, Session } from './support/http.mjs';
import { sseEvents } from './support/sse.mjs';

const aliases = {
  sum: 'add',
  plus: 'add',
  ask: { of: 'ask_name', replaces: true },
  welcome: 'greet',
  check: 'review',
  'help://start': 'catalogue://text',
};

async function componentsWith(configuration) {
  const components = await Components.create();
  await components.write('catalogue.json', JSON.stringify(configuration));
  await components.add('catalogue');
  return components;
}

async function ask(host, method, params) {
  return (await postModern(host.url, method, params)).json();
}
const namesIn = async (host, list, key = 'name') =>
  (await ask(host, `${list}/list`)).result[list].map((each) => each[key]);

const components = await componentsWith({ aliases });
const host = await serveAll(components);

suite('Aliases', () => {
  test('AreListedBesideWhatTheyAreAliasesOf', async () => {
    assert.deepEqual(await namesIn(host, 'tools'), ['add', 'ask', 'caller', 'contents', 'forecast', 'plus', 'sum']);
    assert.deepEqual(await namesIn(host, 'prompts'), ['check', 'dialogue', 'greet', 'review', 'welcome']);
    assert.ok((await namesIn(host, 'resources', 'uri')).includes('help://start'));
    const { tools } = (await ask(host, 'tools/list')).result;
    const [add, sum] = ['add', 'sum'].map((name) => tools.find((tool) => tool.name === name));
    assert.deepEqual({ ...sum, name: 'add' }, add);
  });

  test('AreCalledReadAndCompleted', async () => {
    const sum = await ask(host, 'tools/call', { name: 'sum', arguments: { a: 1, b: 2 } });
    assert.equal(sum.result.content[0].text, '3');
    assert.equal((await ask(host, 'tools/call', { name: 'add', arguments: { a: 1, b: 2 } })).result.content[0].text, '3');
    const prompt = await ask(host, 'prompts/get', { name: 'welcome', arguments: { name: 'Ada' } });
    assert.equal(prompt.result.messages[0].content.text, 'Hello Ada');
    assert.equal((await ask(host, 'resources/read', { uri: 'help://start' })).result.contents[0].text, 'text');
    const completed = await ask(host, 'completion/complete', {
      ref: { type: 'ref/prompt', name: 'check' }, argument: { name: 'style', value: 'b' },
    });
    assert.deepEqual(completed.result.completion.values, ['brief', 'broad']);
  });

  test('MayTakeThePlaceOfTheName', async () => {
    const refused = await ask(host, 'tools/call', { name: 'ask_name', arguments: {} });
    assert.equal(refused.error.message, 'Unknown tool: ask_name');
  });

  for (const kind of kinds) {
    test(`GoOnWithWhatTheClientAnswers: ${kind.name}`, async () => {
      const client = await connectHttp(kind, host.url, {
        options: { capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} } },
        prepare: (client) => kind.answer(client, {
          elicit: () => ({ action: 'accept', content: { name: 'Ada' } }), sample: () => {}, roots: () => {},
        }),
      });
      const result = await kind.call(client, { name: 'ask', arguments: {} });
      assert.match(result.content[0].text, /"Ada"/);
    });
  }

  test('AreShownByListAndInspect', async () => {
    const listed = await run('list', '--components', components.root, '--data', components.data);
    assert.match(listed.stdout, /tool +sum +\(alias of add\) Adds two numbers\./);
    const inspected = await run('inspect', '--json', components.file('catalogue.so'));
    assert.deepEqual(JSON.parse(inspected.stdout).aliases, {
      sum: 'add', plus: 'add', ask: 'ask_name', welcome: 'greet', check: 'review', 'help://start': 'catalogue://text',
    });
  });

  test('AreShownByStatus', async (context) => {
    const components = await componentsWith({ aliases: { sum: 'add' } });
    const control = join(components.folder, 'control');
    await serve(context, components, ['--control', control]);
    const text = await run('status', '--control', control);
    assert.match(text.stdout, /catalogue\.so: sum is an alias of add\n/, text.stderr);
    const status = JSON.parse((await run('status', '--json', '--control', control)).stdout);
    assert.deepEqual(status.plugins[0].aliases, { sum: 'add' });
  });

  test('AChangeCountsAtOnce', async (context) => {
    const components = await componentsWith({ aliases: { sum: 'add' } });
    const host = await serve(context, components);
    const closing = new AbortController();
    context.after(() => closing.abort());
    const response = await postModern(host.url, 'subscriptions/listen',
      { notifications: { toolsListChanged: true } }, { signal: closing.signal });
    const events = sseEvents(response.body);
    await events.next();
    await components.write('catalogue.json', JSON.stringify({ aliases: { total: 'add' } }));
    for (;;) {
      const { value } = await events.next();
      if (value.data && JSON.parse(value.data).method === 'notifications/tools/list_changed') break;
    }
    const names = await namesIn(host, 'tools');
    assert.ok(names.includes('total') && !names.includes('sum'));
  });

  test('TheirSubscribersHearOfChanges', async (context) => {
    const components = await Components.create();
    await components.write('watched.json', JSON.stringify({ aliases: { 'other://one': 'watched://one' } }));
    await components.add('watched');
    const host = await serve(context, components);
    const session = await Session.open(host.url);
    const stream = await session.get();
    await session.ask('resources/subscribe', { uri: 'other://one' });
    await session.ask('tools/call', { name: 'touch', arguments: { uri: 'watched://one' } });
    let told;
    for await (const event of sseEvents(stream.body)) {
      if (!event.data) continue;
      told = JSON.parse(event.data);
      break;
    }
    assert.equal(told?.params.uri, 'other://one');
  });

  test('EachNameIsPermittedByItself', async (context) => {
    const components = await componentsWith({ aliases });
    const file = join(components.folder, 'team.toml');
    await writeFile(file, '[servers.sums]\nallow = ["tool:sum"]\n');
    const host = await serve(context, components, ['--config', file]);
    const url = new URL('/sums/mcp', host.url);
    const call = async (name) => (await postModern(url, 'tools/call', { name, arguments: { a: 1, b: 2 } })).json();
    assert.equal((await call('sum')).result.content[0].text, '3');
    assert.equal((await call('add')).error.message, 'Unknown tool: add');
  });

  const mistakes = [
    [{ sum: 'addd' }, /has "aliases": \{"sum": \.\.\.\}, but the plugin has no tool, prompt or resource "addd"; did you mean "add"\?/],
    [{ contents: 'add' }, /the plugin has "contents" itself; choose another name/],
    [{ 'two words': 'add' }, /which is no name for a tool/],
    [{ 'help://notes': 'catalogue://notes/{name}' }, /is a resource template; only tools, prompts and single resources/],
    [{ sum: 7 }, /has "aliases": \{"sum": 7\}, which must be a name, or \{"of": NAME, "replaces": true or false\}/],
    [{ sum: { of: 'add', hide: true } }, /which must be \{"of": NAME, "replaces": true or false\}/],
    [['add'], /must be an object such as/],
  ];
  for (const [wrong, message] of mistakes) {
    test(`AMistakeIsTold: ${JSON.stringify(wrong)}`, async (context) => {
      const components = await componentsWith({ aliases: wrong });
      context.after(() => components.discard());
      const { status, stdout } = await run('inspect', components.file('catalogue.so'));
      assert.equal(status, 1);
      assert.match(stdout, message);
    });
  }

  test('OfAResourceThatIsNotThereItWaits', async (context) => {
    const components = await componentsWith({ aliases: { 'help://late': 'catalogue://txt' } });
    context.after(() => components.discard());
    const { status, stdout } = await run('inspect', components.file('catalogue.so'));
    assert.equal(status, 0);
    assert.match(stdout, /remark: the alias "help:\/\/late" waits: .*"catalogue:\/\/txt" now; did you mean "catalogue:\/\/text"/);
  });
});
