// Programs that a plugin in the host's process starts do not get the host's connections.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { adminOf } from './support/admin.mjs';
import { Collector } from './support/collector.mjs';
import { Components } from './support/components.mjs';
import { HttpHost } from './support/host.mjs';
import { postModern } from './support/http.mjs';
import { patience } from './support/patience.mjs';
import { RawConnection } from './support/raw_connection.mjs';

const closeOnExec = 0o2000000; // O_CLOEXEC of Linux

// The sockets of a process, and whether programs that it starts get them. Whoever started it may have passed on others.
function socketsOf(pid) {
  const all = [];
  for (const name of readdirSync(`/proc/${pid}/fd`).filter((each) => Number(each) > 2)) {
    try {
      const what = readlinkSync(`/proc/${pid}/fd/${name}`);
      const [, flags] = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/fdinfo/${name}`, 'utf8'));
      if (what.startsWith('socket:')) all.push({ what, isPassedOn: (parseInt(flags, 8) & closeOnExec) === 0 });
    } catch (error) {
      if (error.code !== 'ENOENT') throw error; // closed meanwhile
    }
  }
  return all;
}

test('NoSocketOfTheHostIsPassedOn', { timeout: 240_000 }, async (context) => {
  const components = await Components.create('sample_v1');
  const collector = await Collector.start(context);
  const asked = new Promise((resolve) => (collector.answer = resolve)); // and never answers
  const file = join(components.folder, 'host.toml');
  writeFileSync(file, `[http]\nunix_socket = "host.sock"\n[admin]\nlisten = "127.0.0.1:0"\n[traces]\nendpoint = "${collector.url}"\n`);
  const host = await HttpHost.start(components, ['--config', file, '--isolation', 'in-process']);
  context.after(() => host.stop().finally(() => components.discard()));
  const connections = [await RawConnection.open(host.url), await RawConnection.open(await adminOf(host))];
  assert.equal((await postModern(host.url, 'tools/list')).status, 200);
  await asked;
  // Three listeners, the control socket, two connections, and the one to the collector.
  for (const end = Date.now() + patience; socketsOf(host.child.pid).length < 7; await sleep(10)) {
    assert.ok(Date.now() < end, JSON.stringify(socketsOf(host.child.pid)));
  }
  assert.deepEqual(socketsOf(host.child.pid).filter(({ isPassedOn }) => isPassedOn), []);
  connections.forEach((each) => each.end());
});
