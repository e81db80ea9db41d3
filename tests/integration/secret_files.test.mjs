// A file with a secret and a mistake: what is said of the mistake does not show the secret.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { Canaries, newCanary } from './support/canaries.mjs';
import { Components } from './support/components.mjs';
import { HttpHost, program } from './support/host.mjs';
import { postModern } from './support/http.mjs';
import { bearer } from './support/team.mjs';

const run = promisify(execFile);

// Each a file with a secret and a mistake, the table that names it, and what is said of it.
const mistakes = {
  ASecretOfSeveralLines: [(secret) => `${secret}\n${secret}\n`, `[issuers.x]
issuer = "http://127.0.0.1:1"
introspection_url = "http://127.0.0.1:1/ask"
client_id = "host"
client_secret_file = "its-file"`, /issuer not asked about a token/],
  AHeaderWithoutAName: [(secret) => `${secret}\n`,
    '[traces]\nendpoint = "http://127.0.0.1:1/"\nheaders_file = "its-file"',
    /must be "Name: value"/],
  AHeaderOfTwoLines: [(secret) => `X-Key: ${secret}\nX Key ${secret}: ${secret}\n`,
    '[traces]\nendpoint = "http://127.0.0.1:1/"\nheaders_file = "its-file"',
    /its-file:2: must be/],
  AKeyThatIsNone: [(secret) => `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----\n`,
    '[audit]\nfile = "audit.jsonl"\nkey = "its-file"',
    /is no PEM file/],
  AKeyOfStatesThatIsTooShort: [(secret) => secret.slice(0, 24), '[serving]\nstate_key = "its-file"',
    /must have 32 or more/],
  TokensThatAreNoJson: [(secret) => `{"tokens": [${secret}`, '[tokens]\nfile = "its-file"',
    /not valid JSON at line 1/],
  TokensOfAnotherShape: [(secret) => JSON.stringify({ [secret]: secret, tokens: [{ id: secret, sha256: secret }] }),
    '[tokens]\nfile = "its-file"',
    /lacks the text/],
  KeysThatAreNoJson: [(secret) => `{"keys": [{"kty": "oct", "k": "${secret}"`,
    '[issuers.x]\nissuer = "https://x.example"\njwks_file = "its-file"',
    /not valid JSON at line 1/],
  AKeyOfAnotherShape: [(secret) => JSON.stringify({ keys: [{ kty: 'oct', k: `${secret}?`, alg: 'HS256', kid: 'x' }] }),
    '[issuers.x]\nissuer = "https://x.example"\njwks_file = "its-file"',
    /key of an issuer not used/],
  AKeyOfTlsThatIsNone: [(secret) => `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----\n`,
    '[tls]\ncertificate = "its-file"\nkey = "its-file"',
    /is not whole/],
};
for (const [name, [text, table, expected]] of Object.entries(mistakes)) {
  test(`AMistakeInAFileDoesNotShowItsSecret: ${name}`, async (context) => {
    const components = await Components.create();
    context.after(() => components.discard());
    const canaries = new Canaries();
    const secret = newCanary();
    canaries.add(name, secret);
    const file = join(components.folder, 'its-file');
    await writeFile(file, text(secret), { mode: 0o600 });
    const config = join(components.folder, 'host.toml');
    const rest = '[server]\nurl = "https://mcp.example"\n[roles.anonymous]\nallow = ["*"]\n';
    await writeFile(config, `${rest}${table}\n`);
    const said = [];
    for (const command of [['config', 'check'], ['list', '--components', components.root], ['token', 'list']]) {
      const { stdout, stderr } = await run(program, [...command, '--config', config]).catch((error) => error);
      said.push(stdout + stderr);
    }
    const host = await HttpHost.start(components, ['--config', config, '--log-level', 'debug']).catch((error) => {
      said.push(error.message);
    });
    if (host) {
      context.after(() => host.signal('SIGKILL')); // where it is not stopped below
      // Some files are read when they are needed.
      const parts = ['{"alg":"HS256","kid":"x"}', '{"iss":"https://x.example"}', 'x'];
      const jwt = parts.map((part) => Buffer.from(part).toString('base64url')).join('.');
      for (const token of ['opaque', jwt]) {
        said.push(await (await postModern(host.url, 'tools/list', {}, { headers: bearer(token) })).text());
      }
      await host.stop();
      said.push(host.log.text());
    }
    const all = said.join('\n');
    assert.match(all, expected);
    assert.deepEqual(canaries.in(all), [], all);
  });
}
