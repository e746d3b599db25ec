import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFailingModels } from './database.repository.ts';
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
