import { randomUUID } from 'node:crypto';
import {
  acceptMessage,
  connectChannel,
  deliverMessages,
  disconnectChannel,
  getChannelConnection,
  getMessage,
  listMessages,
  sendMessage,
  settleMessage,
  showChannel,
} from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { testContext } from '@mostrador/testing/context';
import { expectDelay } from '@mostrador/testing/delay';
import { startWhatsappServer, type WhatsappServer } from '@mostrador/testing/providers/whatsapp/server';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { longMs, shardIdOf, startMessaging, type TestMessaging } from '../../test/messaging.ts';
import { deliverMessages as handlerOf } from './deliver-messages.ts';
import { lockLiveChannel, saveNumber } from './delivery.repository.ts';

const limits = { callLimitMs: 10_000, leaseMs: 60_000, unknownHoldMs: 1_500 };
/** For calls that hang. Any other call may take longer, also on a machine that stands still. */
const shortCall = { callLimitMs: 1_000 };
let messaging: TestMessaging;
let whatsapp: WhatsappServer;
let storeId: string;
beforeAll(async () => {
  messaging = await startMessaging({ limits });
});
beforeEach(async () => {
  whatsapp = await startWhatsappServer();
  Object.assign(messaging.dependencies.limits, limits);
  storeId = randomUUID();
  await connect();
});
afterAll(() => messaging?.stop());

type Limits = { number_rate?: number; pair_interval_seconds?: number; pair_burst?: number };
const connect = (rates: Limits = {}, token = whatsapp.settings.accessToken) =>
  messaging.rpc.call(
    connectChannel,
    {
      body: {
        provider: 'whatsapp_cloud',
        phone_number_id: whatsapp.settings.phoneNumberId,
        phone: whatsapp.settings.phone,
        api_url: whatsapp.apiUrl,
        secrets: { access_token: token, app_secret: whatsapp.settings.appSecret, verify_token: 'verify' },
        ...rates,
      },
    },
    testContext({ storeId }),
  );

let phones = 5511800000000;
/** A lead whose reply window is open, here and at the stand-in. */
async function addLead(): Promise<string> {
  const phone = String(++phones);
  const leadId = messaging.crm.addLead(storeId, phone);
  await whatsapp.customerWrites({ from: phone, text: 'Hi' });
  await messaging.adminSql`
    insert into conversations (store_id, lead_id, last_inbound_at) values (${storeId}, ${leadId}, now())`;
  return leadId;
}
/** Accepts a message without waiting for its outcome. */
async function accept(leadId: string, text = 'Hello'): Promise<string> {
  await messaging.adminSql`
    insert into store_settings (store_id, message_wait_seconds, opt_out_stops_api) values (${storeId}, 0, false)
    on conflict do nothing`;
  return (await messaging.send(storeId, leadId, text)).id;
}
const step = (leadId: string, timeoutMs?: number) =>
  messaging.rpc.call(deliverMessages, { body: { lead_id: leadId } }, testContext({ storeId, timeoutMs }));
const read = (leadId: string, messageId: string) =>
  messaging.rpc.call(getMessage, { params: { leadId, messageId } }, testContext({ storeId }));
const shownChannel = () =>
  Promise.all(
    [getChannelConnection, showChannel].map((operation) => messaging.rpc.call(operation, {}, testContext({ storeId }))),
  );
const stepUntilDone = async (leadId: string) =>
  await waitFor(async () => (await step(leadId)).done, { description: 'the queue to drain' });
const makeDue = (leadId: string) =>
  messaging.adminSql`update messages set next_attempt_at = now() - interval '1 second', slot_at = null where lead_id = ${leadId} and status = 'queued'`;
const texts = () => whatsapp.log.map(({ text }) => text);
/** The next call hangs. */
function hangNext(): void {
  whatsapp.next({ answer: 'hang', statuses: [] });
  Object.assign(messaging.dependencies.limits, shortCall);
}

