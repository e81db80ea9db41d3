// Requests as they go over the wire, for what no SDK would send.
import assert from 'node:assert/strict';

import { sseMessages } from './sse.mjs';

export const legacyRevisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
export const newestLegacy = '2025-11-25';
export const modern = '2026-07-28';

export const contentHeaders = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
};

export function bearer(token) {
  return { Authorization: `Bearer ${token}` };
}

export function post(url, body, headers = {}, options = {}) {
  return fetch(url, {
    method: 'POST',
    headers: { ...contentHeaders, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...options,
  });
}

export function request(method, params, id = 1) {
  return { jsonrpc: '2.0', id, method, ...(params && { params }) };
}

export function initializeRequest(protocolVersion, id = 'initialize') {
  return request(
    'initialize',
    { protocolVersion, capabilities: {}, clientInfo: { name: 'integration', version: '1' } },
    id,
  );
}

// What a modern request carries in params._meta.
export function modernMeta(more = {}) {
  return {
    'io.modelcontextprotocol/protocolVersion': modern,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'integration', version: '1' },
    ...more,
  };
}

export function modernRequest(method, params = {}, id = 1) {
  return request(method, { ...params, _meta: modernMeta(params._meta) }, id);
}

export function modernHeaders(method, name) {
  return { 'MCP-Protocol-Version': modern, 'Mcp-Method': method, ...(name !== undefined && { 'Mcp-Name': name }) };
}

export function postModern(url, method, params = {}, { id = 1, headers = {}, ...options } = {}) {
  const name = params.name ?? params.uri;
  return post(url, modernRequest(method, params, id), { ...modernHeaders(method, name), ...headers }, options);
}

// A legacy session, from initialize on, whose requests all have `further` headers.
export class Session {
  static async open(url, revision = newestLegacy, further = {}) {
    const response = await post(url, initializeRequest(revision), further);
    assert.equal(response.status, 200);
    const session = new Session(url, revision, response.headers, (await response.json()).result, further);
    const initialized = await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    assert.equal(initialized.status, 202);
    return session;
  }

  constructor(url, revision, headers, result, further = {}) {
    this.url = url;
    this.id = headers.get('Mcp-Session-Id');
    this.headers = { 'Mcp-Session-Id': this.id, 'MCP-Protocol-Version': revision, ...further };
    this.initializeHeaders = headers;
    this.result = result;
  }

  post(message, headers = {}, options = {}) {
    return post(this.url, message, { ...this.headers, ...headers }, options);
  }

  // The one answer to a request, whether it comes as JSON or at the end of a stream.
  async ask(method, params, id = 1) {
    const messages = await allMessages(await this.post(request(method, params, id)));
    return messages.at(-1);
  }

  get(headers = {}, options = {}) {
    return fetch(this.url, { headers: { Accept: 'text/event-stream', ...this.headers, ...headers }, ...options });
  }

  delete() {
    return fetch(this.url, { method: 'DELETE', headers: this.headers });
  }
}

// Every message of a response, in order: notifications, if any, and the answer.
export async function allMessages(response) {
  const type = response.headers.get('Content-Type');
  if (type === 'application/json') return [await response.json()];
  assert.equal(type, 'text/event-stream');
  return Array.fromAsync(sseMessages(response.body));
}
