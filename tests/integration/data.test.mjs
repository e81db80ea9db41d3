// The plugin data: CSV files as tables that are described and asked, by people who are not trusted.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';

import { Components } from './support/components.mjs';
import { exampleConfiguration } from './support/example_configuration.mjs';
import { HttpHost, inProcess, sanitizer, serve } from './support/host.mjs';
import { postModern } from './support/http.mjs';

const sales = 'day,region,amount\n2026-01-01,north,10\n2026-01-02,south,2.5\n2026-01-03,north,\n';

// A host, and a folder with files.
class Server {
  static async start(context, files, more = {}) {
    const server = new Server();
    server.folder = await realpath(await mkdtemp(join(tmpdir(), 'mcp-data-')));
    context.after(() => rm(server.folder, { recursive: true, force: true }));
    for (const [name, content] of Object.entries(files)) await server.write(name, content);
    server.components = await Components.create();
    await server.components.addShipped('tools/data', { folder: server.folder, ...more });
    server.host = await serve(context, server.components);
    return server;
  }

  async write(name, content) {
    await mkdir(dirname(join(this.folder, name)), { recursive: true });
    await writeFile(join(this.folder, name), content);
  }

  async result(name, args = {}) {
    const { result, error } = await (await postModern(this.host.url, 'tools/call', { name, arguments: args })).json();
    assert.equal(error, undefined, JSON.stringify(error));
    return result;
  }
  async call(name, args) {
    const result = await this.result(name, args);
    assert.notEqual(result.isError, true, result.content?.[0].text);
    return result.structuredContent ?? result.content[0].text;
  }
  async failure(name, args) {
    const result = await this.result(name, args);
    assert.equal(result.isError, true, JSON.stringify(result));
    return result.content[0].text;
  }
  load(file_path, more = {}) {
    return this.call('load_csv', { file_path, ...more });
  }
  async rows(sql) {
    return (await this.call('query', { sql })).rows;
  }
}

test('TheExampleOfTheDocumentationWorks', async (context) => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'mcp-data-')));
  context.after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'sales.csv'), sales);
  const configuration = await exampleConfiguration('data.md', folder);
  if (inProcess) delete configuration.sandbox;
  const components = await Components.create();
  await components.addShipped('tools/data', configuration);
  const host = await serve(context, components);
  const params = { name: 'load_csv', arguments: { file_path: 'sales.csv' } };
  const { result } = await (await postModern(host.url, 'tools/call', params)).json();
  assert.equal(result.structuredContent?.rows, 3, JSON.stringify(result));
});

// As its page names it: with the folder to read, and the data directory for tables and temporary files.
test('InAStrictSandboxEveryToolWorks', { skip: inProcess && 'needs a worker' }, async (context) => {
  const server = new Server();
  server.folder = await realpath(await mkdtemp(join(tmpdir(), 'mcp-data-')));
  context.after(() => rm(server.folder, { recursive: true, force: true }));
  const configuration = await exampleConfiguration('data.md', server.folder);
  assert.equal(configuration.sandbox.profile, 'strict');
  const rows = 40_000;
  const pad = 'x'.repeat(300);
  await server.write('large.csv', `i,text\n${Array.from({ length: rows }, (_, i) => `${i},${(i * 7919) % 100_003} ${pad}\n`).join('')}`);
  server.components = await Components.create();
  await server.components.addShipped('tools/data', { ...configuration, maxTemporaryBytes: 100_000_000 });
  server.host = await serve(context, server.components);
  assert.equal((await server.load('large.csv', { preview_rows: 0 })).rows, rows);
  assert.equal((await server.call('describe', { table: 'large' })).tables[0].columns[0].max, rows - 1);
  // More than its cache holds.
  const sorted = await server.call('query', { sql: 'SELECT i, text FROM large ORDER BY text', max_rows: 1 });
  assert.deepEqual([sorted.rows[0][0], sorted.truncated], [0, true]);
  assert.equal((await server.call('analyze_data', { table: 'large', column: 'i' })).bars.length, 12);
  assert.equal(await server.call('format_json', { json_string: '[1]', indent: 0 }), '[1]');
  assert.equal(await server.call('drop_table', { table: 'large' }), 'Dropped the table large');
  assert.deepEqual(server.host.log.matching({ event: 'plugin restarted' }), []);
});

test('WhatAQueryWritesToTemporaryFilesIsBounded', async (context) => {
  const server = await Server.start(context, { 'a.csv': 'x\n1\n' }, { maxTemporaryBytes: 10_000_000 });
  await server.load('a.csv');
  const many = (count) => `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    SELECT i FROM n ORDER BY printf('%0500d', (i * 7919) % 100003)`;
  assert.match(await server.failure('query', { sql: many(100_000), max_rows: 1 }),
    /^To sort or group .* those of all queries together may take 10000000 bytes \(maxTemporaryBytes\).* Ask for less/);
  assert.equal((await server.call('query', { sql: many(1000), max_rows: 1 })).rows.length, 1);
});

