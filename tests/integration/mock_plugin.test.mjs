// The plugin mock in a running host: its example, its page, and a file that changes under load.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';

import { Components } from './support/components.mjs';
import { inProcess, program, serve } from './support/host.mjs';
import { postModern } from './support/http.mjs';
import { sseEvents } from './support/sse.mjs';

const run = promisify(execFile);
const source = join(import.meta.dirname, '../..');

async function ask(host, method, params) {
  return (await postModern(host.url, method, params)).json();
}

async function call(host, name, args) {
  const { result, error } = await ask(host, 'tools/call', { name, arguments: args });
  assert.equal(error, undefined, error?.message);
  return result;
}

async function served(context, configuration) {
  const components = await Components.create();
  await components.addShipped('tools/mock', configuration);
  return { components, host: await serve(context, components, ['--log-level', 'info']) };
}

test('TheExampleAnswersForSanFranciscoAndByDefaultForOtherPlaces', async (context) => {
  const configuration = JSON.parse(await readFile(join(source, 'plugins/mock/examples/weather.json'), 'utf8'));
  const { host } = await served(context, { ...configuration, isolation: 'worker' });
  const weather = async (args) => (await call(host, 'get_weather', args)).structuredContent;
  assert.deepEqual(await weather({ location: 'San Francisco' }), { condition: 'fog', temperature: 18 });
  assert.deepEqual(await weather({ location: 'Paris' }), { condition: 'sunny', temperature: 22 });
  assert.deepEqual(await weather({ location: 'Oslo', days: 7 }), { condition: 'sunny', temperature: 22 });
  for (const [args, words] of [
    [{ location: 'Oslo', days: 8 }, 'The forecast has 7 days at most.'],
    [{ location: 'Atlantis' }, 'There is no such place.'],
  ]) {
    const { isError, content } = await call(host, 'get_weather', args);
    assert.deepEqual([isError, content[0].text], [true, words]);
  }
  const read = async (uri) => (await ask(host, 'resources/read', { uri })).result?.contents[0].text;
  assert.equal(await read('weather://cities'), '["San Francisco","Oslo","Bergen"]');
  assert.equal(await read('data://users/7'), '{"city":"San Francisco","name":"Ada"}');
  assert.equal(await read('data://users/101'), undefined);
  const prompt = await ask(host, 'prompts/get', { name: 'weather_query', arguments: { location: 'Oslo' } });
  assert.equal(prompt.result.messages[0].content.text, 'How is the weather in Oslo?');
});

test('TheExampleKeepsWhatItPromises', async () => {
  const components = await Components.create();
  const configuration = JSON.parse(await readFile(join(source, 'plugins/mock/examples/weather.json'), 'utf8'));
  await components.addShipped('tools/mock', { ...configuration, isolation: 'worker' });
  const { stdout } = await run(program, ['check', '--json', components.file('mock.so')]);
  await components.discard();
  assert.deepEqual(JSON.parse(stdout).checks.filter(({ status }) => status !== 'passed' && status !== 'skipped'), []);
});

test('IsHarmlessWithoutAConfiguration', async (context) => {
  const components = await Components.create();
  await components.addShipped('tools/mock');
  const { stdout } = await run(program, ['check', '--json', components.file('mock.so')]);
  assert.deepEqual(JSON.parse(stdout).checks.filter(({ status }) => status !== 'passed' && status !== 'skipped'), []);
  const host = await serve(context, components, ['--log-level', 'info']);
  assert.deepEqual((await ask(host, 'tools/list')).result.tools, []);
  const complaints = host.log.entries.filter(({ level }) => level === 'warning' || level === 'error');
  // It may be so on a busy machine.
  assert.deepEqual(complaints.filter(({ event }) => event !== 'components folder is slow'), []);
});

