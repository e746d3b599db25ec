import { randomUUID } from 'node:crypto';
import type { TransactionSql } from '@mostrador/kit/database/database';
import type { OverdueOptions } from '@mostrador/kit/step/overdue';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { countReads } from '@mostrador/testing/servers/rows-read';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { overdueSyncs } from './calendar-sync/wake-overdue.ts';
import { overdueWatches } from './calendar-watch/wake-overdue.ts';
import { overdueFollowups } from './followups/wake-overdue.ts';

const waiting = 100_000;
const due = 5;
const storeId = randomUUID();

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('scheduling');
  const { adminSql } = database;
  const connectionId = randomUUID();
  const next = (n: ReturnType<typeof adminSql>) =>
    adminSql`now() + case when ${n} <= ${due} then interval '-1 minute' else interval '1 hour' end`;
  await adminSql`
    insert into followups (store_id, lead_id, message, due_at, next_attempt_at, cancel_on_reply, cancel_on_appointment)
    select ${storeId}::uuid, gen_random_uuid(), 'x', now(), ${next(adminSql`n`)}, true, false
    from generate_series(1, ${waiting}) as n`;
  await adminSql`
    insert into calendar_connections (store_id, id, provider) values (${storeId}, ${connectionId}, 'feed')`;
  await adminSql`
    insert into appointments (store_id, title, scheduled_at, duration_minutes)
    select ${storeId}::uuid, 'x', now(), 60 from generate_series(1, ${waiting})`;
  await adminSql`
    insert into calendar_syncs (store_id, appointment_id, connection_id, state, desired_version, next_attempt_at)
    select store_id, id, ${connectionId}, 'pending', 1, ${next(adminSql`row_number() over ()`)} from appointments`;
  await adminSql`
    insert into calendar_connections (store_id, id, provider, disconnected_at)
    select ${storeId}::uuid, gen_random_uuid(), 'caldav', now() from generate_series(1, ${waiting})`;
  await adminSql`
    insert into calendar_watches (store_id, connection_id, wake_at)
    select store_id, id, ${next(adminSql`row_number() over ()`)} from calendar_connections where provider = 'caldav'`;
  await adminSql`vacuum analyze`;
});
afterAll(() => database?.drop());

type Take = (sql: TransactionSql, options: OverdueOptions) => Promise<readonly unknown[]>;
const sweeps: [string, string, Take][] = [
  ['follow-ups', 'followups', overdueFollowups.take],
  ['calendar syncs', 'calendar_syncs', overdueSyncs.take],
  ['calendar watches', 'calendar_watches', overdueWatches.take],
];

test.each(sweeps)('the sweep over %s reads only what is due, while 100,000 rows wait', async (_, table, take) => {
  const { result, read } = await database.systemDatabase.write({ deadline: Date.now() + 30_000 }, (sql) =>
    countReads(sql, table, () => take(sql, { overdueMs: 30_000, againMs: 300_000, limit: 500 })),
  );
  expect(result).toHaveLength(due);
  // A due row is read again to change it.
  expect(read).toBeLessThan(10 * due);
});
