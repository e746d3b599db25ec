import { randomUUID } from 'node:crypto';
import {
  cancelMessage,
  deliverMessages,
  getMessage,
  listStoreMessages,
  mergeConversations,
  messageStatuses,
  reportConversation,
  updateMessagingSettings,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { holdConversation } from '../../test/held-conversation.ts';
import { longMs, shardIdOf, startMessaging, type TestMessaging } from '../../test/messaging.ts';

let messaging: TestMessaging;
let storeId: string;
let leadId: string;
beforeAll(async () => {
  messaging = await startMessaging();
});
beforeEach(async () => {
  storeId = randomUUID();
  await messaging.addChannel(storeId);
  await waitSeconds(0);
  leadId = messaging.crm.addLead(storeId);
});
afterAll(() => messaging?.stop());

const waitSeconds = (message_wait_seconds: number) =>
  messaging.rpc.call(updateMessagingSettings, { body: { message_wait_seconds } }, testContext({ storeId }));
const accept = async (text = 'Hello') => (await messaging.send(storeId, leadId, text)).id;
const cancel = (messageId: string, options: { leadId?: string; storeId?: string; idempotencyKey?: string } = {}) => {
  const params = { leadId: options.leadId ?? leadId, messageId };
  const context = testContext({
    idempotencyScope: `DELETE /leads/${params.leadId}/messages/${messageId}`,
    ...(options.idempotencyKey ? { idempotencyKey: options.idempotencyKey } : {}),
    storeId: options.storeId ?? storeId,
  });
  return messaging.rpc.forward(cancelMessage, { params }, context);
};
const bodyOf = ({ body }: { body: Uint8Array }) => JSON.parse(Buffer.from(body).toString());
const read = (messageId: string) =>
  messaging.rpc.call(getMessage, { params: { leadId, messageId } }, testContext({ storeId }));
const step = () => messaging.rpc.call(deliverMessages, { body: { lead_id: leadId } }, testContext({ storeId }));
/** What the sandbox's telephone got. */
const delivered = async () => {
  const rows =
    await messaging.adminSql`select body from sandbox_deliveries where store_id = ${storeId} order by delivered_at`;
  return rows.map(({ body }) => body);
};

test('a queued message is cancelled, is never sent, and says so', async () => {
  const id = await accept();
  await messaging.adminSql`delete from outbox where store_id = ${storeId}`;
  expect(bodyOf(await cancel(id.toUpperCase(), { leadId: leadId.toUpperCase() }))).toEqual({ cancelled: true, id });
  expect(await read(id)).toMatchObject({ status: 'cancelled', error: null, reason: null, sent_at: null });
  expect(await messaging.events(storeId)).toEqual([
    { topic: 'messaging.message.cancelled', data: { message_id: id, lead_id: leadId, source: 'api' } },
  ]);
  expect((await messaging.feed(storeId)).at(-1)).toMatchObject({
    type: 'message.cancelled',
    entity_id: id,
    data: { status: 'cancelled', object: await read(id) },
  });
  expect(await messaging.wakeUps(storeId)).toMatchObject([
    { entity_id: shardIdOf(storeId), signal: 'message_settled' },
  ]);
  expect(await step()).toEqual({ done: true, wake_at: null, reason: 'the queue is empty' });
  expect(await delivered()).toEqual([]);
});

test('a sync finds the cancellation', async () => {
  const id = await accept();
  const { updated_at: since } = await read(id);
  await cancel(id);
  const found = await waitFor(
    async () => {
      const query = { since, status: 'cancelled' };
      return (await messaging.rpc.call(listStoreMessages, { query }, testContext({ storeId }))).data[0];
    },
    { description: 'the cancellation to be settled' },
  );
  expect(found).toMatchObject({ id, status: 'cancelled' });
});

test('a cancelled message counts neither as an interaction nor in reports', async () => {
  await cancel(await accept());
  await step();
  const [row] = await messaging.adminSql`select interaction_count from conversations where lead_id = ${leadId}`;
  expect(row).toEqual({ interaction_count: 0 });
  const period = {
    from: new Date(Date.now() - 3_600_000).toISOString(),
    to: new Date(Date.now() + 60_000).toISOString(),
  };
  const body = { lead_id: leadId, ...period };
  expect(await messaging.rpc.call(reportConversation, { body } as never, testContext({ storeId }))).toMatchObject({
    messages_outbound: { api: 0 },
    messages_failed: 0,
  });
});

test('the messages behind a cancelled one do not wait for its retry', async () => {
  const [first] = [await accept('first'), await accept('second')];
  await messaging.adminSql`
    update messages set next_attempt_at = now() + interval '1 hour', error_code = 'busy', error_detail = 'Busy.', attempts = 1
    where id = ${first}`;
  expect(await step()).toMatchObject({ done: false });
  await cancel(first);
  await step();
  expect(await delivered()).toEqual(['second']);
});

test('the request that waits for the outcome of a cancelled message is answered at once', async () => {
  await messaging.waitLong(storeId);
  const sending = messaging.send(storeId, leadId, 'Hello', longMs);
  const [row] = await waitFor(
    async () => {
      const rows = await messaging.adminSql<{ id: string }[]>`select id from messages where store_id = ${storeId}`;
      return rows.length > 0 && rows;
    },
    { description: 'the message to be accepted' },
  );
  const id = row?.id as string;
  await cancel(id);
  expect(await sending).toEqual({ sent: false, id, status: 'cancelled', error: null });
});

test.each(messageStatuses.filter((status) => status !== 'queued' && status !== 'received'))(
  'a message that is %s cannot be cancelled, and stays as it is',
  async (status) => {
    const id = await accept();
    await messaging.adminSql`update messages set status = ${status} where id = ${id}`;
    await expect(cancel(id)).rejects.toMatchObject({
      code: 'message_not_queued',
      detail: `The message is ${status}. Only a queued message can be cancelled.`,
      members: { current_status: status },
    });
    expect(await read(id)).toMatchObject({ status });
  },
);

test('a message of the lead cannot be cancelled', async () => {
  const id = await accept();
  await messaging.adminSql`
    update messages set status = 'received', direction = 'inbound', source = 'lead' where id = ${id}`;
  await expect(cancel(id)).rejects.toMatchObject({ members: { current_status: 'received' } });
});

test('a cancellation and a delivery at the same moment agree on what became of the message', async () => {
  const outcomes = { cancelled: 0, delivered: 0 };
  for (let round = 0; round < 30; round += 1) {
    leadId = messaging.crm.addLead(storeId);
    // After this the conversation has the customer's address, so that a step claims in its first transaction.
    await accept('first');
    await step();
    const text = `round ${round}`;
    const id = await accept(text);
    const held = await holdConversation(messaging, storeId, leadId);
    const first = round % 2 === 0 ? step() : cancel(id);
    await held.waiting(1);
    const second = round % 2 === 0 ? cancel(id) : step();
    await held.waiting(2);
    // One of them may be rejected before the release has returned.
    const settled = Promise.allSettled([first, second]);
    await held.release();
    const results = await settled;
    await step();
    const refused = results.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
    const { status } = await read(id);
    if (refused) {
      expect(refused.reason).toMatchObject({ code: 'message_not_queued' });
      expect([status, (await delivered()).includes(text)]).toEqual(['sent', true]);
      outcomes.delivered += 1;
    } else {
      expect([status, (await delivered()).includes(text)]).toEqual(['cancelled', false]);
      outcomes.cancelled += 1;
    }
  }
  expect(outcomes).toEqual({ cancelled: 15, delivered: 15 });
});

describe('Idempotency-Key', () => {
  test('a repeated cancellation with its key gets the first answer, and one without gets 409', async () => {
    const id = await accept();
    const first = await cancel(id, { idempotencyKey: 'k' });
    const again = await cancel(id, { idempotencyKey: 'k' });
    expect([first.headers.replayed, again.headers.replayed]).toEqual([false, true]);
    expect(bodyOf(again)).toEqual(bodyOf(first));
    await expect(cancel(id)).rejects.toMatchObject({ members: { current_status: 'cancelled' } });
    expect((await messaging.events(storeId)).filter(({ topic }) => topic.endsWith('cancelled'))).toHaveLength(1);
  });

  test('concurrent cancellations with one key have one effect and one answer', async () => {
    const id = await accept();
    const answers = await Promise.all(Array.from({ length: 10 }, () => cancel(id, { idempotencyKey: 'ten' })));
    expect(new Set(answers.map((answer) => JSON.stringify(bodyOf(answer)))).size).toBe(1);
    expect((await messaging.events(storeId)).filter(({ topic }) => topic.endsWith('cancelled'))).toHaveLength(1);
  });
});

describe('a message that is not found', () => {
  test('is one of another lead or another store, or does not exist', async () => {
    const id = await accept();
    const other = messaging.crm.addLead(storeId);
    await messaging.send(storeId, other);
    await expect(cancel(id, { leadId: other })).rejects.toMatchObject({ code: 'message_not_found' });
    for (const unknown of [{ storeId: randomUUID() }, { leadId: randomUUID() }]) {
      await expect(cancel(id, unknown)).rejects.toMatchObject({ code: 'lead_not_found' });
      await expect(cancel(randomUUID(), unknown)).rejects.toMatchObject({ code: 'lead_not_found' });
    }
    await expect(cancel(randomUUID())).rejects.toMatchObject({ code: 'message_not_found' });
    await expect(cancel('42')).rejects.toMatchObject({ code: 'validation_failed' });
    expect(await read(id)).toMatchObject({ status: 'queued' });
  });

  test('is one of a lead that was merged, and the error names the lead that has it now', async () => {
    const id = await accept();
    const keptId = messaging.crm.addLead(storeId);
    messaging.crm.merge(storeId, leadId, keptId);
    const merge = { body: { lead_id: leadId, merged_into: keptId } };
    await messaging.rpc.call(mergeConversations, merge, testContext({ storeId }));
    await expect(cancel(id)).rejects.toMatchObject({ code: 'lead_not_found', members: { merged_into: keptId } });
    expect(bodyOf(await cancel(id, { leadId: keptId }))).toEqual({ cancelled: true, id });
  });
});
