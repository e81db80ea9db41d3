// Hosts that the operator's commands of a test's file, and no others, find by themselves.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

const folder = await mkdtemp(join(tmpdir(), 'mcp-operated-'));
Object.assign(process.env, { XDG_RUNTIME_DIR: folder, XDG_STATE_HOME: folder, TMPDIR: folder });
after(() => rm(folder, { recursive: true, force: true }));

export { command } from './command.mjs';
