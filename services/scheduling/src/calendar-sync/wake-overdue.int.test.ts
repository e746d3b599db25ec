import { randomUUID } from 'node:crypto';
import { appointmentWorkflow, connectCalendar } from '@mostrador/contracts';
import { countOverdue, wakeOverdue } from '@mostrador/kit/step/overdue';
import { testContext } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startScheduling, type TestScheduling } from '../../test/scheduling.ts';
import { overdueSyncs } from './wake-overdue.ts';

let scheduling: TestScheduling;
beforeAll(async () => {
  scheduling = await startScheduling();
});
beforeEach(async () => {
  await scheduling.adminSql`delete from outbox`;
  await scheduling.adminSql`delete from calendar_syncs`;
});
afterAll(() => scheduling?.stop());

const sweep = (signal = new AbortController().signal) =>
  wakeOverdue({ ...overdueSyncs, ...scheduling.dependencies }, signal);
const counted = () => countOverdue({ ...overdueSyncs, ...scheduling.dependencies });
const connectFeed = (storeId: string) =>
  scheduling.rpc.call(connectCalendar, { body: { provider: 'feed' } }, testContext({ storeId }));
const overdueBy = (seconds: number, storeId: string) => scheduling.adminSql`
  update calendar_syncs set next_attempt_at = now() - ${seconds} * interval '1 second' where store_id = ${storeId}`;
const lost = () => scheduling.adminSql`delete from outbox`;

test('the sweep wakes a sync of any store that is overdue by more than 30 s, with its lead', async () => {
  const stores = [randomUUID(), randomUUID()];
  for (const storeId of stores) {
    await connectFeed(storeId);
    const lead_id = scheduling.addLead(storeId);
    const { id } = await scheduling.create(storeId, { lead_id });
    await lost();
    await overdueBy(10, storeId);
    expect([await sweep(), await counted()]).toEqual([0, stores.indexOf(storeId)]);
    await overdueBy(31, storeId);
    expect(await counted()).toBe(stores.indexOf(storeId) + 1);
    expect(await sweep()).toBe(1);
    expect(await scheduling.wakeUps(storeId)).toEqual([{ entity_id: id, lead_id, signal: 'overdue' }]);
  }
});

test('the sweep does not wake a sync again within 5 minutes, so that an outage does not pile up wake-ups', async () => {
  const storeId = randomUUID();
  await connectFeed(storeId);
  await scheduling.create(storeId);
  await overdueBy(60, storeId);
  expect(await sweep()).toBe(1);
  expect(await sweep()).toBe(0);
  await scheduling.adminSql`update calendar_syncs set woken_at = woken_at - interval '301 seconds'`;
  expect(await sweep()).toBe(1);
});

test('a sync that is done or needs attention is not overdue', async () => {
  const storeId = randomUUID();
  await connectFeed(storeId);
  const [synced] = [await scheduling.create(storeId), await scheduling.create(storeId)];
  await scheduling.adminSql`
    update calendar_syncs
    set state = case when appointment_id = ${synced.id} then 'synced' else 'needs_attention' end, next_attempt_at = null
    where store_id = ${storeId}`;
  expect(await sweep()).toBe(0);
});

test('two concurrent sweeps wake more than a batch of syncs, each exactly once', async () => {
  const storeId = randomUUID();
  await scheduling.adminSql`
    insert into appointments (store_id, title, scheduled_at, duration_minutes)
    select ${storeId}, 'x', now() + n * interval '1 hour', 60 from generate_series(1, 1200) n`;
  await connectFeed(storeId);
  await lost();
  await overdueBy(60, storeId);
  const woken = await Promise.all([sweep(), sweep()]);
  expect(woken.reduce((sum, count) => sum + count)).toBe(1200);
  const wakeUps = await scheduling.wakeUps(storeId);
  expect(new Set(wakeUps.map(({ entity_id }) => entity_id)).size).toBe(1200);
  expect(wakeUps).toHaveLength(1200);
});

test('the sweep adds no wake-ups while many old ones wait for Temporal', async () => {
  const storeId = randomUUID();
  await connectFeed(storeId);
  await scheduling.create(storeId);
  await overdueBy(60, storeId);
  await scheduling.adminSql`
    insert into outbox (store_id, kind, topic, entity_id, signal, created_at)
    select ${storeId}, 'workflow', 'appointment', gen_random_uuid(), 'changed', now() - interval '1 minute'
    from generate_series(1, 500)`;
  expect(await sweep()).toBe(0);
});

// The last test, because it starts the relay.
test('a wake-up of the sweep starts a lost workflow again', async () => {
  const storeId = randomUUID();
  await connectFeed(storeId);
  const { id } = await scheduling.create(storeId);
  await lost();
  await overdueBy(60, storeId);
  expect(await sweep()).toBe(1);
  scheduling.relay.start();
  const handle = scheduling.temporal.client.workflow.getHandle(appointmentWorkflow.workflowId(id));
  const description = await waitFor(() => handle.describe(), { description: 'the workflow' });
  expect(description.status.name).toBe('RUNNING');
});
