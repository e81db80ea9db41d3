// A certified authorization server, where Ada signs in without being asked and consents to everything.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';

import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';

const scopes = 'mcp:use mcp:admin';
const callback = 'http://127.0.0.1:1/callback';

export class AuthorizationServer {
  // `format` is that of its access tokens: "jwt" or "opaque".
  static async start(context, format = 'jwt') {
    const server = new AuthorizationServer();
    await server.listen(format);
    context.after(() => server.stop());
    return server;
  }

  async listen(format) {
    this.http = createServer((req, res) => this.answer(req, res));
    await new Promise((resolve) => this.http.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${this.http.address().port}`;
    this.secret = randomBytes(32).toString('base64url');
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    const known = (id, more) => ({ client_id: id, client_secret: this.secret, redirect_uris: [], response_types: [], ...more });
    this.provider = new Provider(this.url, {
      clients: [
        known('robot', { grant_types: ['client_credentials'], scope: scopes }),
        known('host', { grant_types: [] }), // which asks about tokens
        known('visitor', {
          application_type: 'native',
          grant_types: ['authorization_code'],
          redirect_uris: [callback],
          response_types: ['code'],
          scope: scopes,
          token_endpoint_auth_method: 'none',
        }),
      ],
      clientDefaults: { token_endpoint_auth_method: 'client_secret_basic' },
      cookies: { keys: [randomBytes(32).toString('hex')] },
      features: {
        clientCredentials: { enabled: true },
        devInteractions: { enabled: false },
        introspection: { enabled: true, allowedPolicy: (ctx, client) => client.clientId === 'host' },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => undefined,
          useGrantedResource: () => true,
          getResourceServerInfo: (ctx, audience) => ({
            scope: scopes,
            audience,
            accessTokenFormat: format,
            accessTokenTTL: 300,
            jwt: { sign: { alg: 'RS256' } },
          }),
        },
        revocation: { enabled: true },
      },
      findAccount: (ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
      interactions: { url: (ctx, interaction) => `/interaction/${interaction.uid}` },
      jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'first' }] },
      scopes: scopes.split(' '),
      ttl: { Grant: 300, Interaction: 300, Session: 300 },
    });
  }

  async answer(req, res) {
    if (!req.url.startsWith('/interaction/')) return this.provider.callback()(req, res);
    const { prompt, params, session, grantId } = await this.provider.interactionDetails(req, res);
    if (prompt.name === 'login')
      return this.provider.interactionFinished(req, res, { login: { accountId: 'ada' } });
    const grant = grantId
      ? await this.provider.Grant.find(grantId)
      : new this.provider.Grant({ accountId: session.accountId, clientId: params.client_id });
    for (const [resource, wanted] of Object.entries(prompt.details.missingResourceScopes ?? {}))
      grant.addResourceScope(resource, wanted.join(' '));
    if (prompt.details.missingOIDCScope) grant.addOIDCScope(prompt.details.missingOIDCScope.join(' '));
    const consent = { grantId: await grant.save() };
    return this.provider.interactionFinished(req, res, { consent }, { mergeWithLastSubmission: true });
  }

  async stop() {
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }

  // A token for a program that acts for itself.
  async robotToken(resource, scope) {
    const response = await this.post('/token', { grant_type: 'client_credentials', resource, scope }, 'robot');
    if (response.status !== 200) throw new Error(await response.text());
    return (await response.json()).access_token;
  }

  post(path, form, client) {
    const credentials = Buffer.from(`${client}:${this.secret}`).toString('base64');
    return fetch(`${this.url}${path}`, {
      method: 'POST',
      headers: { Authorization: `Basic ${credentials}` },
      body: new URLSearchParams(form),
    });
  }
}

// What an official client needs to get tokens: a memory, and a browser, which follows where it is led.
export class Visitor {
  redirectUrl = callback;
  clientMetadata = { client_name: 'integration', redirect_uris: [callback], token_endpoint_auth_method: 'none' };
  asked = []; // the scopes

  clientInformation() {
    return { client_id: 'visitor' };
  }
  tokens() {
    return this.saved;
  }
  saveTokens(tokens) {
    this.saved = tokens;
  }
  codeVerifier() {
    return this.verifier;
  }
  saveCodeVerifier(verifier) {
    this.verifier = verifier;
  }

  async redirectToAuthorization(url) {
    this.asked.push(url.searchParams.get('scope'));
    const cookies = new Map();
    let next = url.href;
    while (!next.startsWith(callback)) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(next, { redirect: 'manual', headers: { Cookie: cookie } });
      for (const line of response.headers.getSetCookie()) {
        const [name, ...value] = line.split(';')[0].split('=');
        cookies.set(name, value.join('='));
      }
      if (!response.headers.has('Location')) throw new Error(`${response.status} of ${next}: ${await response.text()}`);
      next = new URL(response.headers.get('Location'), next).href;
    }
    this.callback = new URL(next).searchParams;
  }
}
