// Looks whether each room includes only headers of the rooms that it uses, as the compiler sees it: it reads each room's
// sources and headers with the folders that are given to that room alone. A room that is built alone would not compile
// otherwise; as a part of a wing (cmake/Rooms.cmake) it would.
// usage: node arrows.mjs BUILD_DIR
import { exec } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const build = resolve(process.argv[2]);
const run = promisify(exec);

// A unit of includes, so that a header is seen, too, that no source of its room includes.
function headersOf(room) {
  const root = join(build, 'rooms', room);
  const headers = readdirSync(root, { recursive: true }).filter((name) => name.endsWith('.hpp'));
  const unit = join(build, 'rooms', `${room}.cpp`);
  writeFileSync(unit, headers.map((header) => `#include "${header}"\n`).join(''));
  return unit;
}

const waiting = [];
const rooms = new Set();
for (const { command, directory, file } of JSON.parse(readFileSync(join(build, 'compile_commands.json'), 'utf8'))) {
  const name = /host_room_(\w+)\.dir/.exec(command)?.[1];
  if (!name) continue;
  const room = `host_${name}`;
  const preprocess = (source) => command.replace(/ -o \S+ -c .*/, ` -M -MF /dev/null '${source}'`);
  waiting.push({ room, directory, command: preprocess(file) });
  if (!rooms.has(room)) waiting.push({ room, directory, command: preprocess(headersOf(room)) });
  rooms.add(room);
}
if (rooms.size === 0) throw new Error(`${build} compiles no room`);
console.log(`${rooms.size} rooms, ${waiting.length} units`);

let failures = 0;
async function work() {
  for (let unit = waiting.pop(); unit !== undefined; unit = waiting.pop()) {
    try {
      await run(unit.command, { cwd: unit.directory, maxBuffer: 1 << 26 });
    } catch (failure) {
      failures += 1;
      console.log(`${unit.room}: ${failure.stderr || failure.message}`);
    }
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, work));
console.log(failures === 0 ? 'clean' : `${failures} units include what their room may not see`);
process.exit(failures === 0 ? 0 : 1);
