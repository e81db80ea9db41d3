// total.mjs TEST...: adds up the reports of those test files in the folder MCP_WIRE_REPORTS, and fails if a message
// broke its revision or if there was none of a revision. Without the schemas it ends with status 77, which is skipped.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv, env, exit } from 'node:process';

import { revisions } from './official_schema.mjs';
import { explanation, summary, sumOf } from './report.mjs';

if (revisions.length === 0) {
  console.log('wire check: skipped, because ../shared/spec with the official schemas is absent');
  exit(77);
}
const files = argv.slice(2).map((test) => join(env.MCP_WIRE_REPORTS, `${test}.json`));
const total = sumOf(files.filter((file) => existsSync(file)).map((file) => JSON.parse(readFileSync(file, 'utf8'))));
console.log(summary(total));
for (const violation of total.violations) console.log(explanation(violation));
const unheard = revisions.filter((revision) => total.messages[revision] === 0);
if (unheard.length > 0) console.log(`No message of ${unheard.join(', ')}: run all of the integration tests first`);
exit(total.violations.length > 0 || unheard.length > 0 ? 1 : 0);