describe('a lead’s queue', () => {
  test('leaves in the order of acceptance, each message once, even when several steps run at once', async () => {
    const leadId = await addLead();
    const ids: string[] = [];
    for (let count = 0; count < 25; count += 1) ids.push(await accept(leadId, `message ${count}`));
    await waitFor(
      async () => (await Promise.all(Array.from({ length: 4 }, () => step(leadId)))).every(({ done }) => done),
      { description: 'the queue to drain' },
    );
    expect(whatsapp.log.map(({ callbackData }) => callbackData)).toEqual(ids);
    expect(texts()[24]).toBe('message 24');
    const message = await read(leadId, ids[0] as string);
    expect(message).toMatchObject({ status: 'sent', provider_message_id: whatsapp.log[0]?.id, error: null });
    const [row] = await messaging.adminSql`
      select wa_id, interaction_count from conversations where lead_id = ${leadId}`;
    expect(row).toEqual({ wa_id: whatsapp.log[0]?.to, interaction_count: 25 });
    const sent = (await messaging.events(storeId)).filter(({ topic }) => topic === 'messaging.message.sent');
    expect(sent.map(({ data }) => data.message_id)).toEqual(ids);
    const fed = (await messaging.feed(storeId)).filter(({ type }) => type === 'message.sent');
    expect(fed.map(({ entity_id }) => entity_id)).toEqual(ids);
    expect(fed[0]?.data.object).toEqual(message);
  });

  test('gives each step at most 20 messages, and the step asks for another one', async () => {
    whatsapp.settings.numberRate = 1000;
    await connect({ number_rate: 1000 });
    const leadId = await addLead();
    for (let count = 0; count < 21; count += 1) await accept(leadId);
    expect(await step(leadId)).toMatchObject({ done: false, reason: 'more may be due' });
    expect(whatsapp.log).toHaveLength(20);
    expect(await step(leadId)).toEqual({ done: true, wake_at: null, reason: 'the queue is empty' });
    expect(whatsapp.log).toHaveLength(21);
  });

  test('begins no other message when the process stops', async () => {
    const leadId = await addLead();
    await accept(leadId);
    await accept(leadId);
    const context = testContext({ storeId, closing: AbortSignal.abort() });
    const next = await handlerOf(messaging.dependencies)(context, { body: { lead_id: leadId } });
    expect(next).toMatchObject({ done: false, reason: 'more may be due' });
    expect(whatsapp.log).toHaveLength(1);
  });

  test('is empty for another store’s lead and for an unknown lead', async () => {
    const leadId = await addLead();
    await accept(leadId);
    storeId = randomUUID();
    expect(await step(leadId)).toMatchObject({ done: true });
    expect(await step(randomUUID())).toMatchObject({ done: true });
    expect(whatsapp.log).toEqual([]);
  });

  test('answers a waiting request as soon as the provider accepts the message', async () => {
    const leadId = await addLead();
    await messaging.waitLong(storeId);
    const answer = messaging.send(storeId, leadId, 'Hello', longMs);
    await waitFor(async () => (await step(leadId)) && whatsapp.log.length === 1, { description: 'the send' });
    expect(await answer).toMatchObject({ sent: true, status: 'sent' });
  });

  test('rejects a step with too little time for a call, before any change', async () => {
    const leadId = await addLead();
    const id = await accept(leadId);
    await expect(step(leadId, 1_500)).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await read(leadId, id)).toMatchObject({ status: 'queued' });
  });
});

