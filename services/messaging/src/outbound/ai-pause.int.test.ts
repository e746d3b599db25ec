import { randomUUID } from 'node:crypto';
import {
  acceptMessage,
  deliverMessages,
  deliveryShardOf,
  followLead,
  mergeConversations,
  pumpDeliveries,
  type RequestOf,
  sendMessage,
} from '@mostrador/contracts';
import { silentLog, testContext } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';
import { type Accepted, ChannelError } from '../channels/channel-provider.ts';
import { sendAiPauses } from '../conversations/send-ai-pauses.ts';

let messaging: TestMessaging;
let storeId: string;
/** The ids of the messages for which the provider was called. */
let called: string[];
let provider: () => Promise<Accepted>;
beforeAll(async () => {
  const send = async ({ id }: { id: string }) => {
    called.push(id);
    return await provider();
  };
  messaging = await startMessaging({ openChannel: () => ({ send }) });
});
beforeEach(async () => {
  storeId = randomUUID();
  called = [];
  provider = async () => ({ providerMessageId: randomUUID(), waId: null });
  await messaging.adminSql`
    insert into channels (store_id, provider, number_rate, pair_burst) values (${storeId}, 'sandbox', 1000, 1000)`;
});
afterAll(() => messaging?.stop());

type Source = RequestOf<typeof acceptMessage>['body']['source'];
const context = () => testContext({ storeId });
const accept = async (
  leadId: string,
  source: Source,
  more: { hands_over?: boolean; agent?: { id: string; name: string } } = {},
) => {
  const body = { id: randomUUID(), lead_id: leadId, source, message: source, ...more };
  return (await messaging.rpc.call(acceptMessage, { body }, context())).id;
};
let phones = 5511600000000;
const newLead = async (columns = {}) => {
  const phone = String(++phones);
  const leadId = messaging.crm.addLead(storeId, phone);
  const { adminSql } = messaging;
  const row = { store_id: storeId, lead_id: leadId, wa_id: phone, last_inbound_at: new Date(), ...columns };
  await adminSql`insert into conversations ${adminSql(row)}`;
  return leadId;
};
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);
const setting = (columns: object) => {
  const { adminSql } = messaging;
  return adminSql`insert into store_settings ${adminSql({ store_id: storeId, message_wait_seconds: 0, ...columns })}`;
};
/** Minutes until the AI writes again. Null: it is not paused. */
const pausedFor = async (leadId: string) => {
  const [row] = await messaging.adminSql`select ai_paused_until as until from conversations where lead_id = ${leadId}`;
  return row?.until && Math.round((row.until.getTime() - Date.now()) / 60_000);
};
const message = async (id: string) =>
  (await messaging.adminSql`select status, error_code from messages where id = ${id}`)[0];
const cancelled = { status: 'cancelled', error_code: 'ai_paused' };
const paused = { code: 'ai_paused' };
const step = (leadId: string) => messaging.rpc.call(deliverMessages, { body: { lead_id: leadId } }, context());
/** What crm says of the lead after a change. */
const tell = (leadId: string, ai_paused_until: string | null, ai_pause_version: number) => {
  const version = messaging.crm.change(storeId, leadId, { ai_paused_until, ai_pause_version });
  const lead = { name: 'Maria', customer_phone: '5511900000001', status: 'pending', seller_id: null } as const;
  const body = { lead_id: leadId, version, ...lead, ai_paused_until, ai_pause_version };
  return messaging.rpc.call(followLead, { body }, context());
};
const send = () => sendAiPauses({ ...messaging.dependencies, log: silentLog() }, AbortSignal.timeout(60_000));

test('a message of the AI that hands over leaves, and the lead still waits, for a person', async () => {
  const waits = { is_unanswered: true, waiting_since: new Date('2026-01-01T12:00:00.000Z') };
  const leadId = await newLead(waits);
  const id = await accept(leadId, 'ai', { hands_over: true });
  expect(await pausedFor(leadId)).toBe(720);
  await expect(accept(leadId, 'ai')).rejects.toMatchObject(paused);
  expect(await step(leadId)).toMatchObject({ done: true });
  expect(called).toEqual([id]);
  const [conversation] = await messaging.adminSql`
    select is_unanswered, waiting_since from conversations where lead_id = ${leadId}`;
  expect(conversation).toEqual(waits);
});

test('a message of the AI that hands over cancels what it wrote before, and not itself', async () => {
  const leadId = await newLead();
  const [first, second] = [await accept(leadId, 'ai'), await accept(leadId, 'ai', { hands_over: true })];
  expect(await Promise.all([first, second].map(message))).toMatchObject([cancelled, { status: 'queued' }]);
});

