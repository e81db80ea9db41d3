// Tools that cost: x402 as its MCP transport prescribes it, with a facilitator of the test.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { connectHttp, kinds } from './support/clients.mjs';
import { command } from './support/command.mjs';
import { Components } from './support/components.mjs';
import { Facilitator, payment, way } from './support/facilitator.mjs';
import { serve } from './support/host.mjs';
import { modernRequest, postModern, Session } from './support/http.mjs';
import { LineClient } from './support/stdio.mjs';

async function componentsThatCost(facilitator) {
  const components = await Components.create();
  await components.addShipped('tools/calculator', {
    aliases: { evaluate: 'calculate' },
    payment: { facilitator: facilitator.url, tools: { calculate: [way] } },
  });
  await components.write('catalogue.json', JSON.stringify({
    payment: { facilitator: facilitator.url, tools: { ask_name: [way] } },
  }));
  await components.add('catalogue');
  return components;
}

async function serveWhatCosts(context) {
  const facilitator = await Facilitator.start(context);
  return { facilitator, host: await serve(context, await componentsThatCost(facilitator)) };
}

async function call(host, paid, expression = '6 * 7', name = 'calculate') {
  const params = { name, arguments: { expression }, ...(paid && { _meta: { 'x402/payment': paid } }) };
  return (await (await postModern(host.url, 'tools/call', params)).json()).result;
}

// That it says what it costs, both for programs and as text.
function assertAsksForPayment(result, why) {
  assert.equal(result.isError, true);
  assert.equal(result.structuredContent.x402Version, 2);
  assert.match(result.structuredContent.error, why);
  assert.deepEqual(result.structuredContent.accepts, [way]);
  const { 'x402/error': error } = JSON.parse(result.content[0].text);
  assert.equal(error.code, 402);
  assert.deepEqual(error.data, result.structuredContent);
}

