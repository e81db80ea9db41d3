// Each of the examples in a host, all of them in the strict sandbox, called by the official clients as docs/recipes says.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { env } from 'node:process';
import { after, suite, test } from 'node:test';
import { promisify } from 'node:util';

import { launchChromium, withChromium } from '../integration/support/chromium.mjs';
import { Components } from '../integration/support/components.mjs';
import { connectHttp, kinds } from '../integration/support/clients.mjs';
import { run } from '../integration/support/command.mjs';
import { program, serveAll } from '../integration/support/host.mjs';
import { modernHeaders, modernMeta, modernRequest, post, postModern, request, Session } from '../integration/support/http.mjs';

const isBuilt = (name) => existsSync(`${env.MCP_FIXTURES}/${name}.so`);
const needing = (name, what) => ({ skip: !isBuilt(name) && `the example ${name} is not built: install ${what}` });
const strict = (more = {}) => ({ sandbox: { profile: 'strict', ...more } });

// Says what it was asked, and of what the rates are.
const service = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://service');
  if (searchParams.get('base') === 'XXX') response.writeHead(404).end();
  else if (searchParams.get('base') === 'YYY') service.emit('waiting', response); // no answer
  else response.end(JSON.stringify({ path: pathname, rates: { [searchParams.get('symbols')]: 1.25 } }));
});
service.listen(0, '127.0.0.1');
await once(service, 'listening');
after(() => {
  service.closeAllConnections();
  service.close();
});

const names = ['booking', 'counter', 'notes', 'primes', 'rates', 'temperature'].filter(isBuilt);
const components = await Components.create();
const url = `http://127.0.0.1:${service.address().port}`;
for (const name of names) {
  const configuration = name === 'rates' ? { url, ...strict({ network: 'all' }) } : strict();
  await components.write(`${name}.json`, JSON.stringify(configuration));
  await components.add(name);
}
const host = await serveAll(components, ['--log-level', 'debug']);

const capabilities = { elicitation: { form: {} }, sampling: {}, roots: {} };
const booking = { day: '2026-12-24', people: 4, place: 'terrace' };
const accept = (content) => ({ action: 'accept', content });

