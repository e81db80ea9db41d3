// What the two servers of the tutorial are asked, section by section. Each is a function of a client and its kind.
const tool = (name, args = {}) => async (client, kind) => withoutServer(await kind.call(client, { name, arguments: args }));
const resource = (uri) => async (client) => withoutServer(await client.readResource({ uri }));
const prompt = (name, args = {}) => async (client) => withoutServer(await client.getPrompt({ name, arguments: args }));

// In the modern era every answer says which server it is from.
function withoutServer({ _meta: { 'io.modelcontextprotocol/serverInfo': _, ...meta } = {}, ...answer }) {
  return Object.keys(meta).length > 0 ? { ...answer, _meta: meta } : answer;
}

// With all that is heard of the progress and the log: from the transport, because clients forget the progress that comes
// right before an answer.
const watched = (name, args) => async (client, kind) => {
  const heard = [];
  const { transport } = client;
  const { onmessage } = transport;
  transport.onmessage = (message, ...more) => {
    const { progressToken, ...said } = message.params ?? {};
    if (['notifications/progress', 'notifications/message'].includes(message.method)) heard.push(said);
    onmessage.call(transport, message, ...more);
  };
  if (kind.era === 'legacy') await client.setLoggingLevel('info');
  const _meta = kind.era === 'modern' ? { 'io.modelcontextprotocol/logLevel': 'info' } : {};
  const answer = await kind.call(client, { name, arguments: args, _meta }, { onprogress: () => {} });
  transport.onmessage = onmessage;
  return { ...withoutServer(answer), heard };
};

const ada = { name: 'Ada', age: 36, email: 'ada@example.org' };
const eve = { name: 'Eve', age: 7, email: 'eve@example.org' };
const start = '2026-11-24T09:30:00Z';
const id = 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6';

export const calls = {
  'lifespan': [tool('note', { number: 2 })],
  'add': [tool('add', { a: 2, b: 3 }), tool('add', { a: 'two', b: 3 }), tool('add', { a: 2 })],
  'greet, enum': [
    tool('greet', { name: 'Ada' }),
    tool('greet', { name: 'Ada', tone: 'dry' }),
    tool('greet', { name: 'Ada', tone: 'rude' }),
  ],
  'constraints': [
    tool('resize', { file: 'a.png' }),
    tool('resize', { file: 'a.png', width: 2000 }),
    tool('resize', { file: 'a.png', width: 2001 }),
    tool('resize', { file: 'a.gif' }),
  ],
  'choices': [tool('hello'), tool('hello', { language: 'de' }), tool('hello', { language: 'fr' })],
  'dataclass': [
    tool('birthday', { person: ada }),
    tool('birthday', { person: { name: 'Bob', age: 41 } }),
    tool('birthday', { person: { name: 'Bob' } }),
  ],
  'nested': [
    tool('promote', { team: { leader: ada, members: [eve, ada] } }),
    tool('promote', { team: { leader: ada, members: [] } }),
    tool('promote', { team: { leader: ada, members: [{ name: 'Bob' }] } }),
  ],
  'union, date': [
    tool('rebook', { day: '2026-02-28', seat: 12 }),
    tool('rebook', { day: '2026-12-31', seat: '12a' }),
    tool('rebook', { day: 'soon', seat: 12 }),
    tool('rebook', { day: '2026-02-28', seat: [12] }),
  ],
  'image': [tool('picture')],
  'ToolResult': [tool('check')],
  'async, progress, log': [watched('copy', { files: ['a', 'b'] })],
  'error': [tool('divide', { a: 1, b: 4 }), tool('divide', { a: 1, b: 0 })],
  'annotations': [tool('double', { number: 4 })],
  'lifespan use': [tool('note', { number: 1 }), tool('note', { number: 3 })],
  'add a tool at run time': [tool('open_safe'), tool('unlock'), tool('open_safe')],
  'resource': [resource('config://version'), resource('config://nothing')],
  'binary': [resource('config://logo')],
  'template': [resource('users://Ada'), resource('users://Ada%20L.'), resource('users://Ada/age')],
  'typed variable': [resource('squares://12'), resource('squares://many')],
  'wildcard': [resource('docs://a/b/c.md')],
  'wildcard in the middle': [resource('repos://a/b/license'), resource('repos://a/b/readme')],
  'query': [
    resource('search://notes'),
    resource('search://notes?words=milk'),
    resource('search://notes?limit=2&words=a%20b'),
    resource('search://notes?limit=few'),
  ],
  'prompt': [prompt('explain', { topic: 'MCP' }), prompt('explain')],
  'prompt messages': [prompt('debug', { error: 'E1' })],
  'typed prompt argument': [
    prompt('quiz', { topic: 'C++' }),
    prompt('quiz', { topic: 'C++', count: '5' }),
    prompt('quiz', { topic: 'C++', count: 'few' }),
  ],
  'elicit': [tool('order')],
  'elicit a scalar': [tool('clear')],
  'sampling': [tool('poem', { topic: 'rain' })],
  'times, durations': [tool('finish', { start, takes: 'PT1H30M' }), tool('finish', { start, takes: 'long' })],
  'paths, UUIDs': [tool('place', { folder: '/srv', id }), tool('place', { folder: '/srv', id: '1' })],
  'sets, tuples': [
    tool('between', { numbers: [4, 1, 2], bounds: [2, 5] }), // few, which come in order in Python, too
    tool('between', { numbers: [1], bounds: [2] }),
  ],
  'variants': [
    tool('width_of', { shape: { radius: 2 } }),
    tool('width_of', { shape: { width: 3, height: 1 } }),
    tool('width_of', { shape: {} }),
  ],
  'bytes': [tool('size_of', { data: 'iVBORw==' }), tool('size_of', { data: 'iVBOR' })],
};

// The sections that ask the client.
export const asking = ['elicit', 'elicit a scalar', 'sampling'];

// What FastMCP takes all the same: a text for a number, the same value twice in a set, and what is no base64.
export const stricter = [
  tool('add', { a: '2', b: 3 }),
  tool('between', { numbers: [3, 3], bounds: [1, 9] }),
  tool('size_of', { data: '%' }),
];

// What clients see in the lists, but for the schemas' own words.
const sorted = (list) => list.sort((a, b) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
export const lists = [
  async (client) => ({
    tools: sorted((await client.listTools()).tools.map(({ name, title, description, annotations, inputSchema }) => ({
      name, title, description, annotations,
      arguments: Object.keys(inputSchema.properties ?? {}),
      required: inputSchema.required ?? [],
    }))),
  }),
  async (client) => ({
    resources: sorted((await client.listResources()).resources.map(({ name, uri, description }) => ({ name, uri, description }))),
  }),
  async (client) => ({
    templates: sorted((await client.listResourceTemplates()).resourceTemplates.map(({ name, uriTemplate, description }) =>
      ({ name, uriTemplate, description }))),
  }),
  async (client) => ({
    prompts: sorted((await client.listPrompts()).prompts.map(({ name, description, arguments: all }) =>
      ({ name, description, arguments: all.map((each) => [each.name, each.required ?? false]) }))),
  }),
];
