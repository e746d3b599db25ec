import { randomUUID } from 'node:crypto';
import {
  connectChannel,
  deliverMessages,
  deliveryShardOf,
  deliveryShardWorkflow,
  disconnectChannel,
  getMessage,
} from '@mostrador/contracts';
import { countOverdue, wakeOverdue } from '@mostrador/kit/step/overdue';
import { silentLog, testContext } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { shardIdOf, startMessaging, type TestMessaging } from '../../test/messaging.ts';
import { type Accepted, ChannelError } from '../channels/channel-provider.ts';
import { takeShard } from './shard.repository.ts';
import { overdueDeliveries } from './wake-overdue.ts';
import { findUnsettledState } from './watch.repository.ts';
import { watchUnsettled } from './watchdog.ts';

let messaging: TestMessaging;
let outcome: () => Promise<Accepted>;
let storeId: string;
beforeAll(async () => {
  messaging = await startMessaging({ openChannel: () => ({ send: () => outcome() }) });
});
beforeEach(async () => {
  storeId = randomUUID();
  outcome = async () => ({ providerMessageId: randomUUID(), waId: null });
  await messaging.addChannel(storeId, 'whatsapp_cloud');
  await messaging.adminSql`update messages set status = 'failed', lease_token = null, lease_until = null, unsettled_at = null`;
  await messaging.adminSql`update delivery_shards set open_until = 'epoch', woken_at = null`;
  await messaging.adminSql`delete from outbox`;
});
afterAll(() => messaging?.stop());

/** A lead with this many queued messages and no wake-up. */
async function waiting(messages = 1): Promise<string> {
  const leadId = messaging.crm.addLead(storeId);
  await messaging.adminSql`
    insert into conversations (store_id, lead_id, last_inbound_at) values (${storeId}, ${leadId}, now())`;
  await messaging.adminSql`
    insert into store_settings (store_id, message_wait_seconds) values (${storeId}, 0) on conflict do nothing`;
  for (let count = 0; count < messages; count += 1) await messaging.send(storeId, leadId);
  await messaging.adminSql`delete from outbox`;
  return leadId;
}
const older = (seconds: number) => messaging.adminSql`
  update messages set created_at = created_at - ${seconds} * interval '1 second',
    next_attempt_at = next_attempt_at - ${seconds} * interval '1 second',
    lease_until = lease_until - ${seconds} * interval '1 second',
    unsettled_at = unsettled_at - ${seconds} * interval '1 second'
  where store_id = ${storeId}`;
const sweep = () => wakeOverdue({ ...overdueDeliveries, ...messaging.dependencies }, new AbortController().signal);
const counted = () => countOverdue({ ...overdueDeliveries, ...messaging.dependencies });
const watch = () => watchUnsettled({ ...messaging.dependencies, log: silentLog() }, new AbortController().signal);
const step = (lead_id: string) => messaging.rpc.call(deliverMessages, { body: { lead_id } }, testContext({ storeId }));
const failing = (kind: 'not_sent' | 'ambiguous') => () => Promise.reject(new ChannelError(kind, 'code', 'Detail.'));