for (const kind of kinds) {
  // A client, and a function that calls a tool and returns its structured content, or else its text.
  const connected = async (context, prepare = () => {}) => {
    const client = await connectHttp(kind, host.url, { prepare, options: { capabilities } });
    context.after(() => client.close());
    return async (name, args = {}, options = {}) => {
      const { content, structuredContent, isError } = await kind.call(client, { name, arguments: args }, options);
      if (isError) return { error: content[0].text };
      return structuredContent ?? content[0].text;
    };
  };

  test(`NotesAreKeptAndFound, ${kind.name}`, needing('notes', 'libsqlite3-dev'), async (context) => {
    const call = await connected(context);
    const { id } = await call('add_note', { text: `"Milk", said ${kind.name}'; DROP TABLE notes` });
    await call('add_note', { text: 'Bread' });
    const { result } = await call('find_notes', { text: `said ${kind.name}` });
    assert.deepEqual(result, [{ id, text: `"Milk", said ${kind.name}'; DROP TABLE notes` }]);
    assert.deepEqual((await call('find_notes', { text: '%' })).result, []);
  });

  test(`AServiceIsAsked, ${kind.name}`, needing('rates', 'libcurl4-openssl-dev'), async (context) => {
    const call = await connected(context);
    assert.deepEqual(await call('convert', { amount: 4, from: 'EUR', to: 'USD' }), { result: 5 });
    const { error } = await call('convert', { amount: 4, from: 'XXX', to: 'USD' });
    assert.match(error, /^The rates cannot be had now: /);
    assert.match((await call('convert', { amount: 4, from: 'EUR&x=', to: 'USD' })).error, /"from" must match/);
  });

  test(`ARequestEndsWithItsCall, ${kind.name}`, needing('rates', 'libcurl4-openssl-dev'), async (context) => {
    const call = await connected(context);
    const abort = new AbortController();
    const waiting = once(service, 'waiting');
    const answer = call('convert', { amount: 4, from: 'YYY', to: 'USD' }, { signal: abort.signal });
    const [response] = await waiting;
    const closed = once(response, 'close');
    abort.abort();
    await Promise.all([assert.rejects(answer), closed]);
  });

  test(`ALongJobTellsHowFarItIs, ${kind.name}`, async (context) => {
    const call = await connected(context);
    const heard = [];
    const { result } = await call('count_primes', { below: 10_000 }, { onprogress: (each) => heard.push(each) });
    assert.equal(result, 1229);
    assert.deepEqual(heard.at(-1), { progress: 9000, total: 10_000, message: '1117 found' });
  });

  // The log tells the end of a call when the plugin has come back from it, which takes a job that runs on for hours.
  test(`ALongJobIsCancelled, ${kind.name}`, async (context) => {
    const call = await connected(context);
    const abort = new AbortController();
    const options = { signal: abort.signal, onprogress: () => abort.abort() };
    const ended = host.log.next({ event: 'call', component: 'count_primes', outcome: /, cancelled by the client$/ });
    await Promise.all([assert.rejects(call('count_primes', { below: 1_000_000_000 }, options)), ended]);
  });

  test(`TheUserIsAskedBeforeATableIsBooked, ${kind.name}`, async (context) => {
    const answers = [accept(booking), accept({ ...booking, people: 8 }), accept({ value: true }), { action: 'decline' }];
    const asked = [];
    const elicit = ({ params }) => (asked.push(params.message), answers.shift());
    const unasked = () => assert.fail('only forms are shown');
    const call = await connected(context, (client) => kind.answer(client, { elicit, sample: unasked, roots: unasked }));
    assert.equal(await call('book_table', { restaurant: 'Da Ada' }), 'A table for 4 is booked at Da Ada.');
    assert.equal(await call('book_table', { restaurant: 'Da Ada' }), 'A table for 8 is booked at Da Ada.');
    assert.equal(await call('book_table', { restaurant: 'Da Ada' }), 'The user does not want to book.');
    const question = 'A table at Da Ada: when, and for how many?';
    assert.deepEqual(asked, [question, question, 'More than six pay 50 euros in advance. Go on?', question]);
  });

  test(`TemperaturesAreConverted, ${kind.name}`, async (context) => {
    const call = await connected(context);
    assert.deepEqual(await call('convert_temperature', { degrees: 212 }), { result: 100 });
    assert.match((await call('convert_temperature', { degrees: -500 })).error, /^Nothing is colder/);
  });
}

test('ALongJobIsATaskForAClientThatKnowsTasks', async () => {
  const knowing = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
  const _meta = modernMeta({ 'io.modelcontextprotocol/clientCapabilities': knowing });
  const ask = async (method, params) => {
    const headers = modernHeaders(method, params.name ?? params.taskId);
    return (await (await post(host.url, modernRequest(method, { ...params, _meta }), headers)).json()).result;
  };
  const { resultType, taskId } = await ask('tools/call', { name: 'count_primes', arguments: { below: 1_000_000_000 } });
  assert.equal(resultType, 'task');
  assert.equal((await ask('tasks/get', { taskId })).status, 'working');
  await ask('tasks/cancel', { taskId });
  assert.equal((await ask('tasks/get', { taskId })).status, 'cancelled');
});

