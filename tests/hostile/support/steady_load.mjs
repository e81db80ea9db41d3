// Clients that call constantly, on a thread of their own, so that what a script does beside them is not measured with
// them. Its memory does not grow with the calls.
import { once } from 'node:events';
import { createHistogram } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

import { newestLegacy, Session } from '../../integration/support/http.mjs';

// In the memory that both threads see.
export const place = { running: 0, phase: 1, calls: 2 };

export class SteadyLoad {
  // `tool` answers "BUILD TEXT". Calls are timed by phase: their names, one after the other. Connections have further
  // headers where `headersOf` says so, and all are modern where there are no legacy sessions. `sessionHeaders` are those
  // that sessions are opened with.
  static async start(url, tool, phases, connections, options = {}) {
    const { pauseMs = 0, legacySessions = 4, headersOf = [], sessionHeaders = {} } = options;
    const open = () => Session.open(url, newestLegacy, sessionHeaders);
    const sessions = await Promise.all(Array.from({ length: legacySessions }, open));
    const headers = sessions.map(({ id }) => ({ 'Mcp-Session-Id': id, 'MCP-Protocol-Version': newestLegacy }));
    return new SteadyLoad({ url: url.href, tool, sessions: headers, connections, pauseMs, headersOf }, phases);
  }

  constructor(what, phases) {
    this.#phases = ['none', ...phases];
    this.#state = new Int32Array(new SharedArrayBuffer(4 * Object.keys(place).length));
    this.#state[place.running] = 1;
    this.times = Object.fromEntries(phases.map((name) => [name, createHistogram()]));
    const histograms = this.#phases.map((name) => this.times[name]);
    const thread = new Worker(new URL('steady_load_thread.mjs', import.meta.url),
      { workerData: { ...what, state: this.#state, histograms } });
    this.#found = once(thread, 'message').then(([found]) => found);
  }
  #phases;
  #state;
  #found;

  get calls() {
    return Atomics.load(this.#state, place.calls);
  }

  // Of the calls that begin from now on.
  set phase(name) {
    Atomics.store(this.#state, place.phase, this.#phases.indexOf(name));
  }

  async until(calls, patienceMs = 60_000) {
    let [last, deadline] = [this.calls, Date.now() + patienceMs];
    for (; this.calls < calls; await sleep(2)) {
      if (this.calls > last) [last, deadline] = [this.calls, Date.now() + patienceMs];
      if (Date.now() > deadline) throw new Error(`no call has been answered for ${patienceMs} ms`);
    }
  }

  // What it has found: sent, wrong (with examples), closed, unasked, answeredBy. Rejects if a call stays unanswered.
  async stop(patienceMs = 60_000) {
    Atomics.store(this.#state, place.running, 0);
    const late = AbortSignal.timeout(patienceMs);
    return Promise.race([
      this.#found,
      once(late, 'abort').then(() => Promise.reject(new Error(`a call is lost: not answered in ${patienceMs} ms`))),
    ]);
  }
}
