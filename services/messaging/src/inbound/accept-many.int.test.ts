import { randomUUID } from 'node:crypto';
import { silentLog } from '@mostrador/testing/context';
import { historyPayload } from '@mostrador/testing/providers/whatsapp/entries';
import { waitFor } from '@mostrador/testing/wait';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newPhone, newWamid, startStore } from '../../test/customers.ts';
import { connectWhatsapp, notification, receive, textFrom, withUserId } from '../../test/inbound-webhook.ts';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';
import { processInbound } from './process-inbound.ts';

let messaging: TestMessaging;
// Its processor is not started: each test says which payloads are processed together.
beforeAll(async () => {
  messaging = await startMessaging();
});
afterAll(() => messaging?.stop());

const process = (lane: 'live' | 'history' = 'live') =>
  processInbound({ ...messaging.dependencies, log: silentLog() }, new AbortController().signal, undefined, lane);

type Content = Parameters<typeof notification>[1];

async function newChannel() {
  const storeId = randomUUID();
  const { channelId, phoneNumberId } = await connectWhatsapp(messaging, storeId);
  const post = async (contents: readonly Content[]) =>
    await receive(messaging, channelId, notification(phoneNumberId, ...contents));
  return {
    storeId,
    channelId,
    post,
    /** Makes the customers known, with a message of each. */
    async knows(phones: readonly string[]): Promise<void> {
      for (const phone of phones) await post([textFrom(phone, 'first', { id: `first of ${phone}` })]);
      await process();
    },
    bodies: async (): Promise<string[]> => {
      const rows = await messaging.adminSql`
        select body from messages where store_id = ${storeId} and body <> 'first' order by lead_id, number`;
      return rows.map(({ body }) => body);
    },
    payloads: async () => [
      ...(await messaging.adminSql`
        select processed_at is not null as done, attempts, last_error, octet_length(payload) as bytes
        from inbound_payloads where store_id = ${storeId} order by id offset 2`),
    ],
  };
}

/**
 * What a store has from its messages, without what differs from store to store. Not the events of changes: a reaction may
 * be part of its message, or come after it.
 */
async function outcomeOf({ storeId }: { storeId: string }) {
  const { adminSql } = messaging;
  const conversations = await adminSql`
    select wa_id, next_number, interaction_count, unread_count, is_unanswered, counted_next, opt_out_wishes is not null as wished,
      opted_out_at is not null as out, waiting_since <= last_message_at as waits, last_inbound_at <= last_message_at as wrote,
      (select count(*) from sessions s where s.store_id = c.store_id and s.lead_id = c.lead_id)::int as sessions,
      (select array_agg(user_id order by user_id) from customer_user_ids u where u.store_id = c.store_id and u.lead_id = c.lead_id) as ids
    from conversations c where store_id = ${storeId} order by wa_id`;
  const messages = await adminSql`
    select c.wa_id, m.number, m.body, m.body_truncated, m.kind, m.status, m.source, m.reactions, m.edited_at is not null as edited,
      m.revoked_at is not null as revoked, m.provider_message_id, m.content, m.media,
      (select quoted.number from messages quoted where quoted.id = m.reply_to_id) as quotes, m.metadata, m.session_id = s.id as in_session
    from messages m join conversations c using (store_id, lead_id) join sessions s using (store_id, lead_id)
    where m.store_id = ${storeId} order by c.wa_id, m.number`;
  const feed = await adminSql`
    select c.wa_id, f.type, f.data #>> '{object,body}' as body, f.actor ->> 'kind' as actor, f.request_id
    from feed_entries f join conversations c
      on c.store_id = f.store_id and c.lead_id = coalesce(f.data ->> 'lead_id', f.data #>> '{object,lead_id}')::uuid
    where f.store_id = ${storeId} and f.type <> 'message.updated' order by c.wa_id, f.type, f.position`;
  const notices = await adminSql`
    select c.wa_id, o.topic, count(*)::int as count from outbox o join conversations c
      on c.store_id = o.store_id and c.lead_id = (o.data ->> 'lead_id')::uuid
    where o.store_id = ${storeId} group by 1, 2 order by 1, 2`;
  const totals = await adminSql`
    select list, status, sum(change)::int as change from list_total_changes where store_id = ${storeId} and list = 'messages'
    group by 1, 2 order by 1, 2`;
  const open = await adminSql`
    select last_error, attempts from inbound_payloads
    where store_id = ${storeId} and (processed_at is null or octet_length(payload) > 0)`;
  return { conversations, messages, feed, notices, totals, open };
}

