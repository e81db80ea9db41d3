// Server-sent events of a response body: {comment} or {event, data}, as they arrive.

export function sseEvents(body) {
  // Whoever reads it has it from now on: a fetch's body that nobody reads is cancelled with its response, which may be
  // collected before the first event is asked for.
  return eventsIn(body[Symbol.asyncIterator]());
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
