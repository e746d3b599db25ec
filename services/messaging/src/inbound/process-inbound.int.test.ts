import { randomUUID } from 'node:crypto';
import { listMessages, listSessions, type Message, showChannel } from '@mostrador/contracts';
import { silentLog, testContext } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  connectWhatsapp,
  notification,
  receive,
  textFrom,
  withoutPhone,
  withUserId,
} from '../../test/inbound-webhook.ts';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';
import { findUnsentCounts } from '../conversations/interaction.repository.ts';
import { sendMissedInteractionCounts } from '../conversations/send-interaction-counts.ts';
import { claimPayloads } from './inbound.repository.ts';
import { inboundGauges, inboundMetrics } from './inbound-metrics.ts';
import { createInboundProcessor } from './inbound-processor.ts';
import { processInbound } from './process-inbound.ts';
import { purgeInbound } from './purge-inbound.ts';

let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging();
  messaging.inbound.start();
});
afterAll(() => messaging?.stop());

let phones = 5511970000000;
const newPhone = () => String(++phones);
const newUserId = () => `BR.${randomUUID().replaceAll('-', '')}`;

async function newChannel() {
  const storeId = randomUUID();
  const { channelId, phoneNumberId } = await connectWhatsapp(messaging, storeId);
  return {
    storeId,
    id: channelId,
    number: phoneNumberId,
    post: (...contents: Parameters<typeof notification>[1][]) =>
      receive(messaging, channelId, notification(phoneNumberId, ...contents)),
    postRaw: (payload: string) => receive(messaging, channelId, payload),
    leadOf: async (phone: string): Promise<string | undefined> => {
      const [row] = await messaging.adminSql`
        select lead_id from conversations where store_id = ${storeId} and wa_id = ${phone}`;
      return row?.lead_id;
    },
    open: async (): Promise<number> => {
      const [row] = await messaging.adminSql`
        select count(*)::int as open from inbound_payloads where channel_id = ${channelId} and processed_at is null`;
      return row?.open;
    },
    attempts: async (): Promise<number[]> => {
      const rows = await messaging.adminSql`select attempts from inbound_payloads where channel_id = ${channelId}`;
      return rows.map(({ attempts }) => attempts);
    },
    /** How many payloads wait for a missing dependency. */
    putOff: async (): Promise<number> => {
      const [row] = await messaging.adminSql`
        select count(*)::int as waiting from inbound_payloads
        where channel_id = ${channelId} and processed_at is null and next_attempt_at > received_at + interval '200 ms'
          and next_attempt_at < received_at + interval '20 s'`;
      return row?.waiting;
    },
    /** The codes of the payloads that were given up. */
    failed: async (): Promise<string[]> => {
      const rows = await messaging.adminSql`
        select last_error from inbound_payloads where channel_id = ${channelId} and failed_at is not null`;
      return rows.map(({ last_error }) => last_error);
    },
  };
}
type Channel = Awaited<ReturnType<typeof newChannel>>;

const processed = ({ open }: Channel) =>
  waitFor(async () => (await open()) === 0, { description: 'every payload is processed' });

/** The customer's messages, oldest first. */
async function messagesOf(channel: Channel, phone: string): Promise<Message[]> {
  const leadId = await channel.leadOf(phone);
  if (!leadId) return [];
  const request = { params: { leadId }, query: { limit: 200 } };
  const page = await messaging.rpc.call(listMessages, request, testContext({ storeId: channel.storeId }));
  return page.data.toReversed();
}
const bodiesOf = async (channel: Channel, phone: string) => (await messagesOf(channel, phone)).map(({ body }) => body);

test('a first message creates a lead, a session and a received message, and is counted once', async () => {
  const channel = await newChannel();
  const phone = newPhone();
  await channel.post(textFrom(phone, 'Olá! 👋', { id: 'wamid.first' }));
  await processed(channel);
  const leadId = (await channel.leadOf(phone)) as string;
  const [session] = await messaging.rpc.call(listSessions, { params: { leadId } }, testContext(channel));
  expect(session?.status).toBe('active');
  expect(await messagesOf(channel, phone)).toMatchObject([
    {
      direction: 'inbound',
      source: 'lead',
      status: 'received',
      body: 'Olá! 👋',
      session_id: session?.id,
      provider_message_id: 'wamid.first',
    },
  ]);
  expect((await messaging.events(channel.storeId)).map(({ topic }) => topic)).toEqual([
    'messaging.session.started',
    'messaging.message.received',
  ]);
  await waitFor(() => messaging.crm.interactionCounts.get(leadId) === 1, { description: 'crm has the count' });
});