const phones = ['5511970000001', '5511970000002', '5511970000003', '5511970000004'];

/** Something that a webhook may say, of one of the customers. */
const said = fc.record({
  customer: fc.nat({ max: phones.length - 1 }),
  id: fc.nat({ max: 12 }),
  what: fc.oneof(
    { weight: 6, arbitrary: fc.constant('text' as const) },
    fc.constantFrom(
      'with user id',
      'stop',
      'start',
      'odd',
      'reaction',
      'status',
      'late',
      'long',
      'escapes',
      'nonsense',
      'place',
      'quote',
    ),
  ),
});
type Said = typeof said extends fc.Arbitrary<infer One> ? One : never;

function contentOf({ customer, id, what }: Said): Content {
  const phone = phones[customer] as string;
  const key = `${what === 'text' ? '' : what} ${id} of ${phone}`;
  const text = (body: string, at?: Date) => {
    const content = textFrom(phone, body, { id: key, ...(at && { at }) });
    return customer === 1 ? withUserId(content, `BR.${phone}`) : content;
  };
  const timestamp = String(Math.floor(Date.now() / 1000));
  const [{ messages: [plain] = [] }] = [text('x')];
  switch (what) {
    case 'text':
      return text(`text ${id}`);
    case 'with user id':
      return withUserId(text('shown'), `BR.${phone}`);
    case 'stop':
      return text('sair');
    case 'start':
      return text('voltar');
    case 'odd':
      return { messages: [{ from: phone, id: key, timestamp, type: 'hologram', hologram: {} }] };
    case 'reaction': {
      const reaction = { message_id: ` ${id} of ${phone}`, emoji: '👍' };
      return { messages: [{ from: phone, id: key, timestamp, type: 'reaction', reaction }] };
    }
    case 'status':
      return { statuses: [{ id: ` ${id} of ${phone}`, status: 'read', timestamp, recipient_id: phone }] };
    case 'late':
      return text('late', new Date(Date.now() - 48 * 3_600_000));
    case 'long':
      return text('ã'.repeat(40_000));
    case 'escapes':
      return text('\0 \ud800 "\\ \n 👋');
    case 'place': {
      const location = { latitude: -23.5, longitude: -46.6, name: 'Praça' };
      return { messages: [{ from: phone, id: key, timestamp, type: 'location', location }] };
    }
    case 'quote': {
      const context = { id: ` ${id} of ${phone}` };
      return { messages: [{ from: phone, id: key, timestamp, type: 'text', text: { body: key }, context }] };
    }
    case 'nonsense':
      return { messages: [{ ...plain, id: undefined }] };
  }
}

test('messages that are accepted together have the outcome of messages that are accepted one by one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(said, { minLength: 1, maxLength: 3 }), { maxLength: 12 }), async (webhooks) => {
      const [together, apart] = [await newChannel(), await newChannel()];
      for (const channel of [together, apart]) await channel.knows(phones.slice(0, 3));
      for (const webhook of webhooks) {
        await together.post(webhook.map(contentOf));
        await apart.post(webhook.map(contentOf));
        // A failed payload waits for its next attempt, and is not claimed with a later one.
        await messaging.adminSql`
          update inbound_payloads set next_attempt_at = 'infinity' where store_id = ${together.storeId} and processed_at is null`;
        await process();
      }
      await messaging.adminSql`
        update inbound_payloads set next_attempt_at = now() - interval '1 second' where store_id = ${together.storeId} and processed_at is null`;
      await process();
      expect(await outcomeOf(together)).toEqual(await outcomeOf(apart));
    }),
    { numRuns: 8 },
  );
}, 120_000);

