// What a host has of the team server that nobody asks for yet: its memory, and the time from its start until the first
// list is answered by stdio, without any of it and with all of it. Medians; hosts with and without take turns.
// usage: everything.mjs BUILD_DIR [--rounds N]
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { Bench, firstLine, median, readArguments } from './hosts.mjs';

const { build, rounds } = readArguments({ rounds: 9 });
const bench = new Bench(build, 'everything');
const inFolder = (name) => path.join(bench.folder, name);

execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2',
  '-subj', '/CN=localhost', '-keyout', inFolder('server.key'), '-out', inFolder('server.pem')], { stdio: 'ignore' });
execFileSync(bench.program, ['audit', 'key', inFolder('key.pem')]);
const everything = `[server]
url = "https://localhost"
[tls]
certificate = "server.pem"
key = "server.key"
[tokens]
file = "tokens.json"
[issuers.company]
issuer = "https://login.example.com"
[roles.user]
allow = ["*"]
[roles.starter]
allow = ["*"]
[stdio]
roles = ["starter"]
[servers.part]
allow = ["tool:*"]
[limits.per_principal]
rate = "100000/s"
[limits.failures]
rate = "100/s"
[audit]
file = "audit.jsonl"
key = "key.pem"
[traces]
endpoint = "http://127.0.0.1:9/v1/traces"
`;
const admin = ['--admin-listen', '127.0.0.1:0'];

// What it has of its own: nobody but root may look more closely at a host that has secrets.
function idleKiB(child) {
  return Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]);
}

async function startMs(name, file) {
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
  const begin = process.hrtime.bigint();
  const child = spawn(bench.program, ['stdio', '--components', path.join(build, 'bench/components'), '--log-level', 'error',
    '--data', inFolder(`${name}.stdio`), '--config', file], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } })}\n`);
  await firstLine(child.stdout, /("id":1,"result")/);
  const ms = Number(process.hrtime.bigint() - begin) / 1e6;
  const gone = new Promise((resolve) => { child.once('exit', resolve); });
  child.stdin.end();
  await gone;
  return ms;
}

const kinds = { nothing: { toml: '' }, everything: { toml: everything, options: admin } };
const memory = { nothing: [], everything: [] };
const starts = { nothing: [], everything: [] };
for (let round = 0; round < rounds; ++round) {
  for (const [name, kind] of Object.entries(kinds)) {
    const child = await bench.start(name, { ...kind, isolation: 'worker' });
    await sleep(300);
    memory[name].push(idleKiB(child));
    child.kill('SIGTERM');
    await new Promise((resolve) => { child.once('exit', resolve); });
    delete bench.hosts[name];
    for (let i = 0; i < 3; ++i) starts[name].push(await startMs(name, inFolder(`${name}.toml`)));
  }
}
const [less, more] = [median(memory.nothing), median(memory.everything)];
console.log(`idle memory of the host (RssAnon): ${less} KiB without, ${more} KiB with everything, ${((more - less) / 1024).toFixed(2)} MiB more`);
const [sooner, later] = [median(starts.nothing), median(starts.everything)];
console.log(`stdio start to first list: ${sooner.toFixed(1)} ms without, ${later.toFixed(1)} ms with everything, ${(later - sooner).toFixed(1)} ms later`);
await bench.end();