test('a duplicate inbound webhook changes nothing', async () => {
  const channel = await newChannel();
  const phone = newPhone();
  const message = textFrom(phone, 'once');
  await Promise.all([channel.post(message), channel.post(message), channel.post(message, message)]);
  await processed(channel);
  await channel.post(message);
  await processed(channel);
  expect(await bodiesOf(channel, phone)).toEqual(['once']);
  const [row] = await messaging.adminSql`
    select interaction_count, next_number from conversations where store_id = ${channel.storeId}`;
  expect(row).toMatchObject({ interaction_count: 1, next_number: '2' });
  expect(await messaging.events(channel.storeId)).toHaveLength(2);
});

test('a customer whose number comes with and without the ninth digit has one conversation, under the number that came last', async () => {
  const channel = await newChannel();
  const [eight, nine] = ['553177776666', '5531977776666'];
  const leadId = messaging.crm.addLead(channel.storeId, nine);
  for (const [from, body] of [
    [eight, 'one'],
    [nine, 'two'],
    [eight, 'three'],
  ] as const) {
    await channel.post(textFrom(from, body));
    await processed(channel);
    expect(await channel.leadOf(from)).toBe(leadId);
  }
  expect(await bodiesOf(channel, eight)).toEqual(['one', 'two', 'three']);
  expect(await messaging.adminSql`select wa_id from conversations where store_id = ${channel.storeId}`).toEqual([
    { wa_id: eight },
  ]);
});

/** Runs the periodic job until crm has the count, and the job no longer finds it. A failed run leaves it to the next one. */
const untilTold = (leadId: string, count: number) =>
  waitFor(
    async () => {
      await sendMissedInteractionCounts({ ...messaging.dependencies, log: silentLog() }, AbortSignal.timeout(60_000));
      const unsent = await messaging.systemDatabase.read({ deadline: Date.now() + 30_000 }, (sql) =>
        findUnsentCounts(sql, 1_000),
      );
      return messaging.crm.interactionCounts.get(leadId) === count && unsent.every(({ lead_id }) => lead_id !== leadId);
    },
    { description: `crm has the count ${count}` },
  );

test('two equal texts with different ids are two messages', async () => {
  const channel = await newChannel();
  const phone = newPhone();
  await channel.post(textFrom(phone, 'ok'));
  await channel.post(textFrom(phone, 'ok'));
  await processed(channel);
  expect(await bodiesOf(channel, phone)).toEqual(['ok', 'ok']);
});

test('a hundred concurrent first messages create one lead with one active session', async () => {
  const channel = await newChannel();
  const phone = newPhone();
  const texts = Array.from({ length: 100 }, (_, index) => String(index));
  await Promise.all(texts.map((text) => channel.post(textFrom(phone, text))));
  await processed(channel);
  expect((await bodiesOf(channel, phone)).toSorted()).toEqual(texts.toSorted());
  const leadId = (await channel.leadOf(phone)) as string;
  const sessions = await messaging.rpc.call(listSessions, { params: { leadId } }, testContext(channel));
  expect(sessions.map(({ status }) => status)).toEqual(['active']);
  // The last messages may come within a second of a count that was told. Their count is then told by the periodic job.
  await untilTold(leadId, 100);
});

test('the messages of one customer are accepted in the order of arrival, even with several processes', async () => {
  const channel = await newChannel();
  const phones = [newPhone(), newPhone(), newPhone()];
  const numbers = Array.from({ length: 60 }, (_, index) => String(index));
  const tools = { ...messaging.dependencies, log: silentLog() };
  const others = [1, 2].map(() =>
    createInboundProcessor({
      log: tools.log,
      process: (signal) => processInbound(tools, signal),
      hasOpen: async () => true,
    }),
  );
  for (const other of others) other.start();
  for (const text of numbers) {
    await channel.post(...phones.map((phone) => textFrom(phone, text)));
    for (const other of others) void other.ingest(async () => {});
  }
  await processed(channel);
  await Promise.all(others.map((other) => other.stop()));
  for (const phone of phones) expect(await bodiesOf(channel, phone)).toEqual(numbers);
});

