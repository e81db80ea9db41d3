// Files of Python, served by the plugin python in a running host, while they are edited.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { Components } from './support/components.mjs';
import { HttpHost, inProcess, program, sanitizer } from './support/host.mjs';
import { postModern, Session } from './support/http.mjs';
import { patience } from './support/patience.mjs';
import { writeWhole } from './support/whole_file.mjs';

const header = 'import time\nfrom mcp_plugin import *\n';
// Its interpreter can never be unloaded.
const resident = inProcess ? { isolation: 'in-process-resident' } : {};
const versionTool = (version) => `@tool\ndef version() -> int:\n    return ${version}\n`;

class Served {
  // The plugin as served.so, with a folder of these files.
  static async start(context, files, configuration = () => ({})) {
    const components = await Components.create();
    const served = new Served(components);
    await mkdir(served.folder);
    for (const [name, text] of Object.entries(files)) await served.write(name, text);
    await components.write('served.json', JSON.stringify({ folder: served.folder, ...resident, ...configuration(served.folder) }));
    await copyFile(process.env.MCP_PYTHON, components.file('served.so'));
    served.host = await HttpHost.start(components, ['--log-level', 'info', '--control', served.control]);
    context.after(() => served.host.stop().finally(() => components.discard()));
    // Its interpreter may take longer than the host waits before it serves.
    await served.host.log.until({ event: 'plugin loaded', file: components.file('served.so') });
    return served;
  }

  constructor(components) {
    this.components = components;
    this.folder = join(components.folder, 'python');
    this.control = join(components.folder, 'control.sock');
  }

  path(name) {
    return join(this.folder, name);
  }

  // As most editors do: another file takes the name.
  async write(name, text) {
    await writeFile(this.path(`.${name}.new`), header + text);
    await rename(this.path(`.${name}.new`), this.path(name));
  }

  // Returns when the new text is served.
  edit(name, text) {
    return this.says(/^loaded .* anew$/, () => this.write(name, text));
  }

  // What `status` shows of it.
  async lastError() {
    const { stdout } = await promisify(execFile)(program, ['status', '--control', this.control, '--json']);
    return JSON.parse(stdout).plugins[0].lastError?.message;
  }

  async call(name, args = {}) {
    return (await postModern(this.host.address, 'tools/call', { name, arguments: args })).json();
  }

  async say(name, args) {
    const { result, error } = await this.call(name, args);
    assert.equal(error, undefined, error?.message);
    return result.content[0].text;
  }

  async tools() {
    const { result } = await (await postModern(this.host.address, 'tools/list')).json();
    return result.tools.map(({ name }) => name);
  }

  // Returns the level at which the plugin says these words, from `action` on.
  async says(words, action) {
    const { log } = this.host;
    const before = log.entries.length;
    await action();
    for (;;) {
      const said = log.entries.slice(before).find(({ event, text }) => event === 'plugin says' && words.test(text));
      if (said) return said.level;
      await log.next({ event: 'plugin says' });
    }
  }
}

test('AFileIsEditedUnderLoadAndNoCallIsLost', async (context) => {
  const served = await Served.start(context, { 'a.py': versionTool(0) });
  let isRunning = true;
  let answers = 0;
  const callers = Array.from({ length: 4 }, async () => {
    for (let least = 0; isRunning; ++answers) {
      const version = Number(await served.say('version'));
      assert.ok(version >= least, `${version} after ${least}`);
      least = version;
    }
  });
  for (let version = 1; version <= 10; ++version) {
    await served.edit('a.py', versionTool(version));
    assert.equal(await served.say('version'), String(version));
  }
  isRunning = false;
  await Promise.all(callers);
  context.diagnostic(`${answers} calls while it was edited 10 times`);
  assert.ok(answers >= 10);
});

test('AUriMayHaveEachFormOfAVariable', async (context) => {
  const served = await Served.start(context, { 'a.py': `
@resource("docs://{path*}")
def document(path: str) -> str:
    return path

@resource("search://notes{?words,limit}")
def search(words: str = "", limit: int = 10) -> str:
    return f"{words}, {limit}"
` });
  const ask = async (method, params) => (await (await postModern(served.host.address, method, params)).json()).result;
  const { resourceTemplates } = await ask('resources/templates/list', {});
  assert.deepEqual(resourceTemplates.map(({ uriTemplate }) => uriTemplate), ['docs://{path*}', 'search://notes{?words,limit}']);
  const read = async (uri) => (await ask('resources/read', { uri })).contents[0].text;
  assert.equal(await read('docs://a/b.md'), 'a/b.md');
  assert.equal(await read('search://notes?words=x'), 'x, 10');
  assert.equal(await read('search://notes?limit=3&words=y'), 'y, 3');
  assert.equal(await read('search://notes'), ', 10');
});