describe('the sweep', () => {
  test('wakes the shard of leads that are due for more than 30 s, at most once in five minutes', async () => {
    await waiting(3);
    await waiting();
    await older(10);
    expect(await sweep()).toBe(0);
    const before = await counted();
    await older(21);
    expect(await counted()).toBe(before + 2);
    expect(await sweep()).toBe(1);
    expect(await messaging.wakeUps(storeId)).toEqual([
      { entity_id: shardIdOf(storeId), lead_id: null, signal: 'overdue' },
    ]);
    expect(await sweep()).toBe(0);
    await messaging.adminSql`update delivery_shards set woken_at = woken_at - interval '301 seconds'`;
    expect(await sweep()).toBe(1);
  });

  test('wakes a shard again when a step that began since was lost', async () => {
    await waiting();
    await older(31);
    expect(await sweep()).toBe(1);
    const shard = deliveryShardOf(storeId);
    const lost = { shard, fence: Date.now() };
    await messaging.systemDatabase.write(testContext(), (sql) => takeShard(sql, lost, 60_000));
    expect(await sweep()).toBe(0);
    await messaging.adminSql`update delivery_shards set open_until = 'epoch'`;
    expect(await sweep()).toBe(1);
  });

  test('leaves what is due to the pump of a shard that is open', async () => {
    await waiting();
    await older(31);
    const open = (until: string) =>
      messaging.adminSql`update delivery_shards set open_until = now() + ${until}::interval`;
    await open('1 minute');
    expect(await sweep()).toBe(0);
    await open('-1 second');
    expect(await sweep()).toBe(1);
  });

  test('wakes a lead whose attempt lost its process', async () => {
    await waiting();
    await messaging.adminSql`
      update messages set status = 'sending', lease_token = gen_random_uuid(), lease_until = now() where store_id = ${storeId}`;
    await older(31);
    expect(await sweep()).toBe(1);
  });

  test('does not wake a lead whose head waits for a retry or for a channel', async () => {
    const leadId = await waiting(2);
    await older(60);
    outcome = failing('not_sent');
    await step(leadId);
    expect(await sweep()).toBe(0);
    await messaging.adminSql`update messages set next_attempt_at = null where store_id = ${storeId}`;
    await messaging.adminSql`
      update channels set status = 'needs_attention', last_error_code = 'c', last_error_detail = 'd'
      where store_id = ${storeId}`;
    await step(leadId);
    expect(await sweep()).toBe(0);
  });

  test('wakes a lead whose message has become too old while no channel was connected', async () => {
    const leadId = await waiting();
    await messaging.rpc.call(disconnectChannel, {}, testContext({ storeId }));
    await step(leadId);
    await older(24 * 3600 + 31);
    expect(await sweep()).toBe(1);
  });

  test('wakes a shard once for all of its leads', async () => {
    await Promise.all(Array.from({ length: 20 }, () => waiting()));
    await older(60);
    await messaging.adminSql`delete from outbox`;
    expect(await sweep()).toBe(1);
    expect(await messaging.wakeUps(storeId)).toHaveLength(1);
  });
});

describe('the watchdog', () => {
  const told = async () =>
    (await messaging.events(storeId)).filter(({ topic }) => topic === 'messaging.message.unsettled').length;

  test('publishes one event when an outcome is unknown for ten minutes', async () => {
    const leadId = await waiting();
    outcome = failing('ambiguous');
    await step(leadId);
    await older(570);
    expect(await watch()).toBe(0);
    await older(31);
    expect(await watch()).toBe(1);
    expect(await watch()).toBe(0);
    expect(await told()).toBe(1);
    const counts = await messaging.dependencies.systemDatabase.read({ deadline: Date.now() + 30_000 }, (sql) =>
      findUnsettledState(sql),
    );
    const none = { count: 0, oldestSeconds: 0 };
    expect(counts).toEqual({ queued: none, sending: none, unknown: { count: 1, oldestSeconds: expect.any(Number) } });
    expect(counts.unknown.oldestSeconds).toBeGreaterThan(600);
  });

  test('publishes one event when a sent message gets no status update for an hour', async () => {
    await step(await waiting());
    await older(3570);
    expect(await watch()).toBe(0);
    await older(31);
    expect(await watch()).toBe(1);
    expect(await told()).toBe(1);
  });

  test('publishes one event per message that waits ten minutes for a channel, unless one is connected', async () => {
    const leadId = await waiting(2);
    await messaging.rpc.call(disconnectChannel, {}, testContext({ storeId }));
    expect(await step(leadId)).toMatchObject({ done: false, reason: 'no channel is connected' });
    await older(570);
    expect(await watch()).toBe(0);
    await older(31);
    expect(await watch()).toBe(2);
    expect(await watch()).toBe(0);
    expect(await told()).toBe(2);
    const fed = (await messaging.feed(storeId)).filter(({ type }) => type === 'message.unsettled');
    expect(fed).toHaveLength(2);
    for (const { entity_id: messageId, data } of fed) {
      const reading = messaging.rpc.call(getMessage, { params: { leadId, messageId } }, testContext({ storeId }));
      expect(data).toMatchObject({ status: 'queued', object: await reading });
    }
    await step(leadId);
    await older(601);
    expect(await watch()).toBe(0);
    await messaging.rpc.call(connectChannel, { body: { provider: 'sandbox' } }, testContext({ storeId }));
    await older(601);
    expect(await watch()).toBe(0);
  });
});

// Must be the last test: it starts the relay.
test('a lost delivery workflow is started again', async () => {
  await waiting();
  await older(60);
  expect(await sweep()).toBe(1);
  messaging.relay.start();
  const handle = messaging.temporal.client.workflow.getHandle(deliveryShardWorkflow.workflowId(shardIdOf(storeId)));
  const description = await waitFor(() => handle.describe(), { description: 'the workflow exists' });
  expect(description.status.name).toBe('RUNNING');
});
