// The official SDKs' clients, alike for the tests: v1 speaks the legacy era, v2 either.
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioTransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpTransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpTransportV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioTransportV2 } from '@modelcontextprotocol/client/stdio';

import { argumentsOf, program } from './host.mjs';
import { modern } from './http.mjs';
import { heardCommand } from './wire/wire.mjs';

const identity = { name: 'integration', version: '1' };

// Every SDK with every era that it speaks.
export const kinds = [
  {
    name: 'SDK v1',
    era: 'legacy',
    create: () => new ClientV1(identity),
    http: (url) => new HttpTransportV1(url),
    stdio: (options) => new StdioTransportV1(options),
    call: (client, params, options) => client.callTool(params, undefined, options),
    onListChanged: (client, listener) => {
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => listener('tools'));
      client.setNotificationHandler(ResourceListChangedNotificationSchema, () => listener('resources'));
      client.setNotificationHandler(PromptListChangedNotificationSchema, () => listener('prompts'));
    },
  },
  {
    name: 'SDK v2, modern',
    era: 'modern',
    create: () => new ClientV2(identity, { versionNegotiation: { mode: { pin: modern } } }),
    ...behaviourOfV2(),
    onListChanged: async (client, listener) => {
      setHandlersV2(client, listener);
      await client.listen({ toolsListChanged: true, resourcesListChanged: true, promptsListChanged: true });
    },
  },
  {
    name: 'SDK v2, legacy',
    era: 'legacy',
    create: () => new ClientV2(identity),
    ...behaviourOfV2(),
    onListChanged: setHandlersV2,
  },
];

function behaviourOfV2() {
  return {
    http: (url) => new HttpTransportV2(url),
    stdio: (options) => new StdioTransportV2(options),
    call: (client, params, options) => client.callTool(params, options),
  };
}

function setHandlersV2(client, listener) {
  for (const list of ['tools', 'resources', 'prompts']) {
    client.setNotificationHandler(`notifications/${list}/list_changed`, () => listener(list));
  }
}

export async function connectHttp(kind, url) {
  const client = kind.create();
  await client.connect(kind.http(url));
  return client;
}

// With a host process of its own, on `components`.
export async function connectStdio(kind, components, more = []) {
  const client = kind.create();
  const { command, args } = heardCommand(program, argumentsOf('stdio', components, more));
  await client.connect(kind.stdio({ command, args, stderr: 'ignore' }));
  return client;
}
