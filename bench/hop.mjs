// What a hop over HTTP costs: calls of a tool of an upstream, through the host and through a bare Beast reverse proxy, which
// both ask the same bare server, in turn. usage: hop.mjs BUILD_DIR [--seconds N] [--rounds N] [--connections N] [--loops N]
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

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
process.exit(0);
