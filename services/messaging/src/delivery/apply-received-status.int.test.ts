import { randomUUID } from 'node:crypto';
import { connectChannel, deliverMessages, getMessage, type Message } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { shardIdOf, startMessaging, type TestMessaging } from '../../test/messaging.ts';
import type { ReceivedStatusUpdate } from '../channels/channel-provider.ts';
import { type Accepted, ChannelError, type OutboundMessage } from '../channels/channel-provider.ts';
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
