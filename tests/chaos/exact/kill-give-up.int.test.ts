import { randomUUID } from 'node:crypto';
import { createAppointment, giveUpWaitingScheduling, type WaitingChange } from '@mostrador/contracts';
import { createRpcClient } from '@mostrador/kit/rpc/client';
import { silentLog, testContext } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stage, type Store, startStage } from './stage.ts';

// scheduling is killed in the middle of a give-up of several calendar syncs, before and after a commit.

const count = 6;
let stage: Stage;
let store: Store;
let ids: string[];

beforeAll(async () => {
  stage = await startStage({ processes: ['crm', 'scheduling', 'workflows'] });
  store = await stage.newStore();
  stage.proxies.calendar.cut();
  ids = [];
  for (let made = 0; made < count; made += 1) ids.push((await create()).id);
  // Each sync fails, or waits for the circuit of the calendar. From then on no attempt of it begins.
  await waitFor(
    async () => {
      await stage.database.adminSql`
        update calendar_syncs set next_attempt_at = now() + interval '1 hour'
        where lease_until is null and (last_error_code is not null or wait_reason is not null)`;
      return (await rows()).every(({ waits }) => waits);
    },
    { description: 'every sync waits' },
  );
});
afterAll(() => stage?.stop());

const create = () => {
  const scheduled_at = new Date(Date.now() + 86_400_000).toISOString();
  return stage.call(createAppointment, { body: { title: 'Haircut', scheduled_at } }, store.id);
};
const giveUp = (): Promise<WaitingChange> =>
  createRpcClient({ nats: stage.nats.nats, log: silentLog() }).call(
    giveUpWaitingScheduling,
    { body: { kind: 'calendar_sync', ids, dry_run: false } },
    testContext({ storeId: store.id, role: 'owner', requestId: randomUUID() }),
  );
const rows = () => stage.database.adminSql<{ id: string; state: string; waits: boolean }[]>`
  select appointment_id as id, state,
    lease_until is null and next_attempt_at > now() + interval '30 minutes' as waits from calendar_syncs
  where store_id = ${store.id} order by requested_at, appointment_id`;
const givenUp = async () => (await rows()).filter(({ state }) => state === 'failed').map(({ id }) => id);
const openWorkflows = async () => {
  const open = new Set<string>();
  for await (const { workflowId } of stage.temporal.client.workflow.list({
    query: 'WorkflowType = "appointment" and ExecutionStatus = "Running"',
  })) {
    open.add(workflowId);
  }
  return open;
};
/** Every open workflow has a sync that waits, and every sync that waits has an open workflow. */
const untilInStep = () =>
  waitFor(
    async () => {
      const waiting = (await rows()).filter(({ state }) => state === 'pending').map(({ id }) => `appointment:${id}`);
      const open = await openWorkflows();
      return open.size === waiting.length && waiting.every((id) => open.has(id));
    },
    { description: 'rows and workflows say the same' },
  );

test('a kill before a commit and one after it leave whole rows, and a repeated call gives up the rest', async () => {
  const { database } = stage.proxies;
  // The third transaction stops before its commit.
  const uncommitted = database.holdRequest('commit', `"entity_id":"${ids[2]}"`);
  const first = giveUp().catch((error: unknown) => error);
  await uncommitted.reached;
  await stage.kill('scheduling');
  uncommitted.drop();
  await first;
  await stage.start('scheduling');
  expect(await givenUp()).toEqual(ids.slice(0, 2));
  await untilInStep();

  // The fifth has committed, and its answer is lost.
  const untold = database.holdAnswer('commit', `"entity_id":"${ids[4]}"`);
  const second = giveUp().catch((error: unknown) => error);
  await untold.reached;
  await stage.kill('scheduling');
  untold.drop();
  await second;
  await stage.start('scheduling');
  expect(await givenUp()).toEqual(ids.slice(0, 5));
  await untilInStep();

  const last = await giveUp();
  expect({ done: last.done, skipped: last.skipped.map(({ why }) => why) }).toEqual({
    done: 1,
    skipped: Array.from({ length: count - 1 }, () => 'not_waiting'),
  });
  expect(await givenUp()).toEqual(ids);
  await untilInStep();
  expect((await openWorkflows()).size).toBe(0);
});
