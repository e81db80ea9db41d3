// Secrets that are recognised wherever they come to light: as they are, in part, in base64 or in hexadecimal digits.
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';

const length = 16; // bytes of a piece that is looked for
const step = 4; // between pieces: whatever has `length + step - 1` bytes of a secret on end has a whole piece

export function newCanary() {
  return `canary${randomBytes(12).toString('hex')}`;
}

export class Canaries {
  #pieces = new Map(); // by their first four bytes
  #begins = new Uint8Array(1 << 16); // whether a piece begins with these two

  // `secret` is text or bytes, of at least 24.
  add(name, secret) {
    const bytes = Buffer.from(secret);
    this.#addPieces(name, bytes);
    this.#addPieces(`${name}, hexadecimal`, Buffer.from(bytes.toString('hex')));
    for (const before of [0, 1, 2]) {
      // What is encoded with others on either side of it.
      const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64').replace(/=+$/, '');
      const own = text.slice(before === 0 ? 0 : 4, -4);
      this.#addPieces(`${name}, base64`, Buffer.from(own));
      this.#addPieces(`${name}, base64url`, Buffer.from(own.replaceAll('+', '-').replaceAll('/', '_')));
    }
  }

  // Of a JSON Web Token, its claims and its signature. Its header is no secret, and neither is what its claims say.
  addJwt(name, token) {
    const [, claims, signature] = token.split('.');
    this.add(`${name}: claims`, claims);
    if (!signature) return;
    this.add(`${name}: signature`, signature);
    this.#addPieces(`${name}: signature, decoded`, Buffer.from(signature, 'base64url'));
  }

  #addPieces(name, bytes) {
    for (let at = 0; at + length <= bytes.length; at += step) {
      const piece = bytes.subarray(at, at + length);
      const key = piece.readUInt32LE(0);
      if (!this.#pieces.has(key)) this.#pieces.set(key, []);
      this.#pieces.get(key).push({ name, piece });
      this.#begins[piece.readUInt16LE(0)] = 1;
    }
  }

  // The names of those of which there is something in the text or the bytes.
  in(haystack) {
    const bytes = Buffer.isBuffer(haystack) ? haystack : Buffer.from(haystack);
    const found = new Set();
    for (let at = 0; at + length <= bytes.length; ++at) {
      if (!this.#begins[bytes[at] | (bytes[at + 1] << 8)]) continue;
      for (const { name, piece } of this.#pieces.get(bytes.readUInt32LE(at)) ?? []) {
        if (bytes.compare(piece, 0, length, at, at + length) === 0) found.add(name);
      }
    }
    return [...found];
  }
}

// What a process can write to, so whatever it has been told and not forgotten. Fails where the system forbids it.
export function memoryOf(pid) {
  const parts = [];
  const file = openSync(`/proc/${pid}/mem`);
  for (const [, begin, end] of readFileSync(`/proc/${pid}/maps`, 'latin1').matchAll(/^(\w+)-(\w+) rw/gm)) {
    const [from, to] = [BigInt(`0x${begin}`), BigInt(`0x${end}`)];
    const part = Buffer.alloc(Number(to - from));
    parts.push(part.subarray(0, readSync(file, part, 0, part.length, from)));
  }
  closeSync(file);
  return parts;
}

// The files below a folder, libraries, sockets and such aside: their paths there, and what they hold.
export function* filesBelow(folder, ...except) {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name).slice(folder.length + 1);
    if (!entry.isFile() || path.endsWith('.so') || except.includes(path)) continue;
    yield [path, readFileSync(join(folder, path))];
  }
}
