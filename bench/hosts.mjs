// Servers that take the same load in turn, in the same minutes on the same machine, so that what else runs there meets
// all of them. Medians of the rounds' ratios are what to look at.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));

// "BUILD_DIR [--name VALUE]..."; those of `defaults` that are numbers are numbers.
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

// In seconds, of all threads of a process.
function processorTime(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

// Latencies in microseconds; `processor` is the host's own time for a request, in microseconds, too.
export function load(child, { script = 'call.lua', connections = 32, seconds = 5, token, environment = {} } = {}) {
  const before = processorTime(child.pid);
  const headers = token === undefined ? [] : ['-H', `Authorization: Bearer ${token}`];
  const output = execFileSync('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, ...headers, '-s', path.join(here, script), child.url],
    { env: { ...process.env, MCP_ERA: 'modern', ...environment }, encoding: 'utf8' });
  const [, perSecond, p50, p99, errors] = /RESULT (\S+) (\S+) (\S+) (\S+)/.exec(output).map(Number);
  if (errors > 0) throw new Error(`${errors} requests failed: ${output}`);
  const count = Number(/(\d+) requests in/.exec(output)[1]);
  return { perSecond, p50, p99, count, processor: ((processorTime(child.pid) - before) * 1e6) / count };
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
