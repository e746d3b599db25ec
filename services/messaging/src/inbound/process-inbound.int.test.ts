import { randomUUID } from 'node:crypto';
import { listMessages, listSessions, type Message } from '@mostrador/contracts';
import { silentLog, testContext } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectWhatsapp, notification, receive, textFrom } from '../../test/inbound-webhook.ts';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';
import { sendMissedInteractionCounts } from '../conversations/send-interaction-counts.ts';
import { claimPayloads } from './inbound.repository.ts';
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

async function newChannel() {
  const storeId = randomUUID();
  const { channelId, phoneNumberId } = await connectWhatsapp(messaging, storeId);
  return {
    storeId,
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
  };
}
type Channel = Awaited<ReturnType<typeof newChannel>>;

const processed = ({ open }: Channel) =>
  waitFor(async () => (await open()) === 0, { description: 'everything is processed', timeoutMs: 20_000 });

/** The customer's messages, the oldest first. */
async function messagesOf(channel: Channel, phone: string): Promise<Message[]> {
  const leadId = await channel.leadOf(phone);
  if (!leadId) return [];
  const request = { params: { leadId }, query: { limit: 200 } };
  const page = await messaging.rpc.call(listMessages, request, testContext({ storeId: channel.storeId }));
  return page.data.toReversed();
}
const bodiesOf = async (channel: Channel, phone: string) => (await messagesOf(channel, phone)).map(({ body }) => body);

test('a first message makes a lead, a session and a received message, and is counted once', async () => {
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
  await waitFor(() => messaging.crm.interactionCounts.get(leadId) === 1, { description: 'crm knows the count' });
});

