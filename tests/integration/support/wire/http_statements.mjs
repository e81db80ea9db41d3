// What a host said over HTTP. The revision is that of the request which a response belongs to, or of its session.
import { httpExchanges } from './http_messages.mjs';
import { isModernRequest, isRequest, isResponse, modern, readMessages, settledRevision } from './messages.mjs';
import { OpenRequests } from './open_requests.mjs';
import { revisions } from './official_schema.mjs';
import { statementsOf } from './statements.mjs';

export function httpStatements(recordings) {
  const exchanges = recordings.flatMap(httpExchanges).map(({ request, response }) => ({
    headers: request?.headers ?? {},
    sessionId: request?.headers['mcp-session-id'] ?? idInUri(request?.target) ?? idInUri(endpointOf(response)),
    asked: request ? readMessages(request.body).messages : [],
    response,
    texts: textsOf(response),
  }));
  const sessions = findSessions(exchanges);
  return exchanges.flatMap((exchange) => statementsOfExchange(exchange, sessions));
}

// By id: the revision of every session, and all requests that were sent in it. A session of the deprecated HTTP+SSE
// transport has its id in the URI that its stream names first.
function findSessions(exchanges) {
  const sessions = new Map();
  for (const { sessionId, response, texts } of exchanges) {
    if (!endpointOf(response)) continue;
    const asked = exchanges.filter((each) => each.sessionId === sessionId).flatMap((each) => each.asked);
    const initialize = asked.find((message) => message.method === 'initialize');
    const answers = texts.flatMap((text) => readMessages(text).messages);
    const answer = answers.find((message) => isResponse(message) && message.id === initialize?.id);
    sessions.set(sessionId, { revision: settledRevision(initialize, answer ?? {}), requests: [] });
  }
  for (const { asked, response, texts } of exchanges) {
    const id = response.headers['mcp-session-id'];
    const answers = id && texts.length > 0 ? readMessages(texts.at(-1)).messages : [];
    const revision = settledRevision(asked[0], answers[0] ?? {});
    if (revision) sessions.set(id, { revision, requests: [] });
  }
  for (const { sessionId, asked } of exchanges) {
    sessions.get(sessionId)?.requests.push(...asked.filter(isRequest));
  }
  return sessions;
}

function statementsOfExchange({ headers, sessionId, asked, response, texts }, sessions) {
  const session = sessions.get(sessionId);
  const revision = revisionOf(headers, asked, session);
  const open = new OpenRequests();
  for (const message of asked) open.note(message);
  // When a client takes a stream up again with GET, an answer may come there.
  const isOwnStream = asked.length === 0;
  const requestOf = (message) =>
    isOwnStream ? session?.requests.find(({ id }) => id === message.id) : open.takeAnsweredBy(message);
  const statements = texts.flatMap((text) =>
    statementsOf(text, (message) => {
      const request = isResponse(message) ? requestOf(message) : undefined;
      return { request, revision: settledRevision(request, message) ?? revision };
    }),
  );
  const fault = faultOfMediaType(response);
  return fault ? [...statements, { fault, text: response.body.toString(), revision }] : statements;
}

function revisionOf(headers, asked, session) {
  const named = headers['mcp-protocol-version'];
  if (named === modern || asked.some(isModernRequest)) return modern;
  return session?.revision ?? revisions.find((revision) => revision === named);
}

function mediaType(headers) {
  return headers['content-type']?.split(';')[0].trim();
}

// The texts of a response that are messages, as bytes.
function textsOf({ headers, body }) {
  const type = mediaType(headers);
  if (type === 'text/event-stream') return eventData(body.toString()).map((data) => Buffer.from(data));
  const isWhole = body.length > 0 && body.length === Number(headers['content-length'] ?? body.length);
  return type === 'application/json' && isWhole ? [body] : [];
}

// A refusal may be worded as it likes, for readers that speak no MCP.
function faultOfMediaType({ status, headers, body }) {
  const type = mediaType(headers);
  if (status >= 300 || body.length === 0) return undefined;
  if (type === 'text/event-stream' || type === 'application/json') return undefined;
  return `a body of the type ${type} has no place in this protocol`;
}

// The URI that the first event of an HTTP+SSE stream names; undefined for any other response.
function endpointOf({ headers, body }) {
  if (headers['content-type'] !== 'text/event-stream') return undefined;
  return /^event: endpoint\ndata: (\S+)\n\n/.exec(body.toString())?.[1];
}

function idInUri(uri) {
  return /[?&]sessionId=([^&]+)/.exec(uri ?? '')?.[1];
}

// The data of every event that is a message, has some and is whole (HTML, "Server-sent events", section 9.2.6).
function eventData(stream) {
  const whole = stream.split(/(?:\r\n|\n|\r){2}/).slice(0, -1);
  return whole
    .map((event) => event.split(/\r\n|\n|\r/))
    .filter((lines) => !lines.includes('event: endpoint'))
    .map((lines) => lines.filter((line) => line.startsWith('data:')))
    .map((lines) => lines.map((line) => line.slice('data:'.length).replace(/^ /, '')).join('\n'))
    .filter((data) => data !== '');
}
