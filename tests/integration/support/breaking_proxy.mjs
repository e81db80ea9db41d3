// A TCP proxy before a host, whose connections a test can break off: what networks do.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

export class BreakingProxy {
  #sockets = new Set();
  #clients = new Set(); // of these, those of clients
  #said = []; // by clients and by the host, piece by piece
  #waiting = new Set();

  // For the length of the test that `context` belongs to.
  static async start(context, url) {
    const proxy = new BreakingProxy();
    proxy.server = createServer((client) => proxy.#forward(client, url));
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    proxy.url = new URL(url);
    proxy.url.port = proxy.server.address().port;
    context.after(() => {
      proxy.break();
      proxy.server.close();
    });
    return proxy;
  }

  // Resets every connection there is. New ones go through.
  break() {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }
  // The same for clients; the host hears nothing of it.
  lose() {
    for (const socket of this.#clients) socket.resetAndDestroy();
  }

  // How many pieces of what was said are such; until there is one.
  count(isSuch) {
    return this.#said.filter(isSuch).length;
  }
  async until(isSuch) {
    while (this.count(isSuch) === 0) await new Promise((resolve) => this.#waiting.add(resolve));
  }

  #hear(piece) {
    this.#said.push(piece);
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  #forward(client, url) {
    const host = connect({ host: url.hostname, port: url.port });
    for (const socket of [client, host]) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('data', (piece) => this.#hear(piece.toString('latin1')));
      socket.on('close', () => {
        this.#sockets.delete(socket);
        this.#clients.delete(socket);
      });
    }
    this.#clients.add(client);
    client.pipe(host).pipe(client);
  }
}
