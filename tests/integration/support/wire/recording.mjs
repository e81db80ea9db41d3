// What went over one connection of a host, byte for byte: the pieces of both directions, in the order in which they
// passed. Nothing is read while tests run, so that looking changes no timing; see wire.mjs.

export class Recording {
  // `transport` is "http" or "stdio".
  constructor(transport) {
    this.transport = transport;
    this.pieces = [];
  }

  // `from` is "client" or "host".
  add(from, bytes) {
    this.pieces.push({ from, bytes: Buffer.from(bytes) });
  }

  bytesFrom(from) {
    return Buffer.concat(this.pieces.filter((piece) => piece.from === from).map((piece) => piece.bytes));
  }
}
