// An authorization server whose tokens say what a test wants, also what no honest one would say.
import { once } from 'node:events';
import { createServer } from 'node:http';

import { CompactSign, importJWK } from 'jose';
import { OAuth2Issuer, OAuth2Service } from 'oauth2-mock-server';

export class Issuer {
  // Until the test that `context` belongs to has ended. One that stops and listens again has a `port` of its own.
  static async start(context, algorithms = ['RS256'], port = 0) {
    const issuer = new Issuer();
    issuer.port = port;
    for (const algorithm of algorithms) await issuer.newKey(algorithm);
    await issuer.listen();
    context.after(() => issuer.stop());
    return issuer;
  }

  constructor() {
    this.issuer = new OAuth2Issuer();
    this.service = new OAuth2Service(this.issuer);
    this.asked = []; // the paths
    this.answer = (req, res) => this.service.requestHandler(req, res);
  }

  async listen() {
    this.server = createServer((req, res) => {
      this.asked.push(req.url);
      this.answer(req, res);
    });
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = this.server.address().port;
    this.url = `http://127.0.0.1:${this.port}`;
    this.issuer.url = this.url;
  }

  async stop() {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  timesAsked(path) {
    return this.asked.filter((each) => each === path).length;
  }

  async newKey(algorithm) {
    this.key = await this.issuer.keys.generate(algorithm);
    return this.key;
  }

  // A token of the newest key. Claims and members of the header that are undefined are left out.
  async token(claims, { header = {}, key = this.key } = {}) {
    const now = Math.floor(Date.now() / 1000);
    const all = { iss: this.url, sub: 'ada', iat: now, exp: now + 300, ...claims };
    return sign(all, { alg: key.alg, kid: key.kid, typ: 'at+jwt', ...header }, key);
  }
}

export async function sign(claims, header, key) {
  const bytes = Buffer.isBuffer(claims) ? claims : Buffer.from(typeof claims === 'string' ? claims : JSON.stringify(claims));
  return new CompactSign(bytes)
    .setProtectedHeader(JSON.parse(JSON.stringify(header)))
    .sign(await importJWK(key, header.alg));
}
