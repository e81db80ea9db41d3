// Runs the official suite against a server, and against a host that has this server as its only upstream: what the server
// passes directly must pass through the host. Prints what differs.
// usage: through_host.mjs [URL [legacy]]   of any server, spoken to as of the legacy era if that is wanted; without:
//                                           another host with the conformance plugin
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { argv, exit } from 'node:process';

import { Components } from '../integration/support/components.mjs';
import { HttpHost } from '../integration/support/host.mjs';
import { startHost } from './host.mjs';
import { resultsOf, scenariosOfTheSuite } from './suite.mjs';

const revisions = ['2025-06-18', '2025-11-25', '2026-07-28'];

const passes = (result) => result !== undefined && result.failed === 0 && result.passed > 0;

async function hostOf(url, folder, legacy) {
  const components = new Components(folder);
  await mkdir(join(components.root, 'tools'), { recursive: true });
  await writeFile(join(components.root, 'tools', 'far.mcp.json'), JSON.stringify({ url, prefix: '', legacy }));
  return HttpHost.start(components, ['--close-streams-after-ms', '2000']);
}

async function compare(directly, through, revision, scenarios) {
  const options = ['--suite', 'all', '--spec-version', revision];
  const direct = await resultsOf(directly, options);
  const hosted = await resultsOf(through, options);
  const passed = scenarios.filter((name) => passes(direct.get(name)));
  const lost = passed.filter((name) => !passes(hosted.get(name)));
  const won = scenarios.filter((name) => !passes(direct.get(name)) && passes(hosted.get(name)));
  console.log(`${revision}: ${passed.length} of ${scenarios.length} scenarios pass directly, ` +
    `${passed.length - lost.length} of these through the host, and ${won.length} more`);
  for (const name of lost) {
    console.log(`  ${name}`);
    for (const problem of hosted.get(name)?.problems ?? ['not run']) console.log(`    ${problem}`);
  }
  // A server that is not there loses nothing.
  if (passed.length === 0) console.log('  nothing passes directly: is the server there?');
  return passed.length === 0 ? 1 : lost.length;
}

const folder = await mkdtemp(join(tmpdir(), 'mcp-conformance-hop-'));
const own = argv[2] === undefined ? await startHost() : undefined;
const directly = own?.address ?? new URL(argv[2]);
const host = await hostOf(directly.href, folder, argv[3] === 'legacy');
let lost = 0;
try {
  const scenarios = await scenariosOfTheSuite();
  for (const revision of revisions) {
    const names = scenarios.filter(({ of }) => of.includes(revision)).map(({ name }) => name);
    lost += await compare(directly, host.address, revision, names);
  }
} finally {
  await host.stop();
  await own?.stop();
  await rm(folder, { recursive: true });
}
exit(lost === 0 ? 0 : 1);
