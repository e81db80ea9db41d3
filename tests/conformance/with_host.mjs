// Starts the host with the conformance plugin, runs the official suite against it with the arguments given, and ends
// with the suite's status.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { argv, exit } from 'node:process';

import { startHost } from './host.mjs';
import { runSuite } from './suite.mjs';

const options = argv.slice(2);
const results = await mkdtemp(join(tmpdir(), 'mcp-conformance-'));
const output = options.some((option) => option === '-o' || option.startsWith('--output-dir'))
  ? []
  : ['--output-dir', results];

const host = await startHost();
let status;
try {
  status = await runSuite(host.url, [...options, ...output]);
} finally {
  await host.stop();
  await rm(results, { recursive: true });
}
exit(status);