test('crm learns who wrote the message that paused the AI, and a shorter pause does not change that', async () => {
  const leadId = await newLead();
  await setting({ ai_pause_minutes: 60 });
  const [ana, rui] = ['Ana', 'Rui'].map((name) => ({ kind: 'user' as const, id: randomUUID(), name }));
  const write = ({ name, ...actor }: NonNullable<typeof ana>) =>
    messaging.rpc.call(
      sendMessage,
      { params: { leadId }, body: { message: 'Olá' } },
      { ...testContext({ storeId, actor, role: 'manager' }), actorName: name },
    );
  await write(ana as NonNullable<typeof ana>);
  await messaging.adminSql`update store_settings set ai_pause_minutes = 30 where store_id = ${storeId}`;
  await write(rui as NonNullable<typeof rui>);
  await send();
  expect(messaging.crm.aiPauses.get(leadId)).toMatchObject({ ai_paused_by: ana });
  const handed = await newLead();
  const agent = { id: randomUUID(), name: 'Atendente' };
  await accept(handed, 'ai', { hands_over: true, agent });
  await send();
  expect(messaging.crm.aiPauses.get(handed)).toMatchObject({ ai_paused_by: { kind: 'agent', ...agent } });
});

describe('a message of a seller', () => {
  test('pauses the AI for twelve hours, and for the time that the store has set', async () => {
    const leadId = await newLead();
    await accept(leadId, 'seller');
    expect(await pausedFor(leadId)).toBe(720);
    await setting({ ai_pause_minutes: 30 });
    const other = await newLead();
    await accept(other, 'seller');
    expect(await pausedFor(other)).toBe(30);
    // A shorter pause does not end a longer one.
    await accept(leadId, 'seller');
    expect(await pausedFor(leadId)).toBe(720);
  });

  test('is the only one that pauses the AI, unless the store says that messages of the API do, too', async () => {
    await setting({});
    const leadId = await newLead();
    await accept(leadId, 'followup');
    await accept(leadId, 'ai');
    await messaging.send(storeId, leadId, 'api');
    expect(await pausedFor(leadId)).toBeNull();
    await messaging.adminSql`update store_settings set api_pauses_ai = true where store_id = ${storeId}`;
    await messaging.send(storeId, leadId, 'api');
    expect(await pausedFor(leadId)).toBe(720);
  });

  test('rejects what the AI writes until the pause is over, and nothing else', async () => {
    const leadId = await newLead();
    await accept(leadId, 'seller');
    await expect(accept(leadId, 'ai')).rejects.toMatchObject(paused);
    await accept(leadId, 'followup');
    await accept(leadId, 'seller');
    await messaging.adminSql`update conversations set ai_paused_until = now() - interval '1 s' where lead_id = ${leadId}`;
    await expect(accept(leadId, 'ai')).resolves.toBeDefined();
  });

  test('cancels what the AI wrote and what has not left, says why, and does not wait behind it', async () => {
    const leadId = await newLead();
    const first = await accept(leadId, 'followup');
    const written = [await accept(leadId, 'ai'), await accept(leadId, 'ai')];
    // It waits for a retry, so nothing looks at the queue for an hour.
    await messaging.adminSql`update messages set next_attempt_at = now() + interval '1 h' where id = ${written[0] ?? ''}`;
    const own = await accept(leadId, 'seller');
    expect(await Promise.all(written.map(message))).toEqual([cancelled, cancelled]);
    // What waited behind them is due at once.
    expect(await messaging.wakeUps(storeId)).toHaveLength(2);
    expect(await step(leadId)).toMatchObject({ done: true });
    expect(called).toEqual([first, own]);
    const told = (await messaging.feed(storeId)).filter(({ type }) => type === 'message.cancelled');
    expect(told.map(({ entity_id }) => entity_id)).toEqual(written);
    expect(told[0]?.data.object).toMatchObject({ source: 'ai', error: { code: 'ai_paused' } });
  });

  test('stops the retry of a message that was on its way, also when the pause is over by then', async () => {
    const leadId = await newLead();
    const written = await accept(leadId, 'ai');
    const calling = Promise.withResolvers<void>();
    const failing = Promise.withResolvers<void>();
    const succeeds = provider;
    provider = async () => {
      provider = succeeds;
      calling.resolve();
      await failing.promise;
      throw new ChannelError('not_sent', 'busy', 'The provider is busy.');
    };
    const attempt = step(leadId);
    await calling.promise;
    const own = await accept(leadId, 'seller');
    expect(await message(written)).toMatchObject({ status: 'sending' });
    await messaging.adminSql`update conversations set ai_paused_until = now() - interval '1 s' where lead_id = ${leadId}`;
    failing.resolve();
    await attempt;
    expect(await step(leadId)).toMatchObject({ done: true });
    expect(await message(written)).toEqual(cancelled);
    expect(called).toEqual([written, own]);
  });

  test('is followed by no message of the AI, however the two race while the queues are delivered', async () => {
    await setting({});
    const leads = await Promise.all(Array.from({ length: 40 }, () => newLead()));
    const body = { shard: deliveryShardOf(storeId), fence: 1, poll_ms: 500 };
    let isOver = false;
    const pump = async () => {
      while (!isOver) await messaging.rpc.call(pumpDeliveries, { body }, testContext({ timeoutMs: 60_000 }));
    };
    const pumping = pump();
    const races = await Promise.all(
      leads.map(async (leadId) => {
        const ai = accept(leadId, 'ai').catch(() => undefined);
        const own = await accept(leadId, 'seller');
        const before = new Set(called);
        // One that is on its way when the seller writes may arrive.
        const [ahead] = await messaging.adminSql`
          select id from messages where lead_id = ${leadId} and source = 'ai' and status in ('sending', 'sent')`;
        return { own, ai: await ai, left: ahead?.id as string | undefined, before };
      }),
    );
    const owns = races.map(({ own }) => own);
    await waitFor(async () => (await Promise.all(owns.map(message))).every((row) => row?.status === 'sent'), {
      description: 'the messages of the sellers are sent',
    });
    for (const { ai, left, before } of races) {
      if (ai === undefined || left === ai || before.has(ai)) continue;
      expect(await message(ai)).toEqual(cancelled);
      expect(called).not.toContain(ai);
    }
    isOver = true;
    await pumping;
  });
});

