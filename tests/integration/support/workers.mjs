// The processes that a host has started for its plugins, and the one that forks them: known by their command lines.
import { readdirSync, readFileSync } from 'node:fs';

// [{pid, forks}] of the host's process `host`, with those that a plugin has left.
export function workersOf(host) {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid)).flatMap((pid) => {
    const line = commandLineOf(pid);
    if (!line.startsWith(`mcp-plugin-worker\0${host}\0`)) return [];
    return { pid: Number(pid), forks: /\0fork-server *\0/.test(line) };
  });
}

function commandLineOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return ''; // it has ended
  }
}
