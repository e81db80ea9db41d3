// Servers that take the same load in turn, in the same minutes on the same machine, so that what else runs there meets
// all of them. Medians of the rounds' ratios are what to look at.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';

// "BUILD_DIR [--name VALUE]..."; load() takes its program from there, too. Those of `defaults` that are numbers are numbers.
export function readArguments(defaults) {
  const [build, ...rest] = process.argv.slice(2);
  const refuse = () => {
    console.error(`usage: BUILD_DIR, and of --${Object.keys(defaults).join(', --')} what differs`);
    process.exit(2);
  };
  if (build === undefined) refuse();
  const wanted = { build, ...defaults };
  for (let i = 0; i < rest.length; i += 2) {
    const name = rest[i].replace(/^--/, '');
    if (!(name in defaults) || rest[i + 1] === undefined) refuse();
    wanted[name] = typeof defaults[name] === 'number' ? Number(rest[i + 1]) : rest[i + 1];
  }
  return wanted;
}

// A bench that is interrupted takes away what it has made, as at any other end.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

export const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

// The first group of the first line that matches.
export function firstLine(stream, pattern) {
  return new Promise((resolve, reject) => {
    const lines = readline.createInterface({ input: stream });
    lines.on('line', (line) => {
      const match = pattern.exec(line);
      if (match) resolve(match[1]);
    });
    lines.on('close', () => reject(new Error(`no line came that matches ${pattern}`)));
  });
}

export async function stop(child) {
  const gone = new Promise((resolve) => { child.once('exit', resolve); });
  child.kill('SIGTERM');
  await gone;
}

// The id of a session of revision 2025-11-25; nothing if the server gives none.
export async function openSession(url) {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const ask = (more, body) => fetch(url, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify({ jsonrpc: '2.0', ...body }) });
  const response = await ask({}, { id: 0, method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } } });
  await response.text();
  const session = response.headers.get('mcp-session-id') ?? undefined;
  const more = { 'MCP-Protocol-Version': '2025-11-25', ...(session && { 'Mcp-Session-Id': session }) };
  await (await ask(more, { method: 'notifications/initialized' })).text();
  return session;
}

// What a bench needs of the file system, and the hosts of it.
export class Bench {
  constructor(build, name, parent = os.tmpdir()) {
    this.build = build;
    this.program = path.join(build, 'bin/mcp-plugin-host');
    this.folder = mkdtempSync(path.join(parent, `bench-${name}-`));
    this.hosts = {};
    // Also where a bench ends early: its hosts go with the folder that they serve from.
    process.once('exit', () => {
      for (const child of Object.values(this.hosts)) child.kill('SIGKILL');
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  file(name, text) {
    const file = path.join(this.folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  }

  // `components` is a folder of the build's. Beside what a child process has: url, and admin where it has such a listener.
  async start(name, { toml = '', components = 'bench/components', isolation = 'in-process', options = [] } = {}) {
    const child = spawn(this.program, [
      ...['serve', '--components', path.resolve(this.build, components), '--listen', '127.0.0.1:0', '--isolation', isolation],
      ...['--control', 'none', '--config', this.file(`${name}.toml`, toml), '--data', path.join(this.folder, `${name}.data`)],
      ...options,
    ], { stdio: ['ignore', 'ignore', 'pipe'] });
    [child.url, child.admin] = await Promise.all([
      firstLine(child.stderr, / serving url=(\S+)/),
      options.includes('--admin-listen') ? firstLine(child.stderr, /serving the operator url=(\S+)/) : undefined,
    ]);
    child.stderr.resume();
    this.hosts[name] = child;
    return child;
  }

  async end() {
    await Promise.all(Object.values(this.hosts).map(stop));
    this.hosts = {};
  }
}

// A process and all that come from it: a host's workers, too.
export function processesOf(pid) {
  const stats = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((name) => {
    try {
      return [[Number(name), Number(readFileSync(`/proc/${name}/stat`, 'utf8').replace(/^.*\) /, '').split(' ')[1])]];
    } catch {
      return []; // it has just ended
    }
  });
  const all = [pid];
  for (let i = 0; i < all.length; ++i) all.push(...stats.filter(([, parent]) => parent === all[i]).map(([child]) => child));
  return all;
}

// In microseconds, user and system, of all these processes.
function processorTime(pids) {
  return pids.reduce((sum, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '').split(' ');
    return sum + (Number(fields[11]) + Number(fields[12])) * 1e4;
  }, 0);
}

// What comes of one load on the server `child`, which has a url. Latencies in microseconds; `processor` is the time of all
// the server's processes for a request, in microseconds, too. `options` are those of http_load.cpp, by name.
export function load(child, { mayFail = false, pids = processesOf(child.pid), ...options } = {}) {
  const before = processorTime(pids);
  const output = execFileSync(path.join(process.argv[2], 'bench/bench_http_load'),
    [child.url, ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])], { encoding: 'utf8' });
  const [perSecond, p50, p99, errors, count, ofLoad] = /RESULT (.*)/.exec(output)[1].split(' ').map(Number);
  if (errors > 0 && !mayFail) throw new Error(`${errors} requests failed: ${output}`);
  return { perSecond, p50, p99, errors, count, ofLoad, processor: (processorTime(pids) - before) / count };
}

// Each of `loads`, name -> function that loads, once a round; each has each place in the turn.
export function takeTurns(loads, rounds) {
  const names = Object.keys(loads);
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; ++round) {
    for (let i = 0; i < names.length; ++i) {
      const name = names[(round + i) % names.length];
      results[name].push(loads[name]());
    }
  }
  return results;
}

// The median of the rounds' ratios to `base`, of the figure that is asked for.
export function ratioTo(base, results, figure) {
  return median(results.map((result, round) => result[figure] / base[round][figure]));
}

export function printTurns(results) {
  const [base] = Object.values(results);
  console.log(`${''.padEnd(24)}   req/s  of the first (least, most)  p50 us  p99 us  processor us  of the first`);
  for (const [name, each] of Object.entries(results)) {
    const of = (figure, digits = 0) => median(each.map((result) => result[figure])).toFixed(digits);
    const ratios = each.map(({ perSecond }, round) => perSecond / base[round].perSecond);
    console.log([name.padEnd(24), of('perSecond').padStart(8),
      `${median(ratios).toFixed(3)} (${Math.min(...ratios).toFixed(3)}, ${Math.max(...ratios).toFixed(3)})`.padStart(28),
      of('p50').padStart(6), of('p99').padStart(6), of('processor', 1).padStart(12),
      ratioTo(base, each, 'processor').toFixed(3).padStart(12)].join('  '));
  }
}
