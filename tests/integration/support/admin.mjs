// The listener for the operator's programs: its address, and metrics as values.
import { once } from 'node:events';

// Of a host that has been started with --admin-listen.
export async function adminOf(host) {
  const { url } = await host.log.until({ event: 'serving the operator' });
  return new URL('/', url);
}

// Fails on what is no metric in the text format of Prometheus, 0.0.4.
export function parseMetrics(text) {
  const types = new Map();
  const samples = new Map();
  let last;
  for (const line of text.split('\n').slice(0, -1)) {
    const comment = /^# (HELP|TYPE) ([a-z_]+) (.+)$/.exec(line);
    if (comment) {
      const [, kind, name, rest] = comment;
      if (kind === 'HELP' && types.has(name)) throw new Error(`${name} comes twice`);
      if (kind === 'TYPE') types.set(name, rest);
      last = name;
      continue;
    }
    const sample = /^([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (-?[0-9.e+-]+)$/.exec(line);
    if (!sample) throw new Error(`no metric: ${line}`);
    const [, name, labels = '', value] = sample;
    if (name.replace(/_(bucket|sum|count)$/, '') !== last && name !== last) throw new Error(`${name} within ${last}`);
    const key = `${name}{${labels}}`;
    if (samples.has(key)) throw new Error(`${key} comes twice`);
    samples.set(key, Number(value));
  }
  return { types, samples };
}

export class Metrics {
  static async read(admin) {
    const response = await fetch(new URL('/metrics', admin));
    if (response.status !== 200) throw new Error(`status ${response.status}`);
    return new Metrics(await response.text());
  }

  constructor(text) {
    this.text = text;
    Object.assign(this, parseMetrics(text));
  }

  // The sum of all samples of this name whose labels include these.
  sum(name, labels = {}) {
    const wanted = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
    let sum;
    for (const [key, value] of this.samples) {
      if (key.startsWith(`${name}{`) && wanted.every((each) => key.includes(each))) sum = (sum ?? 0) + value;
    }
    return sum;
  }

  // How many requests have ended that these labels are of.
  requests(labels) {
    return this.sum('mcp_server_operation_duration_seconds_count', labels) ?? 0;
  }
}

// Runs a program with this on its standard input, and returns its status.
export async function feed(child, text) {
  child.stdin.end(text);
  const [status] = await once(child, 'close');
  return status;
}
