// What a host writes to its log: JSON lines, kept, and waited for by what they say.
import { patience } from './patience.mjs';
import { until } from './until.mjs';

export class LogLines {
  #entries = [];
  #waiting = new Set();
  #rest = '';

  constructor(stream) {
    stream.setEncoding('utf8');
    stream.on('data', (text) => this.#take(text));
  }

  get entries() {
    return this.#entries;
  }

  text() {
    return this.#entries.map((entry) => entry.text ?? JSON.stringify(entry)).join('\n');
  }

  matching(fields) {
    return this.#entries.filter((entry) => hasFields(entry, fields));
  }

  // What a sanitizer has found, in the host or in a worker, whose end alone would be just another crash.
  get sanitizersFindings() {
    const finding = /(ERROR|WARNING|FATAL): (Address|Leak|Thread)Sanitizer: |: runtime error: /;
    return this.#entries.filter(({ text }) => finding.test(text)).map(({ text }) => text);
  }

  // The first entry, already written or to come, that has these fields: a text, or what a regular expression matches.
  until(fields, options) {
    const found = this.matching(fields)[0];
    return found ? Promise.resolve(found) : this.next(fields, options);
  }

  // The same of those that are still to come.
  next(fields, { patienceMs = patience } = {}) {
    return new Promise((resolve, reject) => {
      const wait = { fields, resolve };
      this.#waiting.add(wait);
      setTimeout(() => {
        if (!this.#waiting.delete(wait)) return;
        reject(new Error(`the log has no ${JSON.stringify(fields)} after ${patienceMs} ms:\n${this.text()}`));
      }, patienceMs).unref();
    });
  }

  // Until there are so many of them.
  async untilTimes(times, fields) {
    await until(() => this.matching(fields).length >= times, () => this.text());
  }

  #take(text) {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop();
    for (const line of lines) this.#add(parse(line));
  }

  #add(entry) {
    this.#entries.push(entry);
    for (const wait of this.#waiting) {
      if (!hasFields(entry, wait.fields)) continue;
      this.#waiting.delete(wait);
      wait.resolve(entry);
    }
  }
}

export function hasFields(entry, fields) {
  return Object.entries(fields).every(([name, value]) =>
    value instanceof RegExp ? value.test(entry[name] ?? '') : entry[name] === value);
}

// Sanitizers and crashing programs write lines that are not JSON.
function parse(line) {
  try {
    return JSON.parse(line);
  } catch {
    return { text: line };
  }
}
