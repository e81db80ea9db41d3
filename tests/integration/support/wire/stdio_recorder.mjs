// stdio_recorder.mjs FILE PROGRAM ARGUMENTS...: runs the program as if it had been started itself, with the same
// streams, signals and end, and writes to FILE what goes over its standard input and output, a piece on each line. For
// hosts that a client starts, whose streams the test does not see.
import { spawn } from 'node:child_process';
import { openSync, readFileSync, writeSync } from 'node:fs';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';

import { Recording } from './recording.mjs';

export function readRecording(file) {
  const recording = new Recording('stdio');
  for (const line of readFileSync(file, 'utf8').split('\n').slice(0, -1)) {
    const { from, base64 } = JSON.parse(line);
    recording.add(from, Buffer.from(base64, 'base64'));
  }
  return recording;
}

function run(file, program, args) {
  const output = openSync(file, 'w');
  // At once, because whoever started this may end it at any time.
  const record = (from) => (bytes) =>
    writeSync(output, `${JSON.stringify({ from, base64: bytes.toString('base64') })}\n`);

  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  process.stdin.on('data', record('client')).pipe(child.stdin);
  child.stdout.on('data', record('host')).pipe(process.stdout);
  child.stdin.on('error', () => process.stdin.destroy());
  process.stdout.on('error', () => child.stdout.destroy());
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('close', (status, signal) => {
    if (signal === null) process.exit(status);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

if (argv[1] === fileURLToPath(import.meta.url)) run(argv[2], argv[3], argv.slice(4));
