import { randomUUID } from 'node:crypto';
import {
  connectChannel,
  deliverMessages,
  getMessage,
  readSandboxConversation,
  showChannel,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { expectDelay } from '@mostrador/testing/delay';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startMessaging, type TestMessaging } from '../../../test/messaging.ts';

// Everything here goes through the delivery engine. Only the sandbox, as the provider, knows of the numbers.
let messaging: TestMessaging;
let storeId: string;
let token: string;
const limits = { callLimitMs: 10_000, leaseMs: 60_000, unknownHoldMs: 500 };
beforeAll(async () => {
  messaging = await startMessaging({
    limits,
    rateCard: { currency: 'XTS', rateOf: (phone) => (phone ? 0.5 : undefined) },
  });
  messaging.inbound.start();
});
beforeEach(async () => {
  Object.assign(messaging.dependencies.limits, limits);
  storeId = randomUUID();
  await connect();
});
afterAll(() => messaging?.stop());

const context = () => testContext({ storeId });
async function connect() {
  await messaging.adminSql`
    insert into store_settings (store_id, message_wait_seconds) values (${storeId}, 0) on conflict do nothing`;
  const body = { provider: 'sandbox' as const, number_rate: 100_000 };
  const { sandbox_url } = await messaging.rpc.call(connectChannel, { body }, context());
  token = String(sandbox_url?.split('/').at(-1));
}

type Sent = { readonly phone: string; readonly leadId: string; readonly id: string };

/** Accepts a message to the number that ends in these two digits. */
async function accept(digits: string): Promise<Sent> {
  const phone = `120155501${digits}`;
  const leadId = messaging.crm.addLead(storeId, phone);
  const { id } = await messaging.send(storeId, leadId, 'Hello');
  return { phone, leadId, id };
}
const step = ({ leadId }: Sent) => messaging.rpc.call(deliverMessages, { body: { lead_id: leadId } }, context());
const read = ({ leadId, id }: Sent) => messaging.rpc.call(getMessage, { params: { leadId, messageId: id } }, context());
/** Runs steps until one makes the attempt: on a machine that stands still, the first may come too late for its call. */
const attempted = (sent: Sent) =>
  waitFor(async () => (await step(sent)) && (await read(sent)).status !== 'queued', { description: 'an attempt' });
const becomes = (sent: Sent, status: string) =>
  waitFor(async () => (await read(sent)).status === status, { description: `${status}` });
const makeDue = () =>
  messaging.adminSql`update messages set next_attempt_at = now() - interval '1 second', slot_at = null where store_id = ${storeId} and status = 'queued'`;
async function onTelephone({ phone }: Sent) {
  const body = { token, customer_phone: phone };
  return (await messaging.rpc.call(readSandboxConversation, { body }, context())).messages;
}

