// The official SDKs' clients, alike: v1 speaks the legacy era, v2 either.
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioTransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpTransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpTransportV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioTransportV2 } from '@modelcontextprotocol/client/stdio';

import { modern } from './http.mjs';

const identity = { name: 'integration', version: '1' };

// Every SDK with every era that it speaks.
export const kinds = [
  {
    name: 'SDK v1',
    era: 'legacy',
    create: (options) => new ClientV1(identity, options),
    http: (url, options) => new HttpTransportV1(url, options),
    stdio: (options) => new StdioTransportV1(options),
    websocket: (url) => new WebSocketClientTransport(url),
    call: (client, params, options) => client.callTool(params, undefined, options),
    answer: (client, { elicit, sample, roots }) => {
      client.setRequestHandler(ElicitRequestSchema, elicit);
      client.setRequestHandler(CreateMessageRequestSchema, sample);
      client.setRequestHandler(ListRootsRequestSchema, roots);
    },
    onListChanged: (client, listener) => {
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => listener('tools'));
      client.setNotificationHandler(ResourceListChangedNotificationSchema, () => listener('resources'));
      client.setNotificationHandler(PromptListChangedNotificationSchema, () => listener('prompts'));
    },
    onResourceUpdated: (client, listener) => {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => listener(params.uri));
    },
    subscribe: subscribeToEach,
  },
  {
    name: 'SDK v2, modern',
    era: 'modern',
    create: (options) => new ClientV2(identity, { versionNegotiation: { mode: { pin: modern } }, ...options }),
    ...behaviourOfV2(),
    onListChanged: async (client, listener) => {
      setHandlersV2(client, listener);
      await client.listen({ toolsListChanged: true, resourcesListChanged: true, promptsListChanged: true });
    },
    subscribe: (client, uris) => client.listen({ resourceSubscriptions: uris }),
  },
  {
    name: 'SDK v2, legacy',
    era: 'legacy',
    create: (options) => new ClientV2(identity, options),
    ...behaviourOfV2(),
    onListChanged: setHandlersV2,
    subscribe: subscribeToEach,
  },
];

function behaviourOfV2() {
  return {
    http: (url, options) => new HttpTransportV2(url, options),
    stdio: (options) => new StdioTransportV2(options),
    websocket: (url) => new WebSocketClientTransport(url), // v2 has none of its own
    call: (client, params, options) => client.callTool(params, options),
    answer: (client, { elicit, sample, roots }) => {
      client.setRequestHandler('elicitation/create', elicit);
      client.setRequestHandler('sampling/createMessage', sample);
      client.setRequestHandler('roots/list', roots);
    },
    onResourceUpdated: (client, listener) => {
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => listener(params.uri));
    },
  };
}

async function subscribeToEach(client, uris) {
  for (const uri of uris) await client.subscribeResource({ uri });
}

function setHandlersV2(client, listener) {
  for (const list of ['tools', 'resources', 'prompts']) {
    client.setNotificationHandler(`notifications/${list}/list_changed`, () => listener(list));
  }
}