suite('TheCurlsOfThePageForClients', () => {
  const page = readFileSync(new URL('../../docs/clients.md', import.meta.url), 'utf8');
  const [section] = /^## Subscriptions, tasks and questions by hand$.*?^## /ms.exec(page);
  const blocks = [...section.matchAll(/^```console\n(.*?)^```$/gms)].map(([, text]) => text);
  const [listen, beginTask, getTask, beginQuestion, answer, cancel] = blocks;
  const shell = (text, variables = {}) =>
    run('bash', ['-euo', 'pipefail', '-c', text.replaceAll('http://127.0.0.1:8080/mcp', String(host.url))],
      { env: { ...env, ...variables } });
  const resultOf = async (text, variables) => {
    const { status, stdout, stderr } = await shell(text, variables);
    assert.equal(status, 0, stderr);
    const { result } = JSON.parse(stdout);
    assert.ok(result, stdout);
    return result;
  };

  test('AreSix', () => assert.equal(blocks.length, 6));

  test('Listen', async () => {
    const { stdout } = await shell(listen.replace('curl -N', 'curl -N --max-time 5'));
    const { method, params } = JSON.parse(/^data: (.*)$/m.exec(stdout)[1]);
    assert.equal(method, 'notifications/subscriptions/acknowledged');
    assert.deepEqual(params.notifications, { toolsListChanged: true, promptsListChanged: true });
  });

  test('FetchAndCancelATask', async () => {
    const { resultType, taskId: TASKID } = await resultOf(beginTask);
    assert.equal(resultType, 'task');
    assert.equal((await resultOf(getTask, { TASKID })).status, 'working');
    await resultOf(getTask.replaceAll('tasks/get', 'tasks/cancel'), { TASKID });
    assert.equal((await resultOf(getTask, { TASKID })).status, 'cancelled');
  });

  test('AnswerAQuestion', async () => {
    const { resultType, requestState: STATE, inputRequests } = await resultOf(beginQuestion);
    assert.equal(resultType, 'input_required');
    const [KEY] = Object.keys(inputRequests);
    const { content } = await resultOf(answer, { STATE, KEY });
    assert.equal(content[0].text, 'A table for 4 is booked at Da Ada.');
  });

  test('CancelACallOfASession', async () => {
    const session = await Session.open(host.url);
    const params = { name: 'count_primes', arguments: { below: 1_000_000_000 }, _meta: { progressToken: 1 } };
    // Its answer begins with what it tells when it has begun.
    const response = await session.post(request('tools/call', params, 2));
    const { status, stdout, stderr } = await shell(cancel, { ID: session.id });
    assert.deepEqual([status, stdout], [0, ''], stderr);
    await response.text(); // ends hours before the primes are counted
  });
});

const onHost = async (method, params) => (await (await postModern(host.url, method, params)).json()).result;

// Runs in the browser: a client that shows the app in a frame and lets it call tools, by the function `ask`.
function client(html, result) {
  const frame = document.createElement('iframe');
  frame.sandbox = 'allow-scripts';
  const send = (message) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*');
  addEventListener('message', async ({ source, data }) => {
    if (source !== frame.contentWindow) return;
    if (data.method === 'ui/initialize') {
      const hostInfo = { name: 'test', version: '1' };
      send({ id: data.id, result: { protocolVersion: '2026-01-26', hostInfo, hostCapabilities: {}, hostContext: {} } });
    } else if (data.method === 'ui/notifications/initialized') {
      send({ method: 'ui/notifications/tool-result', params: result });
    } else if (data.method === 'tools/call') {
      send({ id: data.id, result: await window.ask(data.method, data.params) });
    }
  });
  frame.srcdoc = html;
  document.body.append(frame);
}

test('TheButtonOfAnAppCallsATool', withChromium, async (context) => {
  const browser = await launchChromium(context);
  const { tools } = await onHost('tools/list', {});
  const uri = tools.find(({ name }) => name === 'counter')._meta.ui.resourceUri;
  const html = (await onHost('resources/read', { uri })).contents[0].text;
  const page = await browser.newPage();
  await page.exposeFunction('ask', onHost);
  await page.evaluate(client, html, await onHost('tools/call', { name: 'counter', arguments: {} }));
  const frame = await page.waitForFrame((each) => each !== page.mainFrame());
  const shown = (count) => frame.waitForFunction((text) => document.querySelector('output')?.textContent === text, {}, count);
  await shown('0');
  await frame.click('button');
  await shown('1');
  await frame.click('button');
  await shown('2');
  assert.deepEqual((await onHost('tools/call', { name: 'counter', arguments: {} })).structuredContent, { count: 2 });
});

test('CheckHasNothingToComplainOf', async () => {
  // It would ask the real service, or count primes for long; and temperature_check is a test of its own.
  for (const name of names.filter((each) => !['rates', 'primes', 'temperature'].includes(each))) {
    await promisify(execFile)(program, ['check', '--rounds', '2', components.file(`${name}.so`)]);
  }
});
