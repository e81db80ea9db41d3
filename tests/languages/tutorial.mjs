// The tutorial plugin of the language TUTORIAL_LANGUAGE, as the build has left it in the folder TUTORIAL_FOLDER, and what
// its checks do with it.
//
// A language whose plugin is more than tutorial.so, or needs a configuration, has a file language.json beside its sources:
// {"file": the library, relative to that folder, "configuration": what is in tutorial.json beside it}. In its strings
// @SOURCES@ is the folder of that file, @TOOLS@ the one which the host serves, and @NAME@ the variable NAME of the
// environment.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, cp, rename } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { Components } from '../integration/support/components.mjs';
import { HttpHost, program } from '../integration/support/host.mjs';
import { allMessages, postModern, request, Session } from '../integration/support/http.mjs';

export const language = process.env.TUTORIAL_LANGUAGE ?? assert.fail('set TUTORIAL_LANGUAGE: c');
const sources = fileURLToPath(new URL(language, import.meta.url));
const built = process.env.TUTORIAL_FOLDER ??
  resolve(dirname(program), '../tests/languages', language, 'mcp_components/tools');
const ofLanguage = join(sources, 'language.json');
const { file = 'tutorial.so', configuration: needed = {} } =
  existsSync(ofLanguage) ? JSON.parse(readFileSync(ofLanguage, 'utf8')) : {};
export const library = resolve(built, file);

// The configuration that the language needs, in which `places` stand for their names.
function neededAt(places) {
  const text = JSON.stringify(needed).replace(/@([A-Z_]+)@/g, (whole, name) =>
    JSON.stringify(places[name] ?? process.env[name] ?? assert.fail(`${ofLanguage}: ${whole} is not set`)).slice(1, -1));
  return JSON.parse(text);
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

function merged(one, other) {
  const both = { ...one };
  for (const [name, value] of Object.entries(other)) {
    both[name] = isObject(value) && isObject(both[name]) ? merged(both[name], value) : value;
  }
  return both;
}

export class Tutorial {
  // A components folder with the plugin, and a host that serves it in a worker until the test that `context` belongs to
  // has ended.
  static async serve(context, configuration = {}, more = []) {
    const tutorial = new Tutorial(await Components.create());
    const { components } = tutorial;
    await cp(built, components.file('.'), { recursive: true });
    if (library !== join(built, 'tutorial.so')) await copyFile(library, components.file('tutorial.so'));
    await tutorial.configure(configuration);
    tutorial.host = await HttpHost.start(components, ['--isolation', 'worker', ...more]);
    context.after(() => tutorial.host.stop().finally(() => components.discard()));
    // A host serves what it has after a second; some interpreter needs longer on a busy machine.
    await tutorial.host.log.until({ event: 'plugin loaded' });
    return tutorial;
  }

  constructor(components) {
    this.components = components;
  }

  get url() {
    return this.host.url;
  }

  configure(configuration) {
    const all = merged(neededAt({ SOURCES: sources, TOOLS: this.components.file('.') }), configuration);
    if (Object.keys(all).length > 0) return this.components.write('tutorial.json', JSON.stringify(all));
  }

  // The same library under the same name, as another file. Returns when it is served.
  async replace() {
    const replaced = this.host.log.next({ event: 'plugin replaced' });
    const aside = this.components.file('.tutorial.so.new');
    await copyFile(library, aside);
    await rename(aside, this.components.file('tutorial.so'));
    await replaced;
  }

  // The answer to a modern call: {result} or {error}.
  async ask(name, args = {}) {
    return (await postModern(this.url, 'tools/call', { name, arguments: args })).json();
  }

  // The text of a tool's result.
  async say(name, args) {
    const { result, error } = await this.ask(name, args);
    assert.equal(error, undefined, error?.message);
    return result.content[0].text;
  }

  // The entry for the next call of this tool that ends so, in the log of a host that writes those of debugging.
  callEnds(name, outcome) {
    return this.host.log.next({ event: 'call', component: name, outcome });
  }
}

// Somebody who calls add all the time, on `url`, in either era, until `stop`. Throws if an answer is not the right one.
export class Caller {
  constructor(url, era) {
    this.answers = 0;
    this.#running = true;
    this.#ended = this.#run(url, era);
    this.#ended.catch(() => {}); // told by stop
  }
  #running;
  #ended;

  async stop() {
    this.#running = false;
    await this.#ended;
  }

  async #run(url, era) {
    const session = era === 'legacy' && await Session.open(url);
    for (let a = 1; this.#running; ++a) {
      const params = { name: 'add', arguments: { a, b: 1000 } };
      const response = session
        ? await session.post(request('tools/call', params, a))
        : await postModern(url, 'tools/call', params, { id: a });
      const [answer] = await allMessages(response);
      assert.equal(answer.id, a);
      assert.equal(answer.result?.structuredContent?.result, a + 1000, JSON.stringify(answer));
      ++this.answers;
      await sleep(1); // else the callers alone keep the processors busy
    }
  }
}
