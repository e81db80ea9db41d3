// What a host said over WebSocket: a connection that begins with HTTP and goes on with frames (RFC 6455), each message of
// which is one of the protocol. Like standard streams, it serves both eras.
import { duplexStatements } from './stdio_statements.mjs';

const blankLine = Buffer.from('\r\n\r\n');
const upgraded = Buffer.from('HTTP/1.1 101 ');

export function isWebSocket(recording) {
  const first = recording.pieces.find(({ from }) => from === 'host');
  return first !== undefined && first.bytes.subarray(0, upgraded.length).equals(upgraded);
}

export function websocketStatements(recording) {
  return duplexStatements(messagesOf(recording));
}

// The messages of both directions in the order in which they ended. Text that is cut off is none, and neither is what
// breaks the rules of frames.
function* messagesOf({ pieces }) {
  const read = { client: new FrameReader(), host: new FrameReader() };
  for (const { from, bytes } of pieces) {
    for (const line of read[from].take(bytes)) yield { from, line };
  }
}

class FrameReader {
  #rest = Buffer.alloc(0);
  #message = [];
  #isText = false;
  #isHttp = true;

  *take(bytes) {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    if (this.#isHttp) {
      const end = this.#rest.indexOf(blankLine);
      if (end < 0) return;
      this.#rest = this.#rest.subarray(end + blankLine.length);
      this.#isHttp = false;
    }
    for (let frame; (frame = this.#frame()); ) {
      if (frame.opcode >= 8) continue;
      if (frame.opcode !== 0) this.#isText = frame.opcode === 1;
      this.#message.push(frame.payload);
      if (!frame.fin) continue;
      const whole = Buffer.concat(this.#message.splice(0));
      if (this.#isText) yield whole;
    }
  }

  // The next one, if it is there.
  #frame() {
    const bytes = this.#rest;
    if (bytes.length < 2) return undefined;
    const short = bytes[1] & 0x7f;
    const start = 2 + ({ 126: 2, 127: 8 }[short] ?? 0) + (bytes[1] & 0x80 ? 4 : 0);
    if (bytes.length < start) return undefined;
    const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
    if (bytes.length < start + length) return undefined;
    let payload = bytes.subarray(start, start + length);
    if (bytes[1] & 0x80) {
      const key = bytes.subarray(start - 4, start);
      payload = payload.map((byte, i) => byte ^ key[i & 3]);
    }
    this.#rest = bytes.subarray(start + length);
    return { fin: (bytes[0] & 0x80) !== 0, opcode: bytes[0] & 0x0f, payload };
  }
}
