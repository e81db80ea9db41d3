// The unit for systemd: how exposed a service is that runs by it, and that its filter of system calls neither keeps the
// host from putting plugins into sandboxes nor opens them. Where process 1 is no systemd, the filter is set by a program
// that reads the unit, and the tests of the sandbox are run with a host below it.
// usage: unit.mjs [UNDER_UNIT COMMAND...] (that runs the tests of the sandbox)
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const maxExposure = 2.0;
const [underUnit, ...command] = process.argv.slice(2);
const unit = fileURLToPath(new URL('../../share/systemd/mcp-plugin-host.service', import.meta.url));
const analyze = (...args) => spawnSync('systemd-analyze', args, { encoding: 'utf8' });
if (analyze('--version').error) {
  console.log('skipped: systemd-analyze is not installed');
  process.exit(0);
}

const { stdout, stderr } = analyze('security', '--offline=true', unit);
const exposure = Number(/exposure level for .*: ([\d.]+)/.exec(stdout)?.[1]);
console.log(`exposure of the unit: ${exposure}`);
if (!(exposure <= maxExposure)) {
  console.error(stdout + stderr);
  process.exit(1);
}
if (underUnit === undefined) process.exit(0);

// Of a setting that stands in several lines, all words in their order.
const words = (setting) => [...readFileSync(unit, 'utf8').matchAll(new RegExp(`^${setting}=(.*)$`, 'gm'))].map(([, text]) => text);
const callsIn = (name) => {
  if (!name.startsWith('@')) return [name];
  return analyze('syscall-filter', name).stdout.split('\n').slice(1).map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#')).flatMap(callsIn);
};
const calls = new Set(callsIn('@default'));
for (const line of words('SystemCallFilter')) {
  const denied = line.startsWith('~');
  for (const call of line.replace('~', '').split(/\s+/).flatMap(callsIn)) denied ? calls.delete(call) : calls.add(call);
}
const families = { AF_UNIX: 1, AF_INET: 2, AF_INET6: 10, AF_NETLINK: 16 };
const namespaces = { user: 0x10000000, net: 0x40000000 };
const rules = [
  ...[...calls].map((call) => `call ${call}`),
  ...words('RestrictAddressFamilies').join(' ').split(/\s+/).map((name) => `family ${families[name]}`),
  ...words('RestrictNamespaces').join(' ').split(/\s+/).map((name) => `namespace ${namespaces[name]}`),
];
console.log(`system calls that the unit allows: ${calls.size}`);

const folder = mkdtempSync(path.join(os.tmpdir(), 'mcp-unit-'));
writeFileSync(path.join(folder, 'rules'), `${rules.join('\n')}\n`);
const host = path.join(folder, 'mcp-plugin-host');
writeFileSync(host, `#!/bin/sh\nexec ${underUnit} ${process.env.MCP_HOST} "$@" <${folder}/rules\n`);
chmodSync(host, 0o755);
const tested = spawnSync(command[0], [...command.slice(1)], { stdio: 'inherit', env: { ...process.env, MCP_HOST: host } });
rmSync(folder, { recursive: true });
process.exit(tested.status ?? 1);
