// The plugin knowledge: what clients find in a folder, also when it changes.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import { Components } from './support/components.mjs';
import { exampleConfiguration } from './support/example_configuration.mjs';
import { HttpHost, inProcess, serve } from './support/host.mjs';
import { postModern, Session } from './support/http.mjs';
import { pdfOf } from './support/pdf.mjs';
import { sseEvents } from './support/sse.mjs';
import { until } from './support/until.mjs';

const hasPdfReader = spawnSync('pdftotext', ['-v']).error === undefined;
const policy = '# Holiday policy\n\nEverybody has thirty days of vacation in Germany.\n';

class Folder {
  static async create(context, files = {}) {
    const folder = new Folder(await realpath(await mkdtemp(join(tmpdir(), 'mcp-knowledge-'))));
    context.after(() => rm(folder.path, { recursive: true, force: true }));
    for (const [name, content] of Object.entries(files)) await folder.write(name, content);
    return folder;
  }
  constructor(path) {
    this.path = path;
  }
  file(name) {
    return join(this.path, name);
  }
  async write(name, content) {
    await mkdir(dirname(this.file(name)), { recursive: true });
    await writeFile(this.file(name), content);
  }
}

async function served(context, configuration, options = []) {
  const components = await Components.create();
  await components.addShipped('tools/knowledge', configuration);
  return serve(context, components, options);
}

async function search(host, query, limit) {
  const params = { name: 'search_knowledge', arguments: { query, ...(limit && { limit }) } };
  const { result, error } = await (await postModern(host.url, 'tools/call', params)).json();
  assert.equal(error, undefined, JSON.stringify(error));
  assert.notEqual(result.isError, true, JSON.stringify(result));
  return result;
}
const idsOf = ({ structuredContent }) => structuredContent.results.map(({ id }) => id);

async function untilFound(host, query, ids) {
  const found = async () => JSON.stringify(idsOf(await search(host, query)));
  await until(async () => (await found()) === JSON.stringify(ids), found);
}

// A search waits for that as well, but not for long.
async function untilIndexed(host) {
  await until(async () => !(await search(host, 'policy')).structuredContent.indexing, () => host.log.text());
}

async function read(host, uri) {
  const { result, error } = await (await postModern(host.url, 'resources/read', { uri })).json();
  return error ?? result.contents[0];
}

test('TheExampleOfTheDocumentationWorks', async (context) => {
  const folder = await Folder.create(context, { 'guide/holidays.md': policy });
  const configuration = await exampleConfiguration('knowledge.md', folder.path);
  if (inProcess) delete configuration.sandbox;
  const host = await served(context, configuration);
  await untilIndexed(host);
  assert.deepEqual(idsOf(await search(host, 'vacation')), ['guide/holidays.md']);
});

test('AResultSaysWhatItIsAboutAndLinksToIt', async (context) => {
  const folder = await Folder.create(context, {
    'guide/holidays.md': policy,
    'pay day.html': '<title>Pay &amp; more</title><style>vacation</style><p>Salaries are p<b>ai</b>d each month.',
    'other.txt': 'Nothing of interest.',
  });
  const host = await served(context, { folder: folder.path });
  await untilIndexed(host);
  const result = await search(host, 'vacation germany');
  assert.deepEqual(result.structuredContent, {
    results: [{
      id: 'guide/holidays.md',
      uri: 'knowledge://guide/holidays.md',
      title: 'Holiday policy',
      snippet: '# Holiday policy Everybody has thirty days of **vacation** in **Germany**. ',
    }],
    documents: 3,
    indexing: false,
  });
  assert.match(result.content[0].text, /^1\. Holiday policy \(knowledge:\/\/guide\/holidays\.md\)\n.*\*\*vacation\*\*/);
  assert.deepEqual(result.content[1], {
    type: 'resource_link', uri: 'knowledge://guide/holidays.md', name: 'guide/holidays.md', title: 'Holiday policy',
    mimeType: 'text/markdown',
  });
  const [paid] = (await search(host, 'paid')).structuredContent.results;
  assert.deepEqual([paid.uri, paid.title, paid.snippet], ['knowledge://pay%20day.html', 'Pay & more', 'Salaries are **paid** each month.']);
  assert.deepEqual(await read(host, 'knowledge://guide/holidays.md'),
    { uri: 'knowledge://guide/holidays.md', mimeType: 'text/markdown', text: policy });
  assert.equal((await read(host, 'knowledge://pay%20day.html')).mimeType, 'text/html');
  assert.equal((await read(host, 'knowledge://absent.md')).code, -32602);
  assert.equal((await read(host, 'knowledge://../../etc/passwd.txt')).code, -32602);
});