test('FilesComeAndGo', async (context) => {
  const served = await Served.start(context, { 'a.py': versionTool(1) });
  const listsChange = () => served.host.log.next({ event: 'plugin changed its components' });
  let changed = listsChange();
  await served.write('b.py', '@tool\ndef more() -> str:\n    return "more"\n');
  await changed;
  assert.deepEqual(await served.tools(), ['more', 'version']);
  assert.equal(await served.say('more'), 'more');
  changed = listsChange();
  await rm(served.path('b.py'));
  await changed;
  assert.deepEqual(await served.tools(), ['version']);
});

test('AMistakeIsToldWithItsLineAndWhatWasServedIsServedOn', async (context) => {
  const served = await Served.start(context, { 'a.py': versionTool(1) });
  const level = await served.says(/a\.py", line 4\n.*def broken\(:/, () => served.write('a.py', '\ndef broken(:\n'));
  assert.equal(level, 'error');
  assert.match(await served.lastError(), /^it says: a\.py: SyntaxError: [^\n]+\n[^]*a\.py", line 4\n/);
  assert.equal(await served.say('version'), '1');
  await served.edit('a.py', versionTool(2));
  assert.equal(await served.say('version'), '2');
});

// Which the host would otherwise refuse, with all that the files describe.
const find = (pattern) => `from typing import Annotated
@tool
def find(word: Annotated[str, Field(pattern="${pattern}")]) -> str:
    return word
`;
const greet = (parameter) => `@tool\ndef greet(${parameter}: str) -> str:\n    return "Hello, " + ${parameter}\n`;
const noPattern = /a\.py", line 4, in <module>\n[^]*ValueError: pattern '\(\?i\)\^a' is no regular expression of JavaS/;

test('WhatTheHostWouldRefuseLeavesOutItsFileUntilThatIsCorrected', async (context) => {
  const served = await Served.start(context, { 'a.py': find('(?i)^a'), 'b.py': greet('name') });
  await served.host.log.until({ event: 'plugin says', text: noPattern });
  assert.deepEqual(await served.tools(), ['greet']);
  const changed = served.host.log.next({ event: 'plugin changed its components' });
  await served.write('a.py', find('^a'));
  await changed;
  assert.deepEqual(await served.tools(), ['find', 'greet']);
});

test('WhatTheHostWouldRefuseIsNotServedInPartEither', async (context) => {
  const served = await Served.start(context, { 'a.py': greet('name') });
  for (const change of ['', '# again\n', '# and again\n']) {
    await served.says(noPattern, () => served.write('a.py', find('(?i)^a') + greet('who') + change));
    assert.equal(await served.say('greet', { name: 'Ada' }), 'Hello, Ada');
  }
});

test('ACallInFlightEndsInTheCodeThatItBeganIn', async (context) => {
  const slow = (version) => `
import pathlib
go = pathlib.Path(__file__).with_name("go")

@tool
def slow(context: Context) -> str:
    context.info("begun")
    while not go.exists():
        time.sleep(0.01)
    return "${version}"

${versionTool(version)}`;
  const served = await Served.start(context, { 'a.py': slow(1) });
  const begun = served.host.log.next({ event: 'plugin says', text: 'begun' });
  const answer = served.say('slow');
  await begun;
  await served.edit('a.py', slow(2));
  assert.equal(await served.say('version'), '2');
  await writeFile(served.path('go'), '');
  assert.equal(await answer, '1');
});

// Until it is so, which the host makes it a moment after the files are loaded.
async function until(ask, wanted) {
  let last;
  for (const end = Date.now() + patience; Date.now() < end; await sleep(20)) {
    last = await ask();
    if (JSON.stringify(last) === JSON.stringify(wanted)) return;
  }
  assert.deepEqual(last, wanted);
}

test('WhatFilesAddToTheCapabilitiesComesAndGoesWithThem', async (context) => {
  const adding = (name) => `extension("${name}", {"languages": ["en"]})\nexperimental("drafts")\n${versionTool(1)}`;
  const served = await Served.start(context, { 'a.py': adding('com.example/search') });
  const added = async () => {
    const { result } = await (await postModern(served.host.address, 'server/discover')).json();
    const { extensions, experimental } = result.capabilities;
    return [extensions['com.example/search'], experimental];
  };
  assert.deepEqual(await added(), [{ languages: ['en'] }, { drafts: {} }]);
  const refused = /a\.py", line 3, in <module>\n[^]*has a prefix that is reserved for MCP/;
  await served.says(refused, () => served.write('a.py', adding('io.modelcontextprotocol/search')));
  const mistaken = /a\.py", line 3, in <module>\n[^]*ValueError: .*Not a name/;
  await served.says(mistaken, () => served.write('a.py', `Counter("Not a name", "")\n${versionTool(2)}`));
  assert.deepEqual(await added(), [{ languages: ['en'] }, { drafts: {} }], 'served on');
  await served.edit('a.py', versionTool(3));
  await until(added, [undefined, undefined]);
});

test('FunctionsThatAreLoadedAnewAreToldOfTheSubscriptionsThatThereAre', async (context) => {
  const listening = (version) => `
heard = []

@resource("served://one")
def one() -> str:
    return "one"

@on_subscribed
def begin(uri: str, context: Context):
    heard.append("+" + uri)
    context.info(f"{context.subscriptions}")

@tool(name="heard")
def say_heard() -> str:
    return "${version} " + " ".join(heard)
`;
  const served = await Served.start(context, { 'a.py': listening(1) });
  const session = await Session.open(served.host.url);
  await session.ask('resources/subscribe', { uri: 'served://one' });
  await until(() => served.say('heard'), '1 +served://one');
  await served.host.log.until({ event: 'plugin says', text: "['served://one']" });
  await served.edit('a.py', listening(2));
  await until(() => served.say('heard'), '2 +served://one');
  await session.delete();
});

// Their libraries share no mutex in one process, but a lock on a file.
const lockedByFile = { skip: inProcess && sanitizer === 'thread' && 'ThreadSanitizer does not know flock(2)' };

// In one process they share the interpreter, and its modules.
test('FoldersMayHaveFilesOfTheSameNames', lockedByFile, async (context) => {
  const names = ['one', 'two', 'three'];
  const components = await Components.create();
  const folderOf = (name) => join(components.folder, name);
  const fill = async (name, text) => {
    await writeWhole(join(folderOf(name), 'helper.py'), `TEXT = "${text}"\n`);
    const tool = `from mcp_plugin import tool\nimport helper\n@tool\ndef say_${name}() -> str:\n    return helper.TEXT\n`;
    await writeWhole(join(folderOf(name), 'served.py'), tool);
  };
  for (const name of names) {
    await mkdir(folderOf(name));
    await fill(name, name);
    await components.write(`${name}.json`, JSON.stringify({ folder: folderOf(name), ...resident }));
    await copyFile(process.env.MCP_PYTHON, components.file(`${name}.so`));
  }
  const served = new Served(components);
  served.host = await HttpHost.start(components, ['--log-level', 'info']);
  context.after(() => served.host.stop().finally(() => components.discard()));
  for (const name of names) await served.host.log.until({ event: 'plugin loaded', file: components.file(`${name}.so`) });
  const say = () => Promise.all(names.map((name) => served.say(`say_${name}`)));
  assert.deepEqual(await say(), names);
  await served.says(/^loaded .* anew$/, () => fill('two', 'second'));
  assert.deepEqual(await say(), ['one', 'second', 'three']);
});

// Each waits for the three others, with the interpreter's lock released.
test('FourCallsRunBesideEachOther', async (context) => {
  const meeting = `
import asyncio, threading
barrier = threading.Barrier(4)

@tool
def meet() -> int:
    barrier.wait(20)
    return 4

@tool
async def meet_asynchronously() -> int:
    await asyncio.to_thread(barrier.wait, 20)
    return 4
`;
  const served = await Served.start(context, { 'a.py': meeting });
  for (const tool of ['meet', 'meet_asynchronously']) {
    assert.deepEqual(await Promise.all(Array.from({ length: 4 }, () => served.say(tool))), ['4', '4', '4', '4']);
  }
});

test('WhatIsPrintedAndWhatIsRaisedIsInTheLog', async (context) => {
  const served = await Served.start(context, {
    'a.py': '@tool\ndef shout(text: str) -> None:\n    print(text)\n@tool\ndef fail() -> int:\n    return 1 // 0\n',
  });
  if (!inProcess) {
    const printed = served.host.log.next({ event: 'plugin output', text: 'hear, hear' });
    await served.call('shout', { text: 'hear, hear' });
    await printed;
  }
  await served.says(/a\.py", line \d+, in fail\n +return 1 \/\/ 0\n[^]*ZeroDivisionError/, async () => {
    assert.equal(await served.say('fail'), "Error calling tool 'fail': integer division or modulo by zero");
  });
});

test('AFileThatDoesNotComeToItsEndIsToldWithItsLine', async (context) => {
  const served = await Served.start(context, { 'a.py': versionTool(1) });
  const until = join(served.components.folder, 'until');
  const endless = `import pathlib\nwhile not pathlib.Path("${until}").exists():\n    time.sleep(0.01)\n`;
  const level = await served.says(/^the files are still being loaded after 5 s; .*\n +File ".*a\.py", line [45], in <module>/,
    () => served.write('a.py', endless + versionTool(2)));
  assert.equal(level, 'warning');
  assert.equal(await served.say('version'), '1');
  await served.says(/^loaded .* anew$/, () => writeFile(until, ''));
  assert.equal(await served.say('version'), '2');
});

test('ACallThatDoesNotComeToItsEndIsToldWithItsLine', { skip: inProcess && 'it needs a worker' }, async (context) => {
  const endless = '@tool\ndef spin() -> int:\n    while True:\n        pass\n';
  const served = await Served.start(context, { 'a.py': endless }, () => ({ limits: { callTimeMs: 300 } }));
  const printed = served.host.log.until({ event: 'plugin output', text: /a\.py", line [56] in spin/ });
  assert.match((await served.call('spin')).error?.message ?? 'no answer', /took longer than the 0\.3 s/);
  await printed;
});

test('TheStrictSandboxNeedsToReadTheFolderOnly', { skip: inProcess && 'it needs a worker' }, async (context) => {
  const files = {
    'a.py': `
import asyncio, ctypes, datetime, decimal, hashlib, sqlite3, ssl, uuid

@tool
async def secret(path: str) -> str:
    return open(path).read()

@tool
def keep(context: Context) -> str:
    file = context.data_directory / "kept"
    file.write_text("kept")
    return file.read_text()

${versionTool(1)}`,
  };
  const sandboxed = (folder) => ({ sandbox: { profile: 'strict', required: true, read: [folder] } });
  const served = await Served.start(context, files, sandboxed);
  assert.match(await served.say('secret', { path: '/etc/passwd' }), /PermissionError|Permission denied/);
  assert.equal(await served.say('keep'), 'kept');
  await served.edit('a.py', files['a.py'].replace('return 1', 'return 2'));
  assert.equal(await served.say('version'), '2');
  const errors = served.host.log.matching({ level: 'error' }).map(({ text }) => text);
  assert.deepEqual(errors.filter((text) => !text.includes('PermissionError')), []);
});

// In the host's process, where a thread that nobody has joined lives on, and the host's functions of that plugin do not.
test('AContextThatIsKeptDoesNothingWhenThePluginHasEnded', async (context) => {
  const haunting = `
import pathlib, threading
ended = pathlib.Path(__file__).with_name("ended")

@tool
def haunt(context: Context) -> str:
    def run() -> None:
        while context.configuration:
            context.info("still here")
            context.progress(1)
            time.sleep(0.001)
        ended.write_text(str(context.cancelled))
    threading.Thread(target=run, daemon=True).start()
    return "begun"

@tool
def what_was_told() -> str:
    while not ended.exists() or ended.read_text() == "":
        time.sleep(0.01)
    return ended.read_text()
`;
  const configuration = { isolation: 'in-process-resident' };
  const served = await Served.start(context, { 'a.py': haunting }, () => configuration);
  assert.equal(await served.say('haunt'), 'begun');
  const replaced = served.host.log.next({ event: 'plugin replaced' });
  await served.components.write('served.json', JSON.stringify({ folder: served.folder, ...configuration, more: true }));
  await replaced;
  assert.equal(await served.say('what_was_told'), 'True');
});

test('WithoutAFolderItSaysWhatToWrite', async (context) => {
  const components = await Components.create();
  await copyFile(process.env.MCP_PYTHON, components.file('served.so'));
  const host = await HttpHost.start(components);
  context.after(() => host.stop().finally(() => components.discard()));
  const { reason } = await host.log.until({ event: 'plugin refused' });
  assert.match(reason, /it has no "folder" of Python files: write \{"folder": "\/srv\/tools"\} into the file beside/);
});
