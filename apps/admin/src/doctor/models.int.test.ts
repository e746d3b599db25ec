import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFailingEmbedders, readFailingModels } from './database.repository.ts';
import { judgeEmbedders } from './embedders.ts';
import { judgeModels } from './models.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('assistant');
});
afterAll(() => database?.drop());

test('a model that fails again and again is found with the leads that wait for it, one that failed twice is not', async () => {
  const { adminSql } = database;
  const [hanging, once, rejected] = [randomUUID(), randomUUID(), randomUUID()];
  const connect = (storeId: string, provider: string, kind: string, failures: number) => adminSql`
    insert into provider_connections (store_id, provider, failure_kind, failures, failed_at)
    values (${storeId}, ${provider}, ${kind}, ${failures}, now())`;
  await connect(hanging, 'openai', 'timed_out', 3);
  await connect(once, 'openai', 'timed_out', 2);
  await connect(rejected, 'gemini', 'rejected', 1);
  const since = new Date('2027-01-31T08:59:00.000Z');
  for (const failed of ['openai', 'gemini']) {
    await adminSql`
      insert into ai_turns (store_id, lead_id, first_received_at, last_received_at, next_attempt_at, model_failures)
      values (${hanging}, ${randomUUID()}, ${since}, ${since}, now(), ${adminSql.json({ [failed]: {} })})`;
  }
  const found = await readFailingModels(adminSql);
  expect(found).toMatchObject([
    { provider: 'gemini', kind: 'rejected', stores: 1, store_id: rejected, waiting: 0, waiting_since: null },
    { provider: 'openai', kind: 'timed_out', stores: 1, store_id: hanging, waiting: 1, waiting_since: since },
  ]);
  expect(judgeModels(found)).toMatchObject([
    { severity: 'warning', what: expect.stringContaining('People get the leads'), since: null },
    {
      severity: 'warning',
      what: `The model of the store ${hanging} at openai does not answer (timed_out). 1 lead waits for the AI, and people get them after two minutes`,
      since: since.toISOString(),
    },
  ]);
});

test('an embedder that fails again and again is found, one that failed twice or has no budget left is not', async () => {
  const { adminSql } = database;
  const index = async (failure: string | null, attempts: number, next_attempt_at: Date | null = new Date()) => {
    const store_id = randomUUID();
    const embedder_id = randomUUID();
    await adminSql`insert into crm.knowledge_indexes ${adminSql({ store_id, embedder_id, failure, attempts, next_attempt_at })}`;
    return store_id;
  };
  const failing = await index('unavailable', 3);
  const rejected = await index('rejected', 1);
  await index('timed_out', 2);
  await index('budget_reached', 9);
  await index('unavailable', 5, null);
  await index(null, 0);
  const found = await readFailingEmbedders(adminSql);
  await adminSql`delete from crm.knowledge_indexes`;
  expect(found).toEqual([
    { kind: 'rejected', stores: 1, attempts: 1, store_id: rejected },
    { kind: 'unavailable', stores: 1, attempts: 3, store_id: failing },
  ]);
  expect(judgeEmbedders(found)).toMatchObject([
    { severity: 'warning', why: 'The last attempt failed.', remedy: expect.stringContaining('embedder connect') },
    {
      what: `The embedder of the store ${failing} gives no vectors (unavailable). New documents are found by their words only`,
    },
  ]);
});
