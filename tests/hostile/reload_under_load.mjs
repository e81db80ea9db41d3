// Replaces a plugin again and again while clients call it. No call may fail, no connection may close, both builds must
// answer, and memory must not creep.
//
// usage: reload_under_load.mjs HOST BUILD_ONE BUILD_TWO [REPLACEMENTS] [CONNECTIONS]
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';

const [host, buildOne, buildTwo, replacements = '200', connections = '16'] = process.argv.slice(2);
const wanted = { replacements: Number(replacements), connections: Number(connections) };
const rssAllowanceKiB = 4096;
const warmUpReplacements = 20;

const folder = mkdtempSync(path.join(os.tmpdir(), 'reload-under-load-'));
const served = path.join(folder, 'tools', 'replaced.so');
mkdirSync(path.dirname(served), { recursive: true });
copyFileSync(buildOne, served);

const child = spawn(host, ['serve', '--components', folder, '--listen', '127.0.0.1:0', '--log-format', 'json'],
  { stdio: ['ignore', 'ignore', 'pipe'] });
const exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)));
const waiting = [];
readline.createInterface({ input: child.stderr }).on('line', (line) => {
  const entry = JSON.parse(line);
  for (const one of waiting.filter(({ event }) => event === entry.event)) {
    waiting.splice(waiting.indexOf(one), 1);
    one.resolve(entry);
  }
});
const event = (name) => new Promise((resolve) => waiting.push({ event: name, resolve }));

const rssKiB = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]);

const url = new URL((await event('serving')).url);
const agent = new http.Agent({ keepAlive: true, maxSockets: wanted.connections });
const counts = { calls: 0, failed: 0, one: 0, two: 0 };
const sockets = new Set();
let running = true;

function call(id) {
  const body = JSON.stringify({
    jsonrpc: '2.0', id, method: 'tools/call',
    params: {
      name: 'build', arguments: {},
      _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} },
    },
  });
  const headers = {
    'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', 'Content-Length': body.length,
    'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'build',
  };
  return new Promise((resolve) => {
    const request = http.request(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => { text += chunk; });
      response.on('end', () => resolve(text));
    });
    request.on('socket', (socket) => sockets.add(socket));
    request.on('error', (error) => resolve(String(error)));
    request.end(body);
  });
}

async function client(number) {
  for (let i = 0; running; ++i) {
    const id = `${number}-${i}`;
    const text = await call(id);
    ++counts.calls;
    const build = /"text":"(one|two)"/.exec(text)?.[1];
    if (build && text.includes(`"id":"${id}"`)) {
      ++counts[build];
    } else if (++counts.failed <= 3) {
      console.error('failed call:', text);
    }
  }
}

const clients = Array.from({ length: wanted.connections }, (_, number) => client(number));
let rssBefore = 0;
for (let i = 0; i < wanted.replacements; ++i) {
  const next = path.join(folder, 'next');
  copyFileSync(i % 2 === 0 ? buildTwo : buildOne, next);
  const replaced = event('plugin replaced');
  renameSync(next, served);
  await replaced;
  if (i === warmUpReplacements) rssBefore = rssKiB();
}
const rssAfter = rssKiB();
running = false;
await Promise.all(clients);
agent.destroy();
child.kill('SIGTERM');
const status = await exited;
rmSync(folder, { recursive: true });

console.log(`replacements ${wanted.replacements}  calls ${counts.calls}  failed ${counts.failed}  ` +
  `answered by one ${counts.one}, by two ${counts.two}  connections opened ${sockets.size} of ${wanted.connections}  ` +
  `RSS ${rssBefore} -> ${rssAfter} KiB  exit ${status}`);
const good = counts.failed === 0 && counts.one > 0 && counts.two > 0 && sockets.size === wanted.connections &&
  rssAfter - rssBefore <= rssAllowanceKiB && status === 0;
process.exit(good ? 0 : 1);
