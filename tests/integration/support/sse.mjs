// Server-sent events of a response body: {comment} or {event, data}, as they arrive.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

import { patience } from './patience.mjs';

export function sseEvents(body) {
  // Whoever reads it has it from now on: a fetch's body that nobody reads is cancelled with its response, which may be
  // collected before the first event is asked for.
  return eventsIn(body[Symbol.asyncIterator]());
}

// The next event that has data; undefined where there is none.
export async function nextWithData(events) {
  for (;;) {
    const { value } = await events.next();
    if (value === undefined || value.data) return value;
  }
}

// To their end, which must come.
export async function untilEnd(events) {
  const ends = (async () => {
    for await (const event of events) void event;
    return true;
  })();
  assert.ok(await Promise.race([ends, sleep(patience, false, { ref: false })]), 'the stream does not end');
}

// The messages among them, as JSON: what has no data is a sign of life, or the first event.
export function sseMessages(body) {
  return messagesIn(sseEvents(body));
}

async function* messagesIn(events) {
  for await (const { data } of events) if (data) yield JSON.parse(data);
}

async function* eventsIn(body) {
  let pieces = []; // of an event that has not ended; to look through all of a long one with each of them takes long
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    const piece = decoder.decode(bytes, { stream: true });
    const mayEnd = piece.includes('\n');
    pieces.push(piece);
    if (!mayEnd) continue;
    const blocks = pieces.join('').split('\n\n');
    pieces = [blocks.pop()];
    for (const block of blocks) yield readBlock(block);
  }
}

function readBlock(block) {
  if (block.startsWith(':')) return { comment: block.slice(1) };
  const event = {};
  for (const line of block.split('\n')) {
    const colon = line.indexOf(': ');
    event[line.slice(0, colon)] = line.slice(colon + 2);
  }
  return event;
}
