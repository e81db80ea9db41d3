// What a host said: each of its messages with what is needed to judge it.
//
//   {message, revision, request}   revision: undefined before one is settled; request: that which it answers
//   {fault, text, revision}        what it said instead of a message
import { readMessages } from './messages.mjs';

// The statements of one text of the host: a body, an event or a line. `interpret` finds revision and request.
export function statementsOf(bytes, interpret) {
  const { messages, isBatch, fault } = readMessages(bytes);
  if (fault) return [{ fault, text: bytes.toString(), revision: undefined }];
  if (isBatch && messages.length === 0) return [{ fault: 'a batch is never empty', text: '[]', revision: undefined }];
  return messages.map((message) => ({ message, isBatch, ...interpret(message) }));
}
