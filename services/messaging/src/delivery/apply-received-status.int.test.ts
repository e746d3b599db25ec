import { randomUUID } from 'node:crypto';
import { connectChannel, deliverMessages, getMessage, type Message } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { shardIdOf, startMessaging, type TestMessaging } from '../../test/messaging.ts';
import type { ReceivedStatusUpdate } from '../channels/channel-provider.ts';
import { type Accepted, ChannelError, type OutboundMessage } from '../channels/channel-provider.ts';
import { acceptStatuses } from '../inbound/accept-statuses.ts';
import { applyReceivedStatus } from './apply-received-status.ts';

let messaging: TestMessaging;
let send: (message: OutboundMessage) => Promise<Accepted>;
let storeId: string;
let channelId: string;
beforeAll(async () => {
  messaging = await startMessaging({ openChannel: () => ({ send: (message) => send(message) }) });
});
beforeEach(async () => {
  storeId = randomUUID();
  send = async ({ id }) => ({ providerMessageId: `wamid.${id}`, waId: null });
  channelId = (
    await messaging.rpc.call(
      connectChannel,
      {
        body: {
          provider: 'whatsapp_cloud',
          phone_number_id: '106540352242922',
          phone: '15550783881',
          number_rate: 10_000,
          secrets: { access_token: 't', app_secret: 'app-secret', verify_token: 'v' },
        },
      },
      testContext({ storeId }),
    )
  ).channel_id;
});
afterAll(() => messaging?.stop());

async function accept(leadId = messaging.crm.addLead(storeId)): Promise<Message> {
  await messaging.adminSql`
    insert into conversations (store_id, lead_id, last_inbound_at) values (${storeId}, ${leadId}, now())
    on conflict do nothing`;
  await messaging.adminSql`
    insert into store_settings (store_id, message_wait_seconds) values (${storeId}, 0) on conflict do nothing`;
  const { id } = await messaging.send(storeId, leadId);
  return await read({ id, lead_id: leadId });
}
const step = ({ lead_id }: Pick<Message, 'lead_id'>) =>
  messaging.rpc.call(deliverMessages, { body: { lead_id } }, testContext({ storeId }));
const read = ({ id, lead_id }: Pick<Message, 'id' | 'lead_id'>) =>
  messaging.rpc.call(getMessage, { params: { leadId: lead_id, messageId: id } }, testContext({ storeId }));
const report = (
  message: Pick<Message, 'id'>,
  status: ReceivedStatusUpdate['status'],
  more: Partial<ReceivedStatusUpdate> = {},
) =>
  applyReceivedStatus(messaging.dependencies, testContext({ storeId }), channelId, {
    providerMessageId: `wamid.${message.id}`,
    callbackData: message.id,
    status,
    at: new Date(),
    ...(status === 'failed' && { error: { code: 'whatsapp_131026', detail: 'Undeliverable.' } }),
    ...more,
  });
const count = async ({ lead_id }: Message) =>
  (await messaging.adminSql`select interaction_count from conversations where lead_id = ${lead_id}`)[0]
    ?.interaction_count;
const topics = async () => (await messaging.events(storeId)).map(({ topic }) => topic.replace('messaging.', ''));
const ambiguous = () => Promise.reject(new ChannelError('ambiguous', 'whatsapp_timeout', 'No answer.'));

test('each status update moves a message forward, with its time and its event', async () => {
  const message = await accept();
  await step(message);
  const at = new Date(Date.now() + 1000);
  await report(message, 'sent');
  await report(message, 'delivered', { at });
  await report(message, 'read', { at });
  expect(await read(message)).toMatchObject({
    status: 'read',
    delivered_at: at.toISOString(),
    read_at: at.toISOString(),
  });
  expect(await topics()).toEqual([
    'session.started',
    'message.sent',
    'message.status_changed',
    'message.status_changed',
  ]);
  const feed = await messaging.feed(storeId);
  expect(feed.map(({ type, data }) => [type, data.status])).toEqual([
    ['session.started', undefined],
    ['message.queued', 'queued'],
    ['message.sent', 'sent'],
    ['message.delivered', 'delivered'],
    ['message.read', 'read'],
  ]);
  expect(feed.at(-1)?.data.object).toEqual(await read(message));
  expect(await count(message)).toBe(1);
});

test('a status never goes back, in any order and number of status updates, and every change has its event', async () => {
  const names = ['sent', 'delivered', 'read'] as const;
  const update = fc.tuple(fc.constantFrom(...names), fc.integer({ min: 1, max: 5 }));
  await fc.assert(
    fc.asyncProperty(fc.array(update, { minLength: 1, maxLength: 6 }), async (updates) => {
      const message = await accept();
      await step(message);
      let highest = 0;
      for (const [status, seconds] of updates) {
        await report(message, status, { at: new Date(Date.parse(message.created_at) + seconds * 1000) });
        highest = Math.max(highest, names.indexOf(status));
        const shown = await read(message);
        expect(shown.status).toBe(names[highest]);
        const told = (await messaging.feed(storeId)).filter(({ entity_id }) => entity_id === message.id);
        expect(told.at(-1)?.data.object).toEqual(shown);
      }
      const statuses = updates.map(([status]) => status);
      expect(await count(message)).toBe(1);
      const kept = await messaging.adminSql`
        select status from status_reports where provider_message_id = ${`wamid.${message.id}`}`;
      expect(kept.map(({ status }) => status).sort()).toEqual([...new Set(statuses)].sort());
    }),
    { numRuns: 8 },
  );
});

