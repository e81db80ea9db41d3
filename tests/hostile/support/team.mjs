// What a host that asks its clients who they are needs: tokens of its own, made and revoked by the commands, and those of
// an issuer whose keys are in a file.
import { execFile } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { promisify } from 'node:util';

export { bearer } from '../../integration/support/http.mjs';

const run = promisify(execFile);

export class TokenCommand {
  constructor(build, configuration) {
    this.build = build;
    this.configuration = configuration;
  }

  async run(...args) {
    const { stdout } = await run(this.build.host, ['token', ...args, '--config', this.configuration]);
    return stdout.trimEnd().split('\n');
  }

  async create(name, role) {
    return (await this.run('create', name, '--role', role)).at(-1);
  }

  revoke(name) {
    return this.run('revoke', name);
  }
}

const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

export class Issuer {
  #pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  #last = 0;

  constructor(url, audience) {
    this.url = url;
    this.audience = audience;
  }

  // What the file with its keys is to say.
  get keys() {
    return JSON.stringify({ keys: [{ ...this.#pair.publicKey.export({ format: 'jwk' }), alg: 'ES256', kid: 'one' }] });
  }

  // Another one each time.
  token(subject, seconds = 3600) {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: this.url, aud: this.audience, sub: subject, client_id: 'hostile', iat: now, exp: now + seconds,
      jti: `${++this.#last}`,
    };
    const text = `${encode({ alg: 'ES256', kid: 'one', typ: 'at+jwt' })}.${encode(claims)}`;
    const key = { key: this.#pair.privateKey, dsaEncoding: 'ieee-p1363' };
    return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
  }
}

export const expiryMsOf = (token) => 1000 * JSON.parse(Buffer.from(token.split('.')[1], 'base64url')).exp;
