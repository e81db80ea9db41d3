// HTTP as data: each line of http_table.jsonl is what a client sends and what must come back, by the RFC that is named.
// "send" is bytes as the code points of a string, with the pieces of the first line, which begin with a dollar sign, and
// "$text{3}" for three times a text. "expect" is the status of each answer, interim ones left out; "head" says that the
// first one has no body. After it comes one request more, which is answered unless the row says "closed".
//
// What is sent must not depend on how TCP cuts it: every row is sent whole and in two parts, cut at several places, and
// all but the longest ones byte by byte.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

import { Components } from './support/components.mjs';
import { serveAll } from './support/host.mjs';
import { postModern } from './support/http.mjs';
import { allResponses } from './support/raw_connection.mjs';

const lines = readFileSync(new URL('http_table.jsonl', import.meta.url), 'utf8').trimEnd().split('\n');
const [{ pieces }, ...rows] = lines.map((line) => JSON.parse(line));

const last = 'OPTIONS /last HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
const cuts = 6;
const longest = 2500; // of what is sent byte by byte

const host = await serveAll(await Components.create());
// One that has something to say to the schemas.
assert.equal((await postModern(host.url, 'tools/list')).status, 200);

const longestFirst = Object.entries(pieces).sort(([a], [b]) => b.length - a.length);

function bytesOf(text) {
  let whole = text.replace(/\$([^$]*?)\{(\d+)\}/g, (_, repeated, count) => repeated.repeat(Number(count)));
  for (let before; before !== whole; ) {
    before = whole;
    for (const [name, piece] of longestFirst) whole = whole.replaceAll(name, () => piece);
  }
  return Buffer.from(whole + last, 'latin1');
}

// The parts that the bytes are cut into at the places.
function parts(bytes, places) {
  return [0, ...places].map((place, i) => bytes.subarray(place, places[i] ?? bytes.length));
}

// What comes back until the server closes. `pause` gives it time to read a part before the next one comes.
async function exchange(parts, pause) {
  const socket = connect({ host: host.address.hostname, port: host.address.port, noDelay: true });
  let received = '';
  socket.setEncoding('latin1');
  socket.on('data', (text) => {
    received += text;
  });
  socket.on('error', () => {}); // it may close before it has been sent everything
  const closed = new Promise((resolve) => socket.on('close', resolve));
  await new Promise((resolve) => socket.on('connect', resolve));
  for (const part of parts) {
    if (!socket.writable) break;
    socket.write(part);
    await pause();
  }
  await closed;
  return received;
}

function assertAnswer(row, received, way) {
  const answers = allResponses(received, { withoutBody: row.head ? 1 : 0 });
  const what = `${way}: ${JSON.stringify(received)}`;
  const expected = row.closed ? row.expect : [...row.expect, 404];
  assert.deepEqual(
    answers.map(({ status }) => status),
    expected,
    what,
  );
  // A client must know which of its requests nobody will answer (RFC 9112 section 9.6).
  const closes = answers.map(({ headers }) => headers.connection === 'close');
  assert.deepEqual(
    closes,
    expected.map((_, i) => i === expected.length - 1),
    what,
  );
}

suite('TheTable', { concurrency: 16 }, () => {
  for (const row of rows) {
    test(`RFC ${row.rfc}: ${row.name}`, async () => {
      const bytes = bytesOf(row.send);
      assertAnswer(row, await exchange([bytes], setImmediate), 'whole');
      for (let i = 1; i <= cuts; ++i) {
        const place = Math.floor((bytes.length * i) / (cuts + 1));
        assertAnswer(row, await exchange(parts(bytes, [place]), () => sleep(2)), `cut at ${place}`);
      }
      if (bytes.length > longest) return;
      const everywhere = Array.from({ length: bytes.length - 1 }, (_, i) => i + 1);
      assertAnswer(row, await exchange(parts(bytes, everywhere), setImmediate), 'byte by byte');
    });
  }
});

test('EveryRowHasItsName', () => {
  assert.equal(new Set(rows.map(({ name }) => name)).size, rows.length);
});
