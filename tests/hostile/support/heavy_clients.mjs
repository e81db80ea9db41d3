// A process with clients that ask constantly for what costs the host much, each on a connection of its own; to be
// forked with the host's URL, the kind and the number of clients. It says how many answers there have been when it is
// told to, but not before the first: a slow machine may need longer for one than the measurement takes.
import net from 'node:net';

import { contentHeaders, modernHeaders, modernRequest } from '../../integration/support/http.mjs';
import { HttpConnection } from './http_connection.mjs';

const [, , href, kind, clients] = process.argv;
const url = new URL(href);

const legalBytes = 4 << 20;
const wanted = {
  // Of all that JSON can say in so many bytes, what takes most time and memory.
  arrays: () => {
    const one = modernRequest('ping', { a: 'HERE' });
    const room = legalBytes - JSON.stringify(one).length;
    return ['ping', undefined, JSON.stringify(one).replace('"HERE"', `[${'[],'.repeat(Math.floor(room / 3) - 1)}[]]`)];
  },
  text: () => ['tools/call', 'matching', JSON.stringify(modernRequest('tools/call', {
    name: 'matching', arguments: { text: 'a'.repeat(legalBytes - 1000) },
  }))],
  patterns: () => ['tools/call', 'matching', JSON.stringify(modernRequest('tools/call', {
    name: 'matching', arguments: { text: `${'a'.repeat(2000)}b` },
  }))],
  answers: () => ['tools/call', 'large', JSON.stringify(modernRequest('tools/call', {
    name: 'large', arguments: { bytes: 30_000_000 },
  }))],
};

const [method, name, body] = wanted[kind]();
const lines = HttpConnection.headerLines({ ...contentHeaders, ...modernHeaders(method, name) });
const message = Buffer.from(`POST ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\n${lines}` +
  `Content-Length: ${body.length}\r\n\r\n${body}`);
const lastChunk = Buffer.from('0\r\n\r\n');
let answers = 0;
let isAsked = false;

function tell() {
  if (isAsked && answers > 0) process.send(answers, () => process.exit(0));
}

// Bytes are counted and not looked at, so that it is the host that has the work.
function ask() {
  const socket = net.connect({ host: url.hostname, port: url.port, noDelay: true }, () => socket.write(message));
  let due = 0; // of the answer, once its head is there; without end for a stream, which a slow answer becomes
  let head = Buffer.alloc(0); // as long as it is not whole
  let end = Buffer.alloc(0); // the last bytes of a stream
  socket.on('data', (bytes) => {
    if (due === 0) {
      head = Buffer.concat([head, bytes]);
      const size = head.indexOf('\r\n\r\n') + 4;
      if (size < 4) return;
      const length = /content-length: *(\d+)/i.exec(head.toString('latin1', 0, size));
      due = length ? size + Number(length[1]) : Infinity;
      bytes = head;
      head = Buffer.alloc(0);
    }
    due -= bytes.length;
    end = Buffer.concat([end, bytes.subarray(-lastChunk.length)]).subarray(-lastChunk.length);
    if (due > 0 && !(due === Infinity && end.equals(lastChunk))) return;
    due = 0;
    ++answers;
    tell();
    socket.write(message);
  });
  socket.on('error', (error) => {
    console.error('BROKEN:', error.message);
    process.exit(1);
  });
}

for (let i = 0; i < Number(clients); ++i) ask();
process.on('message', () => {
  isAsked = true;
  tell();
});
process.on('disconnect', () => process.exit(0));
