import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  connectEmbedder,
  disconnectEmbedder,
  embedTexts,
  type RequestOf,
  showEmbedder,
  updateAssistantSettings,
} from '@mostrador/contracts';
import { createEgress } from '@mostrador/kit/clients/egress';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAssistant, type TestAssistant } from '../../test/assistant.ts';
import { embedWithSdk } from '../models/sdk-model.ts';
import { toPriceList } from '../prices/price-list.ts';

/** Two letters can be up to four tokens, which cost 0.004. */
const prices = toPriceList(
  JSON.stringify({ currency: 'XTS', prices: [{ model: 'embedder/priced', from: '2026-01-01', input: 1000 }] }),
);
let assistant: TestAssistant;
/** A server that answers as its path says: a status and a body. It keeps the authorization that it got. */
let bad: Server;
const authorizations: (string | undefined)[] = [];
beforeAll(async () => {
  bad = createServer((request, response) => {
    authorizations.push(request.headers.authorization);
    const [, status, body = ''] = (request.url ?? '').split('/');
    if (status === 'silent') return;
    response.writeHead(Number(status), { 'content-type': 'application/json', 'retry-after': '7' });
    response.end(Buffer.from(body, 'base64url'));
  });
  [assistant] = await Promise.all([
    startAssistant({ prices }),
    new Promise<void>((resolve) => bad.listen(0, '127.0.0.1', resolve)),
  ]);
});
afterAll(async () => {
  bad?.close();
  bad?.closeAllConnections();
  await assistant?.stop();
});

type Body = RequestOf<typeof connectEmbedder>['body'];
const connect = (storeId: string, body: Partial<Body> = {}) =>
  assistant.rpc.call(
    connectEmbedder,
    { body: { url: 'https://models.example.com/v1', model: 'use', ...body } },
    testContext({ storeId }),
  );
const show = (storeId: string) => assistant.rpc.call(showEmbedder, {}, testContext({ storeId }));
const embed = (storeId: string, texts: string[], embedder_id = assistant.embedderIds.get(storeId)) =>
  assistant.rpc.call(
    embedTexts,
    { body: { embedder_id: embedder_id ?? randomUUID(), texts } },
    testContext({ storeId }),
  );
const badUrl = (status: number | 'silent', body: unknown = {}) =>
  `http://127.0.0.1:${(bad.address() as AddressInfo).port}/${status}/${Buffer.from(JSON.stringify(body)).toString('base64url')}`;
const vectors = (...embeddings: unknown[]) => ({ data: embeddings.map((embedding) => ({ embedding })) });
const secrets = { api_key: 'sk-planted-secret' };

test('each text gets its vector', async () => {
  const storeId = randomUUID();
  await connect(storeId, { url: badUrl(200, vectors([1, 2], [3, -4])) });
  const answered = (await embed(storeId, ['a', 'b'])).vectors?.map((text) => Buffer.from(text, 'base64'));
  expect(answered?.map((bytes) => [bytes.readFloatLE(0), bytes.readFloatLE(4)])).toEqual([
    [1, 2],
    [3, -4],
  ]);
});

test('its calls take from the budget of the day, are refused when too little is left, and are counted', async () => {
  const storeId = randomUUID();
  const body = { ...vectors([1, 2], [3, -4]), usage: { prompt_tokens: 4, total_tokens: 4 } };
  await connect(storeId, { url: badUrl(200, body), model: 'priced' });
  await assistant.rpc.call(updateAssistantSettings, { body: { ai_daily_budget: 0.005 } }, testContext({ storeId }));
  // Calls to models do not count for the embedder. Two days: the test may run at midnight.
  await assistant.adminSql`
    insert into model_days (store_id, day, calls)
    select ${storeId}, (now() at time zone 'UTC')::date + after, 1 from generate_series(0, 1) after
    on conflict (store_id, day) do update set calls = 1`;
  expect(await embed(storeId, ['aa', 'b'])).toMatchObject({ failure: null });
  const [day] = await assistant.adminSql`
    select calls, cost_micros from model_days where store_id = ${storeId} and cost_micros > 0`;
  expect(day).toEqual({ calls: 1, cost_micros: '4000' });
  expect(await embed(storeId, ['a', 'b'])).toMatchObject({ vectors: null, failure: 'budget_reached' });
  expect(await assistant.feed(storeId)).toMatchObject([{ data: { percent: 80, limit: 'money', spent: 0.004 } }]);
  const reached = await assistant.adminSql`
    select from model_days where store_id = ${storeId} and reached_at is not null`;
  expect(reached).toHaveLength(0);
  const counted = await assistant.metrics.text();
  expect(counted).toMatch(/mostrador_ai_embedder_calls_total\{result="budget_reached".*\} 1\n/);
  expect(counted).toMatch(/mostrador_ai_embedder_tokens_total.* 4\n/);
});

