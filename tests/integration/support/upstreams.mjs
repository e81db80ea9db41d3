// Upstream servers for tests: the official ones, as NAME.mcp.json in a components folder.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = join(dirname(fileURLToPath(import.meta.url)), '..', 'node_modules');

// On a busy machine they take long to start.
const connectMs = 60_000;

// The program of an official server, with the Node.js that runs these tests.
export function official(name, args = [], more = {}) {
  const program = join(packages, '@modelcontextprotocol', `server-${name}`, 'dist', 'index.js');
  return { command: process.execPath, args: [program, ...args], connectMs, ...more };
}

// A script of these tests.
export function script(name, args = [], more = {}) {
  return { command: process.execPath, args: [join(dirname(fileURLToPath(import.meta.url)), name), ...args], connectMs, ...more };
}

export function addUpstream(components, name, settings) {
  return components.write(`${name}.mcp.json`, JSON.stringify(settings));
}
