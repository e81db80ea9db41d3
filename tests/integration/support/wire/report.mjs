// The outcome of a wire check: how many messages of each revision were judged, and what was wrong.
//
//   {messages: {"2025-11-25": 12, ...}, violations: [{revision, faults, message}]}
import { faultsOf } from './judgement.mjs';
import { revisions } from './official_schema.mjs';

const unsettled = 'no revision yet';
const longestText = 2000;

export function judge(statements) {
  const report = { messages: {}, violations: [] };
  for (const statement of statements) {
    const revision = statement.revision ?? unsettled;
    report.messages[revision] = (report.messages[revision] ?? 0) + 1;
    const faults = faultsOf(statement);
    if (faults.length === 0) continue;
    const text = statement.text ?? JSON.stringify(statement.message);
    report.violations.push({ revision, faults, method: statement.request?.method, message: shortened(text) });
  }
  return report;
}

export function sumOf(reports) {
  const sum = { messages: Object.fromEntries(revisions.map((revision) => [revision, 0])), violations: [] };
  for (const { messages, violations } of reports) {
    for (const [revision, count] of Object.entries(messages)) {
      sum.messages[revision] = (sum.messages[revision] ?? 0) + count;
    }
    sum.violations.push(...violations);
  }
  return sum;
}

export function summary({ messages, violations }) {
  const counts = Object.entries(messages)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([revision, count]) => (revision === unsettled ? `${count} before any` : `${count} of ${revision}`));
  return `wire check: ${counts.join(', ') || 'no messages'}; ${violations.length} violations`;
}

export function explanation({ revision, faults, method, message }) {
  const answer = method ? `, in answer to ${method}` : '';
  return [`The host broke ${revision}${answer}:`, ...faults.map((fault) => `  ${fault}`), `  in ${message}`].join('\n');
}

function shortened(text) {
  return text.length <= longestText ? text : `${text.slice(0, longestText)}... (${text.length} characters)`;
}
