// Hosts that the operator's commands of a test's file, and no others, find by themselves.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

import { program } from './host.mjs';

const folder = await mkdtemp(join(tmpdir(), 'mcp-operated-'));
Object.assign(process.env, { XDG_RUNTIME_DIR: folder, XDG_STATE_HOME: folder, TMPDIR: folder });
after(() => rm(folder, { recursive: true, force: true }));

export function command(...args) {
  return new Promise((resolve) => {
    execFile(program, args, (error, stdout, stderr) => resolve({ status: error?.code ?? 0, stdout, stderr }));
  });
}
