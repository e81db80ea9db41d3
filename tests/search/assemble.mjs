// assemble.mjs FOLDER: makes FOLDER/tools.json of the tools of the MCP servers in packages.json, by which the search for
// tools is measured (quality_test.cpp). It installs the packages there, without their scripts, starts each server on its
// standard streams and asks it what tools it has. Servers want accounts of theirs; what they are given instead is enough
// to be asked.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { argv, execPath, exit } from 'node:process';
import { fileURLToPath } from 'node:url';

const folder = resolve(argv[2] ?? (console.error('usage: assemble.mjs FOLDER'), exit(2)));
const servers = JSON.parse(readFileSync(fileURLToPath(new URL('packages.json', import.meta.url)), 'utf8'));
const patienceMs = 60_000;

function install({ name, version }) {
  const place = join(folder, 'packages', name.replace(/[@/]/g, '_'));
  const manifest = join(place, 'node_modules', name, 'package.json');
  if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === version) return manifest;
  mkdirSync(place, { recursive: true });
  const how = ['--prefix', place, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', ['install', ...how, `${name}@${version}`], { stdio: 'inherit' });
  if (status !== 0) throw new Error('it cannot be installed');
  return manifest;
}

function programOf(manifest, { program }) {
  const { bin, name } = JSON.parse(readFileSync(manifest, 'utf8'));
  const file = typeof bin === 'string' ? bin : (bin[program ?? name.split('/').at(-1)] ?? Object.values(bin)[0]);
  return join(manifest, '..', file);
}

// Every tool of a server, which is ended then.
function toolsOf(manifest, server) {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const args = (server.args ?? []).map((each) => each.replace('$HOME', home));
  const child = spawn(execPath, [programOf(manifest, server), ...args], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, ...server.environment },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const tools = [];
  let text = '';
  const found = new Promise((take, give) => {
    setTimeout(() => give(new Error('it takes too long')), patienceMs).unref();
    child.on('error', give);
    child.on('exit', (status) => give(new Error(`it has ended with ${status}`)));
    child.stdin.on('error', () => {});
    child.stdout.setEncoding('utf8').on('data', (piece) => {
      const lines = (text + piece).split('\n');
      text = lines.pop();
      for (const line of lines.filter((each) => each.startsWith('{'))) {
        const { id, result, error } = JSON.parse(line);
        if (error) give(new Error(error.message));
        if (id === 'initialize' && result) {
          send({ method: 'notifications/initialized' });
          send({ id: 'tools', method: 'tools/list' });
        }
        if (id !== 'tools' || !result) continue;
        tools.push(...result.tools);
        if (result.nextCursor === undefined) return take(tools);
        send({ id: 'tools', method: 'tools/list', params: { cursor: result.nextCursor } });
      }
    });
    const clientInfo = { name: 'assemble', version: '1' };
    send({ id: 'initialize', method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
  });
  return found.finally(() => child.kill('SIGKILL'));
}

const all = new Map();
for (const server of servers) {
  try {
    const tools = await toolsOf(install(server), server);
    for (const { name, title, description, inputSchema } of tools) {
      // Where two have a tool of the same name, a host serves the first.
      if (!all.has(name)) all.set(name, { source: server.name, name, title, description, inputSchema });
    }
    console.log(`${server.name} ${server.version}: ${tools.length} tools`);
  } catch (error) {
    console.error(`${server.name} ${server.version}: left out, because ${error.message}`);
  }
}
writeFileSync(join(folder, 'tools.json'), JSON.stringify([...all.values()], undefined, 1));
console.log(`${all.size} tools in ${join(folder, 'tools.json')}`);
exit(0);
