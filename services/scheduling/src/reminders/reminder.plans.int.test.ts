import { randomUUID } from 'node:crypto';
import type { Sql } from '@mostrador/kit/database/database';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { explain } from '@mostrador/testing/servers/plan';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findQuestion } from './reminder.repository.ts';

const [storeId, leadId, silentId] = [randomUUID(), randomUUID(), randomUUID()];
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('scheduling');
  const { adminSql } = database;
  // Two leads with thousands of sent follow-ups: of one of them a hundred were reminders that asked.
  await adminSql`
    insert into appointments (store_id, lead_id, title, scheduled_at, duration_minutes)
    select ${storeId}, ${leadId}, 'Haircut', now() + n * interval '1 hour', 60 from generate_series(1, 2000) as n`;
  await adminSql`
    insert into followups (store_id, lead_id, message, due_at, status, message_id, cancel_on_reply, cancel_on_appointment,
      first_attempt_at, asks_confirmation, reminder_minutes, reminder_start, appointment_id)
    select ${storeId}, lead, 'Hello', now(), 'sent', gen_random_uuid(), false, false, now() - a.n * interval '1 minute',
      lead = ${leadId} and a.n % 20 = 0, 60, a.scheduled_at, a.id
    from (select *, row_number() over (order by id) as n from appointments) a,
      unnest(${[leadId, silentId]}::uuid[]) as lead`;
  await adminSql`vacuum analyze appointments, followups`;
});
afterAll(() => database?.drop());

test.each([
  ['that was asked', leadId, 1],
  ['that was never asked', silentId, 0],
])('a message of a lead %s reads the latest question alone', async (_, lead, questions) => {
  const scope = { storeId, deadline: Date.now() + 30_000 };
  const nodes = await database.database.read(scope, (sql: Sql) => explain(sql, findQuestion(sql, storeId, lead)));
  const ofTable = nodes.filter((node) => node['Relation Name'] === 'followups');
  const read = ofTable.reduce((sum, node) => sum + node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0), 0);
  expect(read).toBe(questions);
  expect(ofTable.map((node) => node['Node Type'])).not.toContain('Seq Scan');
});
