// The plugin chart, as clients with and without MCP Apps meet it.
import assert from 'node:assert/strict';
import { copyFile, readFile } from 'node:fs/promises';
import { env } from 'node:process';
import { test } from 'node:test';

import { connectHttp, connectStdio, connectWebSocket, kinds } from './support/clients.mjs';
import { Components } from './support/components.mjs';
import { serve, serveAll } from './support/host.mjs';
import { initializeRequest, modernMeta, post, postModern, request } from './support/http.mjs';

const ui = 'io.modelcontextprotocol/ui';
const withApps = { extensions: { [ui]: { mimeTypes: ['text/html;profile=mcp-app'] } } };
const sales = { kind: 'bar', title: 'Sales', labels: ['Jan', 'Feb'], series: [{ name: 'North', values: [1, 4] }] };
const drawCall = { name: 'draw_chart', arguments: sales };

const components = await Components.create();
await copyFile(env.MCP_CHART, components.file('chart.so'));
const host = await serveAll(components);

const typesOf = (result) => result.content.map((block) => block.type);

for (const kind of kinds) {
  for (const [transport, connect] of [
    ['HTTP', () => connectHttp(kind, host.url)],
    ['stdio', () => connectStdio(kind, components)],
    ['WebSocket', () => connectWebSocket(kind, host.url)],
  ]) {
    test(`AClientWithoutAppsGetsAPicture: ${kind.name} over ${transport}`, async () => {
      const client = await connect();
      const result = await client.callTool(drawCall);
      assert.deepEqual(typesOf(result), ['text', 'image']);
      assert.match(result.content[0].text, /^Bar chart: Sales\nNorth: 2 values from 1 \(Jan\) to 4 \(Feb\)/);
      assert.equal(result.content[1].mimeType, 'image/png');
      const png = Buffer.from(result.content[1].data, 'base64');
      assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [800, 500]);
      assert.deepEqual(result.structuredContent, { ...sales, width: 800, height: 500 });
      await client.close();
    });

    test(`TheAppIsFoundByItsTool: ${kind.name} over ${transport}`, async () => {
      const client = await connect();
      assert.deepEqual(client.getServerCapabilities().extensions[ui], {});
      const { tools } = await client.listTools();
      const uri = tools[0]._meta.ui.resourceUri;
      const { resources } = await client.listResources();
      assert.deepEqual(
        resources.map((each) => [each.uri, each.mimeType, each._meta]),
        [[uri, 'text/html;profile=mcp-app', { ui: { prefersBorder: true } }]],
      );
      const { contents } = await client.readResource({ uri });
      assert.equal(contents[0].mimeType, 'text/html;profile=mcp-app');
      assert.deepEqual(contents[0]._meta, { ui: { prefersBorder: true } });
      assert.match(contents[0].text, /^<!doctype html>/);
      await client.close();
    });
  }
}

test('AModernClientWithAppsGetsNoPicture', async () => {
  const meta = modernMeta({ 'io.modelcontextprotocol/clientCapabilities': withApps });
  const { result } = await (await postModern(host.url, 'tools/call', { ...drawCall, _meta: meta })).json();
  assert.deepEqual(typesOf(result), ['text']);
});

test('ALegacyClientWithAppsGetsNoPicture', async () => {
  const initialize = initializeRequest('2025-11-25');
  initialize.params.capabilities = withApps;
  const opened = await post(host.url, initialize);
  await opened.json();
  const headers = { 'Mcp-Session-Id': opened.headers.get('Mcp-Session-Id'), 'MCP-Protocol-Version': '2025-11-25' };
  const { result } = await (await post(host.url, request('tools/call', drawCall), headers)).json();
  assert.deepEqual(typesOf(result), ['text']);
});

test('NumbersThatMakeNoChartAreAnErrorForTheModel', async () => {
  const call = async (changes) => {
    const params = { name: 'draw_chart', arguments: { ...sales, ...changes } };
    return (await (await postModern(host.url, 'tools/call', params)).json()).result;
  };
  const uneven = await call({ labels: ['Jan'] });
  assert.equal(uneven.isError, true);
  assert.match(uneven.content[0].text, /series "North" has 2 values for 1 labels; give one value for each label/);
  const huge = await call({ width: 100_000 });
  assert.equal(huge.isError, true);
  assert.match(huge.content[0].text, /width/);
});

// Whatever the library that draws keeps to itself, the plugin's own can go.
test('ThePluginIsUnloadedAfterItHasDrawn', async (context) => {
  const own = await Components.create();
  await copyFile(env.MCP_CHART, own.file('chart.so'));
  const host = await serve(context, own, ['--log-level', 'debug', '--isolation', 'in-process']);
  const { result } = await (await postModern(host.url, 'tools/call', drawCall)).json();
  assert.deepEqual(typesOf(result), ['text', 'image']);
  const maps = () => readFile(`/proc/${host.child.pid}/maps`, 'utf8');
  assert.match(await maps(), /\/[^ ]*chart[^ ]*\.so/);
  await own.removeFile('chart.so');
  await host.log.until({ event: 'plugin unloaded' });
  assert.doesNotMatch(await maps(), /\/[^ ]*chart[^ ]*\.so/);
});