test('a key is sealed, sent to its address only, and shown by no answer', async () => {
  const storeId = randomUUID();
  const connected = await connect(storeId, { url: badUrl(200), secrets });
  expect(JSON.stringify([connected, await show(storeId)])).not.toContain(secrets.api_key);
  const [row] = await assistant.adminSql`select * from embedders where store_id = ${storeId}`;
  expect(row?.sealed_credentials).toMatch(/^v1\.k1\./);
  await embed(storeId, ['a']);
  expect(authorizations.at(-1)).toBe(`Bearer ${secrets.api_key}`);
});

test('another key keeps the vectors, and another model or address asks for new ones', async () => {
  const storeId = randomUUID();
  await connect(storeId);
  const first = assistant.embedderIds.get(storeId);
  await connect(storeId, { secrets });
  expect(assistant.embedderIds.get(storeId)).toBe(first);
  await connect(storeId, { model: 'another' });
  expect(assistant.embedderIds.get(storeId)).not.toBe(first);
  // What still asks for the earlier one gets no vectors that it could not compare.
  expect(await embed(storeId, ['a'], first ?? '')).toMatchObject({ vectors: null, failure: 'not_connected' });
});

test('a store without an embedder, or whose embedder was disconnected, gets no vectors of another store', async () => {
  const [storeId, other] = [randomUUID(), randomUUID()];
  await connect(other);
  const id = assistant.embedderIds.get(other) ?? '';
  expect(await embed(storeId, ['a'], id)).toMatchObject({ vectors: null, failure: 'not_connected' });
  await assistant.rpc.call(disconnectEmbedder, {}, testContext({ storeId: other }));
  expect(await show(other)).toEqual({ embedder: null, index: null });
  expect(assistant.embedderIds.get(other)).toBeNull();
  expect(await embed(other, ['a'], id)).toMatchObject({ failure: 'not_connected' });
});

describe('an embedder that fails gives a reason, and no text', () => {
  test.each<[string, number, unknown, string]>([
    ['a wrong key', 401, { error: { message: 'no' } }, 'rejected'],
    ['too many requests', 429, {}, 'rate_limited'],
    ['a broken server', 500, {}, 'unavailable'],
    ['no vectors', 200, { hello: 1 }, 'malformed'],
    ['too few vectors', 200, vectors([1, 2]), 'malformed'],
    ['vectors of two lengths', 200, vectors([1, 2], [1]), 'malformed'],
    ['a vector without a direction', 200, vectors([0, 0], [1, 2]), 'malformed'],
    ['numbers that are too large', 200, vectors([1e300, 1], [1, 2]), 'malformed'],
    ['empty vectors', 200, vectors([], []), 'malformed'],
  ])('%s', async (_, status, body, failure) => {
    const storeId = randomUUID();
    await connect(storeId, { url: badUrl(status, body) });
    expect(await embed(storeId, ['a', 'b'])).toEqual({
      ...{ vectors: null, failure, retry_after_seconds: status === 429 || status === 500 ? 7 : null },
    });
  });
});

test('an embedder that does not answer is left after the time that it has', async () => {
  const egress = createEgress({ allowHosts: '127.0.0.1' });
  const asked = embedWithSdk({ url: badUrl('silent'), model: 'm', apiKey: undefined }, egress, ['a'], 100);
  await expect(asked).rejects.toMatchObject({ kind: 'timed_out' });
});

test.each<[string, Partial<Body>]>([
  ['without TLS', { url: 'http://models.example.com/v1' }],
  ['in a private network', { url: 'https://10.0.0.1/v1' }],
  ['with a key in it', { url: 'https://ana:sk@models.example.com/v1' }],
])('an address %s is refused', async (_, body) => {
  const storeId = randomUUID();
  await expect(connect(storeId, body)).rejects.toMatchObject({ code: 'validation_failed' });
  expect(await show(storeId)).toMatchObject({ embedder: null });
});
