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

// The sources of each room and the command that compiles the first of them.
const rooms = new Map();
for (const { command, directory, file } of JSON.parse(readFileSync(join(build, 'compile_commands.json'), 'utf8'))) {
  const name = /host_room_(\w+)\.dir/.exec(command)?.[1];
  if (!name) continue;
  const room = `host_${name}`;
  if (!rooms.has(room)) rooms.set(room, { room, directory, command, sources: [] });
  rooms.get(room).sources.push(resolve(directory, file));
}
if (rooms.size === 0) throw new Error(`${build} compiles no room`);

// All of a room as one unit of includes: each header is read once, also one that no source of its room includes.
function unitOf({ room, sources }) {
  const root = join(build, 'rooms', room);
  const headers = readdirSync(root, { recursive: true }).filter((name) => name.endsWith('.hpp'));
  const unit = join(build, 'rooms', `${room}.cpp`);
  writeFileSync(unit, [...headers, ...sources].map((file) => `#include "${file}"\n`).join(''));
  return unit;
}

const waiting = [...rooms.values()].map((room) => {
  return { ...room, command: room.command.replace(/ -o \S+ -c .*/, ` -M -MF /dev/null '${unitOf(room)}'`) };
});
console.log(`${rooms.size} rooms`);

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
console.log(failures === 0 ? 'clean' : `${failures} rooms include what they may not see`);
process.exit(failures === 0 ? 0 : 1);
