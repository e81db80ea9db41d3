// A facilitator of x402 on a loopback address: it finds payments valid and takes them as a test wants, and keeps what it
// was asked. Nothing is signed, because the host leaves signatures to it.
import { randomBytes } from 'node:crypto';

import { HttpServer } from './http_server.mjs';

export const way = {
  scheme: 'exact',
  network: 'eip155:84532',
  amount: '10000',
  asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
  maxTimeoutSeconds: 60,
  extra: { name: 'USDC', version: '2' },
};
const payer = `0x${randomBytes(20).toString('hex')}`;

// A payment that nobody has used yet.
export function payment(more = {}, accepted = way) {
  const nonce = `0x${randomBytes(32).toString('hex')}`;
  const validBefore = String(Math.floor(Date.now() / 1000) + 600);
  const authorization = { from: payer, to: way.payTo, value: way.amount, validAfter: '0', validBefore, nonce, ...more };
  return { x402Version: 2, accepted, payload: { signature: `0x${randomBytes(65).toString('hex')}`, authorization } };
}

export class Facilitator {
  static async start(context) {
    const facilitator = new Facilitator();
    facilitator.server = await HttpServer.start(context, (...asked) => facilitator.take(...asked));
    facilitator.url = `${facilitator.server.origin}/x402`;
    return facilitator;
  }

  asked = []; // {path, body}
  verify = () => ({ isValid: true, payer });
  settle = () => ({ success: true, payer, transaction: `0x${randomBytes(32).toString('hex')}`, network: way.network });

  async take(request, response) {
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text);
    this.asked.push({ path: request.url, body });
    const answer = request.url.endsWith('/verify') ? this.verify(body) : this.settle(body);
    if (answer === undefined) return void request.socket.destroy();
    response.writeHead(answer.status ?? 200, { 'Content-Type': 'application/json' });
    response.end(typeof answer.text === 'string' ? answer.text : JSON.stringify(answer));
  }

  times(path) {
    return this.asked.filter((each) => each.path === `/x402/${path}`).length;
  }

  stop() {
    return this.server.stop();
  }
}