test('during an outage of crm known customers are served, and the others follow later in order', async () => {
  const channel = await newChannel();
  const [known, stranger] = [newPhone(), newPhone()];
  await channel.post(textFrom(known, '1'));
  await processed(channel);
  await messaging.crm.stop();
  try {
    await channel.post(textFrom(stranger, '1'), textFrom(known, '2'));
    await channel.post(textFrom(stranger, '2'));
    await channel.post(textFrom(known, '3'));
    await waitFor(async () => (await bodiesOf(channel, known)).length === 3, {
      description: 'the messages of the known customer are accepted',
    });
    await waitFor(async () => (await channel.open()) === 2, {
      description: 'the two payloads of the unknown customer wait',
    });
  } finally {
    await messaging.crm.start();
  }
  await channel.post(textFrom(stranger, '3'));
  await processed(channel);
  expect(await bodiesOf(channel, known)).toEqual(['1', '2', '3']);
  expect(await bodiesOf(channel, stranger)).toEqual(['1', '2', '3']);
});

test('payloads that a crashed process had claimed are processed by the next one', async () => {
  const restarted = await startMessaging();
  try {
    const storeId = randomUUID();
    const { channelId, phoneNumberId } = await connectWhatsapp(restarted, storeId);
    for (const text of ['1', '2']) {
      await receive(restarted, channelId, notification(phoneNumberId, textFrom(newPhone(), text)));
    }
    const scope = { deadline: Date.now() + 30_000 };
    const taken = await restarted.systemDatabase.execute(scope, (sql) =>
      claimPayloads(sql, { leaseMs: 300, limit: 10 }),
    );
    expect(taken).toHaveLength(2);
    restarted.inbound.start();
    const received = () => restarted.adminSql`select body from messages where store_id = ${storeId} order by body`;
    await waitFor(async () => (await received()).length === 2, { description: 'both messages are accepted' });
    expect(await restarted.events(storeId)).toHaveLength(4);
  } finally {
    await restarted.stop();
  }
});

test('an interaction count that crm does not have is sent later', async () => {
  const channel = await newChannel();
  const phone = newPhone();
  await channel.post(textFrom(phone, '1'));
  await processed(channel);
  const leadId = (await channel.leadOf(phone)) as string;
  await messaging.adminSql`update conversations set interaction_count = 7 where lead_id = ${leadId}`;
  await untilTold(leadId, 7);
});

test('a payload that cannot be processed delays no customer, and an unreadable one is given up', async () => {
  const channel = await newChannel();
  const [phone, nobody] = [newPhone(), '12345678901234567890'];
  await channel.postRaw('{"entry": [');
  await channel.post(textFrom(nobody, 'x'), textFrom(phone, '1'));
  await channel.post(textFrom(phone, '2'));
  await waitFor(async () => (await bodiesOf(channel, phone)).length === 2, {
    description: 'the messages of the customer are accepted',
  });
  await waitFor(async () => (await channel.open()) === 1, { description: 'only the failing payload is open' });
  const rows = await messaging.adminSql`
    select last_error, processed_at is not null as given_up, next_attempt_at > now() + interval '1 second' as later
    from inbound_payloads where store_id = ${channel.storeId} and last_error is not null order by id`;
  expect([...rows]).toMatchObject([
    { last_error: 'unreadable', given_up: true },
    { last_error: 'no_phone', given_up: false, later: true },
  ]);
});

test('a message of an unknown kind is stored with its kind, and the rest of its batch is processed', async () => {
  const channel = await newChannel();
  const phone = newPhone();
  const { messages = [] } = textFrom(phone, 'after');
  const odd = { from: phone, id: 'wamid.odd', timestamp: '1', type: 'hologram', hologram: { depth: 3 } };
  await channel.post({ messages: [{ nonsense: true }, odd, ...messages] });
  await processed(channel);
  expect(await bodiesOf(channel, phone)).toEqual(['', 'after']);
  const [row] = await messaging.adminSql`select kind from messages where provider_message_id = 'wamid.odd'`;
  expect(row?.kind).toBe('hologram');
});