describe('a message with an unknown outcome is never sent again', () => {
  test('an attempt whose process was killed becomes unknown when its lease expires', async () => {
    const leadId = await addLead();
    const first = await accept(leadId, 'first');
    const second = await accept(leadId, 'second');
    // The process died before it recorded anything. Its lease is still valid.
    await messaging.adminSql`
      update messages set status = 'sending', attempts = 1, lease_token = gen_random_uuid(),
        lease_until = now() + interval '1 hour', channel_id = (select id from channels where store_id = ${storeId})
      where id = ${first}`;
    expect(await step(leadId)).toMatchObject({ done: false, reason: 'another attempt is running' });
    await messaging.adminSql`update messages set lease_until = now() where id = ${first}`;
    await stepUntilDone(leadId);
    expect(await read(leadId, first)).toMatchObject({ status: 'unknown', error: null });
    expect(await read(leadId, second)).toMatchObject({ status: 'sent' });
    expect(texts()).toEqual(['second']);
  });

  test('a request that hangs makes the message unknown and holds the queue behind it for a limited time', async () => {
    const leadId = await addLead();
    const first = await accept(leadId, 'first');
    await accept(leadId, 'second');
    hangNext();
    const sinceMs = Date.now();
    const held = await step(leadId);
    expect(held).toMatchObject({ done: false, reason: 'the outcome of the previous message is unknown' });
    expectDelay(held.wake_at, { sinceMs, least: 1.5, most: 1.6 });
    expect(await read(leadId, first)).toMatchObject({ status: 'unknown' });
    await stepUntilDone(leadId);
    expect(texts()).toEqual(['first', 'second']);
    expect(whatsapp.requests()).toBe(2);
  });

  test.each([
    { answer: 'reset' as const, statuses: [] },
    { answer: { status: 200, body: '<html>' }, statuses: [] },
    { answer: { status: 200, body: '{"messages":[]}' }, statuses: [] },
    { answer: { status: 502, body: 'Bad gateway' }, statuses: [] },
    { answer: { status: 404, body: '' }, statuses: [] },
    { cut: true },
  ])('an unreadable answer makes the message unknown: %j', async (behaviour) => {
    const leadId = await addLead();
    const id = await accept(leadId);
    whatsapp.next(behaviour);
    expect(await step(leadId)).toMatchObject({ done: true });
    const unknown = await read(leadId, id);
    expect(unknown).toMatchObject({ status: 'unknown', error: null });
    const told = { type: 'message.unknown', entity_id: id, data: { status: 'unknown', object: unknown } };
    expect((await messaging.feed(storeId)).at(-1)).toMatchObject(told);
    expect(await step(leadId)).toMatchObject({ done: true });
    expect(whatsapp.requests()).toBe(1);
  });

  test('settling a message wakes the queue at once, and a second settlement is rejected', async () => {
    const leadId = await addLead();
    const first = await accept(leadId, 'first');
    const settle = (status: 'sent' | 'failed') =>
      messaging.rpc.call(settleMessage, { body: { message_id: first, status } }, testContext({ storeId }));
    await expect(settle('sent')).rejects.toMatchObject({
      code: 'message_not_unknown',
      members: { current_status: 'queued' },
    });
    await accept(leadId, 'second');
    hangNext();
    await step(leadId);
    await messaging.adminSql`delete from outbox`;
    expect(await settle('failed')).toMatchObject({ status: 'failed', error: { code: 'settled_as_failed' } });
    expect(await messaging.wakeUps(storeId)).toEqual([
      { entity_id: shardIdOf(storeId), lead_id: null, signal: 'message_settled' },
    ]);
    await expect(settle('sent')).rejects.toMatchObject({ code: 'message_not_unknown' });
    expect(await step(leadId)).toMatchObject({ done: true });
    expect(texts()).toEqual(['first', 'second']);
  });
});