test('AFileIsLoadedDescribedAndAsked', async (context) => {
  const server = await Server.start(context, { 'sales.csv': sales });
  const loaded = await server.load('sales.csv', { preview_rows: 1 });
  assert.deepEqual([loaded.table, loaded.rows, loaded.was_loaded_before], ['sales', 3, false]);
  assert.deepEqual(loaded.preview, [['2026-01-01', 'north', 10]]);
  assert.equal((await server.load('sales.csv')).was_loaded_before, true);
  const { tables: [{ columns }] } = await server.call('describe', { table: 'sales' });
  assert.deepEqual(columns[1], {
    name: 'region', type: 'text', count: 3, missing: 0, distinct: 2, distinct_is_approximate: false, min: 'north', max: 'south',
  });
  assert.deepEqual(columns[2], {
    name: 'amount', type: 'real', count: 2, missing: 1, distinct: 2, distinct_is_approximate: false, min: 2.5, max: 10,
    mean: 6.25, stddev: 5.303300858899107, q1: 4.375, median: 6.25, q3: 8.125, quartiles_are_approximate: false,
  });
  assert.deepEqual(await server.call('query', { sql: 'SELECT region, sum(amount) AS total FROM sales GROUP BY 1 ORDER BY 1;' }),
    { columns: ['region', 'total'], rows: [['north', 10], ['south', 2.5]], truncated: false });
  const analysis = await server.result('analyze_data', { table: 'sales', column: 'amount' });
  assert.match(analysis.content[0].text, /^amount of sales: 2 values, 1 missing, 2 different\. From 2\.5 to 10, mean 6\.25/);
  assert.deepEqual([analysis.content[1].type, analysis.content[1].mimeType], ['image', 'image/svg+xml']);
  assert.match(Buffer.from(analysis.content[1].data, 'base64').toString(), /^<svg .*<\/svg>$/);
  assert.equal(analysis.structuredContent.bars.reduce((sum, { count }) => sum + count, 0), 2);
  const words = await server.call('analyze_data', { table: 'sales', column: 'region' });
  assert.deepEqual(words.bars, [{ label: 'north', count: 2 }, { label: 'south', count: 1 }]);
  assert.equal(await server.call('drop_table', { table: 'sales' }), 'Dropped the table sales');
  assert.match(await server.failure('describe', { table: 'sales' }), /^There is no table "sales"/);
});

test('AChangedFileReplacesItsTableAndTablesOutliveTheServer', async (context) => {
  const server = await Server.start(context, { 'a.csv': 'x\n1\n' });
  await server.load('a.csv');
  await server.write('a.csv', 'x\n1\n2\n');
  assert.equal((await server.load('a.csv')).rows, 2);
  await server.host.stop();
  const again = await HttpHost.start(server.components);
  context.after(() => again.stop());
  server.host = again;
  assert.deepEqual(await server.rows('SELECT sum(x) FROM a'), [[3]]);
});

test('WhatIsNoTableIsRefusedWithItsLine', async (context) => {
  const server = await Server.start(context, {
    'ragged.csv': 'a,b\r\n1,2\r\n\r\n1,2,3\r\n',
    'open.csv': 'a,b\n1,2\n"1,2\n3,4\n',
    'behind.csv': 'a,b\n"1"x,2\n',
    'empty.csv': '',
    'binary.csv': Buffer.from([0x61, 0x0a, 0xff, 0xfe, 0x0a]),
    'wide.csv': `${'a,'.repeat(1001)}b\n`,
    'utf16.csv': Buffer.from('\ufeffa,b\n1,2\n', 'utf16le'),
    'large.csv': 'a\n'.repeat(2000),
  }, { maxFileBytes: 3000 });
  const failure = (file_path) => server.failure('load_csv', { file_path });
  assert.equal(await failure('ragged.csv'), '"ragged.csv", line 4: there are 3 fields for 2 columns');
  assert.equal(await failure('open.csv'), '"open.csv", line 3: a field in quotes has no end');
  assert.match(await failure('behind.csv'), /^"behind\.csv", line 2: a field in quotes goes on behind them/);
  assert.match(await failure('empty.csv'), /^"empty\.csv", line 1: the file is empty/);
  assert.equal(await failure('binary.csv'), '"binary.csv", line 2: this is not UTF-8 text');
  assert.match(await failure('wide.csv'), /line 1: there are more than 1000 fields/);
  assert.match(await failure('utf16.csv'), /line 1: the file is UTF-16: save it as UTF-8/);
  assert.match(await failure('large.csv'), /has 4000 bytes; the limit is 3000/);
  assert.match(await server.failure('load_csv', { file_path: 'ragged.csv', delimiter: '"' }), /delimiter/);
  assert.deepEqual(await server.call('describe'), { tables: [] });
});

