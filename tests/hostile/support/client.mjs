// Clients on connections that are kept alive, one each.
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { contentHeaders, modernHeaders, modernRequest } from '../../integration/support/http.mjs';

// The answer is the last event of a stream, which a call that takes long is answered with.
function answerOf(response, text) {
  if (!response.headers['content-type']?.startsWith('text/event-stream')) return text;
  const data = 'data: ';
  return text.split('\n').findLast((line) => line.startsWith(data))?.slice(data.length) ?? '';
}

export class Client {
  #agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  #last = 0;
  sockets = new Set(); // more than one: a connection has been closed

  constructor(url) {
    this.url = url;
  }

  // The answer: a JSON-RPC message. It rejects if there is none.
  ask(method, params = {}) {
    const id = ++this.#last;
    const body = JSON.stringify(modernRequest(method, params, id));
    const headers = {
      ...contentHeaders,
      ...modernHeaders(method, params.name),
      'Content-Length': Buffer.byteLength(body),
    };
    return new Promise((resolve, reject) => {
      const request = http.request(this.url, { method: 'POST', agent: this.#agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (piece) => { text += piece; });
        response.on('error', reject);
        response.on('end', () => {
          try {
            const message = JSON.parse(answerOf(response, text));
            if (message.id !== id) throw new Error(`it answers ${message.id} instead of ${id}`);
            resolve(message);
          } catch (error) {
            reject(new Error(`no answer but ${text.slice(0, 500)}: ${error.message}`));
          }
        });
      });
      request.on('socket', (socket) => this.sockets.add(socket));
      request.on('error', reject);
      request.end(body);
    });
  }

  call(name, args = {}) {
    return this.ask('tools/call', { name, arguments: args });
  }

  close() {
    this.#agent.destroy();
  }
}

// The names of all tools.
export async function listTools(client) {
  const tools = [];
  let cursor;
  do {
    const { result } = await client.ask('tools/list', cursor === undefined ? {} : { cursor });
    tools.push(...result.tools.map(({ name }) => name));
    cursor = result.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

export const textOf = (message) => message.result?.content?.[0]?.text;

// Clients that call constantly. `one(client, i)` makes a call and says what is wrong with its answer, if anything is.
export class Load {
  calls = 0;
  wrong = [];
  #times = [];
  #running = true;

  constructor(url, connections, one, { pauseMs = 0 } = {}) {
    this.clients = Array.from({ length: connections }, () => new Client(url));
    this.#ended = Promise.all(this.clients.map((client, number) => this.#run(client, number, one, pauseMs)));
  }
  #ended;

  async #run(client, number, one, pauseMs) {
    for (let i = 0; this.#running; ++i) {
      const begin = performance.now();
      const wrong = await one(client, number + i * this.clients.length).catch((error) => String(error));
      this.#times.push(performance.now() - begin);
      ++this.calls;
      if (wrong && this.wrong.push(wrong) <= 3) console.error('wrong answer:', wrong);
      if (pauseMs > 0 || wrong) await sleep(pauseMs + 1);
    }
  }

  // How long calls have taken since this was asked last, in milliseconds.
  takeTimes() {
    return this.#times.splice(0);
  }

  // The same of the time to come, undisturbed, but for a moment at first for whatever goes faster after a while.
  async timesWithin(ms) {
    await sleep(300);
    this.takeTimes();
    await sleep(ms);
    return this.takeTimes();
  }

  // Beyond one for each client.
  get connectionsClosed() {
    return this.clients.reduce((sum, client) => sum + client.sockets.size - 1, 0);
  }

  async stop() {
    this.#running = false;
    await this.#ended;
    for (const client of this.clients) client.close();
  }
}
