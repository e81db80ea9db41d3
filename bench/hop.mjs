// What a hop over HTTP costs: calls of a tool of an upstream, through the host and through a bare Beast reverse proxy, which
// both ask the same bare server, in turn. And what is left of the rate of a program over stdio that is an upstream: another
// host with a tool that does nothing, and a server of the official SDK (tests/integration has it). usage: hop.mjs BUILD_DIR [--seconds N] [--rounds N] [--connections N] [--loops N]
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { Bench, firstLine, load, printTurns, readArguments, takeTurns } from './hosts.mjs';

const wanted = readArguments({ seconds: 5, rounds: 3, connections: 32, loops: Math.min(4, os.availableParallelism()) });
const bench = new Bench(wanted.build, 'hop');
const children = [];
process.once('exit', () => { for (const child of children) child.kill('SIGKILL'); });

async function startBare(program, ...rest) {
  const child = spawn(path.join(wanted.build, 'bench', program), [String(wanted.loops), ...rest],
    { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  child.port = await firstLine(child.stdout, /listening (\d+)/);
  child.url = `http://127.0.0.1:${child.port}/mcp`;
  return child;
}

const server = await startBare('bench_baseline', 'modern');
const proxy = await startBare('bench_proxy', server.port);
const components = path.join(bench.folder, 'components');
mkdirSync(path.join(components, 'tools'), { recursive: true });
writeFileSync(path.join(components, 'tools/bare.mcp.json'), JSON.stringify({ url: server.url, prefix: '' }));
const host = await bench.start('hop', { components, options: ['--threads', String(wanted.loops)] });
const { seconds, connections } = wanted;
const loads = Object.fromEntries(Object.entries({ proxy, host, 'the server itself': server })
  .map(([name, child]) => [name, () => load(child, { seconds, connections })]));
printTurns(takeTurns(loads, wanted.rounds));
await bench.end();

const ofTheSdk = fileURLToPath(new URL('../tests/integration/support/echo_server.mjs', import.meta.url));
const programs = {
  'another host': [path.resolve(bench.program), 'stdio', '--isolation', 'in-process', '--log-level', 'error', '--components',
    path.resolve(wanted.build, 'bench/components'), '--data', path.join(bench.folder, 'program.data')],
  'a server of the SDK': [process.execPath, ofTheSdk],
};
for (const [name, program] of Object.entries(programs)) {
  const settings = { command: program[0], args: program.slice(1), prefix: '' };
  writeFileSync(path.join(components, 'tools/bare.mcp.json'), JSON.stringify(settings));
  const through = await bench.start('stdio', { components, options: ['--threads', String(wanted.loops)] });
  const byItself = () => {
    const output = execFileSync(path.join(wanted.build, 'bench/bench_stdio_load'), [seconds, connections, ...program].map(String));
    return { perSecond: Number(output), p50: NaN, p99: NaN, processor: NaN };
  };
  const turns = { [name]: byItself, 'over stdio': () => load(through, { seconds, connections, pids: [through.pid] }) };
  printTurns(takeTurns(turns, wanted.rounds));
  await bench.end();
}
process.exit(0);
