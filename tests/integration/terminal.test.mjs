// What a person sees in a terminal: a host that is watched, colours, and how far a command is.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

import { Components, fixture } from './support/components.mjs';
import { HttpHost, program, serve } from './support/host.mjs';
import { postModern } from './support/http.mjs';
import { command } from './support/operated.mjs';
import { Terminal, pictureOf } from './support/terminal.mjs';
import { until } from './support/until.mjs';

async function call(host, name, args = {}) {
  return (await postModern(host.url, 'tools/call', { name, arguments: args })).json();
}
const options = { timeout: 95_000 };
const withoutNoColor = { ...process.env };
delete withoutNoColor.NO_COLOR;
const watch = (context, size = {}) =>
  new Terminal(context, [program, 'status', '--watch'], { columns: 120, env: withoutNoColor, ...size });

test('AWatchedHostShowsItsCallsAndGivesTheTerminalBack', options, async (context) => {
  const host = await serve(context, await Components.create('sample_v1', 'slow'));
  const script = `"${program}" status --watch; echo "ended with $?"; stty -a; sleep 30`;
  const terminal = new Terminal(context, ['sh', '-c', script], { columns: 120, env: withoutNoColor });
  await terminal.until(/^PLUGIN +STATE +CALLS\/S +CALLS +ERRORS +IN FLIGHT +P50 +P99 +RESTARTS +ISOLATION +PID +LAST ERROR$/m);
  await terminal.until(/^sample +serving +\d/m);
  assert.equal(terminal.styleOf('serving'), '32');
  await call(host, 'version');
  for (let calls = 0; calls < 3; ++calls) await call(host, 'wait', { label: 'a', milliseconds: 1 });
  await terminal.until(/^slow +serving +\d\S* +3 /m);
  terminal.press('c');
  await terminal.until(/^slow [^]*^sample /m);
  assert.equal(terminal.styleOf('c calls'), '1');
  terminal.press('n');
  await terminal.until(/^sample [^]*^slow /m);
  terminal.press('q');
  await terminal.until(/^ended with 0$[^]*[^-]icanon[^]*[^-]echo /m);
  assert.doesNotMatch(terminal.text(), /PLUGIN/);
});

