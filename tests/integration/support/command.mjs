// Programs that are run to their end.
import { execFile } from 'node:child_process';

import { program } from './host.mjs';
import { patience } from './patience.mjs';

// One that does not end is killed; by what it was killed is its status then.
export function run(file, args, options = {}) {
  return new Promise((resolve) => {
    execFile(file, args, { timeout: patience, killSignal: 'SIGKILL', ...options }, (error, stdout, stderr) =>
      resolve({ status: error ? error.code ?? error.signal : 0, stdout, stderr }));
  });
}

// The host's.
export const command = (...args) => run(program, args);
