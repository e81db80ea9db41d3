// Programs that are run to their end. One that does not end is killed.
import { execFile } from 'node:child_process';

import { program } from './host.mjs';
import { patience } from './patience.mjs';

// Options of one that is waited for without a promise.
export const limited = { encoding: 'utf8', maxBuffer: 1 << 24, timeout: patience, killSignal: 'SIGKILL' };

// By what one was killed is its status.
export function run(file, args, options = {}) {
  return new Promise((resolve) => {
    execFile(file, args, { ...limited, ...options }, (error, stdout, stderr) =>
      resolve({ status: error ? error.code ?? error.signal : 0, stdout, stderr }));
  });
}

// The host's.
export const command = (...args) => run(program, args);
