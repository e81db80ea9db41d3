// One HTTP connection that is kept alive, one request at a time, without what node's own client costs: where the client
// takes longer than the host, it is the client that is measured.
import net from 'node:net';

const endOfHead = '\r\n\r\n';

export class HttpConnection {
  closed = ''; // why, if it is
  unasked = 0; // pieces that came when nothing was asked
  #text = '';
  #question;

  constructor({ hostname, port, pathname }) {
    this.#target = `POST ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n`;
    this.#socket = net.connect({ host: hostname, port, noDelay: true });
    this.#socket.setEncoding('latin1'); // a character is a byte, as Content-Length counts
    this.#socket.on('data', (text) => this.#take(text));
    this.#socket.on('end', () => this.#close('the host has ended it'));
    this.#socket.on('error', (error) => this.#close(error.message));
  }
  #target;
  #socket;

  // Header lines for ask, made once.
  static headerLines(headers) {
    return Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join('');
  }

  // The body of the answer. ASCII only.
  ask(headerLines, body) {
    return new Promise((resolve, reject) => {
      if (this.closed) return reject(new Error(this.closed));
      this.#question = { resolve, reject };
      this.#socket.write(`${this.#target}${headerLines}Content-Length: ${body.length}${endOfHead}${body}`);
    });
  }

  close() {
    this.#socket.destroy();
  }

  #close(why) {
    this.closed ||= why;
    this.#question?.reject(new Error(`the connection is closed: ${why}`));
    this.#question = undefined;
  }

  #take(piece) {
    if (!this.#question) {
      ++this.unasked;
      return;
    }
    this.#text += piece;
    const head = this.#text.indexOf(endOfHead);
    if (head < 0) return;
    const size = Number(/\r\ncontent-length: *(\d+)/i.exec(this.#text.slice(0, head))?.[1]);
    const end = head + endOfHead.length + size;
    if (this.#text.length < end) return;
    const { resolve, reject } = this.#question;
    const text = this.#text;
    this.#question = undefined;
    this.#text = '';
    if (text.length > end) ++this.unasked;
    if (text.startsWith('HTTP/1.1 200 ') && size >= 0) return resolve(text.slice(head + endOfHead.length, end));
    reject(new Error(`it is not answered but with ${text.slice(0, 500)}`));
  }
}