describe('a pause that crm has', () => {
  test('rejects what the AI writes before the conversation knows it', async () => {
    const leadId = await newLead();
    messaging.crm.change(storeId, leadId, { ai_paused_until: inMinutes(5).toISOString() });
    await expect(accept(leadId, 'ai')).rejects.toMatchObject(paused);
  });

  test('holds from the answer on, also for what the AI wrote before, and ends as soon', async () => {
    const leadId = await newLead();
    const written = await accept(leadId, 'ai');
    await tell(leadId, inMinutes(5).toISOString(), 0);
    await expect(accept(leadId, 'ai')).rejects.toMatchObject(paused);
    await tell(leadId, null, 0);
    const next = await accept(leadId, 'ai');
    expect(await step(leadId)).toMatchObject({ done: true });
    expect(await message(written)).toEqual(cancelled);
    expect(called).toEqual([next]);
  });

  test('does not end that of a seller’s message of which crm did not know, but one of which it knew', async () => {
    const leadId = await newLead();
    await accept(leadId, 'seller');
    await tell(leadId, null, 0);
    expect(await pausedFor(leadId)).toBe(720);
    await tell(leadId, null, 1);
    expect(await pausedFor(leadId)).toBeNull();
    await accept(leadId, 'ai');
    await accept(leadId, 'seller');
    await tell(leadId, null, 1);
    expect(await pausedFor(leadId)).toBe(720);
  });
});

test('crm is told of each pause once, with its version, and what it did not get while it was down comes later', async () => {
  await messaging.adminSql`update conversations set reported_pause_version = ai_pause_version`;
  const leadId = await newLead();
  expect(await send()).toBe(0);
  await accept(leadId, 'seller');
  await accept(leadId, 'seller');
  await messaging.crm.stop();
  expect(await send()).toBe(0);
  await messaging.crm.start();
  await expect.poll(send).toBe(1);
  const [row] = await messaging.adminSql`select ai_paused_until as until from conversations where lead_id = ${leadId}`;
  expect(messaging.crm.aiPauses.get(leadId)).toMatchObject({ ai_paused_until: row?.until.toISOString(), version: 2 });
  expect(await send()).toBe(0);
});

test('after a merge the longer pause holds, crm learns it, and what the AI wrote to either stays unsent', async () => {
  await messaging.adminSql`update conversations set reported_pause_version = ai_pause_version`;
  const [gone, kept] = [await newLead(), await newLead()];
  await accept(gone, 'seller');
  await send();
  const written = await accept(kept, 'ai');
  const body = { lead_id: gone, merged_into: kept };
  await messaging.rpc.call(mergeConversations, { body }, context());
  expect(await pausedFor(kept)).toBe(720);
  await expect(accept(kept, 'ai')).rejects.toMatchObject(paused);
  await expect.poll(send).toBe(1);
  expect(messaging.crm.aiPauses.get(kept)).toMatchObject({ ai_paused_until: expect.any(String), version: 1 });
  await messaging.adminSql`update conversations set ai_paused_until = null where lead_id = ${kept}`;
  expect(await step(kept)).toMatchObject({ done: true });
  expect(await message(written)).toEqual(cancelled);
});