test('a message that cannot be stored fails alone, and its batch is stored', async () => {
  const channel = await newChannel();
  await channel.knows(phones.slice(0, 2));
  await messaging.adminSql`alter table messages add constraint poison check (body <> 'poison') not valid`;
  try {
    for (const phone of phones.slice(0, 2)) await channel.post([textFrom(phone, 'before')]);
    await channel.post([textFrom(phones[0] as string, 'poison')]);
    for (const phone of phones.slice(0, 2)) await channel.post([textFrom(phone, 'after')]);
    await process();
    expect(await channel.bodies()).toEqual(['before', 'after', 'before', 'after']);
    const [one, two, poison, ...others] = await channel.payloads();
    expect(poison).toMatchObject({ done: false, attempts: 1, last_error: 'failed' });
    for (const payload of [one, two, ...others]) expect(payload).toMatchObject({ done: true, attempts: 0, bytes: 0 });
  } finally {
    await messaging.adminSql`alter table messages drop constraint poison`;
  }
  await messaging.adminSql`update inbound_payloads set next_attempt_at = now() - interval '1 second' where processed_at is null`;
  await process();
  expect((await channel.bodies()).filter((body) => body === 'poison')).toHaveLength(1);
});

test.each(['messages', 'feed_entries', 'outbox', 'list_total_changes'])(
  'what fails at its insert into %s is not stored in part, and is stored once by the next attempt',
  async (table) => {
    const channel = await newChannel();
    await channel.knows(phones.slice(0, 2));
    for (const phone of phones.slice(0, 2)) await channel.post([textFrom(phone, 'hello')]);
    const before = await outcomeOf(channel);
    await messaging.adminSql.unsafe(`
      create function fail() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
      create trigger fail before insert on ${table} for each statement execute function fail()`);
    try {
      await process();
      expect({ ...(await outcomeOf(channel)), open: [] }).toEqual({ ...before, open: [] });
    } finally {
      await messaging.adminSql.unsafe('drop function fail cascade');
    }
    await messaging.adminSql`update inbound_payloads set next_attempt_at = now() - interval '1 second' where processed_at is null`;
    await process();
    expect(await channel.bodies()).toEqual(['hello', 'hello']);
    const { feed, conversations } = await outcomeOf(channel);
    expect(feed.filter(({ type, body }) => type === 'message.received' && body === 'hello')).toHaveLength(2);
    expect(conversations).toMatchObject([{ interaction_count: 2 }, { interaction_count: 2 }]);
  },
);

test('a conversation that another transaction holds delays no other customer', async () => {
  const channel = await newChannel();
  await channel.knows(phones.slice(0, 2));
  for (const phone of phones.slice(0, 2)) await channel.post([textFrom(phone, `to ${phone}`)]);
  let processing: Promise<unknown> = Promise.resolve();
  await messaging.adminSql.begin(async (sql) => {
    await sql`
      select 1 from conversations where store_id = ${channel.storeId} and wa_id = ${phones[0] as string} for update`;
    processing = process();
    await waitFor(async () => (await channel.bodies()).includes(`to ${phones[1]}`), {
      description: 'the other is served',
    });
    expect(await channel.bodies()).toEqual([`to ${phones[1]}`]);
  });
  await processing;
  expect((await channel.bodies()).toSorted()).toEqual(phones.slice(0, 2).map((phone) => `to ${phone}`));
});

test('what is from before the number was connected has a lane of its own, and what customers write now does not wait for it', async () => {
  const store = await startStore(messaging);
  const customer = { phone: newPhone() };
  const content = { type: 'text', text: { body: 'antes' } };
  const past = { content, id: newWamid(), at: new Date(Date.now() - 86_400_000) };
  await store.post(historyPayload(store.number, [{ customer, messages: [past] }]));
  await store.post(store.payload({ phone: newPhone() }, { type: 'text', text: { body: 'agora' } }));
  const bodies = async () => {
    const rows = await messaging.adminSql`select body from messages where store_id = ${store.storeId} order by id`;
    return rows.map(({ body }) => body);
  };
  await process();
  expect(await bodies()).toEqual(['agora']);
  await process('history');
  expect((await bodies()).toSorted()).toEqual(['agora', 'antes']);
});
