// The audit log of a host, in the folder of its configuration, and the key that signs it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { program } from './host.mjs';
import { patience } from './patience.mjs';

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
  async until(members, patienceMs = patience) {
    for (const end = Date.now() + patienceMs; ; await sleep(20)) {
      const lines = await this.lines();
      const found = lines.find((line) => Object.entries(members).every(([name, value]) => line[name] === value));
      if (found) return found;
      assert.ok(Date.now() < end, `${JSON.stringify(members)} is not in ${JSON.stringify(lines, null, 1)}`);
    }
  }

  verify(...more) {
    return this.verifyWithoutKey('--key', this.publicKey, ...more);
  }
  async verifyWithoutKey(...more) {
    const done = await run(program, ['audit', 'verify', this.file, ...more]).catch((error) => error);
    return { status: done.code ?? 0, said: done.stdout + done.stderr };
  }
}