describe('AFileThatChanges', () => {
  const weather = (version) => ({
    tools: [
      { name: 'get_weather', description: 'The weather.', default: { response: `${version}`, delayMs: version % 3 } },
      { name: `only_${version}`, description: 'Of this version.', default: { response: 'x' } },
    ],
  });

  // As most editors do: another file takes the name.
  async function write(file, text) {
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  }

  // In the strict sandbox too, where there are no file events.
  for (const profile of inProcess ? [undefined] : [undefined, 'strict']) {
    test(`TellsClientsAndLosesNoCall: ${profile ?? 'without a sandbox'}`, async (context) => {
      const components = await Components.create();
      const file = join(components.folder, 'mocks', 'mock.json');
      await mkdir(dirname(file));
      await write(file, JSON.stringify(weather(0)));
      const sandbox = profile && { profile, read: [join(components.folder, 'mocks')] };
      await components.addShipped('tools/mock', { file, ...(sandbox && { sandbox }) });
      const host = await serve(context, components, ['--log-level', 'info']);
      const closing = new AbortController();
      context.after(() => closing.abort());
      const listening = await postModern(host.url, 'subscriptions/listen', { notifications: { toolsListChanged: true } }, { signal: closing.signal });
      const events = sseEvents(listening.body);
      const heard = async (method) => {
        for (;;) {
          const { value } = await events.next();
          if (value.data && JSON.parse(value.data).method === method) return;
        }
      };
      await heard('notifications/subscriptions/acknowledged');
      let isRunning = true;
      let answers = 0;
      const callers = Array.from({ length: 4 }, async () => {
        for (let least = 0; isRunning; ++answers) {
          const version = Number((await call(host, 'get_weather')).content[0].text);
          assert.ok(version >= least, `${version} after ${least}`);
          least = version;
        }
      });
      for (let version = 1; version <= 5; ++version) {
        await write(file, JSON.stringify(weather(version)));
        await heard('notifications/tools/list_changed');
        const { result } = await ask(host, 'tools/list');
        assert.deepEqual(result.tools.map(({ name }) => name).sort(), ['get_weather', `only_${version}`]);
        assert.equal((await call(host, 'get_weather')).content[0].text, `${version}`);
      }
      // A mistake is told, and what was served is served on.
      const told = host.log.next({ level: 'error' });
      await write(file, '{"tools": [{"name": "get_weather"}]}');
      assert.match(JSON.stringify(await told), /tools\[0\]\.description.* is missing/);
      assert.equal((await call(host, 'get_weather')).content[0].text, '5');
      // So is what only the host finds.
      const refused = host.log.next({ event: 'plugin misbehaved' });
      const inputSchema = { type: 'object', properties: { x: { type: 'strng' } } };
      const other = { name: 'other', description: 'Another.', inputSchema, default: { response: 'x' } };
      await write(file, JSON.stringify({ tools: [other] }));
      assert.match(JSON.stringify(await refused), /other.* inputSchema is invalid/);
      assert.equal((await call(host, 'get_weather')).content[0].text, '5');
      isRunning = false;
      await Promise.all(callers);
      context.diagnostic(`${answers} calls while it changed 5 times`);
    });
  }
});

// Every configuration of the two pages that is one.
for (const [page, plugin] of [['mock-plugin', 'mock'], ['http-plugin', 'http']]) {
  test(`TheConfigurationsOfThePageAreTaken: ${page}`, async (context) => {
    const components = await Components.create();
    context.after(() => components.discard());
    try {
      await components.addShipped(`tools/${plugin}`);
    } catch {
      return context.skip('the plugin is not built');
    }
    const blocks = (await readFile(join(source, 'docs', `${page}.md`), 'utf8')).matchAll(/^```json\n([\s\S]*?)^```$/gm);
    let count = 0;
    for (const [, block] of blocks) {
      const configuration = JSON.parse(block);
      if (!configuration.tools) continue;
      delete configuration.sandbox; // names files that are not here
      await components.write(`${plugin}.json`, JSON.stringify(configuration));
      await run(program, ['inspect', components.file(`${plugin}.so`)]);
      ++count;
    }
    assert.ok(count > 0);
  });
}