test('updates that are applied together have the outcome of updates that are applied one by one', async () => {
  const pricing = { category: 'utility', billable: true, type: 'regular', model: 'PMP' } as never;
  const said = fc.record({
    of: fc.nat({ max: 4 }),
    status: fc.constantFrom('sent', 'delivered', 'delivered', 'read', 'failed'),
    seconds: fc.integer({ min: 10, max: 14 }),
    isPriced: fc.boolean(),
  });
  const { dependencies, adminSql } = messaging;
  /** Five sent messages, of which the last has an outcome that is not known, and the one before was not sent yet. */
  const sendAll = async () => {
    const made = [await accept(), await accept(), await accept(), await accept(), await accept()];
    for (const [index, message] of made.entries()) {
      if (index === 4) send = ambiguous;
      if (index !== 3) await step(message);
    }
    send = async ({ id }) => ({ providerMessageId: `wamid.${id}`, waId: null });
    return made;
  };
  const outcomeOf = async ({ id }: Message) => {
    const [row] = await adminSql`
      select status, error_code, delivered_at, read_at, sent_at is not null as sent, pricing, priced_at is not null as priced,
        priced_as, priced_micros, counted_at is not null as counted, failed_at is not null as failed, unsettled_at is null as settled
      from messages where id = ${id}`;
    const told = (await messaging.feed(storeId)).filter(({ entity_id }) => entity_id === id);
    const kept = await adminSql`
      select status, reported_at, pricing from status_reports where provider_message_id = ${`wamid.${id}`} order by 1, 2`;
    return { row, told: told.map(({ type, data }) => [type, data.status]).toSorted(), kept: [...kept] };
  };
  let together = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(said, { minLength: 2, maxLength: 6 }), { minLength: 1, maxLength: 3 }),
      async (sets) => {
        const [those, others] = [await sendAll(), await sendAll()];
        const base = Math.floor(Date.now() / 1000);
        for (const set of sets) {
          const updatesOf = (messages: readonly Message[]) =>
            set.map(({ of, status, seconds, isPriced }): ReceivedStatusUpdate => {
              const { id } = messages[of] as Message;
              return {
                ...{
                  providerMessageId: `wamid.${id}`,
                  callbackData: id,
                  status,
                  at: new Date((base + seconds) * 1000),
                },
                ...(status === 'failed' && { error: { code: 'whatsapp_131026', detail: 'Undeliverable.' } }),
                ...(isPriced && { pricing }),
              };
            });
          const apply = (one: ReceivedStatusUpdate) =>
            applyReceivedStatus(dependencies, testContext({ storeId }), channelId, one);
          const updates = updatesOf(those);
          const taken = await acceptStatuses(dependencies, testContext({ storeId }), channelId, updates);
          together += taken.size;
          for (const one of updates) if (!taken.has(one)) await apply(one);
          for (const one of updatesOf(others)) await apply(one);
        }
        for (const [index, message] of those.entries()) {
          expect(await outcomeOf(message)).toEqual(await outcomeOf(others[index] as Message));
        }
      },
    ),
    { numRuns: 6 },
  );
  expect(together).toBeGreaterThan(0);
});

test('what another transaction holds is left, and so is a single update', async () => {
  const messages = [await accept(), await accept(), await accept()];
  for (const message of messages) await step(message);
  const updates = messages.map(
    ({ id }): ReceivedStatusUpdate => ({
      ...{ providerMessageId: `wamid.${id}`, callbackData: id, status: 'read', at: new Date() },
    }),
  );
  const take = (some: readonly ReceivedStatusUpdate[]) =>
    acceptStatuses(messaging.dependencies, testContext({ storeId }), channelId, some);
  await messaging.adminSql.begin(async (sql) => {
    await sql`select from conversations where lead_id = ${messages[0]?.lead_id as string} for no key update`;
    expect(await take(updates)).toEqual(new Set(updates.slice(1)));
  });
  expect(await take(updates.slice(0, 1))).toEqual(new Set());
  expect(await Promise.all(messages.map(read))).toMatchObject([
    { status: 'sent' },
    { status: 'read' },
    { status: 'read' },
  ]);
});

test('a failure after acceptance fails the message, and a later `delivered` overrides the failure', async () => {
  const message = await accept();
  await step(message);
  await report(message, 'failed');
  expect(await read(message)).toMatchObject({ status: 'failed', error: { code: 'whatsapp_131026' } });
  await report(message, 'delivered');
  expect(await read(message)).toMatchObject({ status: 'delivered', error: null });
  expect(await count(message)).toBe(1);
});

