// The wire check: everything that a host says to a test is kept, and when the test's process ends it is judged by the
// official schema of its revision. A violation fails the process, so the test file in which it happened. A report goes
// to the folder MCP_WIRE_REPORTS, if that is set, for total.mjs; that of an earlier run is deleted first.
//
// Without the schemas nothing is kept and nothing judged.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { argv, env, execPath } from 'node:process';
import { fileURLToPath } from 'node:url';

import { httpStatements } from './http_statements.mjs';
import { revisions } from './official_schema.mjs';
import { PassThrough } from './pass_through.mjs';
import { Recording } from './recording.mjs';
import { explanation, judge, summary } from './report.mjs';
import { readRecording } from './stdio_recorder.mjs';
import { stdioStatements } from './stdio_statements.mjs';
import { isWebSocket, websocketStatements } from './websocket_statements.mjs';

const isOn = revisions.length > 0;
const recorder = fileURLToPath(new URL('stdio_recorder.mjs', import.meta.url));

const overHttp = [];
const overStdio = [];
const files = []; // of hosts that a client started
let folder;
const reportFile = env.MCP_WIRE_REPORTS && join(env.MCP_WIRE_REPORTS, `${basename(argv[1])}.json`);

// Where to reach a host that listens at `url` so that it is heard, until `ended`.
export async function heardAt(url, ended) {
  if (!isOn) return url;
  const passThrough = await PassThrough.open(url, (recording) => overHttp.push(recording));
  ended.finally(() => passThrough.close());
  return passThrough.url;
}

// A host that this process has started, heard on its standard streams.
export function hear(child) {
  if (!isOn) return;
  const recording = new Recording('stdio');
  overStdio.push(recording);
  recordWrites(child.stdin, (bytes) => recording.add('client', bytes));
  child.stdout.on('data', (bytes) => recording.add('host', bytes));
}

// The command that starts a host so that it is heard; for what starts it by itself.
export function heardCommand(program, args) {
  if (!isOn) return { command: program, args };
  folder ??= mkdtempSync(join(tmpdir(), 'mcp-wire-'));
  const file = join(folder, String(files.length));
  writeFileSync(file, '');
  files.push(file);
  return { command: execPath, args: [recorder, file, program, ...args] };
}

// A stream of a child does not tell what is written to it, and a stream in between would change when it is written.
function recordWrites(stream, record) {
  for (const name of ['write', 'end']) {
    const original = stream[name];
    stream[name] = function (...args) {
      if (typeof args[0] === 'string' || args[0] instanceof Uint8Array) record(args[0]);
      return original.apply(this, args);
    };
  }
}

function finish() {
  overStdio.push(...files.map(readRecording));
  if (folder) rmSync(folder, { recursive: true });
  const report = judge([
    ...httpStatements(overHttp.filter((each) => !isWebSocket(each))),
    ...overHttp.filter(isWebSocket).flatMap(websocketStatements),
    ...overStdio.flatMap(stdioStatements),
  ]);
  console.log(summary(report));
  for (const violation of report.violations) console.error(explanation(violation));
  if (report.violations.length > 0) process.exitCode = 1;
  if (!reportFile) return;
  mkdirSync(env.MCP_WIRE_REPORTS, { recursive: true });
  writeFileSync(reportFile, JSON.stringify(report));
}

if (reportFile) rmSync(reportFile, { force: true });
if (isOn) process.on('exit', finish);
else console.log('wire check: skipped, because ../shared/spec with the official schemas is absent');
