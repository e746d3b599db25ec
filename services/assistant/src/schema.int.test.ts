import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { describeKitTables } from '@mostrador/testing/servers/kit-tables';
import { afterAll, beforeAll, expect, test } from 'vitest';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('assistant');
});
afterAll(() => database?.drop());

test('the tables of the kit match their canonical SQL', async () => {
  const { actual, canonical } = await describeKitTables(database, 'assistant', {
    ...{ hasReports: false, defersAnswers: true, publishesEvents: true },
  });
  expect(actual).toEqual(canonical);
});

test('the sweep sees turns of every store, and nothing of what is said in them', async () => {
  for (const store_id of [randomUUID(), randomUUID()]) {
    await database.adminSql`
      insert into ai_turns (store_id, lead_id, first_received_at, last_received_at, next_attempt_at)
      values (${store_id}, ${randomUUID()}, now(), now(), now())`;
  }
  const seen = await database.as('assistant_system', null, (sql) => sql`select store_id from ai_turns`);
  expect(seen).toHaveLength(2);
  for (const column of ['reply', 'agent_name', 'passages']) {
    const reading = database.as('assistant_system', null, (sql) => sql`select ${sql(column)} from ai_turns`);
    await expect(reading, column).rejects.toThrow('permission denied');
  }
});