test('AWatchIsStoppedAndGoesOnAsJobsOfAShellDo', options, async (context) => {
  await serve(context, await Components.create('sample_v1'));
  const terminal = new Terminal(context, ['bash', '--norc', '--noprofile', '-i'], { columns: 120, env: withoutNoColor });
  terminal.press(`"${program}" status --watch\r`);
  await terminal.until(/^sample +serving/m);
  terminal.press('\x1a');
  await terminal.until(/Stopped/);
  assert.doesNotMatch(terminal.text(), /PLUGIN/);
  terminal.press('fg\r');
  await terminal.until(/^sample +serving/m);
  terminal.press('q');
  await terminal.until(/^bash\S*[#$]$/m); // what is typed before is not for the shell
  terminal.press('echo it is "over"\r');
  await terminal.until(/^it is over$/m);
});

test('AHostEndsWithItsTerminal', options, async (context) => {
  const components = await Components.create('sample_v1');
  context.after(() => components.discard());
  const serve = `"${program}" serve --listen 127.0.0.1:0 --components "${components.root}" --data "${components.data}"`;
  const script = `${serve} & host=$!; read line; kill -HUP $host; wait $host; echo "ended with $?"; sleep 30`;
  const terminal = new Terminal(context, ['sh', '-c', script], { columns: 120, env: withoutNoColor });
  await terminal.until(/ serving /);
  terminal.press('\r');
  await terminal.until(/^ended with 0$/m);
});

test('AWatchWaitsForAHostThatStartsAnew', options, async (context) => {
  const components = await Components.create('sample_v1');
  let host = (await HttpHost.start(components)).killAfter(context);
  const terminal = watch(context);
  await terminal.until(new RegExp(`pid ${host.child.pid}, serve`));
  await host.stop();
  await terminal.until(/^waiting for the host: /m);
  host = await serve(context, components);
  await terminal.until(new RegExp(`pid ${host.child.pid}, serve`));
  terminal.press('\x03');
  assert.equal(await terminal.ended, 0);
  assert.ok(terminal.raw.endsWith('\x1b[?25h\x1b[?1049l'), JSON.stringify(terminal.raw.slice(-40)));
});

test('AWatchStaysWithItsHostWhenAnotherOneStarts', options, async (context) => {
  const host = await serve(context, await Components.create('sample_v1'));
  const child = spawn(program, ['status', '--watch', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
  context.after(() => child.kill('SIGKILL'));
  const seen = [];
  createInterface({ input: child.stdout }).on('line', (line) => seen.push(JSON.parse(line).host.pid));
  const untilSeen = (times) => until(() => seen.length >= times, () => JSON.stringify(seen));
  await untilSeen(1);
  await serve(context, await Components.create('sample_v1'));
  await untilSeen(seen.length + 2); // one of them may have been asked for before
  assert.deepEqual([...new Set(seen)], [host.child.pid]);
});

test('AWatchWithoutATerminalIsALineOfSnapshots', options, async (context) => {
  await serve(context, await Components.create('sample_v1'));
  const child = spawn(program, ['status', '--watch'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const data of child.stdout.setEncoding('utf8')) {
    text += data;
    if (text.split('PLUGIN').length > 2 && text.endsWith('\n')) break;
  }
  child.kill();
  assert.match(text, /^mcp-plugin-host .*\nPLUGIN .*\nsample +serving +- .*\n\nmcp-plugin-host .*\nPLUGIN .*\nsample +serving +0\.0 /);
  assert.doesNotMatch(text, /\x1b/);
});

test('ColoursAreForTerminalsUnlessToldOtherwise', options, async (context) => {
  await serve(context, await Components.create('sample_v1'));
  const shown = async (env, ...args) => {
    const terminal = new Terminal(context, [program, 'status', ...args], { columns: 200, env });
    assert.equal(await terminal.ended, 0);
    return terminal.raw;
  };
  assert.match(await shown(withoutNoColor), /\x1b\[32mserving\x1b\[0m/);
  assert.doesNotMatch(await shown({ ...withoutNoColor, NO_COLOR: '1' }), /\x1b/);
  assert.doesNotMatch(await shown(withoutNoColor, '--color', 'never'), /\x1b/);
  assert.doesNotMatch((await command('status')).stdout, /\x1b/);
  assert.match((await command('status', '--color', 'always')).stdout, /\x1b\[32mserving\x1b\[0m/);
  assert.match((await command('status', '--color', 'sometimes')).stderr, /"sometimes" is not one of auto\|always\|never/);
});

test('PluginsAreSorted', options, async (context) => {
  const host = await serve(context, await Components.create('sample_v1', 'slow'));
  await call(host, 'wait', { label: 'a', milliseconds: 1 });
  const order = async (key) => (await command('status', '--sort', key)).stdout.match(/^(sample|slow)(?= )/gm);
  assert.deepEqual(await order('calls'), ['slow', 'sample']);
  assert.deepEqual(await order('name'), ['sample', 'slow']);
  assert.deepEqual(await order('p99'), ['slow', 'sample']);
  const json = JSON.parse((await command('status', '--json', '--sort', 'calls')).stdout);
  assert.deepEqual(json.plugins.map(({ plugin }) => plugin), ['slow', 'sample']);
  assert.match((await command('status', '--sort', 'size')).stderr, /"size" is not one of name\|/);
});

test('ALongCallSaysHowFarItIs', options, async (context) => {
  const components = await Components.create('slow');
  context.after(() => components.discard());
  const terminal = new Terminal(context, [program, 'call', '--components', components.root, '--data', components.data, 'wait',
    JSON.stringify({ label: 'a', milliseconds: 200, reports: 2 })]);
  assert.equal(await terminal.ended, 0);
  assert.match(terminal.raw, /\r\x1b\[K\[#{10}-{10}\] {2}50 % {2}1\/2 {2}step 1\r/);
  assert.doesNotMatch(terminal.text(), /step/);
});

test('ACallOfARunningHostSaysHowFarItIs', options, async (context) => {
  const host = await serve(context, await Components.create('slow'));
  const args = ['call', '--url', host.address.href, 'wait', JSON.stringify({ label: 'a', milliseconds: 200, reports: 2 })];
  const terminal = new Terminal(context, [program, ...args]);
  assert.equal(await terminal.ended, 0);
  assert.match(terminal.raw, /\r\x1b\[K\[#{10}-{10}\] {2}50 % {2}1\/2 {2}step 1\r/);
  assert.match((await command(...args)).stderr, /^progress 1\/2 step 1\nprogress 2\/2 step 2\n$/);
});

test('WithoutATerminalProgressIsToldAsOftenAsToClientsAndItsEndInAnyCase', options, async (context) => {
  const components = await Components.create('slow');
  const host = await serve(context, components);
  const args = JSON.stringify({ label: 'a', milliseconds: 500, reports: 1000 });
  for (const where of [['--url', host.address.href], ['--components', components.root, '--data', join(components.folder, 'other')]]) {
    const lines = (await command('call', ...where, 'wait', args)).stderr.trimEnd().split('\n');
    assert.ok(lines.every((line) => /^progress \d+\/1000 step \d+$/.test(line)), lines.join('\n'));
    assert.equal(lines[0], 'progress 1/1000 step 1');
    assert.equal(lines.at(-1), 'progress 1000/1000 step 1000');
    assert.ok(lines.length >= 20 && lines.length < 500, `${lines.length} lines`);
  }
});

test('ACheckSaysHowFarItIs', options, async (context) => {
  const terminal = new Terminal(context, [program, 'check', '--only', 'schemas', fixture('sample_v1')]);
  await terminal.ended;
  assert.match(terminal.raw, /\r\x1b\[K\[-{20}\] {3}0 % {2}0\/\d+ {2}sample_v1\.so: \w+\r/);
  assert.match(terminal.text(), /passed, 0 failed/);
  assert.doesNotMatch(terminal.text(), /%/);
});

// For the site's page of docs/operating.md.
test('APictureIsMadeOfWhatATerminalShows', options, async (context) => {
  const components = await Components.create('sample_v1', 'slow', 'dying', 'no_entry');
  const host = await serve(context, components);
  const terminal = watch(context, { columns: 180, rows: 10 });
  await terminal.until(/^sample +serving/m);
  for (let calls = 0; calls < 30; ++calls) await call(host, 'version');
  for (let calls = 0; calls < 4; ++calls) await call(host, 'wait', { label: 'a', milliseconds: 20 });
  await call(host, 'die', { how: 'abort' });
  await terminal.until(/^sample +serving +\d\S* +30 /m); // a second without calls may have passed since
  const picture = pictureOf(terminal, { [components.root]: '/srv/mcp_components' });
  const titles = [...picture.matchAll(/font-weight="bold">([A-Z][A-Z0-9/ ]+)</g)].map(([, title]) => title);
  assert.deepEqual(titles.slice(0, 4), ['PLUGIN', 'STATE', 'CALLS/S', 'CALLS']);
  await mkdir(process.env.MCP_PICTURES, { recursive: true });
  await writeFile(join(process.env.MCP_PICTURES, 'status.svg'), picture);
});
