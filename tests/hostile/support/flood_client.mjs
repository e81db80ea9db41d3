// A process that asks as often as it is told, on a few connections, without waiting for each answer; it counts the
// answers by their status. Without a token of its own it makes one up for each request.
import { randomBytes } from 'node:crypto';
import net from 'node:net';
import process from 'node:process';

import { contentHeaders, modernHeaders, modernRequest } from '../../integration/support/http.mjs';
import { HttpConnection } from './http_connection.mjs';

const { url, token, rate, localAddress, connections = 8 } = JSON.parse(process.argv[2]);
const { hostname, port, host, pathname } = new URL(url);
const tickMs = 5;
const mostUnanswered = 200; // on one connection

const body = JSON.stringify(modernRequest('tools/list'));
const head = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\n` +
  HttpConnection.headerLines({ ...contentHeaders, ...modernHeaders('tools/list'), 'Content-Length': body.length });
const madeUp = () => `mph_${randomBytes(5).toString('hex')}_${randomBytes(25).toString('hex').slice(1)}`;
const requestText = () => `${head}Authorization: Bearer ${token ?? madeUp()}\r\n\r\n${body}`;

const statuses = {};
const statusLine = 'HTTP/1.1 ';

class Connection {
  unanswered = 0;
  #rest = '';

  constructor() {
    this.socket = net.connect({ host: hostname, port, localAddress, noDelay: true });
    this.socket.setEncoding('latin1');
    this.socket.on('data', (text) => this.#count(text));
    this.socket.on('error', () => {});
  }

  #count(piece) {
    const text = this.#rest + piece;
    let at = text.indexOf(statusLine);
    for (; at >= 0 && text.length >= at + statusLine.length + 3; at = text.indexOf(statusLine, at + 1)) {
      const status = text.slice(at + statusLine.length, at + statusLine.length + 3);
      statuses[status] = (statuses[status] ?? 0) + 1;
      --this.unanswered;
    }
    // What may be the beginning of a status line.
    this.#rest = at >= 0 ? text.slice(at) : text.slice(-statusLine.length + 1);
  }

  send(count) {
    const room = Math.min(count, mostUnanswered - this.unanswered);
    if (room <= 0) return;
    this.unanswered += room;
    let text = '';
    for (let i = 0; i < room; ++i) text += requestText();
    this.socket.write(text);
  }
}

const all = Array.from({ length: connections }, () => new Connection());
await Promise.all(all.map(({ socket }) => new Promise((resolve) => socket.once('connect', resolve))));
const begin = performance.now();
let sent = 0;
const timer = setInterval(() => {
  const due = Math.floor(((performance.now() - begin) / 1000) * rate) - sent;
  // What could not be sent is not made up for.
  sent += due;
  const each = Math.floor(due / connections);
  all.forEach((connection, i) => connection.send(each + (i < due % connections ? 1 : 0)));
}, tickMs);
process.send('ready');
process.once('message', () => {
  clearInterval(timer);
  for (const { socket } of all) socket.destroy();
  process.send({ statuses, seconds: (performance.now() - begin) / 1000 });
});
