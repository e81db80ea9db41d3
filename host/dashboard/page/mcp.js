// A client of the host's MCP endpoint, in the newest revision: what it gets is what every client gets.
const revision = '2026-07-28';
const tasks = 'io.modelcontextprotocol/tasks';
const apps = 'io.modelcontextprotocol/ui';

const capabilities = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: {},
  extensions: { [tasks]: {}, [apps]: { mimeTypes: ['text/html;profile=mcp-app'] } },
};

const meta = (more) => ({
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientCapabilities': capabilities,
  'io.modelcontextprotocol/clientInfo': { name: 'mcp-plugin-host dashboard', version: '1' },
  ...more,
});

function base64(text) {
  const bytes = new TextEncoder().encode(text);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

// What a header cannot have goes as Base64, and so does what looks like that.
export function headerValue(value) {
  const text = String(value);
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?');
  return isPlain ? text : `=?base64?${base64(text)}?=`;
}

// The arguments that a tool wants to have in headers, too (x-mcp-header): its schema says which.
export function* parameterHeaders(schema, value) {
  for (const [name, property] of Object.entries(schema?.properties ?? {})) {
    const each = value?.[name];
    if (each === undefined || typeof property !== 'object') continue;
    if (typeof property['x-mcp-header'] === 'string' && each !== null && typeof each !== 'object') yield [`Mcp-Param-${property['x-mcp-header']}`, headerValue(each)];
    yield* parameterHeaders(property, each);
  }
}

// The messages of a response, as they come: an event each, or the one that the body is.
async function* messagesOf(response) {
  if (!response.headers.get('Content-Type')?.startsWith('text/event-stream')) {
    const text = await response.text();
    if (text) yield JSON.parse(text);
    return;
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (rest + value).split('\n\n');
    rest = events.pop();
    for (const event of events) {
      const data = event.split('\n').filter((line) => line.startsWith('data:')).map((line) => line.slice(5).trimStart());
      if (data.length > 0 && data[0] !== '') yield JSON.parse(data.join('\n'));
    }
  }
}

// An error that the server has answered, or that there is no answer.
export class McpError extends Error {
  constructor({ message, code, data }) {
    super(message);
    Object.assign(this, { code, data });
  }
}

let lastId = 0;

export class McpClient {
  constructor(path = '/mcp') {
    this.path = path;
  }

  // What is sent, so that it can be shown: the message and the headers beside those of all.
  compose(method, params, { headers = {}, progressToken } = {}) {
    const name = params.name ?? params.uri ?? params.taskId;
    return {
      message: { jsonrpc: '2.0', id: ++lastId, method, params: { ...params, _meta: meta(progressToken && { progressToken }) } },
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': revision,
        'Mcp-Method': method,
        ...(name !== undefined && { 'Mcp-Name': headerValue(name) }),
        ...headers,
      },
    };
  }

  // The result. `heard` is given every message, the request first. Rejects with an McpError, or when the signal does.
  async request(method, params = {}, { headers, heard = () => {}, signal } = {}) {
    const { message, headers: all } = this.compose(method, params, { headers, progressToken: `${lastId + 1}` });
    heard(message, 'sent');
    const response = await fetch(this.path, { method: 'POST', headers: all, body: JSON.stringify(message), signal });
    for await (const each of messagesOf(response)) {
      heard(each, 'received');
      // What stands before the endpoint refuses with words alone.
      if (each.error) throw new McpError(typeof each.error === 'string' ? { message: each.error } : each.error);
      if (each.id === message.id) return each.result;
    }
    throw new McpError({ message: `There is no answer (status ${response.status})` });
  }

  // All pages of a list.
  async list(method, key) {
    const all = [];
    let cursor;
    do {
      const page = await this.request(method, cursor === undefined ? {} : { cursor });
      all.push(...page[key]);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return all;
  }
}

const quoted = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

// The same request as a command, for a server at this URL.
export function curlOf(url, { message, headers }) {
  const lines = [`curl ${quoted(url)}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`  -H ${quoted(`${name}: ${value}`)}`);
  lines.push(`  -d ${quoted(JSON.stringify(message))}`);
  return lines.join(' \\\n');
}