describe('a message that was certainly not sent is retried', () => {
  test.each([2, 131000, 131016])('after error %i, with a growing delay and the code in the reason', async (code) => {
    const leadId = await addLead();
    const id = await accept(leadId);
    for (const [attempt, seconds] of [2, 4, 8].entries()) {
      whatsapp.next({ refuse: { code } });
      const sinceMs = Date.now();
      const next = await step(leadId);
      expect(next).toMatchObject({ done: false, reason: `attempt ${attempt + 1} failed (whatsapp_${code})` });
      expectDelay(next.wake_at, { sinceMs, least: seconds * 0.8, most: seconds * 1.2 });
      expect(await step(leadId)).toMatchObject({ done: false, wake_at: next.wake_at });
      await makeDue(leadId);
    }
    expect(await read(leadId, id)).toMatchObject({ status: 'queued', error: null });
    expect(await step(leadId)).toMatchObject({ done: true });
    expect(whatsapp.log).toHaveLength(1);
    expect(await read(leadId, id)).toMatchObject({ status: 'sent' });
  });

  test('while the connection is refused a message is retried, and it fails when it is a day old', async () => {
    const leadId = await addLead();
    const id = await accept(leadId);
    await whatsapp.close();
    expect(await step(leadId)).toMatchObject({ done: false, reason: 'attempt 1 failed (whatsapp_unreachable)' });
    await messaging.adminSql`
      update messages set created_at = now() - interval '25 hours', next_attempt_at = now() - interval '1 second' where id = ${id}`;
    expect(await step(leadId)).toMatchObject({ done: true });
    expect(await read(leadId, id)).toMatchObject({ status: 'failed', error: { code: 'whatsapp_unreachable' } });
    const failed = (await messaging.events(storeId)).filter(({ topic }) => topic === 'messaging.message.failed');
    expect(failed.map(({ data }) => data.code)).toEqual(['whatsapp_unreachable']);
    expect((await messaging.feed(storeId)).at(-1)).toMatchObject({
      type: 'message.failed',
      data: { code: 'whatsapp_unreachable', status: 'failed', object: await read(leadId, id) },
    });
  });
});

describe('throttling by the provider', () => {
  test('of one pair delays that lead alone, for as long as the provider asks', async () => {
    const [slow, other] = [await addLead(), await addLead()];
    await accept(slow);
    await accept(other);
    whatsapp.next({ refuse: { code: 131056, retryAfterSeconds: 40 } });
    const sinceMs = Date.now();
    const next = await step(slow);
    expectDelay(next.wake_at, { sinceMs, least: 40, most: 40 });
    expect(await step(other)).toMatchObject({ done: true });
    expect(whatsapp.log).toHaveLength(1);
  });

  test.each([4, 80007, 130429])('of the number (%i) delays every lead of the number', async (code) => {
    const [first, other] = [await addLead(), await addLead()];
    await accept(first);
    await accept(other);
    whatsapp.next({ refuse: { code, retryAfterSeconds: 30 } });
    const sinceMs = Date.now();
    await step(first);
    const next = await step(other);
    expect(next).toMatchObject({ done: false, reason: 'the channel asked for a pause' });
    expectDelay(next.wake_at, { sinceMs, least: 30, most: 31.1 });
    expect(whatsapp.requests()).toBe(1);
  });
});

