// What an audit log costs: the same load, in turn, on hosts without one, with one in mode async, and in mode strict. The
// files are in the system's folder for temporary files unless --folder names another one; what strict costs depends on
// the disk there. At the end `audit verify` looks at what has been written, which says how fast it is.
// usage: audit.mjs BUILD_DIR [--seconds N] [--rounds N] [--folder FOLDER] [--isolation in-process]
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { Bench, load, printTurns, readArguments, stop, takeTurns } from './hosts.mjs';

const { build, seconds, rounds, folder, isolation } =
  readArguments({ seconds: 5, rounds: 5, folder: os.tmpdir(), isolation: 'worker' });
const bench = new Bench(build, 'audit', folder);
const publicKey = bench.file('public.pem', execFileSync(bench.program, ['audit', 'key', path.join(bench.folder, 'key.pem')]));

await bench.start('off', { isolation });
for (const mode of ['async', 'strict'])
  await bench.start(mode, { isolation, toml: `[audit]\nfile = "${mode}.jsonl"\nmode = "${mode}"\nkey = "key.pem"\n` });
for (const connections of [1, 32, 128, 512]) {
  console.log(`\n${rounds} rounds of ${seconds} s, ${connections} connections, ${isolation}`);
  printTurns(takeTurns(
    Object.fromEntries(Object.entries(bench.hosts).map(([mode, child]) => [mode, () => load(child, { seconds, connections })])),
    rounds));
}
await stop(bench.hosts.async);

const files = readdirSync(bench.folder).filter((name) => name.startsWith('async.jsonl'))
  .sort((a, b) => b.length - a.length || (a < b ? -1 : 1)).map((name) => path.join(bench.folder, name));
const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
const times = []; // of which the shortest counts: what else runs on the machine only makes it longer
for (let i = 0; i < 5; ++i) {
  const begin = process.hrtime.bigint();
  execFileSync(bench.program, ['audit', 'verify', ...files, '--key', publicKey]);
  times.push(Number(process.hrtime.bigint() - begin) / 1e9);
}
console.log(`\naudit verify: ${(bytes / 1e6).toFixed(0)} MB in ${Math.min(...times).toFixed(2)} s, ${(bytes / 1e6 / Math.min(...times)).toFixed(0)} MB/s`);
delete bench.hosts.async;
await bench.end();
