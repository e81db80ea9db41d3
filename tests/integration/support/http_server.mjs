// An HTTP server that answers as a test says, and keeps what it was asked.
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';

export class HttpServer {
  // `answer` is of node:http; `tls` has a key and a certificate.
  static async start(context, answer, { tls, port = 0 } = {}) {
    const server = new HttpServer();
    server.sockets = new Set();
    server.requests = [];
    const count = async (request, response) => {
      server.requests.push({ method: request.method, url: request.url, headers: request.headers });
      try {
        await answer(request, response, server);
      } catch (error) {
        // Whoever asks may go before all that is asked has come, as a host that ends does.
        if (request.complete || error.code !== 'ECONNRESET') throw error;
      }
    };
    server.http = tls ? https.createServer(tls, count) : http.createServer(count);
    server.http.on('connection', (socket) => server.sockets.add(socket));
    server.http.listen(port, '127.0.0.1');
    await once(server.http, 'listening');
    server.port = server.http.address().port;
    server.origin = `http${tls ? 's' : ''}://127.0.0.1:${server.port}`;
    server.url = `${server.origin}/mcp`;
    context.after(() => server.stop());
    return server;
  }

  async stop() {
    if (!this.http.listening) return;
    const closed = once(this.http, 'close');
    this.http.close();
    this.http.closeAllConnections();
    await closed;
  }
}