test('AQueryIsWordsWhateverIsInIt', async (context) => {
  const folder = await Folder.create(context, { 'a.md': policy, 'b.md': 'C++ has "quotes" AND OR NOT NEAR(x, 2).' });
  const host = await served(context, { folder: folder.path });
  await untilIndexed(host);
  for (const query of ['"', '*', '+++', 'title:', '-', 'NEAR(', '(', 'a AND', 'OR', '^x', "it's", '\u0000', '%', '{}', 'col : x', '""""']) {
    await search(host, query);
  }
  assert.deepEqual(idsOf(await search(host, 'NOT "quotes"')), ['b.md']);
  assert.deepEqual(idsOf(await search(host, 'thirty vac')), ['a.md']);
  assert.deepEqual(idsOf(await search(host, 'vacation unheardof germany')), ['a.md']);
  assert.deepEqual(idsOf(await search(host, 'unheardof')), []);
});

test('AChangedFileIsFoundAndToldWithoutARestart', async (context) => {
  const folder = await Folder.create(context, { 'a.md': '# Apples' });
  const host = await served(context, { folder: folder.path });
  await untilFound(host, 'apples', ['a.md']);
  const session = await Session.open(host.url);
  const opened = await session.get();
  assert.equal(opened.status, 200);
  const stream = sseEvents(opened.body);
  assert.deepEqual((await session.ask('resources/list', {})).result.resources.map(({ uri, title }) => [uri, title]),
    [['knowledge://a.md', 'Apples']]);
  assert.deepEqual((await session.ask('resources/subscribe', { uri: 'knowledge://a.md' })).result, {});

  await folder.write('a.md', '# Pears');
  await untilFound(host, 'pears', ['a.md']);
  await untilFound(host, 'apples', []);
  const heard = new Set();
  for await (const { data } of stream) {
    if (!data) continue;
    const { method, params } = JSON.parse(data);
    heard.add(method === 'notifications/resources/updated' ? params.uri : method);
    if (heard.size === 2) break;
  }
  assert.deepEqual([...heard].sort(), ['knowledge://a.md', 'notifications/resources/list_changed']);

  await folder.write('deep/er/b.md', '# Plums');
  await untilFound(host, 'plums', ['deep/er/b.md']);
  await rename(folder.file('deep'), folder.file('moved'));
  await untilFound(host, 'plums', ['moved/er/b.md']);
  await rm(folder.file('moved'), { recursive: true });
  await untilFound(host, 'plums', []);
  await session.delete();
});

test('TheIndexOutlivesTheServerAndOnlyChangedFilesAreIndexedAgain', async (context) => {
  const folder = await Folder.create(context, { 'a.md': '# Apples', 'b.md': '# Bananas' });
  const components = await Components.create();
  await components.addShipped('tools/knowledge', { folder: folder.path });
  const first = (await HttpHost.start(components)).killAfter(context, components);
  await untilFound(first, 'apples', ['a.md']);
  await first.stop();
  await folder.write('b.md', '# Cherries');
  const second = (await HttpHost.start(components, ['--log-level', 'debug'])).killAfter(context);
  await untilFound(second, 'cherries', ['b.md']);
  await untilFound(second, 'apples', ['a.md']);
  await untilFound(second, 'bananas', []);
  await second.log.until({ event: 'plugin says', text: /2 documents .* 1 of them indexed now/ });
  await second.stop();
});

test('WhatIsNoDocumentIsLeftOutAndSaid', async (context) => {
  const folder = await Folder.create(context, {
    'good.md': '# Good', 'binary.txt': Buffer.from([0xff, 0xfe, 0x00]), 'large.md': 'word '.repeat(1000),
    '.hidden.md': 'hidden', '.git/config.md': 'hidden', 'picture.png': 'word', 'secret.txt': 'x',
  });
  const host = await served(context, { folder: folder.path, maxFileBytes: 1000 });
  await untilFound(host, 'good', ['good.md']);
  assert.deepEqual(idsOf(await search(host, 'word')), []);
  assert.deepEqual(idsOf(await search(host, 'hidden')), []);
  await host.log.until({ event: 'plugin says', text: 'binary.txt is not UTF-8 text' });
  await host.log.until({ event: 'plugin says', text: /large\.md has 5000 bytes; the limit is 1000/ });
  assert.equal((await read(host, 'knowledge://.hidden.md')).code, -32602);
  assert.equal((await read(host, 'knowledge://picture.png')).code, -32602);
});

