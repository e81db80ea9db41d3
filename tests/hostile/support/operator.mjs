// The operator of a host, on a connection to its control socket: what `mcp-plugin-host reload` says, without a process
// for each command.
import { once } from 'node:events';
import net from 'node:net';
import { createInterface } from 'node:readline';

export class Operator {
  static async connect(host) {
    const socket = net.connect(host.controlSocket);
    await once(socket, 'connect');
    return new Operator(socket);
  }

  constructor(socket) {
    this.#socket = socket;
    this.#lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  }
  #socket;
  #lines;

  async ask(request) {
    this.#socket.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('the host has closed its control socket');
    return JSON.parse(value);
  }

  close() {
    this.#socket.destroy();
  }
}
