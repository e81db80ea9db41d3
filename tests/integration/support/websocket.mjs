// A client over WebSocket (RFC 6455) that writes frames as it likes, for what no library would send.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';

import { patience } from './patience.mjs';
import { readHead } from './raw_connection.mjs';

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 };

const acceptOf = (key) => createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');

// The URL of the endpoint for a library.
export function websocketUrl(url) {
  return new URL(String(url).replace(/^http/, 'ws'));
}

export function upgradeHeaders(url, more = {}) {
  const headers = {
    Host: url.host,
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
    'Sec-WebSocket-Protocol': 'mcp',
    ...more,
  };
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
}

// The bytes of one frame; a client masks it.
export function frame(payload, { opcode = opcodes.text, fin = true, masked = true, reserved = 0 } = {}) {
  const bytes = Buffer.from(payload);
  const head = [(fin ? 0x80 : 0) | (reserved << 4) | opcode];
  const mask = masked ? 0x80 : 0;
  if (bytes.length < 126) head.push(mask | bytes.length);
  else if (bytes.length < 1 << 16) head.push(mask | 126, bytes.length >> 8, bytes.length & 0xff);
  else {
    const length = Buffer.alloc(8);
    length.writeBigUInt64BE(BigInt(bytes.length));
    head.push(mask | 127, ...length);
  }
  if (!masked) return Buffer.concat([Buffer.from(head), bytes]);
  const key = randomBytes(4);
  return Buffer.concat([Buffer.from(head), key, bytes.map((byte, i) => byte ^ key[i % 4])]);
}

export class RawWebSocket {
  #received = [];
  #waiting = [];
  #closed = false;

  // A request for WebSocket. `client` is there if it has been granted. `head` and `after` are what is written in its
  // stead, and right behind it.
  static async ask(url, { headers = {}, socket, version = '1.1', after = Buffer.alloc(0) } = {}) {
    const to = socket ?? connect({ host: url.hostname, port: url.port });
    if (to.connecting) await once(to, 'connect');
    const client = new RawWebSocket(to);
    const all = upgradeHeaders(url, headers);
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `GET ${url.pathname} HTTP/${version}\r\n${lines.join('')}\r\n`;
    to.write(Buffer.concat([Buffer.from(head), after]));
    const answer = await client.#answer();
    if (answer.status !== 101) {
      to.destroy();
      return answer;
    }
    assert.equal(answer.headers['sec-websocket-accept'], acceptOf(all['Sec-WebSocket-Key']));
    return { ...answer, client };
  }

  static async open(url, options) {
    const answer = await RawWebSocket.ask(url, options);
    assert.equal(answer.status, 101, answer.body);
    return answer.client;
  }

  constructor(socket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.on('close', resolve));
    socket.on('error', () => {}); // a reset is one way of being closed
    const wake = () => this.#waiting.splice(0).forEach((each) => each());
    socket.on('data', (bytes) => {
      this.#received.push(bytes);
      wake();
    });
    for (const event of ['end', 'close']) {
      socket.on(event, () => {
        this.#closed = true;
        wake();
      });
    }
  }

  write(bytes) {
    this.socket.write(bytes);
  }
  sendText(text) {
    this.write(frame(text));
  }
  send(message) {
    this.sendText(JSON.stringify(message));
  }
  sendClose(code, reason = '') {
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code);
    this.write(frame(Buffer.concat([payload, Buffer.from(reason)]), { opcode: opcodes.close }));
  }

  // The next frame, whatever it is; undefined where the connection has ended instead.
  async nextFrame({ patienceMs = patience } = {}) {
    const head = await this.#peek(2, patienceMs);
    if (!head) return undefined;
    assert.equal(head[1] & 0x80, 0, 'a server masks nothing');
    const extra = { 126: 2, 127: 8 }[head[1]] ?? 0;
    const whole = await this.#peek(2 + extra, patienceMs);
    const length = extra === 0 ? head[1] : extra === 2 ? whole.readUInt16BE(2) : Number(whole.readBigUInt64BE(2));
    const bytes = await this.#peek(2 + extra + length, patienceMs);
    assert.ok(bytes, 'a frame is whole');
    this.#received = [Buffer.concat(this.#received).subarray(2 + extra + length)];
    return { fin: (head[0] & 0x80) !== 0, opcode: head[0] & 0x0f, payload: bytes.subarray(2 + extra) };
  }

  // The next message; signs of life are answered.
  async next({ patienceMs = patience } = {}) {
    for (const end = Date.now() + patienceMs; ; ) {
      const { opcode, payload, fin } =
        (await this.nextFrame({ patienceMs: end - Date.now() })) ?? assert.fail('the connection has ended');
      if (opcode === opcodes.ping) this.write(frame(payload, { opcode: opcodes.pong }));
      if (opcode >= opcodes.ping) continue;
      assert.deepEqual([opcode, fin], [opcodes.text, true], payload.toString());
      return JSON.parse(payload.toString());
    }
  }

  // The answer to a request; what comes before it is dropped.
  async ask(message) {
    this.send(message);
    for (const end = Date.now() + patience; ; ) {
      const answer = await this.next({ patienceMs: end - Date.now() });
      if (answer.id === message.id) return answer;
    }
  }

  // How the host closes it: its close frame, which is answered; messages before it are dropped.
  async close() {
    for (const end = Date.now() + patience; ; ) {
      const { opcode, payload } =
        (await this.nextFrame({ patienceMs: end - Date.now() })) ?? assert.fail('it has ended without a close frame');
      if (opcode !== opcodes.close) continue;
      this.write(frame(payload, { opcode: opcodes.close }));
      this.socket.end();
      await this.closed;
      return { code: payload.length > 0 ? payload.readUInt16BE(0) : undefined, reason: payload.toString('utf8', 2) };
    }
  }

  end() {
    this.socket.destroy();
  }

  async #answer() {
    for (;;) {
      const bytes = Buffer.concat(this.#received);
      const end = bytes.indexOf('\r\n\r\n');
      if (end >= 0) {
        const { status, headers } = readHead(bytes.toString('latin1', 0, end));
        const size = Number(headers['content-length'] ?? 0);
        if (bytes.length >= end + 4 + size) {
          this.#received = [bytes.subarray(end + 4 + size)];
          return { status, headers, body: bytes.toString('utf8', end + 4, end + 4 + size) };
        }
      }
      if (this.#closed) assert.fail(`closed after ${JSON.stringify(bytes.toString())}`);
      await new Promise((resolve) => this.#waiting.push(resolve));
    }
  }

  // That many bytes, which stay; undefined where there will not be as many.
  async #peek(count, patienceMs) {
    const end = Date.now() + patienceMs;
    const have = () => this.#received.reduce((sum, each) => sum + each.length, 0);
    while (have() < count) {
      if (this.#closed) return undefined;
      if (Date.now() >= end) assert.fail('the frame that is waited for does not come');
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, end - Date.now());
        this.#waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    this.#received = [Buffer.concat(this.#received)];
    return this.#received[0].subarray(0, count);
  }
}
