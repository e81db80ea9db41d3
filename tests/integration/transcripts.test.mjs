// Conversations over stdio as data: each line of transcripts/*.jsonl is what goes in or what must come out, to the last
// member. "in" may be a string, which is sent as it is. "unordered" is a list of messages that may come in any order.
// The first line says which plugins are served and with which options. $VERSION is the version of the program, and
// $STATE the last requestState that the host gave out.
//
// With UPDATE_TRANSCRIPTS=1 the files are written anew with what the host says now: read the difference.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';

import { Components } from './support/components.mjs';
import { program } from './support/host.mjs';
import { LineClient } from './support/stdio.mjs';

const folder = new URL('transcripts/', import.meta.url);
const version = execFileSync(program, ['--version'], { encoding: 'utf8' }).trim().split(' ').at(-1);
const updating = process.env.UPDATE_TRANSCRIPTS === '1';

async function readTranscript(file) {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const [head, ...entries] = lines.map((line) => JSON.parse(line));
  return { head, entries };
}

// What changes without the protocol changing: the host's version, and what it has encrypted.
class Literals {
  state = '';

  resolve(message) {
    return JSON.parse(JSON.stringify(message).replaceAll('$VERSION', version).replaceAll('$STATE', this.state));
  }

  // The opposite, for what has been received.
  abstract(message) {
    const { requestState } = message.result ?? {};
    if (requestState !== undefined) this.state = requestState;
    const text = JSON.stringify(message).replaceAll(`"version":"${version}"`, '"version":"$VERSION"');
    return JSON.parse(this.state === '' ? text : text.replaceAll(this.state, '$STATE'));
  }
}

const sorted = (messages) => messages.map((message) => JSON.stringify(message)).sort();

async function several(client, count) {
  const messages = [];
  while (messages.length < count) messages.push(await client.next());
  return messages;
}

async function play(client, entry, literals) {
  if ('in' in entry) {
    client.sendLine(typeof entry.in === 'string' ? entry.in : JSON.stringify(literals.resolve(entry.in)));
    return entry;
  }
  if ('unordered' in entry) {
    const messages = (await several(client, entry.unordered.length)).map((message) => literals.abstract(message));
    if (!updating) assert.deepEqual(sorted(messages), sorted(entry.unordered));
    return { unordered: messages };
  }
  const message = literals.abstract(await client.next());
  if (!updating) assert.deepEqual(message, entry.out);
  return { out: message };
}

for (const name of readdirSync(folder).filter((each) => each.endsWith('.jsonl'))) {
  test(name, async (context) => {
    const file = new URL(name, folder);
    const { head, entries } = await readTranscript(file);
    const client = LineClient.start(context, await Components.create(...head.plugins), head.options);
    const literals = new Literals();
    const played = [head];
    for (const entry of entries) played.push(await play(client, entry, literals));
    client.endInput();
    assert.deepEqual(await client.rest(), [], 'nothing comes after the last line');
    if (updating) await writeFile(file, `${played.map((entry) => JSON.stringify(entry)).join('\n')}\n`);
  });
}
