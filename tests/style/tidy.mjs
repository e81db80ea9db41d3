// Runs clang-tidy over the host, the plugins and the plugin API's runtime, as .clang-tidy says, with the compile commands
// of a Ninja build. A file that passed is not looked at again until something it includes has changed.
// usage: node tidy.mjs CLANG_TIDY SOURCE_DIR BUILD_DIR
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';

const [clangTidy, source, build] = process.argv.slice(2);
if (!existsSync(clangTidy)) {
  console.log(`skipped: there is no ${clangTidy}; the test python.packages says why`);
  process.exit(0);
}
const run = promisify(execFile);
const folder = join(build, 'tidy');
mkdirSync(folder, { recursive: true });

const changed = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
const named = (file) => relative(source, file);
// Rooms and the runtime are compiled as units that include their sources. Other files that the build has made are data.
const isOurs = ({ file, output }) =>
  (/^(host|worker|symbolizer|rules|plugins)\//.test(output) || output.startsWith('plugin-api/CMakeFiles/mcp_plugin.dir/')) &&
  (!resolve(build, file).startsWith(resolve(build)) || file.includes('/Unity/'));
// Not every CMake says it apart.
const outputOf = (command) => / -o (\S+)/.exec(command)[1];

// What gcc understands and clang does not goes, and so do warnings, which are the build's business.
const forClang = (command) => command.replace(/ -fno-gnu-unique| -W[a-z][a-z-]*/g, '');

function dependencies() {
  const listing = execFileSync('ninja', ['-C', build, '-t', 'deps'], { encoding: 'utf8', maxBuffer: 1 << 30 });
  const all = new Map();
  let current = [];
  for (const line of listing.split('\n')) {
    if (line.startsWith('    ')) current.push(resolve(build, line.trim()));
    else if (line.includes(': #deps')) all.set(line.slice(0, line.indexOf(': #deps')), (current = []));
  }
  return all;
}

const includes = dependencies();
const isBuiltInWing = ({ output }) => /host_room_\w+\.dir/.test(output) && !includes.has(output);
const commands = new Map();
for (const read of JSON.parse(readFileSync(join(build, 'compile_commands.json'), 'utf8'))) {
  const entry = { ...read, output: outputOf(read.command) };
  if (isOurs(entry) && !isBuiltInWing(entry) && !commands.has(entry.file)) commands.set(entry.file, entry);
}
if (commands.size === 0) throw new Error(`${build} compiles none of the files to look at`);
const adapted = [...commands.values()].map((entry) => ({ ...entry, command: forClang(entry.command) }));
writeFileSync(join(folder, 'compile_commands.json'), JSON.stringify(adapted));

const rules = Math.max(changed(join(source, '.clang-tidy')), changed(clangTidy));
const stampOf = (file) => join(folder, `${named(file).replaceAll('/', '_')}.passed`);
const passed = ({ file, output }) => {
  const stamp = statSync(stampOf(file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const files = includes.get(output) ?? [file];
  return stamp > rules && files.every((each) => stamp > changed(each));
};

const waiting = adapted.filter((entry) => !passed(entry)).map((entry) => entry.file);
console.log(`${waiting.length} of ${adapted.length} files to look at`);
let failures = 0;
async function work() {
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    try {
      const { stderr } = await run(clangTidy, ['--quiet', '-p', folder, file], { cwd: source, maxBuffer: 1 << 26 });
      // With rules that it cannot read it goes on, with none of them.
      if (stderr.includes('Error parsing')) throw new Error(stderr);
      writeFileSync(stampOf(file), '');
    } catch (failure) {
      failures += 1;
      console.log(`${named(file)}\n${failure.stdout || failure.message}`);
    }
  }
}
// One more at once than there are processors, because others run beside it and it takes longest of all.
await Promise.all(Array.from({ length: availableParallelism() + 1 }, work));
console.log(failures === 0 ? 'clean' : `${failures} files with findings`);
process.exit(failures === 0 ? 0 : 1);