describe('a permanent refusal by the provider', () => {
  test.each([
    [131047, 'messaging_window_closed'],
    [131026, 'whatsapp_131026'],
    [131049, 'whatsapp_131049'],
    [131050, 'whatsapp_131050'],
    [130497, 'whatsapp_130497'],
    [100, 'whatsapp_100'],
    [131008, 'whatsapp_131008'],
    [132001, 'whatsapp_132001'],
  ])('%i fails that message, and the next message is sent', async (code, expected) => {
    const leadId = await addLead();
    const id = await accept(leadId, 'first');
    await accept(leadId, 'second');
    whatsapp.next({ refuse: { code } });
    expect(await step(leadId)).toMatchObject({ done: true });
    expect(await read(leadId, id)).toMatchObject({ status: 'failed', sent_at: null, error: { code: expected } });
    expect(texts()).toEqual(['second']);
    // Meta's error text quotes the customer's number.
    expect(JSON.stringify(await read(leadId, id))).not.toContain(String(phones));
  });

  test('a text whose window a call keeps open is sent', async () => {
    const leadId = await addLead();
    await accept(leadId);
    await messaging.adminSql`
      update conversations set last_inbound_at = now() - interval '25 hours', called_at = now() where lead_id = ${leadId}`;
    expect(await step(leadId)).toMatchObject({ done: true });
    expect(whatsapp.log).toMatchObject([{ type: 'text' }]);
  });

  test('an opt-out or a closed reply window after acceptance fails the message without a call', async () => {
    const leadId = await addLead();
    const id = await accept(leadId);
    await messaging.adminSql`
      update conversations set last_inbound_at = now() - interval '25 hours' where lead_id = ${leadId}`;
    expect(await step(leadId)).toMatchObject({ done: true });
    expect(await read(leadId, id)).toMatchObject({ status: 'failed', error: { code: 'messaging_window_closed' } });

    const other = await addLead();
    const followup = await accept(other);
    await messaging.adminSql`update messages set source = 'followup' where id = ${followup}`;
    await messaging.adminSql`update conversations set opted_out_at = now() where lead_id = ${other}`;
    expect(await step(other)).toMatchObject({ done: true });
    expect(await read(other, followup)).toMatchObject({ status: 'failed', error: { code: 'lead_opted_out' } });
    expect(whatsapp.requests()).toBe(0);
  });

  test('an opt-out after acceptance stops an API message only if the store says so', async () => {
    const leadId = await addLead();
    const sent = await accept(leadId);
    await messaging.adminSql`update conversations set opted_out_at = now() where lead_id = ${leadId}`;
    await step(leadId);
    expect(await read(leadId, sent)).toMatchObject({ status: 'sent' });

    await messaging.adminSql`update store_settings set opt_out_stops_api = true where store_id = ${storeId}`;
    await messaging.adminSql`update conversations set opted_out_at = null where lead_id = ${leadId}`;
    const stopped = await accept(leadId);
    await messaging.adminSql`update conversations set opted_out_at = now() where lead_id = ${leadId}`;
    await step(leadId);
    expect(await read(leadId, stopped)).toMatchObject({ status: 'failed', error: { code: 'lead_opted_out' } });
    await messaging.adminSql`update store_settings set opt_out_stops_api = false where store_id = ${storeId}`;
  });

  test('a message that is a template is sent as the template, in the window and after it', async () => {
    await messaging.adminSql`insert into store_settings (store_id, message_wait_seconds) values (${storeId}, 0)`;
    const body = { template: { name: 'order_ready', language: 'pt_BR' } };
    const outside = messaging.crm.addLead(storeId, String(++phones));
    for (const leadId of [await addLead(), outside]) {
      const { id } = await messaging.rpc.call(sendMessage, { params: { leadId }, body }, testContext({ storeId }));
      await stepUntilDone(leadId);
      expect(await read(leadId, id)).toMatchObject({ status: 'sent', template: { name: 'order_ready' } });
    }
    const sent = { type: 'template', template: 'order_ready' };
    expect(whatsapp.log).toMatchObject([sent, sent]);
  });

  test('a message of a follow-up with a template is sent as text in the window', async () => {
    const leadId = await addLead();
    const body = { id: randomUUID(), lead_id: leadId, source: 'followup' as const, message: 'Ready' };
    const template = { name: 'order_ready', language: 'pt_BR' };
    await messaging.rpc.call(acceptMessage, { body: { ...body, template } }, testContext({ storeId }));
    await stepUntilDone(leadId);
    expect(whatsapp.log).toMatchObject([{ type: 'text', text: 'Ready' }]);
    expect(await read(leadId, body.id)).toMatchObject({ type: 'text', body: 'Ready', template: null });
  });

  test('a closed reply window sends the template in place of the text', async () => {
    const leadId = await addLead();
    const id = await accept(leadId);
    await messaging.adminSql`
      update messages set template = '{"name":"hello_again","language":"pt_BR"}' where id = ${id}`;
    await messaging.adminSql`
      insert into templates (store_id, channel_id, name, language, status, category, quality, variables, components)
      select ${storeId}, id, 'hello_again', 'pt_BR', 'approved', 'utility', 'unknown', 'positional',
        '[{"type":"body","format":null,"text":"Olá de novo!","buttons":[]}]'
      from channels where store_id = ${storeId}`;
    await messaging.adminSql`
      update conversations set last_inbound_at = now() - interval '25 hours' where lead_id = ${leadId}`;
    expect(await step(leadId)).toMatchObject({ done: true });
    expect(whatsapp.log).toMatchObject([{ type: 'template', template: 'hello_again' }]);
    const shown = { type: 'template', body: 'Olá de novo!', template: { name: 'hello_again', language: 'pt_BR' } };
    expect(await read(leadId, id)).toMatchObject(shown);
  });
});