describe('a message that the sandbox accepts', () => {
  test('00 becomes delivered and then read', async () => {
    const sent = await accept('00');
    await attempted(sent);
    expect(await read(sent)).toMatchObject({ provider_message_id: `sandbox.${sent.id}` });
    await becomes(sent, 'read');
    const { sent_at, delivered_at, read_at, pricing } = await read(sent);
    expect(pricing).toMatchObject({ category: 'service', billable: true, type: 'regular', amount: 0.5 });
    expect([sent_at, delivered_at, read_at]).toEqual([sent_at, delivered_at, read_at].toSorted());
    expect(await onTelephone(sent)).toMatchObject([{ text: 'Hello', direction: 'outbound', status: 'read' }]);
    const changes = (await messaging.events(storeId))
      .filter(({ topic }) => topic.startsWith('messaging.message.'))
      .map(({ topic, data }) => [topic, data.status]);
    // A process that was idle takes both updates at once. Then no event tells of the first.
    expect(changes.filter(([, status]) => status !== 'delivered')).toEqual([
      ['messaging.message.sent', undefined],
      ['messaging.message.status_changed', 'read'],
    ]);
    expect(delivered_at).not.toBeNull();
  });

  test('01 stays delivered, and 02 stays sent and is on no telephone', async () => {
    const [delivered, off] = [await accept('01'), await accept('02')];
    await Promise.all([attempted(delivered), attempted(off)]);
    await becomes(delivered, 'delivered');
    const planned = () => messaging.adminSql`
      select id from inbound_payloads where store_id = ${storeId} and processed_at is null`;
    await waitFor(async () => (await planned()).length === 0, { description: 'no update is left' });
    expect((await read(delivered)).read_at).toBeNull();
    expect(await read(off)).toMatchObject({ status: 'sent', delivered_at: null });
    expect(await onTelephone(off)).toEqual([]);
  });

  test('03 is delivered a minute later, and not on the telephone before', async () => {
    const sent = await accept('03');
    const sinceMs = Date.now();
    await attempted(sent);
    expect(await onTelephone(sent)).toEqual([]);
    const [planned] = await messaging.adminSql`
      select next_attempt_at from inbound_payloads where store_id = ${storeId}`;
    expectDelay(planned?.next_attempt_at.toISOString(), { sinceMs, least: 60, most: 60 });
    expect(await read(sent)).toMatchObject({ status: 'sent' });
    await messaging.adminSql`update inbound_payloads set next_attempt_at = now() - interval '1 second' where store_id = ${storeId}`;
    await messaging.adminSql`update sandbox_deliveries set delivered_at = now() where store_id = ${storeId}`;
    await becomes(sent, 'delivered');
    expect(await onTelephone(sent)).toHaveLength(1);
  });

  test('04 is read, although the updates come in the wrong order', async () => {
    const sent = await accept('04');
    await attempted(sent);
    const planned = await messaging.adminSql`
      select convert_from(payload, 'UTF8') as update from inbound_payloads
      where store_id = ${storeId} and convert_from(payload, 'UTF8') like ${`%${sent.id}%`} order by received_at`;
    expect(planned.map(({ update }) => /"(read|delivered)"/.exec(update)?.[1])).toEqual(['read', 'delivered']);
    // A process that was idle takes both at once, in any order.
    const updates = () => messaging.adminSql`
      select status from status_reports where store_id = ${storeId} and provider_message_id = ${`sandbox.${sent.id}`}`;
    await waitFor(async () => (await updates()).length === 2, { description: 'both updates' });
    expect(await read(sent)).toMatchObject({ status: 'read' });
  });
});

describe('a message whose outcome is not known', () => {
  test('05 stays unknown, is sent once, and the next message waits only for a while', async () => {
    const first = await accept('05');
    const { id } = await messaging.send(storeId, first.leadId, 'second');
    const held = await step(first);
    expect(held).toMatchObject({ done: false, reason: 'the outcome of the previous message is unknown' });
    expect(await read(first)).toMatchObject({ status: 'unknown', error: null });
    await waitFor(async () => (await step(first)).done, { description: 'the queue to drain' });
    const [row] = await messaging.adminSql`select attempts from messages where id = ${first.id}`;
    expect(row?.attempts).toBe(1);
    expect(await read({ ...first, id })).toMatchObject({ status: 'unknown' });
  });

  test('06 is settled by a status update that comes later', async () => {
    const sent = await accept('06');
    await attempted(sent);
    expect(await read(sent)).toMatchObject({ status: 'unknown', provider_message_id: null });
    await messaging.adminSql`update inbound_payloads set next_attempt_at = now() - interval '1 second' where store_id = ${storeId}`;
    await becomes(sent, 'delivered');
    expect(await read(sent)).toMatchObject({ provider_message_id: `sandbox.${sent.id}` });
  });

  test('07 becomes unknown when the sandbox does not answer within the limit of a call', async () => {
    const sent = await accept('07');
    Object.assign(messaging.dependencies.limits, { callLimitMs: 2_000 });
    const beganMs = Date.now();
    await attempted(sent);
    expect(Date.now() - beganMs).toBeGreaterThan(1_900);
    expect(await read(sent)).toMatchObject({ status: 'unknown' });
    expect(await onTelephone(sent)).toEqual([]);
  });
});

