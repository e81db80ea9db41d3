// A host that asks its clients for tokens: its configuration file, and the tokens that are made for it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { HttpHost, program } from './host.mjs';
import { bearer } from './http.mjs';
import { patience } from './patience.mjs';
import { writeWhole } from './whole_file.mjs';

export { bearer };

const run = promisify(execFile);

export class Team {
  // A host that serves `components`, until the test that `context` belongs to has ended. `roles` is the TOML of them.
  static async serve(context, components, roles, more = []) {
    const team = new Team(components);
    await team.configure(roles);
    team.host = await HttpHost.start(components, ['--config', team.file, ...more]);
    context.after(() => team.host.stop().finally(() => components.discard()));
    return team;
  }

  constructor(components) {
    this.file = join(components.folder, 'team.toml');
  }

  get url() {
    return this.host.url;
  }

  configure(roles) {
    return writeWhole(this.file, `[tokens]\nfile = "tokens.json"\n${roles}`);
  }

  // The same, in a running host.
  async reconfigure(roles) {
    const taken = this.host.log.next({ event: 'configuration taken' });
    await this.configure(roles);
    await taken;
  }

  async command(...args) {
    const { stdout } = await run(program, ['token', ...args, '--config', this.file]);
    return stdout.trimEnd().split('\n');
  }

  // A new token, once the host knows it and has said so: nobody takes that line for that of a later change. The
  // configuration must be one that is taken.
  async token(name, role, ...more) {
    const roles = [role].flat().flatMap((each) => ['--role', each]);
    const taken = this.host?.log.next({ event: 'configuration taken' });
    const token = (await this.command('create', name, ...roles, ...more)).at(-1);
    if (this.host) await this.until(token, (status) => status !== 401);
    await taken;
    return token;
  }

  async revoke(name) {
    return this.command('revoke', name);
  }

  // Returns once `holds` says so of the status with which the host answers the token; fails after a while.
  async until(token, holds, patienceMs = patience) {
    const end = Date.now() + patienceMs;
    for (;;) {
      const response = await fetch(this.url, { method: 'DELETE', headers: bearer(token) });
      await response.arrayBuffer();
      if (holds(response.status)) return;
      assert.ok(Date.now() < end, `status ${response.status}: ${await readFile(this.file, 'utf8')}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
