// Looks whether each room includes only headers of the rooms that it uses, as the compiler sees it: it reads each room's
// sources with the folders that are given to that room alone. A room that is built alone would not compile otherwise; as a
// part of a wing (cmake/Rooms.cmake) it would.
// usage: node arrows.mjs BUILD_DIR
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const [build] = process.argv.slice(2);
const run = promisify(execFile);

const room = /host_(\w+)_sources\.dir/;
const waiting = JSON.parse(readFileSync(join(build, 'compile_commands.json'), 'utf8')).filter(({ command }) =>
  room.test(command));
if (waiting.length === 0) throw new Error(`${build} compiles no room`);
console.log(`${waiting.length} units of rooms`);

let failures = 0;
async function work() {
  for (let unit = waiting.pop(); unit !== undefined; unit = waiting.pop()) {
    const [compiler, ...rest] = unit.command
      .replaceAll('\\', '')
      .split(' ')
      .filter((word) => /^-[DI]|^-isystem|^-std|^\//.test(word) && !word.endsWith('ccache'));
    try {
      await run(compiler, [...rest, '-M', '-MF', '/dev/null'], { cwd: unit.directory, maxBuffer: 1 << 26 });
    } catch (failure) {
      failures += 1;
      console.log(`${room.exec(unit.command)[1]}: ${failure.stderr || failure.message}`);
    }
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, work));
console.log(failures === 0 ? 'clean' : `${failures} units include what their room may not see`);
process.exit(failures === 0 ? 0 : 1);