test('TheIndexHasNoMoreFilesThanItMayAndSaysWhatIsLeftOut', async (context) => {
  const folder = await Folder.create(context, { 'b.md': 'word', 'd.md': 'word', 'f.md': 'word', 'h/i.md': 'word' });
  const components = await Components.create();
  context.after(() => components.discard());
  const serveWith = async (maxFiles) => {
    await components.addShipped('tools/knowledge', { folder: folder.path, maxFiles, rescanMilliseconds: 50 });
    const host = await HttpHost.start(components, ['--log-level', 'debug']);
    context.after(() => host.child.kill('SIGKILL'));
    return host;
  };
  const isFull = (count, name) => ({
    event: 'plugin says',
    text: new RegExp(`^${count} files, such as ${name}, are left out, because there are more in .* than maxFiles, \\d+$`),
  });
  const first = await serveWith(3);
  await untilFound(first, 'word', ['b.md', 'd.md', 'f.md']);
  await first.log.until(isFull(1, 'h/i.md'));
  // A file whose name comes earlier takes the place of none, and counts, whether it comes alone or in a folder.
  await folder.write('a.md', 'word');
  await first.log.until(isFull(2, 'a.md'));
  // It counts once, however often it changes.
  await folder.write('a.md', 'another word');
  await folder.write('c/a.md', 'word');
  await first.log.until(isFull(3, 'a.md'));
  assert.deepEqual(idsOf(await search(first, 'word')), ['b.md', 'd.md', 'f.md']);
  // One that goes makes room.
  await rm(folder.file('f.md'));
  await untilFound(first, 'word', ['b.md', 'd.md', 'a.md']);
  await first.stop();

  const second = await serveWith(2);
  await second.log.until(isFull(3, 'c/a.md'));
  await untilFound(second, 'word', ['b.md', 'a.md']);
  await second.stop();

  const third = await serveWith(100);
  await third.log.until({ event: 'plugin says', text: /^serving 5 documents .*, 3 of them indexed now/ });
  await third.stop();
});

test('APdfIsFoundAndReadAsItsText', { skip: !hasPdfReader && 'needs pdftotext of poppler-utils' }, async (context) => {
  const folder = await Folder.create(context, { 'report.pdf': pdfOf('The report about penguins'), 'broken.pdf': 'no PDF' });
  const host = await served(context, { folder: folder.path, ...(!inProcess && { sandbox: { profile: 'permissive' } }) });
  await untilFound(host, 'penguins', ['report.pdf']);
  const { text, mimeType } = await read(host, 'knowledge://report.pdf');
  assert.equal(mimeType, 'text/plain');
  assert.match(text, /The report about penguins/);
  await host.log.until({ event: 'plugin says', text: 'broken.pdf is no PDF that can be read' });
});

test('InAStrictSandboxItFollowsTheFolderAndSaysThatPdfsAreLeftOut', { skip: inProcess && 'needs a worker' }, async (context) => {
  const folder = await Folder.create(context, { 'a.md': '# Apples', 'report.pdf': pdfOf('penguins') });
  const sandbox = { profile: 'strict', read: [folder.path] };
  const host = await served(context, { folder: folder.path, rescanMilliseconds: 50, sandbox });
  await untilFound(host, 'apples', ['a.md']);
  await folder.write('b.md', '# Pears');
  await untilFound(host, 'pears', ['b.md']);
  await host.log.until({ event: 'plugin says', text: /PDFs are left out, because no program can be started here/ });
});

test('WhereTheFolderIsNotThereWhatIsKnownIsKept', async (context) => {
  const folder = await Folder.create(context, { 'docs/a.md': '# Apples' });
  const host = await served(context, { folder: folder.file('docs'), rescanMilliseconds: 50 });
  await untilFound(host, 'apples', ['a.md']);
  await rename(folder.file('docs'), folder.file('away'));
  await host.log.until({ event: 'plugin says', text: /the folder .*docs does not exist/ });
  assert.deepEqual(idsOf(await search(host, 'apples')), ['a.md']);
  await rename(folder.file('away'), folder.file('docs'));
  await folder.write('docs/b.md', '# Pears');
  await untilFound(host, 'pears', ['b.md']);
});

test('WithoutAFolderThereIsNothingAndAWrongConfigurationIsRefusedInWords', async (context) => {
  const host = await served(context, {});
  const { result } = await (await postModern(host.url, 'tools/list')).json();
  assert.deepEqual(result.tools, []);
  for (const [configuration, reason] of [
    [{ folder: 'docs' }, 'folder must be an absolute path, not "docs"'],
    [{ folder: '/srv', maxFiles: 0 }, 'maxFiles must be at least 1'],
    [{ folder: '/srv', pdfSeconds: 0 }, 'pdfSeconds must be at least 1'],
    [{ folder: '/srv', rescanMilliseconds: 1 }, 'rescanMilliseconds must be at least 50'],
    [{ folder: 7 }, /folder/],
  ]) {
    const refused = await served(context, configuration);
    await refused.log.until({ event: 'plugin refused', reason: typeof reason === 'string' ? new RegExp(reason) : reason });
  }
});