describe('a status update before the provider’s id is known', () => {
  test('counts at once when the provider echoes our id, and the later answer changes nothing', async () => {
    const message = await accept();
    send = async ({ id }) => {
      await report({ id }, 'delivered');
      expect(await read(message)).toMatchObject({ status: 'delivered' });
      return { providerMessageId: `wamid.${id}`, waId: null };
    };
    await step(message);
    expect(await read(message)).toMatchObject({
      status: 'delivered',
      provider_message_id: `wamid.${message.id}`,
      error: null,
    });
    expect(await count(message)).toBe(1);
  });

  test('is stored when the provider does not echo our id, and applied once the id is known', async () => {
    const message = await accept();
    send = async ({ id }) => {
      await report({ id }, 'delivered', { callbackData: null });
      await report({ id }, 'read', { callbackData: null });
      expect(await read(message)).toMatchObject({ status: 'sending' });
      return { providerMessageId: `wamid.${id}`, waId: null };
    };
    await step(message);
    expect(await read(message)).toMatchObject({ status: 'read', delivered_at: expect.any(String) });
  });

  test('is never lost when it arrives together with the answer', async () => {
    for (let round = 0; round < 20; round += 1) {
      const message = await accept();
      let reported: Promise<void> | undefined;
      send = async ({ id }) => {
        reported = report({ id }, 'delivered', { callbackData: null });
        return { providerMessageId: `wamid.${id}`, waId: null };
      };
      await step(message);
      await reported;
      expect(await read(message)).toMatchObject({ status: 'delivered' });
    }
  });

  test('settles an unknown message and wakes the queue behind it', async () => {
    send = ambiguous;
    const message = await accept();
    await step(message);
    expect(await read(message)).toMatchObject({ status: 'unknown' });
    await accept((await read(message)).lead_id);
    expect(await step(message)).toMatchObject({ reason: 'the outcome of the previous message is unknown' });
    await messaging.adminSql`delete from outbox`;
    await report(message, 'sent');
    expect(await read(message)).toMatchObject({ status: 'sent', provider_message_id: `wamid.${message.id}` });
    expect(await messaging.wakeUps(storeId)).toMatchObject([
      { entity_id: shardIdOf(storeId), signal: 'message_settled' },
    ]);
    send = async ({ id }) => ({ providerMessageId: `wamid.${id}`, waId: null });
    expect(await step(message)).toMatchObject({ done: true });
    expect(await count(message)).toBe(2);
  });

  test('does not fail the message when it belongs to an attempt that is being retried', async () => {
    const message = await accept();
    send = async ({ id }) => {
      await report({ id }, 'failed', { providerMessageId: 'wamid.of-the-refused-attempt' });
      throw new ChannelError('not_sent', 'whatsapp_131016', 'Again.');
    };
    await step(message);
    expect(await read(message)).toMatchObject({ status: 'queued' });
    send = async ({ id }) => ({ providerMessageId: `wamid.${id}`, waId: null });
    await messaging.adminSql`update messages set next_attempt_at = null where id = ${message.id}`;
    await step(message);
    expect(await read(message)).toMatchObject({ status: 'sent', error: null });
  });

  test('fails the message when the outcome of its attempt is unknown', async () => {
    const message = await accept();
    send = async ({ id }) => {
      await report({ id }, 'failed');
      return ambiguous();
    };
    await step(message);
    expect(await read(message)).toMatchObject({ status: 'failed', error: { code: 'whatsapp_131026' } });
    expect(await count(message)).toBe(0);
  });
});

test('an answer after the lease has expired still marks the message as sent', async () => {
  const message = await accept();
  send = async ({ id }) => {
    await messaging.adminSql`update messages set lease_until = now() - interval '1 second' where id = ${id}`;
    await step(message);
    expect(await read(message)).toMatchObject({ status: 'unknown' });
    return { providerMessageId: `wamid.${id}`, waId: null };
  };
  await step(message);
  expect(await read(message)).toMatchObject({ status: 'sent', provider_message_id: `wamid.${message.id}` });
});

test('a status update for an unknown message or another store’s message changes nothing', async () => {
  const message = await accept();
  await step(message);
  const ours = storeId;
  storeId = randomUUID();
  const elsewhere = (await messaging.addChannel(storeId, 'whatsapp_cloud')) as string;
  const status = { providerMessageId: 'wamid.x', callbackData: message.id, status: 'read' as const, at: new Date() };
  await applyReceivedStatus(messaging.dependencies, testContext({ storeId }), elsewhere, status);
  await applyReceivedStatus(messaging.dependencies, testContext({ storeId }), elsewhere, {
    ...status,
    callbackData: 'no uuid',
  });
  storeId = ours;
  expect(await read(message)).toMatchObject({ status: 'sent' });
});

test('a channel id that another lead has stays with that lead, and the message still counts as sent', async () => {
  send = async ({ id }) => ({ providerMessageId: `wamid.${id}`, waId: '5511777770000' });
  const messages = await Promise.all(Array.from({ length: 8 }, () => accept()));
  await Promise.all(messages.map(step));
  for (const message of messages) expect(await read(message)).toMatchObject({ status: 'sent' });
  const known = await messaging.adminSql`
    select lead_id from conversations where store_id = ${storeId} and wa_id = '5511777770000'`;
  expect(known).toHaveLength(1);
});
