import { randomUUID } from 'node:crypto';
import {
  giveUpWaitingDeliveries,
  listWaitingDeliveries,
  type RequestOf,
  retryWaitingDeliveries,
  type UserRole,
  updateWebhookEndpoint,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startEvents, type TestEvents } from '../../../test/events.ts';
import { stageWebhook, type WebhookStage } from '../../../test/webhooks.ts';

type Change = Omit<RequestOf<typeof giveUpWaitingDeliveries>['body'], 'kind' | 'dry_run'> & { dry_run?: boolean };

let events: TestEvents;
let staged: WebhookStage;
beforeAll(async () => {
  events = await startEvents();
  events.startSender();
});
beforeEach(async () => {
  staged = await stageWebhook(events);
});
afterEach(() => staged?.close());
afterAll(() => events?.stop());

const as = (role?: UserRole, storeId = staged.storeId) => testContext({ storeId, role });
const list = async (storeId?: string) =>
  (await events.rpc.call(listWaitingDeliveries, { body: { limit: 50 } }, as('manager', storeId))).data;
const retry = (body: Change, role: UserRole = 'owner', storeId?: string) =>
  events.rpc.call(
    retryWaitingDeliveries,
    { body: { kind: 'webhook_delivery', dry_run: false, ...body } },
    as(role, storeId),
  );
const giveUp = (body: Change, role: UserRole = 'owner', storeId?: string) =>
  events.rpc.call(
    giveUpWaitingDeliveries,
    { body: { kind: 'webhook_delivery', dry_run: false, ...body } },
    as(role, storeId),
  );
const change = (status: 'enabled' | 'paused') =>
  events.rpc.call(updateWebhookEndpoint, { params: { endpointId: staged.endpoint.id }, body: { status } }, as());
const wakeUps = async () =>
  await events.adminSql`
  select entity_id, signal from outbox where store_id = ${staged.storeId} and kind = 'workflow' order by id`;
const forget = () => events.adminSql`delete from outbox where store_id = ${staged.storeId}`;
const rows = () => events.adminSql`
  select (select jsonb_agg(d order by id) from webhook_deliveries d where store_id = ${staged.storeId}) as deliveries,
    (select jsonb_agg(e) from webhook_endpoints e where store_id = ${staged.storeId}) as endpoints,
    (select count(*)::int from outbox where store_id = ${staged.storeId}) as outbox`;

/** Two events of one resource: the first one has failed, and holds the second. */
async function failing(): Promise<[string, string]> {
  staged.receiver.answer(() => ({ status: 500 }));
  const entity = randomUUID();
  await staged.append(entity, entity);
  await expect.poll(async () => (await staged.deliveries()).map(({ error }) => error)).toEqual(['http_500', null]);
  const [first, second] = await staged.deliveries();
  return [String(first?.id), String(second?.id)];
}

describe('the list', () => {
  test('says of each delivery why it waits, the oldest first, and shows none of another store', async () => {
    const [first, second] = await failing();
    expect(await list()).toEqual([
      expect.objectContaining({
        kind: 'webhook_delivery',
        id: first,
        endpoint_id: staged.endpoint.id,
        lead_id: null,
        reason: 'failed_attempt',
        detail: 'The last attempt failed. The next one follows by itself. (http_500)',
        attempts: 1,
        workflow_id: `webhook:${staged.endpoint.id}`,
      }),
      expect.objectContaining({ id: second, reason: 'behind_another', attempts: 0 }),
    ]);
    expect(await list(randomUUID())).toEqual([]);
    await change('paused');
    expect((await list()).map(({ reason }) => reason)).toEqual(['endpoint_paused', 'endpoint_paused']);
  });

  test('leaves out what was delivered', async () => {
    await staged.append(randomUUID());
    await expect.poll(async () => (await staged.deliveries()).map(({ status }) => status)).toEqual(['succeeded']);
    expect(await list()).toEqual([]);
  });

  test('needs the role of a manager', async () => {
    const asked = events.rpc.call(listWaitingDeliveries, { body: { limit: 1 } }, as('seller'));
    await expect(asked).rejects.toMatchObject({ code: 'role_required' });
  });
});

