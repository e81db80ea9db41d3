// What becomes of files: half-written ones, lost blocks, bad memory, other people's bytes.

import { randomNumbers } from './random.mjs';

const block = 4096;

function fillAtRandom(bytes, from, size, random) {
  for (let i = from; i < Math.min(bytes.length, from + size); ++i) bytes[i] = random(256);
}

const kinds = {
  truncated: (bytes, random) => bytes.subarray(0, random(bytes.length)),
  'zero tail': (bytes, random) => bytes.fill(0, random(bytes.length)),
  hole(bytes, random) {
    const from = random(Math.ceil(bytes.length / block)) * block;
    return bytes.fill(0, from, Math.min(from + block, bytes.length));
  },
  'flipped bits'(bytes, random) {
    for (let i = 1 + random(8); i > 0; --i) bytes[random(bytes.length)] ^= 1 << random(8);
    return bytes;
  },
  'garbage inside'(bytes, random) {
    fillAtRandom(bytes, random(bytes.length), 1 + random(block), random);
    return bytes;
  },
  'garbage in the headers'(bytes, random) {
    fillAtRandom(bytes, random(block), 1 + random(16), random);
    return bytes;
  },
  garbage(bytes, random) {
    fillAtRandom(bytes, 4 * random(2), bytes.length, random); // sometimes with the right first bytes
    return bytes.subarray(0, 1 + random(bytes.length));
  },
};

// Without end: one of each kind in turn.
export function* damages(good, seed) {
  const random = randomNumbers(seed);
  for (let i = 0; ; ++i) {
    for (const [kind, damage] of Object.entries(kinds)) {
      yield { what: `${kind} (number ${i})`, bytes: damage(Buffer.from(good), random) };
    }
  }
}
