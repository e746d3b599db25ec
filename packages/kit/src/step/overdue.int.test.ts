import { randomUUID } from 'node:crypto';
import { silentLog } from '@mostrador/testing/context';
import type { TestDatabase } from '@mostrador/testing/servers/database';
import { createKitDatabase } from '@mostrador/testing/servers/kit-tables';
import { startTestNats, type TestNats } from '@mostrador/testing/servers/nats';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRelay } from '../outbox/outbox.ts';
import { overdueGauges, overdueMetrics, wakeOverdue } from './overdue.ts';

let kit: TestDatabase;
let nats: TestNats;
beforeEach(async () => {
  [kit, nats] = await Promise.all([createKitDatabase(), startTestNats()]);
});
afterEach(() => Promise.all([nats.stop(), kit.drop()]));

const storeId = randomUUID();

/** Sweeps once with one overdue row, while the outbox has 600 such entries. Returns how many workflows were woken. */
async function sweepWith(entries: { kind: 'workflow' | 'event'; ageSeconds: number; lastError?: string }) {
  const { kind, ageSeconds, lastError = null } = entries;
  await kit.adminSql`
    insert into outbox (store_id, kind, topic, entity_id, signal, data, created_at, last_error)
    select ${storeId}, ${kind}, 'appointment', gen_random_uuid(), 'changed', '{}',
      now() - ${ageSeconds} * interval '1 second', ${lastError}
    from generate_series(1, 600)`;
  const temporal = { signalWithStart: async () => {} };
  // It is not started, so the entries stay.
  const relay = createRelay({ database: kit.systemDatabase, temporal, nats: nats.nats, log: silentLog() });
  const overdue = [{ store_id: storeId }];
  const wakeUpOf = () =>
    ({ kind: 'workflow', workflow: 'appointment', entityId: randomUUID(), signal: 'changed' }) as const;
  const take = async () => overdue.splice(0);
  const dependencies = { systemDatabase: kit.systemDatabase, relay };
  return wakeOverdue({ name: 'rows', take, wakeUpOf, ...dependencies }, new AbortController().signal);
}

test.each([
  ['events wait for JetStream', { kind: 'event', ageSeconds: 600 }],
  ['wake-ups of a burst are under way', { kind: 'workflow', ageSeconds: 0 }],
  ['Temporal refuses old wake-ups', { kind: 'workflow', ageSeconds: 600, lastError: 'refused: no such attribute' }],
] as const)('overdue workflows are woken while %s', async (_what, entries) => {
  expect(await sweepWith(entries)).toBe(1);
});

test('overdue workflows are not woken again while their wake-ups already wait for Temporal', async () => {
  expect(await sweepWith({ kind: 'workflow', ageSeconds: 600 })).toBe(0);
});

test('the gauges show the overdue rows of each kind and the longest wait, and leave out one that cannot be read', async () => {
  const gauges = overdueGauges(kit.systemDatabase, [
    {
      name: 'follow-ups',
      count: async (sql) => (await sql`select from generate_series(1, 3)`).length,
      longest: async () => 90,
    },
    {
      name: 'deliveries',
      count: async (sql) => (await sql`select from no_such_table`).length,
      longest: async () => 0,
    },
  ]);
  const labels = { rows: 'follow-ups' };
  expect(await gauges.read()).toEqual([
    { metric: overdueMetrics.rows, labels, value: 3 },
    { metric: overdueMetrics.longest, labels, value: 90 },
  ]);
});