describe('a channel that needs attention', () => {
  test.each([190, 131042])('%i stops the channel, and connecting it again wakes every queue', async (code) => {
    const [first, second] = [await addLead(), await addLead()];
    await accept(first);
    await accept(second);
    whatsapp.next({ refuse: { code } });
    const expected = {
      done: false,
      wake_at: expect.any(String),
      reason: `the channel needs attention (whatsapp_${code})`,
    };
    expect(await step(first)).toEqual(expected);
    expect(await step(second)).toEqual(expected);
    expect(whatsapp.requests()).toBe(1);
    await expect(messaging.send(storeId, first)).rejects.toMatchObject({ code: 'channel_not_connected' });

    await messaging.adminSql`delete from outbox`;
    await connect();
    expect(await messaging.wakeUps(storeId)).toMatchObject([
      { entity_id: shardIdOf(storeId), signal: 'channel_connected' },
    ]);
    for (const leadId of [first, second]) expect(await step(leadId)).toMatchObject({ done: true });
    expect(whatsapp.log).toHaveLength(2);
  });

  test('an expired token stops the channel, and a new token resumes it', async () => {
    const leadId = await addLead();
    await accept(leadId);
    whatsapp.settings.accessToken = 'renewed';
    const { reason } = await step(leadId);
    expect(reason).toBe('the channel needs attention (whatsapp_190)');
    await connect({}, 'renewed');
    expect(await step(leadId)).toMatchObject({ done: true });
    expect(whatsapp.log).toHaveLength(1);
  });

  test('a queue without a channel waits until one is connected', async () => {
    const leadId = await addLead();
    const sinceMs = Date.now();
    await accept(leadId);
    await messaging.rpc.call(disconnectChannel, {}, testContext({ storeId }));
    const next = await step(leadId);
    expect(next).toMatchObject({ done: false, reason: 'no channel is connected' });
    expectDelay(next.wake_at, { sinceMs, least: 24 * 3600, most: 24 * 3600 });
    await connect();
    expect(await step(leadId)).toMatchObject({ done: true });
  });

  test('a message that waited a day for a channel fails, and is not sent when one is connected', async () => {
    const leadId = await addLead();
    const id = await accept(leadId, 'old');
    await accept(leadId, 'new');
    await messaging.rpc.call(disconnectChannel, {}, testContext({ storeId }));
    await step(leadId);
    await messaging.adminSql`update messages set created_at = now() - interval '25 hours' where id = ${id}`;
    expect(await step(leadId)).toMatchObject({ done: false, reason: 'no channel is connected' });
    const [row] = await messaging.adminSql`select status, error_code from messages where id = ${id}`;
    expect(row).toEqual({ status: 'failed', error_code: 'message_expired' });
    await connect();
    expect(await step(leadId)).toMatchObject({ done: true });
    expect(texts()).toEqual(['new']);
  });
});