test('QuotesLineEndsAndMarksAreUnderstood', async (context) => {
  const server = await Server.start(context, {
    'quotes.csv': '\ufeff"name";note;"zip"\r\n"Ada ""the first""";"two\r\nlines";01234\r\nBob;a "b" c;98765',
    'tabs.tsv': 'a\tb\n1\t2\n',
    'numbers.csv': 'i,r,mixed,big\n1,1.5,1,12345678901234567890\n-2,2e3,x,1\n',
  });
  await server.load('quotes.csv');
  assert.deepEqual(await server.rows('SELECT * FROM quotes'),
    [['Ada "the first"', 'two\r\nlines', '01234'], ['Bob', 'a "b" c', '98765']]);
  assert.equal((await server.load('tabs.tsv')).columns.length, 2);
  await server.load('numbers.csv');
  assert.deepEqual(await server.rows('SELECT * FROM numbers'),
    [[1, 1.5, '1', '12345678901234567890'], [-2, 2000, 'x', '1']]);
});

// The file outside could be loaded, if it were inside. A path that begins with "/" is one in the folder, too.
test('NoFileOutsideOfTheFolderIsReached', async (context) => {
  const table = 'x\n1\n';
  const server = await Server.start(context, { 'a.csv': table });
  const outside = `${server.folder}-outside.csv`;
  await writeFile(outside, table);
  context.after(() => rm(outside, { force: true }));
  await symlink(outside, join(server.folder, 'link.csv'));
  await symlink('..', join(server.folder, 'up'));
  const name = basename(outside);
  const noFolder = /is not a folder, or goes through something that is not a folder$/;
  // Where the system cannot tell where a link leads, none is followed.
  const byLink = /goes through a symbolic link that (is absolute or leads out of its root|cannot be followed)$/;
  for (const [file_path, words] of [
    [`../${name}`, /leads out of the folder$/],
    [`up/../../${name}`, /leads out of the folder$/],
    [outside, /does not exist$/],
    ['link.csv', byLink],
    [`up/${name}`, new RegExp(`${byLink.source}|${noFolder.source}`)],
    ['.', /leads out of the folder$/],
    ['absent.csv', /does not exist$/],
    ['a.csv/x', noFolder],
  ]) {
    assert.match(await server.failure('load_csv', { file_path }), words);
  }
  assert.deepEqual(await server.call('describe'), { tables: [] });
  assert.equal((await server.load('a.csv')).rows, 1);
});

test('NoSqlComesFromTheNamesOfFilesAndColumns', async (context) => {
  const file = 'x"); DROP TABLE good; --.csv';
  const header = '"a"") ; DROP TABLE good; --",select,"_tables","a"") ; drop table GOOD; --",';
  const server = await Server.start(context, {
    'good.csv': 'x\n1\n', [file]: `${header}\n1,2,3,4,5\n`, '_tables.csv': 'x\n1\n', 'select.csv': 'x\n1\n',
    'sqlite_schema.csv': 'x\n1\n', 'sub/good.csv': 'x\n2\n', '1.csv': 'x\n1\n',
  });
  await server.load('good.csv');
  const { table, columns } = await server.load(file);
  assert.match(table, /^[a-z0-9_]+$/);
  assert.deepEqual(columns.map(({ name }) => name),
    ['a") ; DROP TABLE good; --', 'select', '_tables', 'a") ; drop table GOOD; --_2', 'column_5']);
  for (const { name } of columns) await server.call('analyze_data', { table, column: name });
  const names = [];
  for (const each of ['_tables.csv', 'select.csv', 'sqlite_schema.csv', 'sub/good.csv', '1.csv']) names.push((await server.load(each)).table);
  assert.deepEqual(names, ['t__tables', 't_select', 't_sqlite_schema', 'good_2', 't_1']);
  assert.deepEqual(await server.rows('SELECT x FROM good'), [[1]]);
  assert.match(await server.failure('describe', { table: "good' OR 1=1 --" }), /^There is no table/);
  assert.match(await server.failure('drop_table', { table: '_tables' }), /^There is no table/);
  assert.match(await server.failure('drop_table', { table: 'good"; DROP TABLE good_2; --' }), /^There is no table/);
  assert.equal((await server.call('describe')).tables.length, 7);
});