describe('a message that is not accepted at once', () => {
  test('09 is throttled for its customer alone, twice', async () => {
    const sent = await accept('09');
    for (const attempt of [1, 2]) {
      const sinceMs = Date.now();
      const next = await step(sent);
      expect(next).toMatchObject({ done: false, reason: `attempt ${attempt} failed (whatsapp_131056)` });
      expectDelay(next.wake_at, { sinceMs, least: 5, most: 5 });
      const other = await accept('02');
      expect(await step(other)).toMatchObject({ done: true });
      await makeDue();
    }
    await attempted(sent);
    await becomes(sent, 'delivered');
  });

  test('10 pauses the whole channel', async () => {
    const [sent, other] = [await accept('10'), await accept('01')];
    const sinceMs = Date.now();
    expect(await step(sent)).toMatchObject({ done: false });
    const paused = await step(other);
    expect(paused).toMatchObject({ done: false, reason: 'the channel asked for a pause' });
    // Up to a second more, so that not all leads ask at once.
    expectDelay(paused.wake_at, { sinceMs, least: 10, most: 11.1 });
    await messaging.adminSql`update channels set paused_until = 'epoch' where store_id = ${storeId}`;
    await makeDue();
    await Promise.all([attempted(sent), attempted(other)]);
    await Promise.all([becomes(sent, 'delivered'), becomes(other, 'delivered')]);
  });

  test('11 is accepted by the third attempt', async () => {
    const sent = await accept('11');
    for (const attempt of [1, 2]) {
      expect(await step(sent)).toMatchObject({ reason: `attempt ${attempt} failed (sandbox_unreachable)` });
      await makeDue();
    }
    await attempted(sent);
    await becomes(sent, 'delivered');
  });

  test('12 opens the circuit of the magic numbers of this store, and of nothing else', async () => {
    const sent = await accept('12');
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await step(sent);
      await makeDue();
    }
    expect(await step(sent)).toMatchObject({ reason: 'the channel is not called now (provider_unavailable)' });
    expect(await read(sent)).toMatchObject({ status: 'queued', reason: { code: 'provider_unavailable' } });
    const leadId = messaging.crm.addLead(storeId);
    const { id } = await messaging.send(storeId, leadId);
    const ordinary = { leadId, id, phone: '' };
    await attempted(ordinary);
    expect(await read(ordinary)).toMatchObject({ status: 'sent' });
    storeId = randomUUID();
    await connect();
    const elsewhere = await accept('01');
    await attempted(elsewhere);
    await becomes(elsewhere, 'delivered');
  });

  test('13 needs the attention of an operator, and goes out after a new connection', async () => {
    const sent = await accept('13');
    await step(sent);
    expect(await messaging.rpc.call(showChannel, {}, context())).toMatchObject({
      status: 'needs_attention',
      last_error: expect.stringContaining('whatsapp_190'),
    });
    await expect(messaging.send(storeId, sent.leadId)).rejects.toMatchObject({ code: 'channel_not_connected' });
    await connect();
    await attempted(sent);
    expect(await read(sent)).toMatchObject({ status: 'sent' });
  });
});

/** In the order of both ranges of numbers. */
const codes = [
  'messaging_window_closed',
  ...[131026, 131049, 131050, 130497, 368, 131031, 100, 131008].map((code) => `whatsapp_${code}`),
  ...[132000, 132001, 132005, 132007, 132012, 132015, 132016].map((code) => `whatsapp_${code}`),
];

/** These are the channel's fault. They would stop it for the others. */
const isOfChannel = (code: string) => ['whatsapp_368', 'whatsapp_131031'].includes(code);

test('20 to 35 are refused at once, and 50 to 65 fail after they were sent, each with its code', async () => {
  const others = codes.filter((code) => !isOfChannel(code));
  await Promise.all(
    codes.map(async (code, index) => {
      if (isOfChannel(code)) return;
      const [refused, failed] = [await accept(String(20 + index)), await accept(String(50 + index))];
      await Promise.all([attempted(refused), attempted(failed)]);
      expect(await read(refused)).toMatchObject({ status: 'failed', sent_at: null, error: { code } });
      await becomes(failed, 'failed');
      expect(await read(failed)).toMatchObject({ sent_at: expect.any(String), error: { code } });
      expect(await onTelephone(refused)).toEqual([]);
      expect(await onTelephone(failed)).toEqual([]);
    }),
  );
  const events = (await messaging.events(storeId)).filter(({ topic }) => topic === 'messaging.message.failed');
  expect(events.map(({ data }) => data.code).toSorted()).toEqual([...others, ...others].toSorted());
});

test('25 needs the attention of an operator at once, and 55 after it was sent and has failed', async () => {
  const refused = await accept('25');
  await step(refused);
  expect(await read(refused)).toMatchObject({ status: 'queued' });
  const shown = () => messaging.rpc.call(showChannel, {}, context());
  const stopped = { status: 'needs_attention', last_error: expect.stringContaining('whatsapp_368') };
  expect(await shown()).toMatchObject(stopped);
  await connect();
  await attempted(refused);
  expect(await read(refused)).toMatchObject({ status: 'sent' });

  const failed = await accept('55');
  await attempted(failed);
  await becomes(failed, 'failed');
  expect(await shown()).toMatchObject(stopped);
});
