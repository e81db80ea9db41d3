// A TCP connection on which a test writes bytes as it likes, and reads HTTP responses.
import { connect } from 'node:net';
import { once } from 'node:events';

export class RawConnection {
  #pieces = []; // of what has been received, and is still to be read
  #waiting = [];

  static async open(url) {
    const socket = connect({ host: url.hostname, port: url.port });
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  constructor(socket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.on('close', resolve));
    socket.on('error', () => {}); // a reset is one way of being closed
    socket.setEncoding('latin1');
    socket.on('data', (text) => {
      this.#pieces.push(text);
      for (const wake of this.#waiting.splice(0)) wake();
    });
    socket.on('close', () => {
      for (const wake of this.#waiting.splice(0)) wake();
    });
  }

  write(text) {
    this.socket.write(text);
  }

  // The next response; a body needs a Content-Length.
  async response() {
    const { status, headers } = readHead((await this.textUntil('\r\n\r\n')).slice(0, -4));
    const size = Number(headers['content-length'] ?? 0);
    await this.#until(() => this.#received().length >= size);
    return { status, headers, body: this.#take(size) };
  }

  // Text up to and with `mark`. Each piece is looked at once: there may be megabytes of them.
  async textUntil(mark) {
    let looked = 0;
    let newest = '';
    await this.#until(() => {
      for (; looked < this.#pieces.length && !newest.includes(mark); ++looked)
        newest = newest.slice(Math.max(0, newest.length - mark.length + 1)) + this.#pieces[looked];
      return newest.includes(mark);
    });
    return this.#take(this.#received().indexOf(mark) + mark.length);
  }

  end() {
    this.socket.destroy();
  }

  #received() {
    if (this.#pieces.length > 1) this.#pieces = [this.#pieces.join('')];
    return this.#pieces[0] ?? '';
  }

  #take(size) {
    const text = this.#received();
    this.#pieces = size < text.length ? [text.slice(size)] : [];
    return text.slice(0, size);
  }

  async #until(done) {
    while (!done()) {
      if (this.socket.destroyed) throw new Error(`closed by the server after ${JSON.stringify(this.#received())}`);
      await new Promise((resolve) => this.#waiting.push(resolve));
    }
  }
}

// The head of a request or a response: its first line, the status in it, and the headers, their names in lower case.
export function readHead(text) {
  const [line, ...fields] = text.split('\r\n');
  const headers = Object.fromEntries(fields.map((field) => {
    const colon = field.indexOf(':');
    return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
  }));
  return { line, status: Number(line.match(/^HTTP\/1\.[01] (\d{3}) /)?.[1]), headers };
}

// The final responses in all that a connection has brought, with Content-Length each; the first `withoutBody` of them
// answer HEAD.
export function allResponses(text, { withoutBody = 0 } = {}) {
  const responses = [];
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n');
    const { status, headers } = readHead(rest.slice(0, end));
    const size = responses.length < withoutBody ? 0 : Number(headers['content-length'] ?? 0);
    if (end < 0 || Number.isNaN(status) || rest.length < end + 4 + size) {
      throw new Error(`no whole response: ${JSON.stringify(rest)}`);
    }
    rest = rest.slice(end + 4 + size);
    if (status >= 200) responses.push({ status, headers });
  }
  return responses;
}

// A whole request as text.
export function requestText(url, method, headers = {}, body = '') {
  const all = { Host: url.host, ...(body && { 'Content-Length': Buffer.byteLength(body) }), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${url.pathname} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}