test('a retried inbound webhook creates rows again: a duplicate changes nothing', async () => {
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

test('dedupe swallows real messages: two equal texts with different ids are two messages', async () => {
  const channel = await newChannel();
  const phone = newPhone();
  await channel.post(textFrom(phone, 'ok'));
  await channel.post(textFrom(phone, 'ok'));
  await processed(channel);
  expect(await bodiesOf(channel, phone)).toEqual(['ok', 'ok']);
});

test('messages arriving at once open several conversations: a hundred first messages are one lead with one active session', async () => {
  const channel = await newChannel();
  const phone = newPhone();
  const texts = Array.from({ length: 100 }, (_, index) => String(index));
  await Promise.all(texts.map((text) => channel.post(textFrom(phone, text))));
  await processed(channel);
  expect((await bodiesOf(channel, phone)).toSorted()).toEqual(texts.toSorted());
  const leadId = (await channel.leadOf(phone)) as string;
  const sessions = await messaging.rpc.call(listSessions, { params: { leadId } }, testContext(channel));
  expect(sessions.map(({ status }) => status)).toEqual(['active']);
  await waitFor(() => messaging.crm.interactionCounts.get(leadId) === 100, { description: 'crm knows the count' });
});

test('what one customer wrote is taken in in the order in which it came, also by several processes at once', async () => {
  const channel = await newChannel();
  const phones = [newPhone(), newPhone(), newPhone()];
  const numbers = Array.from({ length: 60 }, (_, index) => String(index));
  const tools = { ...messaging.dependencies, log: silentLog() };
  const others = [1, 2].map(() =>
    createInboundProcessor({ log: tools.log, process: (signal) => processInbound(tools, signal) }),
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

test('while crm is away webhooks are stored and known customers served; the others come later, in order', async () => {
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
      description: 'the known one is served',
    });
    await waitFor(async () => (await channel.open()) === 2, { description: 'the stranger’s two wait' });
  } finally {
    await messaging.crm.start();
  }
  await channel.post(textFrom(stranger, '3'));
  await processed(channel);
  expect(await bodiesOf(channel, known)).toEqual(['1', '2', '3']);
  expect(await bodiesOf(channel, stranger)).toEqual(['1', '2', '3']);
});

test('webhook events lost on restart: what a process had taken up when it died is taken in by the next', async () => {
  const restarted = await startMessaging();
  try {
    const storeId = randomUUID();
    const { channelId, phoneNumberId } = await connectWhatsapp(restarted, storeId);
    for (const text of ['1', '2']) {
      await receive(restarted, channelId, notification(phoneNumberId, textFrom(newPhone(), text)));
    }
    const scope = { deadline: Date.now() + 10_000 };
    const taken = await restarted.systemDatabase.write(scope, (sql) => claimPayloads(sql, { leaseMs: 300, limit: 10 }));
    expect(taken).toHaveLength(2);
    restarted.inbound.start();
    const received = () => restarted.adminSql`select body from messages where store_id = ${storeId} order by body`;
    await waitFor(async () => (await received()).length === 2, { description: 'both are taken in' });
    expect(await restarted.events(storeId)).toHaveLength(4);
  } finally {
    await restarted.stop();
  }
});

test('a count that crm was not told of is told later', async () => {
  const channel = await newChannel();
  const phone = newPhone();
  await channel.post(textFrom(phone, '1'));
  await processed(channel);
  const leadId = (await channel.leadOf(phone)) as string;
  await messaging.adminSql`update conversations set interaction_count = 7 where lead_id = ${leadId}`;
  const tools = { ...messaging.dependencies, log: testContext().log };
  await sendMissedInteractionCounts(tools, AbortSignal.timeout(10_000));
  expect(messaging.crm.interactionCounts.get(leadId)).toBe(7);
  expect(await sendMissedInteractionCounts(tools, AbortSignal.timeout(10_000))).toBe(0);
});

test('a payload that cannot be processed holds up nobody and is given up', async () => {
  const channel = await newChannel();
  const [phone, nobody] = [newPhone(), '12345678901234567890'];
  await channel.postRaw('{"entry": [');
  await channel.post(textFrom(nobody, 'x'), textFrom(phone, '1'));
  await channel.post(textFrom(phone, '2'));
  await waitFor(async () => (await bodiesOf(channel, phone)).length === 2, { description: 'the customer is served' });
  await waitFor(async () => (await channel.open()) === 1, { description: 'what can be done is done' });
  const rows = await messaging.adminSql`
    select last_error, processed_at is not null as given_up, next_attempt_at > now() + interval '1 second' as later
    from inbound_payloads where store_id = ${channel.storeId} and last_error is not null order by id`;
  expect([...rows]).toMatchObject([
    { last_error: 'unreadable', given_up: true },
    { last_error: 'no_phone', given_up: false, later: true },
  ]);
});

test('unknown types are kept with their kind and never cost the batch', async () => {
  const channel = await newChannel();
  const phone = newPhone();
  const { messages: [text] = [] } = textFrom(phone, 'after');
  const odd = { from: phone, id: 'wamid.odd', timestamp: '1', type: 'hologram', hologram: { depth: 3 } };
  await channel.post({ messages: [{ nonsense: true }, odd, text] });
  await processed(channel);
  expect(await bodiesOf(channel, phone)).toEqual(['', 'after']);
  const [row] = await messaging.adminSql`select kind from messages where provider_message_id = 'wamid.odd'`;
  expect(row?.kind).toBe('hologram');
});

test('a lead is known by its phone, whoever wrote first, and named by its number when the channel gives no name', async () => {
  const channel = await newChannel();
  const [phone, other] = [newPhone(), newPhone()];
  const leadId = messaging.crm.addLead(channel.storeId, phone);
  await channel.post(textFrom(phone, 'x'), { ...textFrom(other, 'y'), contacts: [] });
  await processed(channel);
  expect(await channel.leadOf(phone)).toBe(leadId);
  expect(await channel.leadOf(other)).toBeDefined();
});

test('a stop word opts the lead out, a start word back in, each with its event', async () => {
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
});

test('a message that was long on its way opens no reply window', async () => {
  const channel = await newChannel();
  const phone = newPhone();
  const at = new Date(Math.floor(Date.now() / 1000) * 1000 - 48 * 3_600_000);
  await channel.post(textFrom(phone, 'late', { at }));
  await processed(channel);
  const [row] = await messaging.adminSql`
    select last_inbound_at from conversations where store_id = ${channel.storeId}`;
  expect(row?.last_inbound_at).toEqual(at);
});

test('statuses move a message of ours forward', async () => {
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

test('payloads are purged a week after they were processed', async () => {
  const channel = await newChannel();
  await channel.post();
  await channel.post();
  await processed(channel);
  await messaging.adminSql`
    update inbound_payloads set processed_at = now() - interval '8 days'
    where id = (select min(id::text)::uuid from inbound_payloads where store_id = ${channel.storeId})`;
  expect(await purgeInbound(messaging.dependencies, AbortSignal.timeout(10_000))).toBe(1);
  const rows = await messaging.adminSql`select 1 from inbound_payloads where store_id = ${channel.storeId}`;
  expect(rows).toHaveLength(1);
});
