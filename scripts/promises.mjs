// Every figure that README and docs promise, in one table, and how it is measured. See promises.sh.
// usage: promises.mjs BUILD_DIR [TOPIC...] [--full]
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const [build, ...words] = process.argv.slice(2);
const full = words.includes('--full');
const wanted = words.filter((word) => word !== '--full');
const source = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const temporary = mkdtempSync(path.join(os.tmpdir(), 'mcp-promises-'));
process.once('exit', () => rmSync(temporary, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const env = { ...process.env, BUILD_DIR: path.resolve(build ?? '') };
function run(file, ...args) {
  const program = path.join(source, file);
  const [command, ...all] = file.endsWith('.mjs') ? [process.execPath, program, ...args] : [program, ...args];
  const { status, stdout, stderr, error } = spawnSync(command, all, { encoding: 'utf8', maxBuffer: 1 << 28, env });
  if (error) throw error;
  return { status, text: stdout + stderr };
}

// With what of the tree it is measured, which is shown beside the figure.
const by = (command, measure) => Object.assign(measure, { command: command.map((word) => String(word)).join(' ') });

// What is counted less without --full, as it is shown.
const less = (args) => (full || args.length === 0 ? '' : ` (${args.join(' ')})`);

// A script of tests/hostile keeps its own promises: it holds if its status is 0. Shown are the rows that begin so.
function hostile(name, counts, ...rows) {
  const args = Object.entries(counts).flatMap(([option, [few, many]]) => [`--${option}`, String(full ? many : few)]);
  return by([`tests/hostile/${name}.mjs`, build, ...args], () => {
    const { status, text } = run(`tests/hostile/${name}.mjs`, build, ...args);
    const figures = rows.map((row) => text.split('\n').find((line) => line.startsWith(row))?.replace(/ {2,}/, ': '));
    const broken = text.split('\n').filter((line) => line.startsWith('BROKEN'));
    const measured = [...figures, ...broken].filter(Boolean).join('; ') || `status ${status}`;
    return { measured: measured + less(args), holds: status === 0 };
  });
}

let benchmark;
const benchRun = ['bench/run.mjs', build, path.join(source, 'mcp_components'), '--seconds', full ? '5' : '2', '--rounds', full ? '5' : '3'];
function bench(figure, limit, isKept, unit = '') {
  return by(benchRun, () => {
    if (benchmark === undefined) {
      const file = path.join(temporary, 'bench.json');
      const { status, text } = run(...benchRun, '--json', file);
      if (status !== 0) throw new Error(text);
      benchmark = JSON.parse(readFileSync(file, 'utf8'));
    }
    if (benchmark.errors > 0) throw new Error(`${benchmark.errors} requests of bench/run.mjs failed`);
    const values = [figure(benchmark)].flat();
    return { measured: values.map((value) => value.toFixed(2) + unit).join(', '), holds: values.every((value) => isKept(value, limit)) };
  });
}

// What else bench/ has prints its figures: those that `pattern`, with all its groups, finds, which are so many, or a part
// of the command has failed. A command runs once.
const printed = new Map();
function figuresOf(count, pattern, command) {
  const key = command.join(' ');
  if (!printed.has(key)) printed.set(key, run(...command).text);
  const values = [...printed.get(key).matchAll(pattern)].flatMap(([, ...groups]) => groups.map(Number));
  if (values.length !== count) throw new Error(`${key} printed ${values.length} of ${count} such figures: ${printed.get(key)}`);
  return values;
}
function costs(count, pattern, limit, isKept, unit, ...command) {
  return by(command, () => {
    const values = figuresOf(count, pattern, command);
    const fewer = less(command.filter((word, i) => counted.has(word) || counted.has(command[i - 1])));
    return { measured: values.map((value) => `${value}${unit}`).join(', ') + fewer, holds: values.every((value) => isKept(value, limit)) };
  });
}
// Of two figures the second to the first.
function ratio(pattern, limit, isKept, ...command) {
  return by(command, () => {
    const [first, second] = figuresOf(2, pattern, command);
    return { measured: `${(second / first).toFixed(2)} (${first}, ${second})`, holds: isKept(second / first, limit) };
  });
}
// What the tests of the dashboard say of a page in a real browser, at their full counts. Of the figures that they tell those
// that `pattern` finds.
const dashboardTests = ['tests/integration/dashboard_figures.sh', build];
function dashboard(pattern) {
  return by(dashboardTests, () => {
    figuresOf(1, /^# pass (\d+)/gm, dashboardTests);
    const text = printed.get(dashboardTests.join(' '));
    const measured = [...text.matchAll(pattern)].map(([, figures]) => figures);
    if (measured.length === 0) throw new Error(text.slice(-500));
    return { measured: measured.join('; '), holds: /^# fail 0$/m.test(text) };
  });
}

// The tools of published servers, which are asked for only where there is time.
function searchQuality() {
  const folder = path.dirname(built('../tests/search/tools.json'));
  const isThere = () => existsSync(path.join(source, folder, 'tools.json'));
  if (full && !isThere()) run('tests/search/assemble.mjs', folder);
  if (!isThere()) throw new Error('there are no published tools yet; --full asks their servers for them');
  const [hits, asked] = figuresOf(2, /^(\d+) of (\d+) questions/gm, [path.join(folder, 'search_tests')]);
  return { measured: `${hits} of ${asked}`, holds: hits >= 0.9 * asked };
}
// The official suite against a host, and against one that has this host as an upstream.
function behindTheHost() {
  const figures = figuresOf(6, /: (\d+) of \d+ scenarios pass directly, (\d+) of these/g, ['scripts/conformance.sh', 'through']);
  const pairs = figures.map((passed, i) => (i % 2 === 1 ? [passed, figures[i - 1]] : [])).filter((pair) => pair.length > 0);
  const lost = pairs.reduce((sum, [through, directly]) => sum + directly - through, 0);
  return { measured: pairs.map((pair) => pair.join(' of ')).join(', '), holds: lost === 0 };
}
// What a small count could not say.
const onlyFully = (measure) => by([measure.command], () => (full ? measure() : { measured: 'only with --full', holds: undefined }));
// Of the image in build/packages, which is of this build.
function ofImage(measure) {
  return by([measure.command], () => {
    const made = path.join(source, 'build/packages/image/index.json');
    if (!existsSync(made)) throw new Error('there is no image; scripts/packages.sh and scripts/image.sh make it');
    if (statSync(made).mtimeMs < statSync(path.join(build, 'bin/mcp-plugin-host')).mtimeMs)
      throw new Error('the image is older than the build; scripts/packages.sh and scripts/image.sh make it anew');
    return measure();
  });
}
const atLeast = (value, limit) => value >= limit;
const atMost = (value, limit) => value <= limit;
const eras = ['legacy', 'modern'];
const busy = eras.flatMap((era) => [`${era} 32`, `${era} 128`]);
const counts = ['--seconds', full ? '5' : '2', '--rounds', full ? '5' : '3'];
const built = (name) => path.relative(source, path.resolve(build ?? '', 'bench', name));
const credentials = ['bench/credentials.mjs', build, ...counts];
const audit = ['bench/audit.mjs', build, '--isolation', 'worker', ...counts];
const observed = ['bench/observed.mjs', build, ...counts];
const everything = ['bench/everything.mjs', build];
const authoring = ['bench/authoring.mjs', build, '--edits', full ? '20' : '5'];
// Options of the commands below whose counts are smaller without --full.
const counted = new Set(['--documents', '--mib', '--edits']);
const knowledge = ['bench/knowledge.mjs', build, '--documents', full ? '100000' : '10000'];
const data = ['bench/data.mjs', build, '--mib', full ? '1024' : '128'];
const tutorial = ['tests/tutorial/tutorial.mjs', build];
const image = ['tests/packages/image.sh'];
const hop = ['bench/hop.mjs', build, ...counts];
const scale = ['bench/scale.mjs', build];
const peers = ['bench/peers.sh', '--only', 'host,rmcp', ...counts];
const tls = ['bench/tls.sh', full ? '5' : '3', '3'];

function readmeWords() {
  const text = readFileSync(path.join(source, 'README.md'), 'utf8').replace(/```[\s\S]*?```/g, '');
  const count = text.split(/\s+/).filter(Boolean).length;
  return { measured: `${count} words outside of code`, holds: count <= 900 };
}

const promises = [
  ['documents', 'the README takes a newcomer at most 900 words', by(['scripts/promises.mjs', build, 'documents'], readmeWords)],
  ['documents', 'a tutorial in C++ takes at most 0.8 of the lines of FastMCP\'s (docs/from-fastmcp.md)',
    costs(1, /^C\+\+ takes (\S+) of the lines/gm, 0.8, atMost, '', 'tests/fastmcp/lines.mjs')],
  ['speed', 'in-process, 32 and 128 connections: at least 1.15 of the requests of a bare server (bench/README.md)',
    bench((all) => busy.map((load) => all[load].requestsToBaseline), 1.15, atLeast)],
  ['speed', 'in-process, 1 connection: a median of at most 1.0 of a bare server (bench/README.md)',
    bench((all) => eras.map((era) => all[`${era} 1`].p50ToBaseline), 1, atMost)],
  ['speed', 'in-process, 32 and 128 connections: at least 0.75 of the requests of a loop with fixed answers (bench/README.md)',
    bench((all) => busy.map((load) => all[load].requestsToFixed), 0.75, atLeast)],
  ['speed', 'worker, 32 and 128 connections: at least 0.85 of the requests in-process (bench/README.md)',
    bench((all) => busy.map((load) => all[load].requestsOfWorker), 0.85, atLeast)],
  ['speed', 'worker, 32 and 128 connections: at most 8 us of processor time a request more (bench/README.md)',
    bench((all) => busy.map((load) => all[load].processorMoreOfWorker), 8, atMost, ' us')],
  ['speed', 'worker, 1 connection: a median not above that in-process (bench/README.md)',
    bench((all) => eras.map((era) => all[`${era} 1`].p50OfWorker), 1, atMost)],
  ['speed', '1 MiB of arguments, or of a result: at least 0.9 of the requests of a bare server; in-process, worker (bench/README.md)',
    bench((all) => ['arguments', 'result'].flatMap((what) => Object.values(all[`modern 1 MiB ${what}`])), 0.9, atLeast)],
  ['speed', 'the load itself takes at most 8 us of processor time a request (docs/performance.md)',
    bench((all) => busy.map((load) => all[load].ofLoad), 8, atMost, ' us')],
  ['speed', 'a call of a small tool takes at most 0.8 us of its plugin (docs/performance.md)',
    costs(1, /^a small call: (\S+) ns/gm, 800, atMost, ' ns', built('bench_plugin_calls'))],
  ['peers', 'in-process: at least 2.6 of the requests of rmcp in the same revision (bench/README.md)',
    costs(2, /^this host, in-process: (\S+) of/gm, 2.6, atLeast, '', ...peers)],
  ['peers', 'worker: at least 2.2 of the requests of rmcp in the same revision (bench/README.md)',
    costs(2, /^this host, worker: (\S+) of/gm, 2.2, atLeast, '', ...peers)],
  ['speed', 'stdio: the first tools/list is answered within 15 ms of the start (bench/README.md)',
    bench((all) => all.stdioStartMs, 15, atMost, ' ms')],
  ['speed', 'a changed file is served, and heard of, within a quarter of a second (README.md)',
    bench((all) => all.heardMs, 250, atMost, ' ms')],
  ['reload', 'a reload loses no call and closes no stream (README.md)',
    hostile('reload_under_load', { replacements: [40, 1000], calls: [20_000, 1_000_000], connections: [16, 64], streams: [16, 100], 'p99-ratio': [0, 1.5] },
      'calls in all, failed', 'streams, closed', 'ratios')],
  ['reload', 'a certificate that changes costs no call and no connection (docs/tls.md)',
    hostile('certificate_swaps', { swaps: [20, 1000] }, 'calls and handshakes', 'connections closed', 'until the new')],
  ['team', 'a revoked token is refused within 250 ms, and its streams end within a second (docs/access.md)',
    hostile('revocation', { revocations: [20, 1000], refreshes: [200, 1000], expiries: [4, 10] },
      'refused after', 'streams ended after the command', 'sessions lost', 'streams lost')],
  ['team', 'a change of the configuration costs no call and no connection (docs/configuration.md)',
    hostile('configuration_changes', { changes: [20, 1000] }, 'calls that failed', 'connections closed', 'until a change')],
  ['reload', 'reloads in the host\'s process leave no memory behind (ARCHITECTURE.md)',
    hostile('reload_in_process', { reloads: [1000, 20_000], 'warm-up': [800, 2000] }, 'heap in use', 'RSS after')],
  ['failures', 'a plugin that dies costs nobody else a call (README.md)',
    hostile('deaths', { deaths: [60, 10_000] }, 'calls of the plugin that is well', 'ratios')],
  ['failures', 'a damaged file leaves the last good version serving (README.md)',
    hostile('damaged_files', { files: [160, 10_000], names: [16, 32] }, 'files dropped', 'wrong answers of good')],
  ['failures', 'a required sandbox is never left out (docs/sandbox.md)',
    hostile('configuration_races', { interleavings: [40, 1000], plugins: [20, 50] }, 'loads, refusals', 'loads without a sandbox  ')],
  ['fairness', 'clients with large messages do not make others wait (docs/security.md)',
    onlyFully(hostile('large_messages', { seconds: [5, 5], rounds: [3, 3], 'p99-ratio': [3, 3] }, 'calls, failed', 'p50 / p99 beside'))],
  ['memory', 'memory that a burst has needed goes back (ARCHITECTURE.md)',
    hostile('returned_memory', {}, 'large bodies: memory', 'large heads: memory')],
  ['memory', 'an idle WebSocket takes at most 16 KiB of the host (bench/README.md)',
    hostile('idle_websockets', { connections: [1000, 10_000] }, 'memory of each')],
  ['memory', 'nothing grows over time',
    hostile('soak', { seconds: [20, 900] }, 'errors', 'RSS', 'descriptors')],
  ['scale', 'a replaced file is heard of on 10,000 streams within 120 ms, p99 (bench/README.md)',
    costs(1, /^a replaced file .*last +\S+ ms, \S+ ms, (\S+) ms/gm, 120, atMost, ' ms', ...scale)],
  ['scale', 'each of 10,000 streams takes at most 8 KiB of the host (bench/README.md)',
    costs(1, /^memory of each of 10000 streams +(\S+) KiB/gm, 8, atMost, ' KiB', ...scale)],
  ['scale', '1,000 plugins in the host\'s process are listed within 1.5 s of its start (bench/README.md)',
    costs(1, /^1000 plugins, in-process: listed after +(\S+) ms/gm, 1500, atMost, ' ms', ...scale)],
  ['scale', '200 workers are listed within 400 ms of the start (bench/README.md)',
    costs(1, /^200 plugins, worker: listed after +(\S+) ms/gm, 400, atMost, ' ms', ...scale)],
  ['scale', '200 workers take at most 80 MiB together (bench/README.md)',
    costs(1, /^200 plugins, worker: PSS.* (\S+) MiB$/gm, 80, atMost, ' MiB', ...scale)],
  ['authoring', 'the first build of a new project takes at most 8 s of the processor; debug, release (bench/README.md)',
    costs(2, /first build takes (\S+) s/g, 8, atMost, ' s', ...authoring)],
  ['authoring', 'a tool more takes at most 0.5 s of the processor to build; debug, release (bench/README.md)',
    costs(2, /a tool more (\S+) s/g, 0.5, atMost, ' s', ...authoring)],
  ['authoring', 'with dev a change is live within 3 s, p50 (docs/debugging.md)',
    costs(1, / after (\S+) s p50/g, 3, atMost, ' s', ...authoring)],
  ['authoring', 'and no connection is refused and no call fails meanwhile (docs/debugging.md)',
    costs(2, /; (\d+) connections refused, (\d+) calls/g, 0, atMost, '', ...authoring)],
  ['authoring', 'the tutorial takes at most 20 lines (docs/tutorial.md)',
    costs(1, / of the processor; (\d+) lines/g, 20, atMost, ' lines', ...tutorial)],
  ['authoring', 'and at most 300 s, where the host is installed (docs/tutorial.md)',
    costs(1, /^all of it: (\S+) s,/gm, 300, atMost, ' s', ...tutorial)],
  ['costs', 'a credential that is known leaves at least 0.95 of the calls a second (bench/README.md)',
    costs(2, /, 32 connections[^]*?^token of the host +\S+ +(\S+)[^]*?^JWT that is known +\S+ +(\S+)/gm, 0.95, atLeast, '', ...credentials)],
  ['costs', 'new tokens: at least 0.8 of the verifications of openssl speed; RS256, ES256, EdDSA (bench/README.md)',
    costs(3, / us, (\S+) of the verifications/g, 0.8, atLeast, '', ...credentials)],
  ['costs', 'a filtered page takes at most 1.2 of the time; of 100, and of 10,000 for a tool (bench/README.md)',
    costs(2, /page of 100:.* time (\S+) of[^]*page of 10000:.* (\S+) for a tool/g, 1.2, atMost, '', ...credentials)],
  ['costs', 'new tokens without HTTP: at least 0.8 of OpenSSL\'s verifications (bench/README.md)',
    costs(3, / bytes, (\S+) of OpenSSL's/g, 0.8, atLeast, '', built('bench_tokens'))],
  ['costs', 'an audit log, async, leaves at least 0.97 of the calls a second; 32, 128, 512 clients (bench/README.md)',
    costs(3, /, (?:32|128|512) connections[^]*?^async +\S+ +(\S+)/gm, 0.97, atLeast, '', ...audit)],
  ['costs', 'an audit log, strict, leaves at least 0.90 of the calls a second; 32, 128, 512 clients (bench/README.md)',
    costs(3, /, (?:32|128|512) connections[^]*?^strict +\S+ +(\S+)/gm, 0.9, atLeast, '', ...audit)],
  ['costs', 'an audit log is verified at 300 MB/s at least (bench/README.md)',
    costs(1, /, (\d+) MB\/s/g, 300, atLeast, ' MB/s', ...audit)],
  ['costs', 'metrics leave at least 0.99 of the calls a second (bench/README.md)',
    costs(1, /^metrics +\S+ +(\S+)/gm, 0.99, atLeast, '', ...observed)],
  ['costs', 'traces leave at least 0.98 of the calls a second with none and 1 % recorded (bench/README.md)',
    costs(2, /^traces, (?:none|1 %) sampled +\S+ +(\S+)/gm, 0.98, atLeast, '', ...observed)],
  ['costs', 'traces leave at least 0.85 of the calls a second with all recorded (bench/README.md)',
    costs(1, /^traces, all sampled +\S+ +(\S+)/gm, 0.85, atLeast, '', ...observed)],
  ['costs', 'all of the team server takes at most 3 MiB of an idle host (bench/README.md)',
    costs(1, /, (\S+) MiB more/g, 3, atMost, ' MiB', ...everything)],
  ['costs', 'stdio starts no later with all of the team server, but for 0.5 ms of chance (bench/README.md)',
    costs(1, /, (\S+) ms later/g, 0.5, atMost, ' ms', ...everything)],
  ['costs', 'TLS leaves at least 0.85 of the calls a second (bench/README.md)',
    costs(1, /TLS \/ plain: (\S+)/g, 0.85, atLeast, '', ...tls)],
  ['costs', 'TLS handshakes: at least 0.9 of nginx\'s (bench/README.md)',
    costs(1, /those of nginx: (\S+)/g, 0.9, atLeast, '', ...tls)],
  ['costs', 'a decision of the rate limiter takes at most 100 ns (bench/README.md)',
    costs(2, /^one of a (?:thousand|million) keys: +(\S+) ns/gm, 100, atMost, ' ns', built('bench_rate_limits'))],
  ['costs', 'what is kept of a million keys of the rate limiter takes at most 64 MiB (bench/README.md)',
    costs(1, /^a million keys: (\S+) MiB of memory/gm, 64, atMost, ' MiB', built('bench_rate_limits'))],
  ['costs', 'a hop over HTTP leaves at least 0.8 of the requests of a bare proxy (bench/README.md)',
    costs(1, /^host +\S+ +(\S+)/gm, 0.8, atLeast, '', ...hop)],
  ['costs', 'of the rate of a program over stdio at least 0.5 is left through the host (bench/README.md)',
    costs(2, /^over stdio +\S+ +(\S+)/gm, 0.5, atLeast, '', ...hop)],
  ['search', 'a page of 100 of 10,000 tools takes at most twice what it does of 100 (bench/README.md)',
    ratio(/of 100, of 10,000: (\S+) us, (\S+) us/g, 2, atMost, built('bench_catalogue'))],
  ['search', 'a change takes at most twice as long for 1000 listeners as for one (bench/README.md)',
    ratio(/to 1, to 1,000 listeners: (\S+) ms, (\S+) ms/g, 2, atMost, built('bench_catalogue'))],
  ['search', 'the first search of 10,000 tools takes at most a second (bench/README.md)',
    costs(1, /^the first search: (\S+) ms/gm, 1000, atMost, ' ms', built('bench_catalogue'))],
  ['search', 'a search of 10,000 tools takes at most 5 ms, p99 (bench/README.md)',
    costs(1, /^a search, median and p99: \S+ ms, (\S+) ms/gm, 5, atMost, ' ms', built('bench_catalogue'))],
  ['search', 'of 100 questions about published tools 90 have a right one among the first five (bench/README.md)', by([built('../tests/search/search_tests')], searchQuality)],
  ['protocol', 'behind another host all scenarios of the conformance suite pass that pass directly (docs/upstreams.md)', by(['scripts/conformance.sh', 'through'], behindTheHost)],
  ['plugins', 'a changed document is found within two seconds (docs/knowledge.md)',
    costs(1, /found after \S+ s p50, (\S+) s at most/g, 2, atMost, ' s', ...knowledge)],
  ['plugins', '100,000 documents are indexed within 60 s (docs/knowledge.md)',
    costs(1, / indexed in (\S+) s/g, 60, atMost, ' s', ...knowledge)],
  ['plugins', 'a search in them takes at most 20 ms, p99 (docs/knowledge.md)',
    costs(1, / p99 (\S+) ms/g, 20, atMost, ' ms', ...knowledge)],
  ['plugins', 'a CSV file of 1 GiB is described in at most 64 MiB of memory (docs/data.md)',
    costs(1, / taken (\S+) MiB at most/g, 64, atMost, ' MiB', ...data)],
  ['packages', 'the unit has an exposure of at most 2.0 (docs/installing.md)',
    costs(1, /^exposure of the unit: (\S+)/gm, 2, atMost, '', 'tests/packages/unit.mjs')],
  ['packages', 'a new host takes over without a lost connection, at 200 a second (docs/installing.md)',
    costs(1, /refused or lost: (\d+)/gm, 0, atMost, '', 'tests/packages/restart.sh', full ? '60' : '10')],
  ['packages', 'the image has at most 20 MB (docs/installing.md)',
    ofImage(costs(1, /size of the image: (\S+) MB/gm, 20, atMost, ' MB', ...image))],
  ['packages', 'as first process of a container the host leaves no orphan as a zombie (docs/installing.md)',
    ofImage(costs(1, /orphans: \d+, left: (\d+)/gm, 0, atMost, '', ...image))],
  ['dashboard', 'the page is at most 40 KB in four requests (docs/dashboard.md)',
    dashboard(/^# (\d+ bytes in \d+ requests)/gm)],
  ['dashboard', 'what happens is on the page within 500 ms, p99 (docs/dashboard.md)', dashboard(/^# ((?:file to row|crash to state): .*)/gm)],
  ['dashboard', '2000 calls a second for a minute: no task above 100 ms, 20 MB, 2 % of a processor (docs/dashboard.md)',
    dashboard(/^# (\d+ calls a second for .*)/gm)],
  ['costs', 'checking arguments is at least twice as fast as valijson (bench/README.md)',
    costs(1, /^the least: ([\d.]+)/gm, 2, atLeast, '', built('bench_schema'))],
];

const topics = [...new Set(promises.map(([topic]) => topic))];
const unknown = wanted.filter((word) => !topics.includes(word));
if (build === undefined || unknown.length > 0) {
  console.error(`usage: scripts/promises.sh [TOPIC...] [--full]; the topics are ${topics.join(', ')}`);
  process.exit(2);
}
let short = 0;
for (const [topic, promise, measure] of promises) {
  if (wanted.length > 0 && !wanted.includes(topic)) continue;
  let measured;
  let holds = false;
  try {
    ({ measured, holds } = measure());
  } catch (error) {
    measured = `it could not be measured: ${error.message.trim().split('\n').pop()}`;
  }
  if (holds === false) ++short;
  const verdict = { true: 'holds', false: 'falls short', undefined: 'not judged' }[holds];
  console.log(`${verdict.padEnd(11)}  ${topic}: ${promise}\n             ${measured}\n             by ${measure.command}`);
}
console.log(short === 0 ? 'no promise falls short' : `${short} promises fall short`);
process.exit(short === 0 ? 0 : 1);
