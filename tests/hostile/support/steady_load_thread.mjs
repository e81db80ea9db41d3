// The thread of a SteadyLoad: its connections, which call constantly and check what they get.
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

import { contentHeaders, modernHeaders, modernRequest, request } from '../../integration/support/http.mjs';
import { HttpConnection } from './http_connection.mjs';
import { place } from './steady_load.mjs';

const { url, tool, sessions, connections, pauseMs, headersOf, state, histograms } = workerData;
const found = { wrong: 0, examples: [], answeredBy: {} };
let lastId = 0;

const modernLines = HttpConnection.headerLines({ ...contentHeaders, ...modernHeaders('tools/call', tool) });

// Every second one is of a legacy session.
function kindOf(number) {
  const further = HttpConnection.headerLines(headersOf[number] ?? {});
  if (number % 2 === 0 || sessions.length === 0) return { lines: modernLines + further, message: modernRequest };
  return {
    lines: HttpConnection.headerLines({ ...contentHeaders, ...sessions[(number >> 1) % sessions.length] }) + further,
    message: request,
  };
}

// The build that has answered. What says neither the id nor the argument of this call is the answer to another one.
function buildIn(body, id) {
  const answer = JSON.parse(body);
  const [build, argument] = answer.result?.content?.[0]?.text?.split(' ') ?? [];
  if (answer.id !== id || argument !== `call-${id}`) throw new Error(`call ${id} is answered by ${body.slice(0, 500)}`);
  return build;
}

async function call(connection, { lines, message }) {
  const id = ++lastId;
  const body = JSON.stringify(message('tools/call', { name: tool, arguments: { text: `call-${id}` } }, id));
  const phase = Atomics.load(state, place.phase);
  const begin = process.hrtime.bigint();
  const build = buildIn(await connection.ask(lines, body), id);
  histograms[phase]?.record(process.hrtime.bigint() - begin);
  found.answeredBy[build] = (found.answeredBy[build] ?? 0) + 1;
}

async function run(connection, number) {
  const kind = kindOf(number);
  while (Atomics.load(state, place.running) && !connection.closed) {
    try {
      await call(connection, kind);
    } catch (error) {
      ++found.wrong;
      if (found.examples.length < 5) found.examples.push(error.message);
    }
    Atomics.add(state, place.calls, 1);
    if (pauseMs > 0) await sleep(pauseMs);
  }
}

const all = Array.from({ length: connections }, () => new HttpConnection(new URL(url)));
await Promise.all(all.map(run));
await sleep(100); // for answers that nobody has asked for
parentPort.postMessage({
  ...found,
  sent: lastId,
  closed: all.filter(({ closed }) => closed).length,
  unasked: all.reduce((sum, { unasked }) => sum + unasked, 0),
});
for (const connection of all) connection.close();
