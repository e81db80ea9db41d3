// Changes many files of the components folder at once, as a deployment does: copies them in, rewrites their
// configurations, replaces them, takes them away. Clients must hear of a few new lists and not of one for each file.
//
// usage: burst.mjs BUILD_DIR [--files N] [--changes N]
// So many changes are allowed beyond one for each second that the writing takes: nobody is waited for any longer.
import { rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { Client, listTools } from './support/client.mjs';
import { Build, Components, Host } from './support/host.mjs';
import { ListListener } from './support/list_listener.mjs';
import { ms, readArguments, Report } from './support/report.mjs';

const wanted = readArguments({ files: 200, changes: 2 });
const build = new Build(wanted.build);
const report = new Report();

const patienceMs = 10_000 + 100 * wanted.files;
const quietMs = 500; // longer than the host waits for anything

const components = new Components('burst');
const host = await Host.start(build, components);
const client = new Client(host.url);
const listeners = [await ListListener.modern(host.url), await ListListener.legacy(host.url)];
const plugins = Array.from({ length: wanted.files }, (_, i) => `named_${i}`);

// Does it to all of them, and waits until the list has the tools of `generation` and no others.
async function burst(what, generation, change) {
  for (const listener of listeners) listener.heard = 0;
  const tools = generation === '' ? [] : plugins.map((name) => `${name}_${generation}`).sort();
  const begin = performance.now();
  plugins.forEach((name) => change(name, JSON.stringify({ tool: `${name}_${generation}` })));
  const written = performance.now() - begin;
  let listed;
  do {
    await sleep(20);
    listed = (await listTools(client)).sort();
  } while (String(listed) !== String(tools) && performance.now() - begin < patienceMs);
  const served = performance.now() - begin;
  await sleep(quietMs);
  const most = wanted.changes + Math.floor(written / 1000);
  const heard = listeners.map((listener) => listener.heard);
  report.row(`${what}: written in, served after`, `${ms(written)}, ${ms(served)}`);
  report.promise(`${what}: tools listed`, listed.length, String(listed) === String(tools));
  report.promise(`${what}: changes heard of by a modern client, by a legacy one`, heard.join(', '),
    heard.every((count) => count >= 1 && count <= most));
}

await burst('copied in', 'a', (name, configuration) => {
  writeFileSync(components.file(`${name}.json`), configuration);
  components.copy(build.plugin('named'), `${name}.so`);
});
await burst('configurations rewritten', 'b', (name, configuration) => {
  writeFileSync(components.file(`${name}.json`), configuration);
});
await burst('replaced', 'c', (name, configuration) => {
  components.dropBytes(configuration, `${name}.json`);
  components.drop(build.plugin('named'), `${name}.so`);
});
await burst('taken away', '', (name) => {
  rmSync(components.file(`${name}.so`));
  rmSync(components.file(`${name}.json`));
});

const streamsClosed = listeners.filter(({ isClosed }) => isClosed).length;
for (const listener of listeners) listener.close();
client.close();
const end = await host.stop();
report.promise('streams closed', streamsClosed, streamsClosed === 0);
report.promise('the host ends with', end, end === 0);
components.discard();
process.exit(report.end());
