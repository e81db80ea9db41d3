// An MCP server of the legacy era over Streamable HTTP that answers byte by byte: it is well but for its tools, each of
// which has a fault of HTTP. It ends with the test or the file that `context` belongs to.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';

const answer = (id, words) => JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: words }] } });
const head = (status, fields = {}) =>
  `HTTP/1.1 ${status}\r\n${Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
const whole = (body, fields = {}, status = '200 OK') =>
  Buffer.concat([Buffer.from(head(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), ...fields })), Buffer.from(body)]);
const events = head('200 OK', { 'Content-Type': 'text/event-stream', Connection: 'close' });

// Writes until nobody reads it any more.
function pour(socket, piece) {
  const more = () => {
    while (!socket.destroyed && socket.writable && socket.write(piece));
  };
  socket.on('drain', more);
  more();
}

// How a call is answered, by the tool's name. `inside` is the URL of a server that nobody has written.
const faults = {
  redirect: (socket, id, inside) => socket.write(head('307 Temporary Redirect', { Location: inside, 'Content-Length': 0 })),
  redirect_to_metadata: (socket) =>
    socket.write(head('302 Found', { Location: 'http://169.254.169.254/latest/meta-data', 'Content-Length': 0 })),
  endless_head: (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    pour(socket, `X-Filling: ${'x'.repeat(1000)}\r\n`);
  },
  endless_field: (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nX-Filling: ');
    pour(socket, 'x'.repeat(1000));
  },
  endless_interim: (socket, id) => {
    socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1000));
    socket.write(whole(answer(id, 'fine')));
  },
  endless_chunks: (socket) => {
    socket.write(head('200 OK', { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' }));
    pour(socket, `8000\r\n${' '.repeat(0x8000)}\r\n`);
  },
  endless_refusal: (socket) => {
    socket.write(head('500 Broken', { 'Content-Type': 'text/plain', 'Transfer-Encoding': 'chunked' }));
    pour(socket, `8000\r\n${'x'.repeat(0x8000)}\r\n`);
  },
  huge_chunk: (socket) => socket.write(`${head('200 OK', { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' })}ffffffffffffffffff\r\n{`),
  endless_event: (socket) => {
    socket.write(`${events}data: `);
    pour(socket, 'x'.repeat(0x8000));
  },
  huge_event: (socket, id) => socket.end(`${events}data: ${answer(id, 'x'.repeat(40 << 20))}\n\n`),
  large_event: (socket, id) => socket.end(`${events}data: ${answer(id, 'fine')}${' '.repeat(4 << 20)}\n\n`),
  repeated_events: (socket, id) => {
    const progress = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: id, progress: 1 } });
    socket.end(events + `id: 1\ndata: ${progress}\n\n`.repeat(1000) + `id: 2\ndata: ${answer(id, 'fine')}\n\n`.repeat(1000));
  },
  gzip: (socket, id) => socket.write(whole(gzipSync(answer(id, 'fine')), { 'Content-Encoding': 'gzip' })),
  two_lengths: (socket, id) => {
    const body = answer(id, 'fine');
    socket.end(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nContent-Length: 5\r\n\r\n${body}`);
  },
  length_and_chunks: (socket, id) => {
    const body = answer(id, 'fine');
    socket.end(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
  },
  body_after_204: (socket, id) => socket.write(head('204 No Content') + whole(answer(id, 'smuggled'))),
  two_answers: (socket, id) => socket.write(whole(answer(id, 'fine')) + whole(answer(id + 1, 'smuggled'))),
  wrong_charset: (socket, id) =>
    socket.write(whole(Buffer.from(answer(id, 'fine'), 'utf16le'), { 'Content-Type': 'application/json; charset=utf-16le' })),
  no_utf8: (socket, id) => socket.write(whole(Buffer.from(answer(id, 'gr\u00fc\u00df'), 'latin1'))),
  web_page: (socket) => socket.write(whole('<html>Sign in</html>', { 'Content-Type': 'text/html' })),
  another_id: (socket, id) => socket.write(whole(answer(id + 1000, 'fine'))),
  another_id_in_a_stream: (socket, id) => socket.end(`${events}data: ${answer(id + 1000, 'fine')}\n\n`),
  accepted: (socket) => socket.write(whole('', {}, '202 Accepted')),
  nothing: (socket) => socket.write(whole('')),
  no_http: (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
  half_head: (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Ty'),
};

const result = (body) => (id) => JSON.stringify({ jsonrpc: '2.0', id, result: body });
const methods = {
  initialize: result({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'hostile', version: '1' } }),
  ping: result({}),
  'tools/list': result({ tools: ['fine', ...Object.keys(faults)].map((name) => ({ name, inputSchema: { type: 'object' } })) }),
};

export const faultNames = Object.keys(faults);

export class HostileHttpUpstream {
  static async start(context, inside) {
    const upstream = new HostileHttpUpstream();
    upstream.sockets = new Set();
    upstream.server = createServer((socket) => upstream.#serve(socket, inside)).listen(0, '127.0.0.1');
    await once(upstream.server, 'listening');
    upstream.url = `http://127.0.0.1:${upstream.server.address().port}/mcp`;
    context.after(() => upstream.stop());
    return upstream;
  }

  async stop() {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  #serve(socket, inside) {
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('error', () => {}); // the host closes what it does not want
    let heard = '';
    socket.setEncoding('latin1').on('data', (more) => {
      heard += more;
      for (;;) {
        const end = heard.indexOf('\r\n\r\n');
        const length = Number(/content-length: (\d+)/i.exec(heard.slice(0, end))?.[1] ?? 0);
        if (end < 0 || heard.length < end + 4 + length) return;
        const request = { line: heard.slice(0, heard.indexOf('\r')), body: heard.slice(end + 4, end + 4 + length) };
        heard = heard.slice(end + 4 + length);
        this.#answer(socket, request, inside);
      }
    });
  }

  #answer(socket, { line, body }, inside) {
    if (!line.startsWith('POST')) return socket.write(head('405 Method Not Allowed', { 'Content-Length': 0 }));
    const { id, method, params } = JSON.parse(body);
    if (id === undefined) return socket.write(whole('', {}, '202 Accepted'));
    if (methods[method]) return socket.write(whole(methods[method](id)));
    if (method !== 'tools/call') {
      return socket.write(whole(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } })));
    }
    if (params.name === 'fine') return socket.write(whole(answer(id, 'fine')));
    faults[params.name](socket, id, inside);
  }
}
