// What a credential costs: hosts without any and with the host's own token, a JWT that is known, JWTs of which each is
// new, and a policy that hides half of 10,000 tools, take the same load in turn.
// usage: credentials.mjs BUILD_DIR [--seconds N] [--rounds N] [--isolation worker] [--tokens N]
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import path from 'node:path';

import { Bench, load, median, printTurns, ratioTo, readArguments, stop, takeTurns } from './hosts.mjs';

const { build, seconds, rounds, isolation, tokens } =
  readArguments({ seconds: 5, rounds: 5, isolation: 'in-process', tokens: 30_000 });
const bench = new Bench(build, 'credentials');

// Issuers, each with a key of its own. `digest` is what node's sign() wants to be told.
const issuers = {
  RS256: { keys: generateKeyPairSync('rsa', { modulusLength: 2048 }), digest: 'sha256', speed: ['rsa2048'] },
  ES256: { keys: generateKeyPairSync('ec', { namedCurve: 'P-256' }), digest: 'sha256', speed: ['ecdsap256'] },
  EdDSA: { keys: generateKeyPairSync('ed25519'), digest: null, speed: ['ed25519'] },
};
const text = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
function jwt(algorithm) {
  const { keys, digest } = issuers[algorithm];
  const now = Math.floor(Date.now() / 1000);
  const signed = `${text({ alg: algorithm, typ: 'at+jwt', kid: algorithm })}.${text({
    iss: `https://${algorithm.toLowerCase()}.example.com`, sub: 'ada', aud: 'https://mcp.example.com/mcp', iat: now, exp: now + 36_000,
    jti: randomUUID(), groups: ['users'],
  })}`;
  return `${signed}.${sign(digest, Buffer.from(signed), { key: keys.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}
let configuration = '[server]\nurl = "https://mcp.example.com"\n[tokens]\nfile = "tokens.json"\n[roles.user]\nallow = ["tool:*"]\ngroups = ["users"]\n';
for (const [algorithm, { keys }] of Object.entries(issuers)) {
  bench.file(`${algorithm}.jwks`, JSON.stringify({ keys: [{ ...keys.publicKey.export({ format: 'jwk' }), kid: algorithm, alg: algorithm, use: 'sig' }] }));
  configuration += `[issuers.${algorithm.toLowerCase()}]\nissuer = "https://${algorithm.toLowerCase()}.example.com"\njwks_file = "${algorithm}.jwks"\n`
    + `groups_claim = "groups"\n`;
}
const file = bench.file('protected.toml', configuration);
const token = execFileSync(bench.program, ['token', 'create', 'ada', '--role', 'user', '--config', file], { encoding: 'utf8' }).trim().split('\n').pop();

await bench.start('without', { isolation });
await bench.start('without, once more', { isolation }); // what chance makes of the ratio
const host = await bench.start('protected', { isolation, toml: configuration });
const known = jwt('RS256');
for (const connections of [1, 32]) {
  console.log(`\ntools/call, ${rounds} rounds of ${seconds} s, ${connections} connections, ${isolation}`);
  printTurns(takeTurns({
    'without': () => load(bench.hosts.without, { seconds, connections }),
    'without, once more': () => load(bench.hosts['without, once more'], { seconds, connections }),
    'token of the host': () => load(host, { seconds, connections, token }),
    'JWT that is known': () => load(host, { seconds, connections, token: known }),
  }, rounds));
}

// Verifications of one processor a second, as `openssl speed` says: in the line below its heading, in which newer versions
// have more columns.
function speed(what) {
  const text = execFileSync('openssl', ['speed', '-seconds', '1', ...what], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const lines = text.split('\n').map((line) => line.trim().split(/\s+/));
  const heading = lines.findIndex((words) => words.includes('verify/s'));
  const column = lines[heading].indexOf('verify/s') - lines[heading].length;
  return Number(lines[heading + 1].at(column));
}

console.log(`\neach of ${tokens} tokens new: the processor time of a request beyond that with a token which is known`);
for (const [algorithm, { speed: what }] of Object.entries(issuers)) {
  const ratios = [];
  const times = [];
  for (let round = 0; round < rounds; ++round) {
    // Fewer than there are, by those that are in flight at the end: none comes twice.
    const list = bench.file('tokens', Array.from({ length: tokens }, () => jwt(algorithm)).join('\n'));
    const fresh = load(host, { seconds: 60, requests: tokens - 32, tokens: list });
    const again = load(host, { seconds: 1, token: jwt(algorithm) });
    const verifications = speed(what);
    times.push(fresh.processor - again.processor);
    ratios.push(1e6 / (fresh.processor - again.processor) / verifications);
  }
  console.log(`${algorithm}  ${median(times).toFixed(1)} us, ${median(ratios).toFixed(2)} of the verifications of openssl speed`);
}
for (const child of Object.values(bench.hosts)) await stop(child);
bench.hosts = {};

const many = { components: 'bench/ten_thousand', isolation: 'in-process' };
for (const size of [100, 10_000]) {
  const options = ['--page-size', String(size)];
  await bench.start('all', { ...many, options });
  await bench.start('half', { ...many, options, toml: configuration.replace('allow = ["tool:*"]', 'allow = ["tool:*"]\ndeny = ["tool:*1", "tool:*3", "tool:*5", "tool:*7", "tool:*9"]') });
  const results = takeTurns({
    'all': () => load(bench.hosts.all, { seconds, method: 'list', connections: 4 }),
    'half': () => load(bench.hosts.half, { seconds, method: 'list', connections: 4, token }),
  }, rounds);
  const countOf = async (name) => (await (await fetch(bench.hosts[name].url, {
    method: 'POST', headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', Authorization: `Bearer ${token}`,
      'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/list' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} } } }),
  })).json()).result.tools.length;
  const listed = { all: await countOf('all'), half: await countOf('half') };
  const perTool = (name) => results[name].map((result) => ({ each: result.processor / listed[name], page: result.processor }));
  console.log(`\na page of ${size}: ${listed.half} of tools that half may see, ${listed.all} of all; processor time`
    + ` ${ratioTo(perTool('all'), perTool('half'), 'page').toFixed(2)} of that of a page of all, ${ratioTo(perTool('all'), perTool('half'), 'each').toFixed(2)} for a tool`);
  for (const child of Object.values(bench.hosts)) await stop(child);
  bench.hosts = {};
}
await bench.end();
