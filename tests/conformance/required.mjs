// Runs every scenario of the official server suite under every revision that it knows, prints what passed, and fails if
// one of the scenarios that this server must pass did not.
import { env, exit } from 'node:process';

import { Components } from '../integration/support/components.mjs';
import { HttpHost } from '../integration/support/host.mjs';
import { allScenarios, hostOptions } from './suite.mjs';

const components = [
  'tools-list',
  'tools-call-simple-text',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-mixed-content',
  'tools-call-error',
  'tools-call-with-progress',
  'resources-list',
  'resources-read-text',
  'resources-read-binary',
  'resources-templates-read',
  'prompts-list',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-embedded-resource',
  'prompts-get-with-image',
  'completion-complete',
];

// Of the revisions in which a client sets the level.
const logging = ['logging-set-level', 'tools-call-with-logging'];

// Of the revisions in which a subscription is a request of its own.
const subscribing = ['resources-subscribe', 'resources-unsubscribe'];

const required = {
  '2025-03-26': ['server-session-lifecycle'],
  '2025-06-18': ['server-initialize', 'server-session-lifecycle', 'ping', ...logging, ...subscribing, ...components],
  '2025-11-25': [
    'server-initialize',
    'server-session-lifecycle',
    'server-sse-multiple-streams',
    'server-sse-polling',
    'ping',
    'dns-rebinding-protection',
    'json-schema-2020-12',
    ...logging,
    ...subscribing,
    ...components,
  ],
  '2026-07-28': [
    'server-stateless',
    'server-sse-multiple-streams',
    'sep-2164-resource-not-found',
    'dns-rebinding-protection',
    'caching',
    'http-header-validation',
    'http-custom-header-server-validation',
    'json-schema-2020-12',
    ...components,
  ],
};

// A scenario that checked nothing has not passed.
const passes = (result) => result !== undefined && result.failed === 0 && result.passed > 0;

function report(revision, scenario, result, isRequired) {
  const outcome = result === undefined ? 'not run' : `${result.passed} passed, ${result.failed} failed`;
  const warnings = result?.warnings ? `, ${result.warnings} warnings` : '';
  const mark = passes(result) ? 'ok' : isRequired ? 'FAILED' : 'not yet';
  console.log(`${revision}  ${mark.padEnd(8)} ${scenario.padEnd(48)} ${outcome}${warnings}`);
  for (const problem of result?.problems ?? []) console.log(`                       ${problem}`);
}

async function check(url, revision, names) {
  const results = await allScenarios(url, revision);
  const others = [...results.keys()].filter((name) => !names.includes(name)).sort();
  for (const name of names) report(revision, name, results.get(name), true);
  for (const name of others) report(revision, name, results.get(name), false);
  return names.filter((name) => !passes(results.get(name))).length;
}

const host = await HttpHost.start(new Components(env.MCP_CONFORMANCE), hostOptions);
let failed = 0;
let count = 0;
try {
  for (const [revision, names] of Object.entries(required)) {
    failed += await check(host.url, revision, names);
    count += names.length;
  }
} finally {
  await host.stop();
}
console.log(`\nOf the scenarios that must pass: ${count - failed} passed, ${failed} failed`);
exit(failed === 0 ? 0 : 1);