test('AQueryReadsTablesAndDoesNothingElse', async (context) => {
  const server = await Server.start(context, { 'a.csv': 'x\n1\n' }, { querySeconds: 1 });
  await server.load('a.csv');
  for (const sql of [
    'DELETE FROM a', 'INSERT INTO a VALUES(2)', 'UPDATE a SET x = 2', 'DROP TABLE a', 'CREATE TABLE b(x)', 'CREATE TEMP TABLE b(x)',
    "ATTACH 'other.db' AS other", "ATTACH ':memory:' AS other", 'DETACH main', 'PRAGMA user_version', 'PRAGMA journal_mode = DELETE',
    "SELECT * FROM pragma_table_info('a')", "SELECT load_extension('x')", 'VACUUM', "VACUUM INTO 'x.db'", 'BEGIN', 'COMMIT', 'REINDEX',
    'ANALYZE', 'SELECT * FROM _tables', 'SELECT * FROM main._tables', 'CREATE VIRTUAL TABLE t USING fts5(x)', 'SELECT 1; DELETE FROM a',
    'SELECT 1; SELECT 2', 'SELECT', ' ; ', '-- nothing', 'SELECT 1\u0000; DELETE FROM a', 'CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END',
    'EXPLAIN DELETE FROM a', 'WITH x AS (SELECT 1) DELETE FROM a', 'SELECT zeroblob(1000000000)', 'SELECT randomblob(1000000000)',
    // ThreadSanitizer looks at all that is left of the text for each place that is found, which takes minutes.
    ...(sanitizer === 'thread' ? [] : ["SELECT replace(hex(zeroblob(2000000)), '0', 'xxxxxxxxxx')"]),
  ]) {
    await server.failure('query', { sql });
  }
  assert.deepEqual(await server.rows('SELECT * FROM a -- and a comment'), [[1]]);
  const forever = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n';
  assert.equal(await server.failure('query', { sql: forever }), 'The query took longer than 1 s. Ask for less, for example with WHERE');
  assert.match(await server.failure('query', { sql: 'SELECT absent FROM a' }), /^SQL: no such column: absent/);
});

test('AResultIsBoundedInRowsAndBytes', async (context) => {
  const server = await Server.start(context, { 'a.csv': `x\n${'1\n'.repeat(500)}` }, { maxResultRows: 50, maxResultBytes: 2000 });
  await server.load('a.csv');
  const few = await server.call('query', { sql: 'SELECT x FROM a', max_rows: 10 });
  assert.deepEqual([few.rows.length, few.truncated], [10, true]);
  const most = await server.call('query', { sql: 'SELECT x FROM a', max_rows: 1000 });
  assert.deepEqual([most.rows.length, most.truncated], [50, true]);
  const long = await server.call('query', { sql: "SELECT printf('%900d', x) FROM a" });
  assert.deepEqual([long.rows.length, long.truncated], [2, true]);
  assert.equal((await server.call('query', { sql: 'SELECT x FROM a LIMIT 50' })).truncated, false);
});

test('TheNumberOfTablesIsBounded', async (context) => {
  const server = await Server.start(context, { 'a.csv': 'x\n1\n', 'b.csv': 'x\n1\n' }, { maxTables: 1 });
  await server.load('a.csv');
  assert.match(await server.failure('load_csv', { file_path: 'b.csv' }), /^There are 1 tables, which is the limit\. Drop one/);
  await server.call('drop_table', { table: 'a' });
  await server.load('b.csv');
});

test('JsonIsFormattedAsItIs', async (context) => {
  const server = await Server.start(context, {});
  const format = (json_string, more = {}) => server.call('format_json', { json_string, ...more });
  assert.equal(await format('{"b":[1,2.50,{}],"a":"x\\n"}'), '{\n  "b": [\n    1,\n    2.50,\n    {}\n  ],\n  "a": "x\\n"\n}');
  assert.equal(await format('{"b":1,"a":[]}', { sort_keys: true, indent: 0 }), '{"a": [], "b": 1}');
  assert.match(await server.failure('format_json', { json_string: '{"a":' }), /^This is no JSON: parse error at line 1, column 6/);
  assert.match(await server.failure('format_json', { json_string: '['.repeat(300) }), /nested more than 200 levels/);
});

test('WithoutAFolderThereIsNothingAndAWrongConfigurationIsRefusedInWords', async (context) => {
  const components = await Components.create();
  await components.addShipped('tools/data', {});
  const host = await serve(context, components);
  const { result } = await (await postModern(host.url, 'tools/list')).json();
  assert.deepEqual(result.tools, []);
  for (const [configuration, reason] of [
    [{ folder: 'data' }, /folder must be an absolute path, not "data"/],
    [{ folder: '/srv', querySeconds: 0 }, /querySeconds must be at least 1/],
    [{ folder: '/srv', maxTables: 0 }, /maxTables must be at least 1/],
    [{ folder: '/srv', maxTemporaryBytes: 1 }, /maxTemporaryBytes must be at least 1048576/],
    [{ folder: ['/srv'] }, /folder/],
  ]) {
    const wrong = await Components.create();
    await wrong.addShipped('tools/data', configuration);
    const refused = await serve(context, wrong);
    await refused.log.until({ event: 'plugin refused', reason });
  }
});
