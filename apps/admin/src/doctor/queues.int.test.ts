import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readWatches } from './queues.repository.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('scheduling');
});
afterAll(() => database?.drop());

test.each([
  ['connected', 'provider_error', 4, 'postponed'],
  ['connected', 'provider_error', 5, 'failed_attempt'],
  ['connected', 'calendar_emptied', 1, 'needs_attention'],
  ['needs_attention', 'unauthorized', 9, 'needs_attention'],
])('a calendar that is %s, with %s after %i attempts, is %s', async (status, code, attempts, reason) => {
  const { adminSql } = database;
  const [store_id, id] = [randomUUID(), randomUUID()];
  const fault = { last_error_code: code, last_error_detail: 'A fault.' };
  const connection = { store_id, id, provider: 'caldav', status, ...fault };
  await adminSql`insert into calendar_connections ${adminSql(connection)}`;
  const watch = { store_id, connection_id: id, attempts, wake_at: new Date(Date.now() + 600_000), ...fault };
  await adminSql`insert into calendar_watches ${adminSql(watch)}`;
  const read = await readWatches(adminSql);
  await adminSql`delete from calendar_watches`;
  expect(read).toMatchObject([{ store_id, reason, code, rows: 1 }]);
});
