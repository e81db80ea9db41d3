// A collector of traces, which takes what OTLP over HTTP sends in JSON, and answers as the test wants.
import { HttpServer } from './http_server.mjs';
import { patience } from './patience.mjs';

const texts = { traceId: /^[0-9a-f]{32}$/, spanId: /^[0-9a-f]{16}$/ };

function check(holds, what) {
  if (!holds) throw new Error(`no OTLP: ${what}`);
}

// An object with these members and no others, of ProtoJSON.
function members(json, required, optional = []) {
  check(json !== null && typeof json === 'object', JSON.stringify(json));
  for (const name of required) check(name in json, `${name} is missing in ${JSON.stringify(json).slice(0, 200)}`);
  for (const name of Object.keys(json)) check([...required, ...optional].includes(name), `${name} is unknown`);
  return json;
}

function attributes(list) {
  const all = {};
  for (const each of list) {
    const { key, value } = members(each, ['key', 'value']);
    const { stringValue } = members(value, ['stringValue']);
    check(typeof stringValue === 'string' && !(key in all), key);
    all[key] = stringValue;
  }
  return all;
}

function span(json) {
  const required = ['traceId', 'spanId', 'name', 'kind', 'startTimeUnixNano', 'endTimeUnixNano', 'attributes'];
  members(json, required, ['parentSpanId', 'traceState', 'links', 'status']);
  check(texts.traceId.test(json.traceId) && texts.spanId.test(json.spanId), 'ids');
  check(json.parentSpanId === undefined || texts.spanId.test(json.parentSpanId), 'parentSpanId');
  const [start, end] = [json.startTimeUnixNano, json.endTimeUnixNano].map((text) => {
    check(typeof text === 'string' && /^\d{19}$/.test(text), 'a time is an int64, which ProtoJSON has as a string');
    return BigInt(text);
  });
  check(start <= end, 'a span ends after its beginning');
  check([1, 2].includes(json.kind), 'kind');
  for (const link of json.links ?? []) {
    members(link, ['traceId', 'spanId']);
    check(texts.traceId.test(link.traceId) && texts.spanId.test(link.spanId), 'ids of a link');
  }
  if (json.status) check(members(json.status, ['code']).code === 2, 'status');
  return { ...json, attributes: attributes(json.attributes) };
}

// The spans of one request's body, each checked, with the attributes of their resource.
export function spansOf(body) {
  const { resourceSpans } = members(JSON.parse(body), ['resourceSpans']);
  return resourceSpans.flatMap((each) => {
    const { resource, scopeSpans } = members(each, ['resource', 'scopeSpans']);
    const about = attributes(members(resource, ['attributes']).attributes);
    return scopeSpans.flatMap((scoped) => {
      const { scope, spans } = members(scoped, ['scope', 'spans']);
      members(scope, ['name'], ['version']);
      return spans.map((json) => ({ ...span(json), resource: about }));
    });
  });
}

export class Collector {
  // Until the test that `context` belongs to has ended.
  static async start(context) {
    const collector = new Collector();
    const server = await HttpServer.start(context, (...asked) => collector.take(...asked));
    collector.url = `${server.origin}/v1/traces`;
    return collector;
  }

  constructor() {
    this.spans = [];
    this.requests = []; // their headers
    this.mistakes = [];
    this.answer = (response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  }

  async take(request, response) {
    let body = '';
    for await (const piece of request.setEncoding('utf8')) body += piece;
    this.requests.push({ method: request.method, path: request.url, headers: request.headers, body });
    let spans = [];
    try {
      spans = spansOf(body);
    } catch (error) {
      this.mistakes.push(error);
    }
    this.answer(response, spans);
    if (response.statusCode === 200 && response.writableEnded) this.spans.push(...spans);
  }

  // Once there are as many spans.
  async until(count, patienceMs = patience) {
    const end = Date.now() + patienceMs;
    while (this.spans.length < count) {
      if (this.mistakes.length > 0) throw this.mistakes[0];
      if (Date.now() > end) throw new Error(`${this.spans.length} spans instead of ${count}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    if (this.mistakes.length > 0) throw this.mistakes[0];
    return this.spans;
  }
}
