// What a host said on its standard output. One process serves both eras, so the revision is that of the request which
// a message answers or is about, or else that which initialize has settled.
import { isModernRequest, isResponse, modern, readMessages, settledRevision } from './messages.mjs';
import { OpenRequests } from './open_requests.mjs';
import { statementsOf } from './statements.mjs';

const subscriptionKey = 'io.modelcontextprotocol/subscriptionId';

export function stdioStatements(recording) {
  return duplexStatements(linesOf(recording));
}

// Of what went both ways, as [{from, line}].
export function duplexStatements(lines) {
  const open = new OpenRequests();
  const statements = [];
  let settled;

  const interpret = (message) => {
    const answered = isResponse(message) ? open.takeAnsweredBy(message) : undefined;
    settled = settledRevision(answered, message) ?? settled;
    const about = answered ?? open.withNotification(message);
    const isModern = isModernRequest(about) || message.params?._meta?.[subscriptionKey] !== undefined;
    return { request: answered, revision: isModern ? modern : settled };
  };

  for (const { from, line } of lines) {
    if (from === 'client') readMessages(line).messages.forEach((message) => open.note(message));
    else statements.push(...statementsOf(line, interpret));
  }
  return statements;
}

// The lines of both directions in the order in which they ended. The client's last one needs no newline.
function* linesOf({ pieces }) {
  const begun = { client: [], host: [] };
  const last = pieces.findLastIndex(({ from }) => from === 'client');
  for (const [i, { from, bytes }] of pieces.entries()) {
    let start = 0;
    for (let end; (end = bytes.indexOf('\n', start)) >= 0; start = end + 1) {
      yield { from, line: Buffer.concat([...begun[from].splice(0), bytes.subarray(start, end)]) };
    }
    begun[from].push(bytes.subarray(start));
    if (i === last) yield { from, line: Buffer.concat(begun[from]) };
  }
}
