import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTurns, readWatches } from './queues.repository.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('scheduling');
});
afterAll(() => database?.drop());

test('leads who wait for the AI are found by why they wait', async () => {
  const { adminSql } = database;
  const store_id = randomUUID();
  const turn = async (seconds: number, members: object = {}) =>
    await adminSql`insert into assistant.ai_turns ${adminSql({
      ...{ store_id, lead_id: randomUUID(), first_received_at: new Date(), last_received_at: new Date() },
      ...{ next_attempt_at: new Date(Date.now() + seconds * 1000), ...members },
    })}`;
  await turn(-120);
  await turn(60, { error_code: 'model_timed_out' });
  await turn(60);
  const read = await readTurns(adminSql);
  await adminSql`delete from assistant.ai_turns`;
  expect(read.map(({ queue, reason, rows, code }) => [queue, reason, rows, code]).sort()).toEqual([
    ['ai_turn', 'failed_attempt', 1, 'model_timed_out'],
    ['ai_turn', 'overdue', 1, null],
    ['ai_turn', 'postponed', 1, null],
  ]);
});

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