test('a customer who hides the phone is known by the business-scoped id that came with the phone before', async () => {
  const channel = await newChannel();
  const [phone, userId] = [newPhone(), newUserId()];
  await channel.post(withUserId(textFrom(phone, 'with a phone'), userId));
  await processed(channel);
  await channel.post(withoutPhone(textFrom(phone, 'without a phone'), userId));
  await channel.post(withoutPhone(textFrom(phone, 'sair'), userId));
  await processed(channel);
  expect(await bodiesOf(channel, phone)).toEqual(['with a phone', 'without a phone', 'sair']);
  const [row] = await messaging.adminSql`
    select opted_out_at from conversations where store_id = ${channel.storeId} and wa_id = ${phone}`;
  expect(row?.opted_out_at).not.toBeNull();
});

test('a payload that an earlier version gave up without a phone is accepted once the customer writes again', async () => {
  const channel = await newChannel();
  const [phone, userId] = [newPhone(), newUserId()];
  const payload = JSON.stringify(notification(channel.number, withoutPhone(textFrom(phone, 'given up'), userId)));
  await messaging.adminSql`
    insert into inbound_payloads (store_id, channel_id, payload, customers, processed_at, failed_at, last_error, attempts)
    values (${channel.storeId}, ${channel.id}, ${Buffer.from(payload)}, ${[userId]}, now(), now(), 'no_phone', 20)`;
  await channel.post(withUserId(textFrom(phone, 'shown'), userId));
  await waitFor(async () => (await bodiesOf(channel, phone)).length === 2, { description: 'both are accepted' });
  expect((await bodiesOf(channel, phone)).toSorted()).toEqual(['given up', 'shown']);
  expect(await channel.failed()).toEqual([]);
});

test('a payload with an entry that cannot be read is kept and counted, and the rest of it is processed', async () => {
  const channel = await newChannel();
  const phone = newPhone();
  await channel.post({ messages: [{ nonsense: true }] }, textFrom(phone, 'the rest'));
  await processed(channel);
  expect(await bodiesOf(channel, phone)).toEqual(['the rest']);
  expect(await channel.failed()).toEqual(['unreadable_entry']);
  const readings = await inboundGauges(messaging.systemDatabase).read();
  const failed = readings.find(
    ({ metric, labels }) => metric === inboundMetrics.failed && labels?.code === 'unreadable_entry',
  );
  expect(failed?.value).toBeGreaterThanOrEqual(1);
  const shown = await messaging.rpc.call(showChannel, {}, testContext({ storeId: channel.storeId }));
  expect(shown.webhooks_failed).toBe(1);
});

test('an entry that cannot be read does not end the wait of a message for crm', async () => {
  const channel = await newChannel();
  const stranger = newPhone();
  await messaging.crm.stop();
  try {
    await channel.post({ messages: [{ nonsense: true }] }, textFrom(stranger, 'waits'));
    await waitFor(async () => (await channel.putOff()) === 1, { description: 'the payload waits for crm' });
  } finally {
    await messaging.crm.start();
  }
  await processed(channel);
  expect(await bodiesOf(channel, stranger)).toEqual(['waits']);
  expect(await channel.failed()).toEqual(['unreadable_entry']);
});

test('an existing lead is found by its phone, and a customer without a name also gets a lead', async () => {
  const channel = await newChannel();
  const [phone, other] = [newPhone(), newPhone()];
  const leadId = messaging.crm.addLead(channel.storeId, phone);
  await channel.post(textFrom(phone, 'x'), { ...textFrom(other, 'y'), contacts: [] });
  await processed(channel);
  expect(await channel.leadOf(phone)).toBe(leadId);
  expect(await channel.leadOf(other)).toBeDefined();
});