test.each([
  ['for a channel', () => messaging.rpc.call(disconnectChannel, {}, testContext({ storeId })), connect],
  ['for a retry', () => whatsapp.next({ refuse: { code: 131056, retryAfterSeconds: 3600 } }), () => undefined],
])(
  'a message that expires while it waits %s is cancelled and never sent, and the next one is',
  async (_, delay, mend) => {
    const leadId = await addLead();
    const id = await accept(leadId, 'reminder');
    await accept(leadId, 'new');
    await delay();
    expect(await step(leadId)).toMatchObject({ done: false });
    await messaging.adminSql`update messages set expires_at = now() where id = ${id}`;
    await mend();
    expect(await step(leadId)).toMatchObject({ done: true });
    expect(await read(leadId, id)).toMatchObject({
      status: 'cancelled',
      error: { code: 'message_expired' },
      sent_at: null,
    });
    expect(texts()).toEqual(['new']);
    const cancelled = (await messaging.events(storeId)).filter(({ topic }) => topic === 'messaging.message.cancelled');
    expect(cancelled.map(({ data }) => data.message_id)).toEqual([id]);
  },
);

describe('our rate limits prevent refusals by the provider', () => {
  test('a transaction that hangs delays the other leads of its channel by at most 2 s', async () => {
    const leadId = await addLead();
    await accept(leadId);
    const locked = Promise.withResolvers<void>();
    const hangs = Promise.withResolvers<void>();
    const hanging = messaging.database.write({ storeId, deadline: Date.now() + 300_000 }, async (sql) => {
      // Without the limit that the lock sets, this transaction would hang for longer than the test may take.
      await sql`select set_config('idle_in_transaction_session_timeout', '0', true)`;
      await lockLiveChannel(sql, storeId);
      locked.resolve();
      await hangs.promise;
    });
    await locked.promise;
    await stepUntilDone(leadId);
    hangs.resolve();
    await expect(hanging).rejects.toThrow();
    expect(whatsapp.log).toHaveLength(1);
  });

  test('a transaction that waited for the rate limits of a number reads them and the clock after the wait', async () => {
    const [channel] = await messaging.adminSql`
      select id from channels where store_id = ${storeId} and disconnected_at is null`;
    const scope = { storeId, deadline: Date.now() + 10_000 };
    const lock = (sql: TransactionSql) => lockLiveChannel(sql, storeId);
    const tatMs = Date.now() + 3_600_000;
    let releasedMs = 0;
    // In an object, because the first transaction must not wait for the second one.
    const { read } = await messaging.database.write(scope, async (sql) => {
      await lock(sql);
      const read = messaging.database.write(scope, lock);
      const waits = () => messaging.adminSql`
        select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%channels%'`;
      await waitFor(async () => (await waits()).length > 0, { description: 'the other transaction to wait' });
      await saveNumber(sql, storeId, channel?.id, { tatMs, sentTatMs: 0 });
      const [row] = await sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`;
      releasedMs = row?.now;
      return { read };
    });
    expect(await read).toMatchObject({ tatMs, sentTatMs: 0 });
    expect((await read)?.nowMs).toBeGreaterThan(releasedMs);
  });

  test('a slot that has come stays good, however late the step runs', async () => {
    await connect({ number_rate: 1 });
    const [first, second] = [await addLead(), await addLead()];
    await accept(first);
    await accept(second);
    await step(first);
    expect(await step(second)).toMatchObject({ done: false, reason: "the number's rate limit is reached" });
    const { adminSql } = messaging;
    await adminSql`
      update messages set slot_at = now() - interval '10 s', next_attempt_at = now() - interval '10 s'
      where lead_id = ${second}`;
    // The number's other messages have taken the slots of the next hour, and nothing was sent for some time.
    await adminSql`
      update channels set number_tat = now() + interval '1 hour', number_sent_tat = now() - interval '10 s'
      where store_id = ${storeId} and disconnected_at is null`;
    expect(await step(second)).toMatchObject({ done: true });
    expect(whatsapp.log).toHaveLength(2);
  });

  test('for a burst to one lead', async () => {
    Object.assign(whatsapp.settings, { pairBurst: 5, pairIntervalMs: 300 });
    await connect({ pair_burst: 5, pair_interval_seconds: 0.3 });
    const leadId = await addLead();
    for (let count = 0; count < 12; count += 1) await accept(leadId, String(count));
    const sinceMs = Date.now();
    const next = await step(leadId);
    expect(next).toMatchObject({ done: false, reason: 'the rate limit for this lead is reached' });
    expectDelay(next.wake_at, { sinceMs, least: 0, most: 0.31 });
    await stepUntilDone(leadId);
    expect(texts()).toEqual(Array.from({ length: 12 }, (_, count) => String(count)));
    expect(whatsapp.refusals).toEqual([]);
  });

  test('for many leads of one number at once', async () => {
    Object.assign(whatsapp.settings, { numberRate: 20 });
    await connect({ number_rate: 20 });
    const leads = await Promise.all(Array.from({ length: 30 }, addLead));
    for (const leadId of leads) await accept(leadId);
    await Promise.all(
      leads.map((leadId) =>
        waitFor(async () => (await step(leadId)).done, { description: 'to drain', intervalMs: 150 }),
      ),
    );
    expect(whatsapp.log).toHaveLength(30);
    expect(whatsapp.refusals).toEqual([]);
  });
});

describe('a channel that is down', () => {
  test('gets no more calls after five outages in a row, and a blocked call does not count as an attempt', async () => {
    const leads = [];
    for (let count = 0; count < 6; count += 1) leads.push(await addLead());
    for (const leadId of leads) await accept(leadId);
    whatsapp.always({ refuse: { code: 131016 } });
    const sinceMs = Date.now();
    for (const leadId of leads.slice(0, 5)) await step(leadId);
    const next = await step(leads[5] as string);
    expect(next).toMatchObject({ done: false, reason: expect.stringContaining('not called now') });
    expectDelay(next.wake_at, { sinceMs, least: 24, most: 45 });
    expect(whatsapp.requests()).toBe(5);
    const [row] = await messaging.adminSql`select attempts, status from messages where lead_id = ${leads[5] as string}`;
    expect(row).toEqual({ attempts: 0, status: 'queued' });
  });

  test('is shown as degraded, and the messages that wait for it say why, since when and until when', async () => {
    const leads = [];
    for (let count = 0; count < 6; count += 1) leads.push(await addLead());
    for (const leadId of leads) await accept(leadId);
    whatsapp.always({ refuse: { code: 131016 } });
    for (const leadId of leads.slice(0, 5)) await step(leadId);
    const last = leads[5] as string;
    const behind = await accept(last);
    const next = await step(last);

    const since = expect.stringMatching(/Z$/);
    const reason = { code: 'provider_unavailable', detail: expect.any(String), since };
    const waiting = { status: 'queued', error: null, reason, next_attempt_at: next.wake_at };
    const listed = await messaging.rpc.call(
      listMessages,
      { params: { leadId: last }, query: {} },
      testContext({ storeId }),
    );
    expect(listed.data).toMatchObject([waiting, waiting]);
    expect(await read(last, behind)).toMatchObject(waiting);
    for (const shown of await shownChannel()) {
      expect(shown).toMatchObject({ provider: 'whatsapp_cloud', status: 'degraded', reason });
      expect(JSON.stringify(shown.reason)).not.toContain('127.0.0.1');
    }

    whatsapp.always({});
    await connect();
    await messaging.adminSql`delete from provider_circuits`;
    await waitFor(async () => (await shownChannel()).every(({ status }) => status === 'connected'), {
      description: 'the channel to be shown as connected',
    });
  });
});