describe('a retry', () => {
  test('makes the next attempt now, also when the endpoint is blocked, and wakes the workflow', async () => {
    const [first] = await failing();
    await events.adminSql`
      update webhook_endpoints set blocked_until = now() + interval '5 minutes', due_at = now() + interval '5 minutes'
      where store_id = ${staged.storeId}`;
    await forget();
    staged.receiver.answer(() => ({ status: 200 }));
    expect(await retry({ ids: [first] })).toEqual({ matched: 1, done: 1, skipped: [], next_cursor: null });
    expect(await wakeUps()).toEqual([{ entity_id: staged.endpoint.id, signal: 'planned' }]);
    await staged.drain();
    expect((await staged.deliveries()).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
    expect(await retry({ ids: [first] })).toMatchObject({ done: 0, skipped: [{ id: first, why: 'not_waiting' }] });
    expect(staged.receiver.received).toHaveLength(3);
  });

  test('sends nothing to an endpoint that is paused', async () => {
    const ids = await failing();
    await change('paused');
    expect((await retry({ filter: {} })).skipped).toEqual(ids.map((id) => ({ id, why: 'endpoint_paused' })));
  });
});

describe('a give-up', () => {
  test('ends a delivery, and what it held goes on', async () => {
    const [first, second] = await failing();
    await forget();
    staged.receiver.answer(() => ({ status: 200 }));
    expect(await giveUp({ ids: [first] })).toMatchObject({ done: 1, skipped: [] });
    expect((await staged.deliveries())[0]).toMatchObject({
      id: first,
      status: 'failed',
      error: 'given_up',
      next_attempt_at: null,
    });
    expect(await wakeUps()).toEqual([{ entity_id: staged.endpoint.id, signal: 'planned' }]);
    await expect
      .poll(async () => {
        await staged.drain();
        return (await staged.deliveries()).map(({ id, status }) => [id, status]);
      })
      .toEqual([
        [first, 'failed'],
        [second, 'succeeded'],
      ]);
    expect(await list()).toEqual([]);
    expect(await giveUp({ ids: [first] })).toMatchObject({ done: 0, skipped: [{ id: first, why: 'not_waiting' }] });
  });

  test('of the last delivery ends the workflow', async () => {
    const ids = await failing();
    expect(await giveUp({ ids })).toMatchObject({ done: 2 });
    expect(await staged.drain()).toMatchObject({ done: true });
  });

  test('stays when the endpoint is enabled again after it was disabled', async () => {
    const [first] = await failing();
    await giveUp({ ids: [first] });
    await events.adminSql`
      update webhook_endpoints set status = 'disabled', disabled_reason = 'failing' where store_id = ${staged.storeId}`;
    expect((await list()).map(({ reason }) => reason)).toEqual(['endpoint_disabled']);
    await change('enabled');
    expect((await staged.deliveries())[0]).toMatchObject({ status: 'failed', error: 'given_up' });
  });

  test('leaves a delivery that runs', async () => {
    const [first] = await failing();
    await events.adminSql`
      update webhook_deliveries set lease_token = gen_random_uuid(), lease_until = now() + interval '1 hour'
      where id = ${first}`;
    expect((await list())[0]).toMatchObject({ id: first, reason: 'running' });
    for (const act of [retry, giveUp]) {
      expect(await act({ ids: [first] })).toMatchObject({ done: 0, skipped: [{ id: first, why: 'running' }] });
    }
  });
});

describe('both', () => {
  test('a dry run says the same and changes nothing', async () => {
    await failing();
    for (const act of [retry, giveUp]) {
      const before = await rows();
      expect(await act({ filter: {}, dry_run: true })).toMatchObject({ matched: 2, done: 2, skipped: [] });
      expect(await rows()).toEqual(before);
    }
  });

  test('neither reaches another store, and both need the role of an owner', async () => {
    const ids = await failing();
    const before = await rows();
    for (const act of [retry, giveUp]) {
      const other = randomUUID();
      expect((await act({ ids }, 'owner', other)).skipped.map(({ why }) => why)).toEqual([
        'not_waiting',
        'not_waiting',
      ]);
      expect(await act({ filter: {} }, 'owner', other)).toMatchObject({ matched: 0 });
      await expect(act({ ids }, 'manager')).rejects.toMatchObject({ code: 'role_required' });
    }
    expect(await rows()).toEqual(before);
  });
});
