// An upstream that does harm with HTTP: each call fails at once with the reason, or is answered as if nothing had been,
// and the next one is well.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { connectHttp, kinds } from './support/clients.mjs';
import { Components } from './support/components.mjs';
import { HttpHost } from './support/host.mjs';
import { faultNames, HostileHttpUpstream } from './support/hostile_http_upstream.mjs';
import { HttpServer } from './support/http_server.mjs';
import { addUpstream } from './support/upstreams.mjs';

// What the caller is told.
const told = {
  redirect: /HTTP status 307: it wants to be asked elsewhere, and no redirect is followed/,
  redirect_to_metadata: /HTTP status 302: it wants to be asked elsewhere, and no redirect is followed/,
  endless_head: /header limit exceeded/,
  endless_field: /header limit exceeded|too long/,
  endless_interim: 'fine',
  endless_chunks: /sent a message of more than \d+ bytes/,
  endless_refusal: /HTTP status 500/,
  huge_chunk: /bad chunk/,
  endless_event: /sent a message of more than \d+ bytes/,
  huge_event: /sent a message of more than \d+ bytes/,
  large_event: 'fine',
  repeated_events: 'fine',
  gzip: /it answers in the coding "gzip", which nobody has asked for/,
  two_lengths: /multiple Content-Length/,
  length_and_chunks: /bad Transfer-Encoding|bad Content-Length/,
  body_after_204: /answers a request with nothing \(HTTP status 204\)/,
  two_answers: 'fine',
  wrong_charset: /is no JSON|no answer to the request/,
  no_utf8: /UTF-8/,
  web_page: /it answers with "text\/html", which is neither JSON nor an event stream/,
  another_id: /no answer to the request/,
  another_id_in_a_stream: /its stream ended before the answer had come/,
  accepted: /answers a request with nothing \(HTTP status 202\)/,
  nothing: /answers a request with nothing \(HTTP status 200\)/,
  no_http: /bad version/,
  half_head: /in the middle of its answer/,
};
// As the table of attacks has them.
const names = {
  redirect: 'ARedirectToAServerInsideIsNotFollowed',
  redirect_to_metadata: 'ARedirectToTheMetadataOfACloudIsNotFollowed',
  endless_head: 'AHeadWithoutEndIsRefused',
  endless_field: 'AFieldWithoutEndIsRefused',
  endless_interim: 'InterimAnswersArePassedOver',
  endless_chunks: 'ABodyWithoutEndIsRefused',
  endless_refusal: 'ARefusalWithoutEndIsReadInPart',
  huge_chunk: 'AChunkLargerThanThereCanBeIsRefused',
  endless_event: 'AnEventWithoutEndIsRefused',
  huge_event: 'AHugeEventIsRefused',
  large_event: 'ALargeEventIsRead',
  repeated_events: 'EventsThatAreRepeatedCountOnce',
  gzip: 'WhatIsCompressedUnaskedIsRefused',
  two_lengths: 'TwoLengthsAreRefused',
  length_and_chunks: 'ALengthBesideChunksIsRefused',
  body_after_204: 'ABodyAfter204IsNobodysAnswer',
  two_answers: 'ASecondAnswerIsNobodys',
  wrong_charset: 'AnotherCharsetIsRefused',
  no_utf8: 'TextThatIsNoUtf8IsRefused',
  web_page: 'AWebPageIsNoAnswer',
  another_id: 'AnAnswerUnderAnotherIdIsNone',
  another_id_in_a_stream: 'AnAnswerUnderAnotherIdInAStreamIsNone',
  accepted: 'AnAcceptedRequestDoesNotWait',
  nothing: 'AnEmptyAnswerIsNone',
  no_http: 'WhatIsNoHttpIsRefused',
  half_head: 'HalfAHeadIsNoAnswer',
};

const inside = await HttpServer.start({ after }, (request, response) => response.end('secret'));
const upstream = await HostileHttpUpstream.start({ after }, inside.url);
const components = await Components.create();
await addUpstream(components, 'hostile', { url: `${upstream.url}?key=secret`, prefix: '' });
const host = await HttpHost.start(components);
after(() => host.stop().finally(() => components.discard()));
const [kind] = kinds;
const client = await connectHttp(kind, host.url);
// Whatever it is, it is told at once, and not when the call's time is over.
const call = (name) => kind.call(client, { name, arguments: {} }, { timeout: 30_000 })
  .then(({ content }) => content[0].text, ({ message }) => message);

test('EachFaultHasATest', () => {
  assert.deepEqual(Object.keys(told).sort(), [...faultNames].sort());
  assert.deepEqual(Object.keys(names), Object.keys(told));
});

for (const [fault, name] of Object.entries(names)) {
  test(name, async () => {
    const outcome = told[fault];
    const words = await call(fault);
    if (typeof outcome === 'string') assert.equal(words, outcome);
    else assert.match(words, outcome);
    assert.doesNotMatch(words, /secret|smuggled/);
    assert.equal(await call('fine'), 'fine');
    assert.deepEqual(inside.requests, []);
  });
}

test('NoKeyInTheUrlIsInTheLog', () => {
  assert.doesNotMatch(host.log.text(), /key=secret/);
});
