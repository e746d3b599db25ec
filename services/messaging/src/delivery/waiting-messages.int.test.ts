import { randomUUID } from 'node:crypto';
import {
  cancelMessage,
  deliverMessages,
  deliveryShardWorkflow,
  getMessage,
  giveUpWaitingMessages,
  listWaitingMessages,
  type RequestOf,
  retryWaitingMessages,
  type UserRole,
  updateMessagingSettings,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { longMs, shardIdOf, startMessaging, type TestMessaging } from '../../test/messaging.ts';

type Change = Omit<RequestOf<typeof giveUpWaitingMessages>['body'], 'kind' | 'dry_run'> & { dry_run?: boolean };

let messaging: TestMessaging;
let storeId: string;
let leadId: string;
beforeAll(async () => {
  messaging = await startMessaging();
});
beforeEach(async () => {
  storeId = randomUUID();
  await messaging.addChannel(storeId);
  await messaging.rpc.call(updateMessagingSettings, { body: { message_wait_seconds: 0 } }, as());
  leadId = messaging.crm.addLead(storeId);
});
afterAll(() => messaging?.stop());

const as = (role?: UserRole, store = storeId) => testContext({ storeId: store, role });
const accept = async (lead = leadId) => (await messaging.send(storeId, lead)).id;
const list = async (store = storeId) =>
  (await messaging.rpc.call(listWaitingMessages, { body: { limit: 50 } }, as('manager', store))).data;
const reasons = async () => (await list()).map(({ id, reason }) => [id, reason]);
const retry = (body: Change, role: UserRole = 'owner', store = storeId) =>
  messaging.rpc.call(retryWaitingMessages, { body: { kind: 'message', dry_run: false, ...body } }, as(role, store));
const giveUp = (body: Change, role: UserRole = 'owner', store = storeId) =>
  messaging.rpc.call(giveUpWaitingMessages, { body: { kind: 'message', dry_run: false, ...body } }, as(role, store));
const read = (messageId: string) => messaging.rpc.call(getMessage, { params: { leadId, messageId } }, as());
const step = () => messaging.rpc.call(deliverMessages, { body: { lead_id: leadId } }, as());
const forget = () => messaging.adminSql`delete from outbox where store_id = ${storeId}`;
const makeUnknown = (id: string, code = 'attempt_lost') => messaging.adminSql`
  update messages
  set status = 'unknown', unknown_since = now(), error_code = ${code}, error_detail = 'Lost.' where id = ${id}`;
const rows = () => messaging.adminSql`
  select (select jsonb_agg(m order by id) from messages m where store_id = ${storeId}) as messages,
    (select count(*)::int from outbox where store_id = ${storeId}) as outbox,
    (select count(*)::int from feed_entries where store_id = ${storeId}) as feed`;

describe('the list', () => {
  test('says of each message why it waits, the oldest first, and shows none of another store', async () => {
    const [first, second] = [await accept(), await accept()];
    expect(await list()).toEqual([
      expect.objectContaining({
        kind: 'message',
        id: first,
        lead_id: leadId,
        reason: 'due',
        attempts: 0,
        workflow_id: deliveryShardWorkflow.workflowId(shardIdOf(storeId)),
      }),
      expect.objectContaining({ id: second, reason: 'behind_another', until: null }),
    ]);
    await messaging.adminSql`
      update messages
      set attempts = 2, next_attempt_at = now() + interval '1 hour', error_code = 'whatsapp_500', error_detail = 'x'
      where id = ${first}`;
    expect((await list())[0]).toMatchObject({
      reason: 'failed_attempt',
      attempts: 2,
      detail: 'The last attempt failed. The next one follows by itself. (whatsapp_500)',
    });
    await messaging.adminSql`update messages set wait_reason = 'provider_unavailable', wait_since = now() where id = ${first}`;
    expect((await list())[0]).toMatchObject({ reason: 'provider_unavailable' });
    await makeUnknown(first);
    expect((await list())[0]).toMatchObject({ reason: 'unknown_outcome', until: null, workflow_id: null });
    await makeUnknown(first, 'restored');
    expect(await reasons()).toEqual([
      [first, 'restored'],
      [second, 'due'],
    ]);
    expect(await list(randomUUID())).toEqual([]);
    await messaging.adminSql`update channels set disconnected_at = now() where store_id = ${storeId}`;
    expect((await reasons())[1]).toEqual([second, 'not_connected']);
  });

  test('leaves out what has an outcome', async () => {
    await accept();
    await step();
    expect(await list()).toEqual([]);
  });

  test('needs the role of a manager', async () => {
    const asked = messaging.rpc.call(listWaitingMessages, { body: { limit: 1 } }, as('seller'));
    await expect(asked).rejects.toMatchObject({ code: 'role_required' });
  });
});

describe('a retry', () => {
  test('makes the head of the queue due and wakes the workflow; what was sent does not go again', async () => {
    const [first, second] = [await accept(), await accept()];
    await messaging.adminSql`
      update messages set next_attempt_at = now() + interval '1 hour', error_code = 'x', error_detail = 'y'
      where id = ${first}`;
    await forget();
    expect(await step()).toMatchObject({ done: false });
    expect(await retry({ ids: [second] })).toEqual({ matched: 1, done: 1, skipped: [], next_cursor: null });
    expect(await messaging.wakeUps(storeId)).toMatchObject([{ entity_id: shardIdOf(storeId), signal: 'retried' }]);
    expect(await step()).toMatchObject({ done: true });
    for (const id of [first, second]) expect(await read(id)).toMatchObject({ status: 'sent' });
    expect(await retry({ ids: [second] })).toMatchObject({ done: 0, skipped: [{ id: second, why: 'not_waiting' }] });
    const delivered = await messaging.adminSql`select from sandbox_deliveries where store_id = ${storeId}`;
    expect(delivered).toHaveLength(2);
  });

  test('never sends again what may have been sent, and asks for a channel where there is none', async () => {
    const [unknown, queued] = [await accept(), await accept()];
    await makeUnknown(unknown);
    await messaging.adminSql`
      update channels set status = 'needs_attention', last_error_code = 'x', last_error_detail = 'y'
      where store_id = ${storeId}`;
    expect((await retry({ filter: {} })).skipped).toEqual([
      { id: unknown, why: 'unknown_outcome' },
      { id: queued, why: 'needs_attention' },
    ]);
    await messaging.adminSql`update channels set disconnected_at = now() where store_id = ${storeId}`;
    expect(await retry({ ids: [queued] })).toMatchObject({ skipped: [{ id: queued, why: 'not_connected' }] });
  });

  test('keeps a place in the rate of the number', async () => {
    const id = await accept();
    await messaging.adminSql`
      update messages set next_attempt_at = now() + interval '1 hour', slot_at = now() + interval '1 hour' where id = ${id}`;
    expect(await reasons()).toEqual([[id, 'postponed']]);
    await retry({ ids: [id] });
    expect(await reasons()).toEqual([[id, 'postponed']]);
  });
});

describe('a give-up', () => {
  test('ends a queued message as failed with an event, and the messages behind it go on', async () => {
    const [first, second] = [await accept(), await accept()];
    await forget();
    expect(await giveUp({ ids: [first] })).toMatchObject({ done: 1, skipped: [] });
    expect(await read(first)).toMatchObject({ status: 'failed', error: { code: 'given_up' }, sent_at: null });
    expect(await messaging.events(storeId)).toMatchObject([
      { topic: 'messaging.message.failed', data: { message_id: first, code: 'given_up' } },
    ]);
    expect((await messaging.feed(storeId)).at(-1)).toMatchObject({ type: 'message.failed', entity_id: first });
    expect(await messaging.wakeUps(storeId)).toMatchObject([
      { entity_id: shardIdOf(storeId), signal: 'message_settled' },
    ]);
    expect(await step()).toMatchObject({ done: true });
    expect(await read(second)).toMatchObject({ status: 'sent' });
    expect(await giveUp({ ids: [first] })).toMatchObject({ done: 0, skipped: [{ id: first, why: 'not_waiting' }] });
    const delivered = await messaging.adminSql`select from sandbox_deliveries where store_id = ${storeId}`;
    expect(delivered).toHaveLength(1);
  });

  test('answers the request that waits for the outcome of the message', async () => {
    await messaging.waitLong(storeId);
    const answer = messaging.send(storeId, leadId, 'Hello', longMs);
    const [item] = await waitFor(async () => ((await list()).length > 0 ? await list() : undefined), {
      description: 'the message waits',
    });
    await giveUp({ ids: [String(item?.id)] });
    expect(await answer).toMatchObject({ sent: false, status: 'failed', error: { code: 'given_up' } });
  });

  test('settles an unknown outcome only as the request says', async () => {
    const [sent, failed] = [await accept(), await accept(messaging.crm.addLead(storeId))];
    await makeUnknown(sent);
    await makeUnknown(failed, 'restored');
    expect((await giveUp({ filter: {} })).skipped).toEqual([
      { id: sent, why: 'unknown_outcome' },
      { id: failed, why: 'unknown_outcome' },
    ]);
    expect(await giveUp({ ids: [sent], unknown_as: 'sent' })).toMatchObject({ done: 1 });
    expect(await giveUp({ filter: { reason: 'restored' }, unknown_as: 'failed' })).toMatchObject({ done: 1 });
    const found = await messaging.adminSql`
      select status, error_code from messages where store_id = ${storeId} order by created_at, id`;
    expect(found).toEqual([
      { status: 'sent', error_code: null },
      { status: 'failed', error_code: 'settled_as_failed' },
    ]);
  });

  test('leaves a message that an attempt sends, and never changes one that was cancelled', async () => {
    const [sending, cancelled] = [await accept(), await accept()];
    await messaging.rpc.call(cancelMessage, { params: { leadId, messageId: cancelled } }, as());
    await messaging.adminSql`
      update messages set status = 'sending', lease_token = gen_random_uuid(), lease_until = now() + interval '1 hour'
      where id = ${sending}`;
    expect(await reasons()).toEqual([[sending, 'running']]);
    for (const change of [retry, giveUp]) {
      expect((await change({ ids: [sending, cancelled] })).skipped.sort((a, b) => a.why.localeCompare(b.why))).toEqual([
        { id: cancelled, why: 'not_waiting' },
        { id: sending, why: 'running' },
      ]);
    }
  });

  test('and a step exclude each other: a message is sent or given up, never both', async () => {
    for (let round = 0; round < 10; round += 1) {
      const id = await accept();
      const [{ done }] = await Promise.all([giveUp({ ids: [id] }), step()]);
      const sent = await messaging.adminSql`select from sandbox_deliveries where id = ${id}`;
      expect(sent).toHaveLength(1 - done);
      expect(await read(id)).toMatchObject({ status: done === 1 ? 'failed' : 'sent' });
    }
  });
});

describe('both', () => {
  test('a dry run says the same and changes nothing', async () => {
    const [first] = [await accept(), await accept()];
    await makeUnknown(first);
    for (const change of [retry, giveUp]) {
      const before = await rows();
      const tried = await change({ filter: {}, dry_run: true });
      expect(tried).toMatchObject({ matched: 2, done: 1, skipped: [{ id: first, why: 'unknown_outcome' }] });
      expect(await rows()).toEqual(before);
      expect(await change({ filter: {} })).toEqual(tried);
    }
  });

  test('neither reaches another store, and both need the role of an owner', async () => {
    const ids = [await accept()];
    const before = await rows();
    for (const change of [retry, giveUp]) {
      expect(await change({ ids }, 'owner', randomUUID())).toMatchObject({ skipped: [{ why: 'not_waiting' }] });
      expect(await change({ filter: {} }, 'owner', randomUUID())).toMatchObject({ matched: 0 });
      await expect(change({ ids }, 'manager')).rejects.toMatchObject({ code: 'role_required' });
    }
    expect(await rows()).toEqual(before);
  });
});
