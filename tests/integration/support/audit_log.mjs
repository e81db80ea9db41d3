// The audit log of a host, in the folder of its configuration, and the key that signs it.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { program } from './host.mjs';
import { hasFields } from './log_lines.mjs';
import { until } from './until.mjs';

const run = promisify(execFile);

export class AuditLog {
  constructor(folder) {
    this.folder = folder;
    this.file = join(folder, 'audit.jsonl');
    this.publicKey = join(folder, 'public.pem');
  }

  // The TOML of it, once there is a key.
  async table(more = '') {
    const { stdout } = await run(program, ['audit', 'key', join(this.folder, 'key.pem')]);
    await writeFile(this.publicKey, stdout);
    return `\n[audit]\nfile = "audit.jsonl"\nkey = "key.pem"\n${more}\n`;
  }

  async lines() {
    return (await readFile(this.file, 'utf8')).trimEnd().split('\n').map((line) => JSON.parse(line));
  }
  async requests() {
    return (await this.lines()).filter(({ event }) => event === 'request');
  }
  // The first line that has these members, once it is there.
  async until(members) {
    // While the log is rotated, there is no file, or an empty one.
    const written = async () => (await this.lines().catch(() => [])).find((line) => hasFields(line, members));
    const missing = async () => `${JSON.stringify(members)} in ${await readFile(this.file, 'utf8').catch(() => '')}`;
    return until(written, missing);
  }

  verify(...more) {
    return this.verifyWithoutKey('--key', this.publicKey, ...more);
  }
  async verifyWithoutKey(...more) {
    const done = await run(program, ['audit', 'verify', this.file, ...more]).catch((error) => error);
    return { status: done.code ?? 0, said: done.stdout + done.stderr };
  }
}
