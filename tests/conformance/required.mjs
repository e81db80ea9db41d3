// Runs every scenario that the official server suite has, under every revision that it is for, prints what passed, and
// fails unless all of them pass.
import { exit } from 'node:process';

import { startHost } from './host.mjs';
import { resultsOf, scenariosOfTheSuite } from './suite.mjs';

// Of an extension that this server does not claim: files for agents, which plugins could serve as resources.
const notClaimed = (scenario) => scenario.startsWith('sep-2640-skills-');

// The suite's own code for these checks nothing yet, and says so.
const checksNothing = new Set(['tasks-status-notifications']);

const revisions = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];
const extensions = 'extension';
const revisionOfExtensions = '2026-07-28';

function passes(scenario, result) {
  if (result === undefined || result.failed > 0) return false;
  return result.passed > 0 || checksNothing.has(scenario);
}

function report(revision, scenario, result) {
  const outcome = result === undefined ? 'not run' : `${result.passed} passed, ${result.failed} failed`;
  const warnings = result?.warnings ? `, ${result.warnings} warnings` : '';
  const mark = passes(scenario, result) ? 'ok' : 'FAILED';
  console.log(`${revision.padEnd(10)}  ${mark.padEnd(6)} ${scenario.padEnd(48)} ${outcome}${warnings}`);
  for (const problem of result?.problems ?? []) console.log(`                       ${problem}`);
}

// How many of the scenarios passed, and how many did not.
async function check(url, revision, scenarios, options) {
  const results = await resultsOf(url, options);
  for (const scenario of scenarios) report(revision, scenario, results.get(scenario));
  const passed = scenarios.filter((scenario) => passes(scenario, results.get(scenario))).length;
  return { passed, failed: scenarios.length - passed };
}

const scenarios = await scenariosOfTheSuite();
const host = await startHost();
const outcomes = [];
try {
  for (const revision of revisions) {
    const names = scenarios.filter(({ of }) => of.includes(revision)).map(({ name }) => name);
    outcomes.push(await check(host.url, revision, names, ['--suite', 'all', '--spec-version', revision]));
  }
  const names = scenarios.filter(({ name, of }) => of.includes(extensions) && !notClaimed(name)).map(({ name }) => name);
  outcomes.push(await check(host.url, extensions, names, ['--requirements', revisionOfExtensions]));
} finally {
  await host.stop();
}

// A revision for which nothing is found is not served.
const all = [...revisions, extensions];
const idle = all.filter((_, i) => outcomes[i].passed === 0);
if (idle.length > 0) console.log(`\nNo scenario passed of ${idle.join(', ')}`);

const sum = (field) => outcomes.reduce((total, outcome) => total + outcome[field], 0);
const absent = scenarios.filter(({ name }) => notClaimed(name)).map(({ name }) => name);
console.log(`\nNot claimed: ${absent.join(', ')}`);
console.log(`Scenarios: ${sum('passed')} passed, ${sum('failed')} failed`);
exit(sum('failed') === 0 && idle.length === 0 ? 0 : 1);