suite('Payment', () => {
  test('ACallWithoutOneIsToldWhatItCosts', async (context) => {
    const { facilitator, host } = await serveWhatCosts(context);
    const result = await call(host);
    assertAsksForPayment(result, /^Payment required to call calculate$/);
    assert.equal(result.structuredContent.resource.url, 'mcp://tool/calculate');
    assert.deepEqual(facilitator.asked, []);
    assertAsksForPayment(await call(host, undefined, '1', 'evaluate'), /to call evaluate/);
  });

  test('APaidCallIsMadeAndHasAReceipt', async (context) => {
    const { facilitator, host } = await serveWhatCosts(context);
    const paid = payment();
    const result = await call(host, paid);
    assert.equal(result.structuredContent.result, 42);
    assert.equal(result._meta['x402/payment-response'].success, true);
    assert.match(result._meta['x402/payment-response'].transaction, /^0x/);
    assert.deepEqual(facilitator.asked.map(({ path }) => path), ['/x402/verify', '/x402/settle']);
    for (const { body } of facilitator.asked)
      assert.deepEqual(body, { x402Version: 2, paymentPayload: paid, paymentRequirements: way });
    const line = await host.log.until({ event: 'payment settled' });
    assert.equal(line.tool, 'calculate');
    assert.equal(line.amount, '10000');
  });

  test('AFailedCallIsNotPaidAndItsPaymentStaysGood', async (context) => {
    const { facilitator, host } = await serveWhatCosts(context);
    const paid = payment();
    const failed = await call(host, paid, '1 / 0');
    assert.equal(failed.isError, true);
    assert.match(failed.content[0].text, /Division by zero/);
    assert.equal(failed._meta?.['x402/payment-response'], undefined);
    assert.equal(facilitator.times('settle'), 0);
    assert.equal((await call(host, paid)).structuredContent.result, 42);
    assert.equal(facilitator.times('settle'), 1);
  });

  test('APaymentIsGoodOnce', async (context) => {
    const { facilitator, host } = await serveWhatCosts(context);
    const paid = payment();
    assert.equal((await call(host, paid)).structuredContent.result, 42);
    assertAsksForPayment(await call(host, paid), /used already/);
    const { nonce } = paid.payload.authorization;
    assertAsksForPayment(await call(host, payment({ nonce: nonce.toUpperCase().replace('0X', '0x') })), /used already/);
    assertAsksForPayment(await call(host, payment({ nonce: nonce.toUpperCase().replace('0X', '0x0') })), /used already/);
    assert.equal(facilitator.times('verify'), 1);
    const another = payment();
    const results = await Promise.all([call(host, another), call(host, another)]);
    assert.deepEqual(results.map(({ isError }) => isError ?? false).sort(), [false, true], 'at once, too');
  });

  test('AnotherPriceIsRefusedWithoutAskingTheFacilitator', async (context) => {
    const { facilitator, host } = await serveWhatCosts(context);
    for (const other of [{ amount: '1' }, { payTo: way.asset }])
      assertAsksForPayment(await call(host, payment({}, { ...way, ...other })), /none of the ways to pay/);
    assertAsksForPayment(await call(host, { ...payment(), x402Version: 1 }), /x402Version must be 2/);
    assertAsksForPayment(await call(host, 'money'), /must be an object/);
    const { authorization } = payment().payload;
    for (const payload of [
      { signature: '0x1' }, { authorization: { ...authorization, nonce: 'abc' } }, { permit2Authorization: { ...authorization, nonce: '0x7b' } },
      { authorization, permit2Authorization: authorization },
    ]) assertAsksForPayment(await call(host, { ...payment(), payload }), /tells one payment from another/);
    assert.deepEqual(facilitator.asked, []);
  });

  test('WhatTheFacilitatorRefusesIsNotCalled', async (context) => {
    const { facilitator, host } = await serveWhatCosts(context);
    facilitator.verify = () => ({ status: 400, text: '{"isValid": false, "invalidReason": "insufficient_funds"}' });
    assertAsksForPayment(await call(host, payment()), /insufficient_funds/);
    assert.equal(facilitator.times('settle'), 0);
  });

  test('WithoutTheFacilitatorNothingIsCalledAndNothingIsCharged', async (context) => {
    const { facilitator, host } = await serveWhatCosts(context);
    const paid = payment();
    facilitator.verify = () => ({ status: 500, text: 'no' });
    for (const stop of [() => {}, () => facilitator.stop()]) {
      await stop();
      const result = await call(host, paid);
      assert.equal(result.isError, true);
      assert.match(result.content[0].text, /could not be checked.*Nothing was charged/);
      assert.equal(result.structuredContent, undefined);
    }
    await host.log.until({ event: 'payment not checked' });
    assert.equal(facilitator.times('settle'), 0);
  });

  test('AResultThatCannotBePaidIsWithheld', async (context) => {
    const { facilitator, host } = await serveWhatCosts(context);
    facilitator.settle = () => ({ success: false, errorReason: 'insufficient_funds', transaction: '', network: way.network });
    const result = await call(host, payment());
    assert.equal(result.isError, true);
    assert.match(result.structuredContent.error, /^Payment settlement failed: insufficient_funds$/);
    assert.deepEqual(result.structuredContent['x402/payment-response'],
      { success: false, errorReason: 'insufficient_funds', transaction: '', network: way.network });
    assert.equal(result.structuredContent.result, undefined);
    facilitator.settle = () => undefined;
    const paid = payment();
    assert.match((await call(host, paid)).structuredContent.error, /may have taken it/);
    assertAsksForPayment(await call(host, paid), /used already/);
  });

  test('OneIsForAllRoundsOfACall', async (context) => {
    const { facilitator, host } = await serveWhatCosts(context);
    for (const kind of kinds) {
      const client = await connectHttp(kind, host.url, {
        options: { capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} } },
        prepare: (client) => kind.answer(client, {
          elicit: () => ({ action: 'accept', content: { name: 'Ada' } }), sample: () => {}, roots: () => {},
        }),
      });
      const result = await kind.call(client, { name: 'ask_name', arguments: {}, _meta: { 'x402/payment': payment() } });
      assert.match(result.content[0].text, /Ada/, kind.name);
      assert.equal(result._meta['x402/payment-response'].success, true);
    }
    assert.equal(facilitator.times('settle'), kinds.length);
  });

  for (const kind of kinds) {
    test(`OfficialClientsReadWhatACallCosts: ${kind.name}`, async (context) => {
      const { host } = await serveWhatCosts(context);
      const client = await connectHttp(kind, host.url);
      const { tools } = await client.listTools();
      assert.equal(tools.find(({ name }) => name === 'calculate').outputSchema, undefined);
      const params = { name: 'calculate', arguments: { expression: '6 * 7' } };
      assertAsksForPayment(await kind.call(client, params), /Payment required/);
      const result = await kind.call(client, { ...params, _meta: { 'x402/payment': payment() } });
      assert.equal(result.structuredContent.result, 42);
    });
  }

  test('ItIsNotForThePlugin', async (context) => {
    const facilitator = await Facilitator.start(context);
    const components = await Components.create();
    await components.write('telling.json', JSON.stringify({
      payment: { facilitator: facilitator.url, tools: { tell: [way] } },
    }));
    await components.add('telling');
    const host = await serve(context, components);
    const params = { name: 'tell', arguments: { text: '' }, _meta: { other: 'seen', 'x402/payment': payment() } };
    const { result } = await (await postModern(host.url, 'tools/call', params)).json();
    const { request } = JSON.parse(result.content[0].text);
    assert.equal(request.meta.other, 'seen');
    assert.equal(request.meta['x402/payment'], undefined);
    assert.equal(result._meta['x402/payment-response'].success, true);
  });

  test('StdioAndSessionsKnowItToo', async (context) => {
    const { facilitator, host } = await serveWhatCosts(context);
    const session = await Session.open(host.url, '2025-06-18');
    const params = (meta) => ({ name: 'calculate', arguments: { expression: '6 * 7' }, ...meta });
    assertAsksForPayment((await session.ask('tools/call', params({}))).result, /Payment required/);
    const paid = await session.ask('tools/call', params({ _meta: { 'x402/payment': payment() } }));
    assert.equal(paid.result.structuredContent.result, 42);
    const client = LineClient.start(context, await componentsThatCost(facilitator));
    const answer = await client.ask(modernRequest('tools/call', params({ _meta: { 'x402/payment': payment() } })));
    assert.equal(answer.result._meta['x402/payment-response'].success, true);
  });

  const mistakes = [
    [{ tools: { calculate: [way] } }, /"payment" without "facilitator"/],
    [{ facilitator: 'http://example.com', tools: { calculate: [way] } }, /must begin with https:\/\/, unless it is this machine/],
    [{ facilitator: 'https://example.com', tools: {} }, /without "tools"/],
    [{ facilitator: 'https://example.com', tools: { calculat: [way] } }, /has no such tool; did you mean "calculate"\?/],
    [{ facilitator: 'https://example.com', tools: { calculate: [] } }, /must be an array of 1 to 16/],
    [{ facilitator: 'https://example.com', tools: { calculate: [{ ...way, amount: '0.01' }] } }, /a text of digits/],
    [{ facilitator: 'https://example.com', tools: { calculate: [{ ...way, price: 1 }] } }, /has "price", but its members are/],
    [{ facilitator: 'https://example.com', price: 1, tools: { calculate: [way] } }, /its members are facilitator and tools/],
  ];
  for (const [wrong, message] of mistakes) {
    test(`AMistakeIsTold: ${message.source}`, async (context) => {
      const components = await Components.create();
      context.after(() => components.discard());
      await components.addShipped('tools/calculator', { payment: wrong });
      const { status, stdout } = await command('inspect', components.file('calculator.so'));
      assert.equal(status, 1);
      assert.match(stdout, message);
    });
  }
});
