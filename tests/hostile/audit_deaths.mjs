// A host with an audit log in mode strict is killed again and again, at moments that nobody chose, while clients call it.
// Whatever a client was answered must have its line, and the log must be whole from its first line to its last.
//
// usage: audit_deaths.mjs BUILD_DIR [--deaths N] [--connections N] [--longest-ms N]
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { Client, textOf } from './support/client.mjs';
import { Build, Components, Host } from './support/host.mjs';
import { readArguments, Report } from './support/report.mjs';

const wanted = readArguments({ deaths: 5, connections: 8, 'longest-ms': 150 });
const build = new Build(wanted.build);
const report = new Report();
const components = new Components('audit-deaths');
components.drop(build.plugin('named'), 'named.so');
const key = path.join(components.base, 'key.pem');
const publicKey = path.join(components.base, 'public.pem');
const configuration = path.join(components.base, 'host.toml');
writeFileSync(publicKey, execFileSync(build.host, ['audit', 'key', key]));
// Small files, so that hosts die while they change from one to the next, too.
writeFileSync(configuration, `[audit]
file = "audit.jsonl"
key = "key.pem"
rotate_bytes = 65536
[audit.arguments]
"*" = "full"
`);

const answered = new Set(); // the texts of calls
let calls = 0;

async function callUntilDeath(url, isOver) {
  const client = new Client(url);
  while (!isOver()) {
    const text = `call ${++calls}`;
    const answer = await client.call('echo', { text }).catch(() => undefined);
    if (textOf(answer ?? {}) === text) answered.add(text);
  }
  client.close();
}

const auditFiles = () => readdirSync(components.base).filter((name) => name.startsWith('audit.jsonl'))
  // The one without a number is the newest.
  .sort((a, b) => b.length - a.length || (a < b ? -1 : 1)).map((name) => path.join(components.base, name));

for (let death = 0; death < wanted.deaths; ++death) {
  const host = await Host.start(build, components, { isolation: 'in-process', options: ['--config', configuration] });
  let over = false;
  const clients = Array.from({ length: wanted.connections }, () => callUntilDeath(host.url, () => over));
  // The first has answered before it dies, however busy the machine is.
  for (const end = Date.now() + 30_000; answered.size === 0 && Date.now() < end;) await sleep(1);
  await sleep(Math.random() * wanted['longest-ms']);
  await host.kill();
  over = true;
  await Promise.all(clients);
  if (death % 100 === 99) console.log(`${death + 1} deaths, ${answered.size} answers`);
}

const last = await Host.start(build, components, { options: ['--config', configuration] });
const end = await last.stop();
const verified = spawnSync(build.host, ['audit', 'verify', ...auditFiles(), '--key', publicKey], { encoding: 'utf8' });
const recorded = new Set();
let torn = 0;
for (const file of auditFiles()) {
  for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
    const { event, arguments: given, truncated_bytes: truncated } = JSON.parse(line);
    if (event === 'request') recorded.add(given.text);
    if (truncated) ++torn;
  }
}
const missing = [...answered].filter((text) => !recorded.has(text));
report.row('deaths', wanted.deaths);
report.row('calls', calls);
report.row('files, starts that found a part of a line', `${auditFiles().length}, ${torn}`);
report.promise('the last host ends with', end, end === 0);
report.promise('answered calls', answered.size, answered.size > 0);
report.promise('answered calls without a line', missing.length, missing.length === 0);
report.promise('verify', (verified.stdout + verified.stderr).trim().replaceAll('\n', '; '), verified.status === 0);
components.discard();
process.exit(report.end());
