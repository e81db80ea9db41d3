// A client on a host's standard streams that sends and reads single lines.
import assert from 'node:assert/strict';

import { StdioHost, untilLoaded } from './host.mjs';
import { patience } from './patience.mjs';

export class LineClient {
  // Ends with the test that `context` belongs to, and must end with status 0. What is sent before the host has loaded
  // its plugins waits for that.
  static start(context, components, more = []) {
    const client = new LineClient(StdioHost.start(components, more));
    client.#holdUntil(Promise.race([untilLoaded(client.host.log, components), client.host.exited]));
    context.after(() => client.#end().finally(() => components.discard()));
    return client;
  }

  #lines = [];
  #waiting = [];
  #ended = false;
  #held; // what is to be done with its input later

  constructor(host) {
    this.host = host;
    host.child.stdin.on('error', () => {}); // of a host that has ended: what it said and its status tell
    const output = host.child.stdout.setEncoding('utf8');
    let rest = []; // in pieces, because to join a long line with each of them takes long
    // Not node:readline, which also breaks lines where JSON does not have to: at U+2028 and U+2029.
    output.on('data', (text) => {
      const [first, ...more] = text.split('\n');
      rest.push(first);
      if (more.length === 0) return;
      this.#lines.push(rest.join(''), ...more.slice(0, -1));
      rest = [more.at(-1)];
      this.#wake();
    });
    output.on('close', () => {
      if (rest.join('')) this.#lines.push(rest.join(''));
      this.#ended = true;
      this.#wake();
    });
  }

  send(message) {
    this.sendLine(JSON.stringify(message));
  }
  sendLine(line) {
    this.#input((stdin) => stdin.write(`${line}\n`));
  }
  endInput() {
    this.#input((stdin) => stdin.end());
  }

  // The next line as JSON; fails if the host writes anything else to its output, or nothing for too long.
  async next({ patienceMs = patience } = {}) {
    const end = Date.now() + patienceMs;
    while (this.#lines.length === 0) {
      if (this.#ended) throw new Error('the host has closed its output');
      if (Date.now() >= end) throw new Error(`no line after ${patienceMs} ms`);
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, end - Date.now());
        this.#waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    return JSON.parse(this.#lines.shift());
  }

  // The answer to a request; what comes before it is dropped.
  async ask(message) {
    this.send(message);
    return this.until((each) => each.id === message.id);
  }

  async until(matches) {
    for (;;) {
      const message = await this.next();
      if (matches(message)) return message;
    }
  }

  // Everything until the host closes its output.
  async rest() {
    const messages = [];
    while (!this.#ended || this.#lines.length > 0) {
      if (this.#lines.length > 0) messages.push(JSON.parse(this.#lines.shift()));
      else await new Promise((resolve) => this.#waiting.push(resolve));
    }
    return messages;
  }

  #input(use) {
    if (this.#held) this.#held.push(use);
    else use(this.host.child.stdin);
  }

  async #holdUntil(loaded) {
    this.#held = [];
    await loaded;
    for (const use of this.#held) use(this.host.child.stdin);
    this.#held = undefined;
  }

  async #end() {
    this.endInput();
    assert.deepEqual(await this.host.end(), { status: 0, signal: null });
  }

  #wake() {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
