// A TCP server in front of a host that hands every byte on unchanged, both ways, and keeps a copy. Half-closed
// connections stay half-closed, resets stay resets, and whoever reads slowly slows the other side down.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

import { Recording } from './recording.mjs';

const direct = { allowHalfOpen: true, noDelay: true };

export class PassThrough {
  // Listens on a free port in front of `url`; each connection becomes a recording.
  static async open(url, onConnection) {
    const server = createServer(direct, (client) => {
      const recording = new Recording('http');
      onConnection(recording);
      const host = connect({ ...direct, host: url.hostname, port: url.port });
      handOn(client, host, (bytes) => recording.add('client', bytes));
      handOn(host, client, (bytes) => recording.add('host', bytes));
    });
    server.listen(0, url.hostname);
    await once(server, 'listening');
    return new PassThrough(server, url);
  }

  constructor(server, target) {
    this.server = server;
    this.url = new URL(target);
    this.url.port = server.address().port;
  }

  // Connections that are open go on until one of their ends closes them.
  close() {
    this.server.close();
  }
}

function handOn(from, to, copy) {
  from.on('data', (bytes) => {
    copy(bytes);
    if (!to.write(bytes)) from.pause();
  });
  to.on('drain', () => from.resume());
  from.on('end', () => to.end());
  from.on('error', () => resetAfterWhatIsWritten(to));
}

// What was sent before the reset had reached the other side, so it does here too.
function resetAfterWhatIsWritten(socket) {
  if (socket.writable) socket.write('', () => socket.resetAndDestroy());
  else socket.resetAndDestroy();
}
