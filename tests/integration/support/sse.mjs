// Server-sent events of a response body: {comment} or {event, data}, as they arrive.

export async function* sseEvents(body) {
  let text = '';
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop();
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
