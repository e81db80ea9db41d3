// The official server suite as a program: run it against a URL, read what it found.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const packageFile = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json');
const program = join(dirname(packageFile), 'dist/index.js');

// Ends with the suite's exit status. The suite writes its results below the working directory unless told where.
export async function runSuite(url, options, stdio = 'inherit') {
  const suite = spawn(process.execPath, [program, 'server', '--url', url.href, ...options], { stdio });
  const [status] = await once(suite, 'exit');
  return status ?? 1;
}

// Every scenario of the suite, {name, of}: with the revisions that it is for, or "extension".
export async function scenariosOfTheSuite() {
  const list = await promisify(execFile)(process.execPath, [program, 'list', '--server']);
  const lines = list.stdout.matchAll(/^ *- (\S+) \[([^\]]+)\]$/gm);
  return [...lines].map(([, name, of]) => ({ name, of: of.split(',') }));
}

// Of the scenarios that the options choose: by name, how many checks ended how, {passed, failed, warnings, problems}.
export async function resultsOf(url, options) {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-conformance-'));
  try {
    await runSuite(url, [...options, '--output-dir', folder], 'ignore');
    const results = new Map();
    for (const name of await readdir(folder)) results.set(scenarioOf(name), await readChecks(join(folder, name)));
    return results;
  } finally {
    await rm(folder, { recursive: true });
  }
}

// Of "server-SCENARIO-2026-07-28T12-00-00-000Z".
function scenarioOf(folder) {
  return folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
}

async function readChecks(folder) {
  const checks = JSON.parse(await readFile(join(folder, 'checks.json'), 'utf8'));
  const count = (status) => checks.filter((check) => check.status === status).length;
  return {
    passed: count('SUCCESS'),
    failed: count('FAILURE'),
    warnings: count('WARNING'),
    problems: checks
      .filter((check) => check.status === 'FAILURE' || check.status === 'WARNING')
      .map((check) => `${check.id}: ${check.errorMessage ?? check.description}`),
  };
}
