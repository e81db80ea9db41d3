// Requests by Node's own client, for what fetch cannot do: certificates, and Unix sockets.
import http from 'node:http';
import https from 'node:https';

import { contentHeaders, modernHeaders, modernRequest } from './http.mjs';
import { sseEvents } from './sse.mjs';
import { until } from './until.mjs';

// The response, whose body is a stream, with the socket that it came on.
export function send(url, { method = 'POST', body, headers = {}, ...options } = {}) {
  const client = String(url).startsWith('https:') ? https : http;
  return new Promise((resolve, reject) => {
    const request = client.request(url, { method, headers: { ...contentHeaders, ...headers }, ...options }, resolve);
    request.on('error', reject);
    request.end(body);
  });
}

// A modern request; the answer with its JSON, if it has some.
export async function ask(url, method, params = {}, { headers = {}, ...options } = {}) {
  const body = JSON.stringify(modernRequest(method, params));
  const named = { ...modernHeaders(method, params.name ?? params.uri), ...headers };
  const response = await send(url, { body, headers: named, ...options });
  let text = '';
  for await (const piece of response.setEncoding('utf8')) text += piece;
  const isJson = response.headers['content-type'] === 'application/json';
  return { status: response.statusCode, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
}

export async function toolsOf(url, options) {
  const { status, json, headers } = await ask(url, 'tools/list', {}, options);
  if (status !== 200) throw new Error(`${status} ${headers['www-authenticate']}`);
  return json.result.tools.map(({ name }) => name);
}

// What `ask` gives once somebody listens there.
export function untilReached(ask) {
  let refusal;
  return until(() => ask().catch((error) => {
    if (!['ECONNREFUSED', 'ENOENT'].includes(error.code)) throw error;
    refusal = error;
  }), () => refusal.message);
}

// The messages of a stream that listens, from the acknowledgment on.
export async function listen(url, options = {}) {
  const params = { notifications: { toolsListChanged: true } };
  const body = JSON.stringify(modernRequest('subscriptions/listen', params));
  const headers = { ...modernHeaders('subscriptions/listen'), ...options.headers };
  const response = await send(url, { body, ...options, headers });
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}`);
  return sseEvents(response);
}
