import { randomUUID } from 'node:crypto';
import {
  connectModel,
  connectStoreModel,
  disconnectModels,
  disconnectStoreModel,
  getStoreAi,
  type RequestOf,
  showModels,
  switchStoreAi,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAssistant, type TestAssistant } from '../../test/assistant.ts';
import { ModelFailure } from './model-failure.ts';

let assistant: TestAssistant;
beforeAll(async () => {
  assistant = await startAssistant();
});
afterAll(() => assistant?.stop());

type Body = RequestOf<typeof connectModel>['body'];
const connect = (storeId: string, body: Body) => assistant.rpc.call(connectModel, { body }, testContext({ storeId }));
const show = async (storeId: string) => (await assistant.rpc.call(showModels, {}, testContext({ storeId }))).data;
const secrets = { api_key: 'sk-planted-secret' };

test('a store has several providers, the latest one is its default, and a repeat replaces its connection', async () => {
  const storeId = randomUUID();
  await connect(storeId, { provider: 'demo' });
  await connect(storeId, { provider: 'openai', model: 'gpt-x', secrets });
  await connect(storeId, { provider: 'openai_compatible', url: 'http://127.0.0.1:11434/v1/', model: 'qwen3:8b' });
  await connect(storeId, { provider: 'openai', secrets });
  expect(await show(storeId)).toEqual([
    expect.objectContaining({ provider: 'openai', model: 'gpt-5-mini', url: null }),
    expect.objectContaining({ provider: 'openai_compatible', model: 'qwen3:8b', url: 'http://127.0.0.1:11434/v1' }),
    expect.objectContaining({ provider: 'demo', model: null, url: null }),
  ]);
  expect(await show(randomUUID())).toEqual([]);
});

test('a key is sealed, and no answer shows it', async () => {
  const storeId = randomUUID();
  const connected = await connect(storeId, { provider: 'gemini', secrets });
  expect(JSON.stringify([connected, await show(storeId)])).not.toContain(secrets.api_key);
  const [row] = await assistant.adminSql`select * from provider_connections where store_id = ${storeId}`;
  expect(row?.sealed_credentials).toMatch(/^v1\.k1\./);
  expect(JSON.stringify(row)).not.toContain(secrets.api_key);
});

test('one provider is disconnected, or all, with their keys', async () => {
  const [storeId, otherId] = [randomUUID(), randomUUID()];
  const disconnect = (body: RequestOf<typeof disconnectModels>['body']) =>
    assistant.rpc.call(disconnectModels, { body }, testContext({ storeId }));
  for (const id of [storeId, otherId]) {
    for (const provider of ['openai', 'gemini'] as const) await connect(id, { provider, secrets });
  }
  await disconnect({ provider: 'openai' });
  expect((await show(storeId)).map(({ provider }) => provider)).toEqual(['gemini']);
  await disconnect({});
  expect(await show(storeId)).toEqual([]);
  expect(await show(otherId)).toHaveLength(2);
});

test('a connection whose trial call fails is not kept, and the earlier one stays', async () => {
  const storeId = randomUUID();
  await connect(storeId, { provider: 'openai', model: 'gpt-x', secrets });
  assistant.trial.fails = new ModelFailure('rejected', 'the provider answered with status 401', { status: 401 });
  try {
    const refused = await connect(storeId, { provider: 'openai', model: 'gpt-y', secrets }).catch((error) => error);
    expect(refused).toMatchObject({ code: 'ai_connection_refused', detail: expect.stringMatching(/^wrong_key: /) });
  } finally {
    assistant.trial.fails = undefined;
  }
  expect(await show(storeId)).toMatchObject([{ model: 'gpt-x' }]);
});

test('an owner connects a provider, switches the AI on, and disconnects it', async () => {
  const context = testContext({ storeId: randomUUID(), role: 'owner' });
  const { rpc } = assistant;
  expect(await rpc.call(getStoreAi, {}, context)).toMatchObject({ ai: false, connections: [] });
  const connected = await rpc.call(connectStoreModel, { body: { provider: 'openai', secrets } }, context);
  expect(connected).toMatchObject({
    ai: false,
    connections: [
      {
        ...{ provider: 'openai', url: null, model: 'gpt-5-mini', failure: null },
        connected_at: expect.any(String),
      },
    ],
  });
  expect((await rpc.call(switchStoreAi, { body: { ai: true } }, context)).ai).toBe(true);
  const { budget } = await rpc.call(switchStoreAi, { body: { most_calls: 20 } }, context);
  expect(budget).toMatchObject({ calls: 0, most_calls: 20, spent: null, most_spent: null, currency: null });
  const noPrices = rpc.call(switchStoreAi, { body: { most_spent: 1 } }, context);
  await expect(noPrices).rejects.toMatchObject({
    members: { errors: [{ pointer: '#/most_spent', detail: expect.stringContaining('MODEL_PRICES_FILE') }] },
  });
  const other = testContext({ storeId: randomUUID(), role: 'owner' });
  expect(await rpc.call(getStoreAi, {}, other)).toMatchObject({ ai: false, connections: [] });
  const left = await rpc.call(disconnectStoreModel, { params: { provider: 'openai' } }, context);
  expect(left).toMatchObject({ ai: true, connections: [] });
});

describe('a connection that does not fit is refused', () => {
  const compatible = { provider: 'openai_compatible', url: 'https://models.example.com/v1', model: 'm' } as const;
  test.each<[string, Body, string]>([
    ['a key for demo', { provider: 'demo', secrets }, '#/secrets'],
    ['no key', { provider: 'openai' }, '#/secrets'],
    ['no address', { provider: 'openai_compatible', model: 'm' }, '#/url'],
    ['no model', { provider: 'openai_compatible', url: compatible.url }, '#/model'],
    ['without TLS', { ...compatible, url: 'http://models.example.com/v1' }, '#/url'],
    ['a private address', { ...compatible, url: 'https://10.0.0.1/v1' }, '#/url'],
    ['the metadata of a cloud', { ...compatible, url: 'https://169.254.169.254/v1' }, '#/url'],
    ['a key in the address', { ...compatible, url: 'https://ana:sk@models.example.com/v1' }, '#/url'],
    ['a query', { ...compatible, url: 'https://models.example.com/v1?key=sk' }, '#/url'],
    ['no host', { ...compatible, url: 'https://:80' }, '#/url'],
  ])('%s', async (_, body, pointer) => {
    const storeId = randomUUID();
    const refused = await connect(storeId, body).catch((error) => error);
    expect(refused).toMatchObject({ code: 'validation_failed' });
    expect(refused.members.errors).toContainEqual(expect.objectContaining({ pointer }));
    expect(await show(storeId)).toEqual([]);
  });
});