test('a stop word opts the lead out and a start word opts it in, each with an event', async () => {
  const channel = await newChannel();
  const phone = newPhone();
  const optedOut = async () => {
    const [row] = await messaging.adminSql`
      select opted_out_at from conversations where store_id = ${channel.storeId} and wa_id = ${phone}`;
    return row?.opted_out_at !== null;
  };
  const say = async (text: string) => {
    await channel.post(textFrom(phone, text));
    await processed(channel);
    return optedOut();
  };
  expect(await say('Do not stop')).toBe(false);
  expect(await say('SAIR!')).toBe(true);
  expect(await say('stop')).toBe(true);
  expect(await say('something else')).toBe(true);
  expect(await say('voltar')).toBe(false);
  const topics = (await messaging.events(channel.storeId)).map(({ topic }) => topic);
  expect(topics.filter((topic) => topic.startsWith('messaging.lead.'))).toEqual([
    'messaging.lead.opted_out',
    'messaging.lead.opted_in',
  ]);
  const feed = await messaging.feed(channel.storeId);
  const lead_id = await channel.leadOf(phone);
  expect(feed.filter(({ type }) => type.startsWith('lead.'))).toEqual([
    { type: 'lead.opted_out', entity_id: lead_id, data: { lead_id, scope: 'all', source: 'stop_word' } },
    { type: 'lead.opted_in', entity_id: lead_id, data: { lead_id } },
  ]);
  expect(feed.flatMap(({ type, data }) => (type === 'message.received' ? [data.object] : []))).toEqual(
    await messagesOf(channel, phone),
  );
  expect(feed.filter(({ type }) => type === 'session.started')).toHaveLength(1);
});

test('a message that arrives a day late does not open the reply window', async () => {
  const channel = await newChannel();
  const phone = newPhone();
  const at = new Date(Math.floor(Date.now() / 1000) * 1000 - 48 * 3_600_000);
  await channel.post(textFrom(phone, 'late', { at }));
  await processed(channel);
  const [row] = await messaging.adminSql`
    select last_inbound_at from conversations where store_id = ${channel.storeId}`;
  expect(row?.last_inbound_at).toEqual(at);
});

test('status updates move an outbound message forward', async () => {
  const channel = await newChannel();
  const phone = newPhone();
  await channel.post(textFrom(phone, 'hi'));
  await processed(channel);
  const leadId = (await channel.leadOf(phone)) as string;
  const [session] = await messaging.rpc.call(listSessions, { params: { leadId } }, testContext(channel));
  const id = randomUUID();
  await messaging.adminSql`
    insert into messages (store_id, id, lead_id, session_id, number, channel_id, direction, source, body, status, sent_at,
      provider_message_id)
    select store_id, ${id}, lead_id, ${session?.id as string}, 1000, channel_id, 'outbound', 'api', 'hello', 'sent', now(), 'wamid.out'
    from messages where store_id = ${channel.storeId}`;
  const timestamp = String(Math.floor(Date.now() / 1000));
  const status = (word: string) => ({ id: 'wamid.out', status: word, timestamp, recipient_id: phone });
  await channel.post({ statuses: [status('read'), status('delivered')] }, { statuses: [status('sent')] });
  await processed(channel);
  expect((await messagesOf(channel, phone)).at(-1)).toMatchObject({ id, status: 'read' });
});

test('a payload is purged a week after it was processed', async () => {
  const channel = await newChannel();
  await channel.post(textFrom(newPhone(), 'old'));
  await channel.post(textFrom(newPhone(), 'new'));
  await processed(channel);
  await messaging.adminSql`
    update inbound_payloads set processed_at = now() - interval '8 days'
    where id = (select min(id::text)::uuid from inbound_payloads where store_id = ${channel.storeId})`;
  expect(await purgeInbound(messaging.dependencies, AbortSignal.timeout(60_000))).toBe(1);
  const rows = await messaging.adminSql`select 1 from inbound_payloads where store_id = ${channel.storeId}`;
  expect(rows).toHaveLength(1);
});

test('a payload that failed is kept for 90 days', async () => {
  const channel = await newChannel();
  await channel.post({ messages: [{ nonsense: true }] });
  await channel.post({ messages: [{ nonsense: false }] });
  await processed(channel);
  await messaging.adminSql`
    update inbound_payloads set processed_at = now() - interval '89 days', failed_at = now() - interval '89 days'
    where store_id = ${channel.storeId}`;
  expect(await purgeInbound(messaging.dependencies, AbortSignal.timeout(60_000))).toBe(0);
  await messaging.adminSql`
    update inbound_payloads set failed_at = now() - interval '91 days'
    where id = (select min(id::text)::uuid from inbound_payloads where store_id = ${channel.storeId})`;
  expect(await purgeInbound(messaging.dependencies, AbortSignal.timeout(60_000))).toBe(1);
  expect(await channel.failed()).toHaveLength(1);
});
