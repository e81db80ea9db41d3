// Texts become JSON-RPC messages, and what a message tells by itself.

export const modern = '2026-07-28';

const versionKey = 'io.modelcontextprotocol/protocolVersion';

// The messages of a text, one or those of a batch; if it is no JSON, none and the fault.
export function readMessages(bytes) {
  try {
    const json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return { messages: Array.isArray(json) ? json : [json], isBatch: Array.isArray(json) };
  } catch (error) {
    return { messages: [], isBatch: false, fault: `this is no JSON: ${error.message}` };
  }
}

export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
export function isRequest(message) {
  return isObject(message) && 'method' in message && 'id' in message;
}
export function isResponse(message) {
  return isObject(message) && !('method' in message);
}
export function isModernRequest(message) {
  return isRequest(message) && message.params?._meta?.[versionKey] !== undefined;
}

// What initialize settled, if this is its answer.
export function settledRevision(request, message) {
  return request?.method === 'initialize' ? message.result?.protocolVersion : undefined;
}
