// A file that is dropped in, replaced in any way or taken out is served, swapped or withdrawn. Every client of every kind
// hears of it: of the lists that changed, and of no other.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { connectHttp, connectStdio, connectWebSocket, kinds } from './support/clients.mjs';
import { Components, fixture } from './support/components.mjs';
import { serveAll } from './support/host.mjs';
import { until } from './support/until.mjs';

// Longer than the host waits for anything that belongs to the same change.
const quietMs = 300;

// Hears what one client is told.
class Listener {
  #heard = [];

  static async on(name, kind, client) {
    const listener = new Listener(name, client);
    await kind.onListChanged(client, (list) => listener.#heard.push({ list, at: Date.now() }));
    return listener;
  }

  constructor(name, client) {
    this.name = name;
    this.client = client;
  }

  get lists() {
    return this.#heard.map((each) => each.list).sort();
  }

  forget() {
    this.#heard = [];
  }

  async untilHeard(count) {
    await until(() => this.#heard.length >= count, () => `${this.name}: ${count} lists`, { pauseMs: 5 });
    return this.#heard.at(-1)?.at;
  }

  async version() {
    return (await this.client.callTool({ name: 'version', arguments: {} })).content[0].text;
  }

  // Until then the tool may be missing, or of another version.
  async untilServed(version) {
    const isServed = async () => (await this.version().catch(() => 'none')) === version;
    await until(isServed, () => `${this.name}: ${version}`, { pauseMs: 5 });
  }

  // Unlike `version`, looked up anew: an SDK may keep a list for as long as the server allows.
  async toolNames() {
    return (await this.client.listTools({}, { cacheMode: 'bypass' })).tools.map((tool) => tool.name);
  }
}

const components = await Components.create('plain_c');
const host = await serveAll(components);
const listeners = [];
before(async () => {
  for (const kind of kinds) {
    const http = await connectHttp(kind, host.url);
    listeners.push(await Listener.on(`${kind.name} over HTTP`, kind, http));
    const stdio = await connectStdio(kind, components);
    listeners.push(await Listener.on(`${kind.name} over stdio`, kind, stdio));
    const websocket = await connectWebSocket(kind, host.url);
    listeners.push(await Listener.on(`${kind.name} over WebSocket`, kind, websocket));
  }
});

// Does `change` and checks that every listener is told of `lists`, each once. On a busy machine it may be several
// changes: if the pause that it returns is longer than `maxPauseMs`.
async function everybodyHears(context, lists, change, maxPauseMs = Infinity) {
  for (const listener of listeners) listener.forget();
  const begin = Date.now();
  const pauseMs = (await change()) ?? 0;
  const times = (await Promise.all(listeners.map((each) => each.untilHeard(lists.length)))).map((at) => at - begin);
  await sleep(quietMs);
  if (pauseMs > maxPauseMs) return context.diagnostic(`not looked for single changes: a pause took ${pauseMs} ms`);
  for (const listener of listeners) assert.deepEqual(listener.lists, lists, listener.name);
  if (lists.length > 0) context.diagnostic(`told after ${Math.min(...times)} to ${Math.max(...times)} ms`);
}

async function everybodyGets(version, otherTool) {
  for (const listener of listeners) {
    await listener.untilServed(version);
    assert.deepEqual(await listener.toolNames(), [otherTool, 'params', 'version'], listener.name);
  }
}

const allLists = ['prompts', 'resources', 'tools'];

test('EverybodyIsToldOfANewFile', async (context) => {
  await everybodyHears(context, allLists, () => components.add('sample_v1', 'sample.so'));
  await everybodyGets('1', 'only_in_v1');
});

test('EverybodyIsToldOfAFileOverwrittenInPlace', async (context) => {
  await everybodyHears(context, ['tools'], () => components.overwrite('sample.so', 'sample_v2'));
  await everybodyGets('2', 'only_in_v2');
});

test('EverybodyIsToldOfAFileRenamedOverTheOldOne', async (context) => {
  await everybodyHears(context, ['tools'], () => components.renameOver('sample.so', 'sample_v1'));
  await everybodyGets('1', 'only_in_v1');
});

test('EverybodyIsToldOfAFileReplacedByALink', async (context) => {
  await everybodyHears(context, ['tools'], () => components.switchLink('sample.so', 'sample_v2'));
  await everybodyGets('2', 'only_in_v2');
});

test('EverybodyIsToldOfALinkSwitchedToAnotherFile', async (context) => {
  await everybodyHears(context, ['tools'], () => components.switchLink('sample.so', 'sample_v1'));
  await everybodyGets('1', 'only_in_v1');
});

test('EverybodyIsToldOfALinkWhoseTargetIsOverwritten', async (context) => {
  await everybodyHears(context, ['tools'], () => components.overwrite('sample.so', 'sample_v2'));
  await everybodyGets('2', 'only_in_v2');
  await components.overwrite('sample.so', 'sample_v1');
  await Promise.all(listeners.map((each) => each.untilHeard(2)));
});

test('EverybodyIsToldOfAFileRemovedAndWrittenAgainAsByALinker', async (context) => {
  const linker = async () => {
    const begin = Date.now();
    await components.removeFile('sample.so');
    await components.add('sample_v2', 'sample.so');
    return Date.now() - begin;
  };
  await everybodyHears(context, ['tools'], linker, 80); // a file that is missing for 100 ms is withdrawn
  await everybodyGets('2', 'only_in_v2');
});

test('NobodyIsDisturbedByAVersionWithTheSameLists', async (context) => {
  await everybodyHears(context, ['tools'], () => components.overwrite('sample.so', 'sample_v1'));
  await everybodyHears(context, [], async () => {
    await components.overwrite('sample.so', 'sample_v1_patched');
    await Promise.all(listeners.map((each) => each.untilServed('1 patched')));
  });
  await everybodyGets('1 patched', 'only_in_v1');
});

test('ABurstOfChangesIsToldOnce', async (context) => {
  // Read before, and written without a pause, which would make changes of their own of them.
  const [one, two] = await Promise.all(['sample_v1', 'sample_v2'].map((name) => readFile(fixture(name))));
  const burst = async () => {
    let [longestPause, last] = [0, Date.now()];
    for (const bytes of [two, one, two, one, two]) {
      writeFileSync(components.file('sample.so'), bytes);
      longestPause = Math.max(longestPause, Date.now() - last);
      last = Date.now();
    }
    return longestPause;
  };
  await everybodyHears(context, ['tools'], burst, 15); // one that is still for 20 ms is taken
  await everybodyGets('2', 'only_in_v2');
});

test('EverybodyIsToldOfARemovedFile', async (context) => {
  await everybodyHears(context, allLists, () => components.removeFile('sample.so'));
  for (const listener of listeners) assert.deepEqual(await listener.toolNames(), ['params'], listener.name);
});

test('EverybodyIsToldOfAFileInANewFolder', async (context) => {
  await everybodyHears(context, allLists, () => components.add('sample_v1', 'team/one/sample.so'));
  await everybodyGets('1', 'only_in_v1');
});

test('EverybodyIsToldOfAFileInAnotherKindsFolder', async (context) => {
  await components.removeFile('team/one/sample.so');
  await Promise.all(listeners.map((each) => each.untilHeard(6)));
  await everybodyHears(context, allLists, () => components.add('sample_v2', '../prompts/sample.so'));
  await everybodyGets('2', 'only_in_v2');
});
