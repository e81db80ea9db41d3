// The HTTP/1 of a recorded connection: bytes become requests and responses, each response with its request. What a
// client sends may be junk; reading it ends there, and the answers to it have no request.
import { readHead } from '../raw_connection.mjs';

const blankLine = Buffer.from('\r\n\r\n');

// [{request: {method, target, headers, body} or undefined, response: {status, headers, body}}], in order. Bodies are bytes,
// as far as they came.
export function httpExchanges(recording) {
  const requests = readRequests(recording.bytesFrom('client'));
  const responses = readResponses(recording.bytesFrom('host'), requests);
  return responses.map((response, i) => ({ request: requests[i], response }));
}

function readRequests(bytes) {
  const requests = [];
  for (let at = 0; ; ) {
    while (bytes[at] === 0x0d || bytes[at] === 0x0a) ++at;
    const head = headAt(bytes, at);
    const line = head && /^([A-Z]+) (\S+) HTTP\/1\.[01]$/.exec(head.line);
    if (!line) return requests;
    const { body, end } = readBody(bytes, head, 0);
    requests.push({ method: line[1], target: line[2], headers: head.headers, body });
    at = end;
  }
}

function readResponses(bytes, requests) {
  const responses = [];
  for (let at = 0; at < bytes.length; ) {
    const head = headAt(bytes, at);
    if (!head) return responses;
    const { status } = head;
    if (Number.isNaN(status)) throw new Error(`no status line (RFC 9112, section 4): ${JSON.stringify(head.line)}`);
    const hasBody = status >= 200 && status !== 204 && requests[responses.length]?.method !== 'HEAD';
    const { body, end } = hasBody ? readBody(bytes, head, bytes.length) : { body: Buffer.alloc(0), end: head.end };
    if (status >= 200) responses.push({ status, headers: head.headers, body });
    at = end;
  }
  return responses;
}

// The head that begins there; undefined if it is not all there.
function headAt(bytes, at) {
  const end = bytes.indexOf(blankLine, at);
  if (end < 0) return undefined;
  return { ...readHead(bytes.toString('latin1', at, end)), end: end + blankLine.length };
}

// A body without a length ends at `endWithoutLength`: at once for a request, with the connection for a response.
function readBody(bytes, { headers, end: start }, endWithoutLength) {
  if (headers['transfer-encoding']?.toLowerCase() === 'chunked') return readChunks(bytes, start);
  const length = Number.parseInt(headers['content-length'], 10);
  const end = Number.isNaN(length) ? Math.max(start, endWithoutLength) : Math.min(start + length, bytes.length);
  return { body: bytes.subarray(start, end), end };
}

function readChunks(bytes, start) {
  const chunks = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = lineEnd < 0 ? NaN : Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const begin = lineEnd + 2;
    if (Number.isNaN(size)) return { body: Buffer.concat(chunks), end: bytes.length };
    if (size === 0) return { body: Buffer.concat(chunks), end: begin + 2 };
    chunks.push(bytes.subarray(begin, begin + size));
    at = begin + size + 2;
  }
}
