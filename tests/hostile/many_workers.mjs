// Many plugins, each in a worker of its own: how long until all are served, and what they take of the memory.
//
// usage: many_workers.mjs BUILD_DIR [--plugins N] [--listed-ms N] [--mib N]
// A limit of 0 is none: the figure is told and not promised.
import { setTimeout as sleep } from 'node:timers/promises';

import { Client, listTools, textOf } from './support/client.mjs';
import { Build, Components, Host } from './support/host.mjs';
import { ms, p50AndP99, readArguments, Report } from './support/report.mjs';

const wanted = readArguments({ plugins: 200, 'listed-ms': 0, mib: 0 });
const isAtMost = (figure, limit) => limit === 0 || figure <= limit;
const build = new Build(wanted.build);
const report = new Report();

const components = new Components('many-workers');
const names = Array.from({ length: wanted.plugins }, (_, i) => `named_${i}`);
for (const name of names) {
  components.configure(name, { tool: name });
  components.drop(build.plugin('named'), `${name}.so`);
}

const begin = performance.now();
const host = await Host.start(build, components);
const servingAfter = performance.now() - begin;
const client = new Client(host.url);
let listed = await listTools(client);
while (listed.length < names.length && performance.now() - begin < 120_000) {
  await sleep(5);
  listed = await listTools(client);
}
const listedAfter = performance.now() - begin;

let wrong = 0;
const times = [];
for (const name of names) {
  const called = performance.now();
  if (textOf(await client.call(name, { text: `to ${name}` })) !== `to ${name}`) ++wrong;
  times.push(performance.now() - called);
}
const { workers, descriptors } = host;
const mebibytes = (kind) => workers.reduce((sum, pid) => sum + host.pssKiB(pid, kind), 0) / 1024;
const ofWorkers = mebibytes('Pss');
// The rest are pages of files, their own libraries' code for the most part, which the system can take back.
const anonymous = mebibytes('Pss_Anon');
const ofHost = host.pssKiB() / 1024;
const cpuBefore = host.cpuMs;
await sleep(2000);
const idle = (host.cpuMs - cpuBefore) / 2;
client.close();
const stopping = performance.now();
const end = await host.stop();
const stopped = performance.now() - stopping;

report.promise('plugins, listed', `${names.length}, ${listed.length}`, listed.length === names.length);
report.promise('workers', workers.length, workers.length === names.length);
report.row('from spawn to serving', ms(servingAfter));
report.promise('from spawn until tools/list has all', ms(listedAfter), isAtMost(listedAfter, wanted['listed-ms']));
report.promise('PSS of all workers', `${ofWorkers.toFixed(1)} MiB`, isAtMost(ofWorkers, wanted.mib));
report.row('of it no pages of files', `${anonymous.toFixed(1)} MiB`);
report.row('PSS of one', `${((ofWorkers * 1024) / workers.length).toFixed(0)} KiB`);
report.row('PSS of the host', `${ofHost.toFixed(1)} MiB`);
report.row('descriptors of the host', descriptors);
report.row('first call of each, p50 / p99', p50AndP99(times));
report.promise('wrong answers', wrong, wrong === 0);
report.row('processor time of the idle host in a second', ms(idle));
report.row('from SIGTERM to the end', ms(stopped));
report.promise('the host ends with', end, end === 0);
components.discard();
process.exit(report.end());
