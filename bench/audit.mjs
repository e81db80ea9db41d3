// What an audit log costs: the same load, in turn, on hosts without one, with one in mode async, and in mode strict. The
// files are in the system's folder for temporary files unless --folder names another one; what strict costs depends on
// the disk there. At the end `audit verify` looks at what has been written, which says how fast it is.
// usage: audit.mjs BUILD_DIR [--seconds N] [--rounds N] [--loops N] [--folder FOLDER] [--isolation in-process]
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';

const [build, ...rest] = process.argv.slice(2);
const text = (name, fallback) => (rest.includes(name) ? rest[rest.indexOf(name) + 1] : fallback);
const option = (name, fallback) => Number(text(name, fallback));
const seconds = option('--seconds', 5);
const rounds = option('--rounds', 5);
const loops = option('--loops', Math.min(4, os.availableParallelism()));
const program = path.join(build, 'bin/mcp-plugin-host');
const here = path.dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(path.join(text('--folder', os.tmpdir()), 'mcp-bench-audit-'));
const components = path.join(folder, 'components');
mkdirSync(path.join(components, 'tools'), { recursive: true });
copyFileSync(path.join(build, 'bench/components/tools/bench_echo.so'), path.join(components, 'tools/bench_echo.so'));

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

async function start(mode) {
  const options = ['serve', '--components', components, '--listen', '127.0.0.1:0', '--threads', String(loops),
    '--data', path.join(folder, 'data'), '--isolation', text('--isolation', 'worker'), '--control', 'none'];
  if (mode !== 'off') {
    const file = path.join(folder, `${mode}.toml`);
    writeFileSync(file, `[audit]\nfile = "${mode}.jsonl"\nmode = "${mode}"\nkey = "key.pem"\n`);
    options.push('--config', file);
  }
  const child = spawn(program, options, { stdio: ['ignore', 'ignore', 'pipe'] });
  child.url = await new Promise((resolve) => {
    readline.createInterface({ input: child.stderr }).on('line', (line) => {
      const match = /serving url=(\S+)/.exec(line);
      if (match) resolve(match[1]);
    });
  });
  return child;
}

async function stop(child) {
  const gone = new Promise((resolve) => { child.once('exit', resolve); });
  child.kill('SIGTERM');
  await gone;
}

function load(url, connections) {
  const output = execFileSync('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', path.join(here, 'call.lua'), url],
    { env: { ...process.env, MCP_ERA: 'modern' }, encoding: 'utf8' });
  const [, perSecond, p50, p99, errors] = /RESULT (\S+) (\S+) (\S+) (\S+)/.exec(output).map(Number);
  return { perSecond, p50, p99, errors };
}

const publicKey = path.join(folder, 'public.pem');
writeFileSync(publicKey, execFileSync(program, ['audit', 'key', path.join(folder, 'key.pem')]));
const modes = ['off', 'async', 'strict'];
const hosts = {};
for (const mode of modes) hosts[mode] = await start(mode);
console.log(`medians of ${rounds} rounds of ${seconds} s; ${loops} loops; ${os.cpus()[0].model}, ${os.availableParallelism()} processors\n`);
console.log('connections  mode    calls/s  of off  p50 us  p99 us  errors');
for (const connections of [1, 32, 128, 512]) {
  const results = Object.fromEntries(modes.map((mode) => [mode, []]));
  for (let round = 0; round < rounds; ++round) {
    for (const mode of modes) results[mode].push(load(hosts[mode].url, connections));
  }
  // Of each round by itself, because what else runs on the machine changes from one to the next.
  for (const mode of modes) {
    const of = (what) => median(results[mode].map((result) => result[what]));
    const ratio = median(results[mode].map((result, round) => result.perSecond / results.off[round].perSecond));
    console.log([String(connections).padStart(11), mode.padEnd(6), of('perSecond').toFixed(0).padStart(8),
      ratio.toFixed(2).padStart(6), of('p50').toFixed(0).padStart(6), of('p99').toFixed(0).padStart(6),
      String(of('errors')).padStart(6)].join('  '));
  }
}
for (const mode of modes) await stop(hosts[mode]);

const files = readdirSync(folder).filter((name) => name.startsWith('async.jsonl')).sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
  .map((name) => path.join(folder, name));
const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
const times = []; // of which the shortest counts: what else runs on the machine only makes it longer
for (let i = 0; i < 5; ++i) {
  const begin = process.hrtime.bigint();
  execFileSync(program, ['audit', 'verify', ...files, '--key', publicKey]);
  times.push(Number(process.hrtime.bigint() - begin) / 1e9);
}
console.log(`\naudit verify: ${(bytes / 1e6).toFixed(0)} MB in ${Math.min(...times).toFixed(2)} s, ${(bytes / 1e6 / Math.min(...times)).toFixed(0)} MB/s`);
rmSync(folder, { recursive: true });
