import { listMessages, reportConversation, showChannel } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import {
  contents,
  historyDeclinedPayload,
  historyMediaPayload,
  historyPayload,
  type Past,
} from '@mostrador/testing/providers/whatsapp/entries';
import { countReads } from '@mostrador/testing/servers/rows-read';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newPhone, newUserId, newWamid, startStore, type TestStore } from '../../test/customers.ts';
import { statusUpdate } from '../../test/inbound-webhook.ts';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';
import { insertPast, numberByTime } from './history.repository.ts';

let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging();
  messaging.inbound.start();
});
afterAll(() => messaging?.stop());

const today = Math.floor(Date.now() / 1000) * 1000;
const daysAgo = (days: number) => new Date(today - days * 24 * 3_600_000);
const past = (text: string, days: number, more: Partial<Past> = {}): Past => ({
  content: contents.text(text),
  id: newWamid(),
  at: daysAgo(days),
  ...more,
});
const bodies = async (store: TestStore, leadId: string) => (await store.messages(leadId)).map(({ body }) => body);
const conversation = async ({ storeId }: TestStore) =>
  (
    await messaging.adminSql`
      select last_inbound_at, interaction_count, unread_count, is_unanswered, waiting_since, needs_attention,
        next_number::int, read_number::int, ai_pause_number::int, ai_paused_until
      from conversations where store_id = ${storeId}`
  )[0];

test('past messages stand before the present ones, in both directions, and nothing counts them as new', async () => {
  const store = await startStore(messaging);
  const customer = { phone: newPhone() };
  await store.does(customer, contents.text('agora'));
  const leadId = (await store.leadOf(customer.phone)) as string;
  const [before, facts] = [await conversation(store), await store.facts()];
  const question = past('Tem lente?', 40);
  const context = { id: question.id };
  await store.posts(
    historyPayload(store.number, [
      {
        customer,
        messages: [
          question,
          past('Temos', 39, { fromMe: true, status: 'DELIVERED', content: { ...contents.text('Temos'), context } }),
          past('nunca chegou', 38, { fromMe: true, status: 'ERROR' }),
          past('stop', 2, { status: 'pending' }),
          { content: contents.reaction('wamid.x', '👍') },
        ],
      },
    ]),
  );
  const messages = await store.messages(leadId);
  expect(messages).toMatchObject([
    { body: 'Tem lente?', source: 'lead', author: null, status: 'received', from_history: true },
    {
      ...{ body: 'Temos', source: 'seller', author: { kind: 'phone' }, status: 'delivered', from_history: true },
      ...{ created_at: daysAgo(39).toISOString(), sent_at: daysAgo(39).toISOString(), delivered_at: null },
    },
    { body: 'stop', status: 'received', from_history: true },
    { body: 'agora', from_history: false },
  ]);
  expect(messages[1]?.reply_to_id).toBe(messages[0]?.id);
  expect(new Set(messages.slice(0, 3).map(({ session_id }) => session_id)).size).toBe(1);
  // The message of today is still the one that is unread, and that the window counts from.
  expect(await conversation(store)).toEqual({ ...before, next_number: 5, read_number: 3 });
  expect(await store.facts()).toEqual(facts);
  expect(await store.conversation(leadId)).toMatchObject({ window_open: true, opted_out_at: null });
  const span = { from: '2026-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' };
  const report = await messaging.rpc.call(reportConversation, { body: { lead_id: leadId, ...span } }, store.context());
  expect(report).toMatchObject({ sessions_started: 1, messages_inbound: 1, messages_outbound: { seller: 0 } });
  // A copy learns of them from the list of changes.
  const page = await messaging.rpc.call(
    listMessages,
    { params: { leadId }, query: { limit: 2 } },
    testContext({ storeId: store.storeId }),
  );
  expect(page).toMatchObject({ total: 4, data: [{ body: 'agora' }, { body: 'stop' }] });
});

test('a customer who only wrote before becomes a lead whose conversation waits for nothing', async () => {
  const store = await startStore(messaging);
  const [customer, unnamed] = [{ phone: newPhone() }, { phone: newPhone(), userId: newUserId() }];
  await store.posts(
    historyPayload(store.number, [
      { customer, messages: [past('Olá?', 90)] },
      { customer: unnamed, messages: [past('Oi', 80, { fromMe: true })] },
      { customer: { phone: 'group-120363@g.us' }, messages: [past('todos', 70)] },
      { customer: { phone: newPhone() }, messages: [] },
    ]),
  );
  const leadId = (await store.leadOf(customer.phone)) as string;
  expect(await bodies(store, leadId)).toEqual(['Olá?']);
  expect(await bodies(store, (await store.leadOf(unnamed.phone)) as string)).toEqual(['Oi']);
  const rows = await messaging.adminSql`select lead_id from conversations where store_id = ${store.storeId}`;
  expect(rows).toHaveLength(2);
  expect(await store.conversation(leadId)).toMatchObject({ window_open: false });
  const [row] = await messaging.adminSql`
    select interaction_count, unread_count, is_unanswered, last_message_at from conversations where lead_id = ${leadId}`;
  expect(row).toEqual({
    ...{ interaction_count: 0, unread_count: 0, is_unanswered: false, last_message_at: daysAgo(90) },
  });
  // Nothing waits either when the inbox counts again, and the first words of today count as always.
  await store.does(customer, contents.text('De volta'));
  expect((await messaging.adminSql`select unread_count from conversations where lead_id = ${leadId}`)[0]).toEqual({
    unread_count: 1,
  });
  expect(await store.failed()).toEqual([]);
});

test('chunks in any order, repeated, and split differently give the same conversation', async () => {
  const all = Array.from({ length: 9 }, (_, n) => past(`${n}`, 60 - n, { fromMe: n % 2 === 1 }));
  const orders = fc.shuffledSubarray(
    all.map((_, n) => n),
    { minLength: all.length },
  );
  await fc.assert(
    fc.asyncProperty(orders, fc.integer({ min: 1, max: 9 }), async (order, size) => {
      const store = await startStore(messaging);
      const customer = { phone: newPhone() };
      const chunks = Array.from({ length: Math.ceil(order.length / size) }, (_, n) =>
        order.slice(n * size, (n + 1) * size).map((index) => all[index] as Past),
      );
      const chunk = (messages: readonly Past[], progress: number) =>
        historyPayload(store.number, [{ customer, messages }], { progress });
      await Promise.all(chunks.map((messages, n) => store.post(chunk(messages, n))));
      await store.does(customer, contents.text('agora'));
      // The whole again, in one piece.
      await store.posts(chunk(all, 100));
      const leadId = (await store.leadOf(customer.phone)) as string;
      expect(await bodies(store, leadId)).toEqual([...all.map((_, n) => `${n}`), 'agora']);
      expect(await conversation(store)).toMatchObject({ next_number: 11, read_number: 9, unread_count: 1 });
      const sessions = await messaging.adminSql`
        select started_at, ended_at from sessions where lead_id = ${leadId} and from_history`;
      expect(sessions).toEqual([{ started_at: daysAgo(60), ended_at: daysAgo(52) }]);
      expect(await store.failed()).toEqual([]);
    }),
    { numRuns: 8 },
  );
}, 120_000);

test('a slice that comes behind a long conversation reads only itself', async () => {
  const store = await startStore(messaging);
  const customer = { phone: newPhone() };
  await store.posts(historyPayload(store.number, [{ customer, messages: [past('0', 90)] }]));
  const leadId = (await store.leadOf(customer.phone)) as string;
  const { adminSql, database } = messaging;
  await adminSql`
    insert into messages (store_id, lead_id, session_id, number, direction, source, body, status, created_at, from_history)
    select store_id, lead_id, session_id, n, 'inbound', 'lead', n::text, 'received', created_at + n * interval '1 minute', true
    from messages, generate_series(2, 1000) as n where lead_id = ${leadId}`;
  await adminSql`update conversations set next_number = 1001, read_number = 1000 where lead_id = ${leadId}`;
  await adminSql`analyze messages`;
  const [{ session_id: sessionId }] = await adminSql<[{ session_id: string }]>`
    select session_id from messages where lead_id = ${leadId} limit 1`;
  const row = { direction: 'inbound', source: 'lead', author: null, status: 'received', kind: 'text' } as const;
  const none = { body_truncated: false, content: null, media: null, quoted_id: null };
  const slice = [3, 2].map((days) => ({ ...row, ...none, id: newWamid(), body: `${days}`, written_at: daysAgo(days) }));
  const { read } = await database.write({ storeId: store.storeId, deadline: Date.now() + 30_000 }, async (sql) => {
    // Nearly all messages here are of this lead, for which PostgreSQL would rather read the whole table.
    await sql`set local enable_seqscan = off`;
    await sql`set local plan_cache_mode = force_custom_plan`;
    // It reads no more by another join, which PostgreSQL chooses when its statistics are old.
    await sql`set local enable_nestloop = off`;
    return await countReads(sql, 'messages', async () => {
      await insertPast(sql, store.storeId, { leadId, channelId: store.channelId, sessionId }, slice);
      await numberByTime(sql, store.storeId, leadId, daysAgo(3));
    });
  });
  expect(read).toBeLessThan(50);
  expect((await bodies(store, leadId)).slice(-3)).toEqual(['1000', '3', '2']);
  expect(await conversation(store)).toMatchObject({ next_number: 1003, read_number: 1002 });
});

test('a file of the past fills its place, in either order', async () => {
  const store = await startStore(messaging);
  const customer = { phone: newPhone() };
  const [late, early] = [newWamid(), newWamid()];
  const placeholder = { type: 'media_placeholder' };
  const file = (id: string, caption: string): Past => ({ content: contents.image(caption), id, at: daysAgo(20) });
  await store.posts(historyMediaPayload(store.number, customer, file(early, 'primeira')));
  const messages = [late, early].map((id) => ({ content: placeholder, id, at: daysAgo(20) }));
  await store.posts(historyPayload(store.number, [{ customer, messages }]));
  const leadId = (await store.leadOf(customer.phone)) as string;
  const shown = async () => (await store.messages(leadId)).map(({ type, body }) => `${type} ${body}`).toSorted();
  expect(await shown()).toEqual(['image primeira', 'unsupported ']);
  await store.posts(historyMediaPayload(store.number, customer, file(late, 'segunda')));
  expect(await shown()).toEqual(['image primeira', 'image segunda']);
});

test('what WhatsApp told of a past message before it applies, and a deleted file stays deleted', async () => {
  const store = await startStore(messaging);
  const customer = { phone: newPhone() };
  const [deleted, edited, file, sent] = [
    past('errado', 9),
    past('14h', 8),
    past('', 7),
    past('Oi', 6, { fromMe: true }),
  ];
  const [deletedId, editedId, fileId, sentId] = [deleted, edited, file, sent].map(({ id }) => id as string);
  const change = (content: object) => store.posts(store.payload(customer, content as never));
  await change(contents.revoke(deletedId as string));
  await change(contents.edit(editedId as string, '15h'));
  await change(contents.reaction(sentId as string, '👍'));
  await store.posts(statusUpdate(store.number.phoneNumberId, { id: sentId as string, status: 'read' }));
  const messages = [deleted, edited, { ...file, content: { type: 'media_placeholder' } }, sent];
  await store.posts(historyPayload(store.number, [{ customer, messages }]));
  await change(contents.revoke(fileId as string));
  await store.posts(historyMediaPayload(store.number, customer, { ...file, content: contents.image('foto') }));
  const leadId = (await store.leadOf(customer.phone)) as string;
  expect(await store.messages(leadId)).toMatchObject([
    { body: '', revoked_at: expect.any(String) },
    { body: '15h', edited_at: expect.any(String) },
    { body: '', media: null, revoked_at: expect.any(String) },
    { body: 'Oi', status: 'read', reactions: [{ emoji: '👍' }] },
  ]);
});

test('reactions, edits and deletions within the past apply without an event, in any order and as often as they come', async () => {
  const store = await startStore(messaging);
  const customer = { phone: newPhone() };
  const [edited, deleted, liked, sent, lost] = [
    past('14h', 9),
    past('errado', 8),
    past('Oi', 7),
    past('Bom dia', 6, { fromMe: true }),
    past('Tchau', 5, { fromMe: true }),
  ];
  const of = ({ id }: Past) => id as string;
  const change = (content: object, days: number, more: Partial<Past> = {}): Past =>
    ({ content, id: newWamid(), at: daysAgo(days), ...more }) as Past;
  const changes = [
    change(contents.edit(of(edited), '16h'), 3),
    change(contents.edit(of(edited), '15h'), 4),
    change(contents.revoke(of(deleted)), 4),
    change(contents.reaction(of(liked), '❤️'), 3, { fromMe: true }),
    change(contents.reaction(of(liked), '👍'), 4, { fromMe: true }),
    change(contents.reaction(of(sent), '🙏'), 4),
    change(contents.revoke(of(sent)), 4),
    change(contents.edit(of(lost), 'Até'), 4, { fromMe: true, status: 'ERROR' }),
  ];
  const post = (messages: readonly Past[]) => store.posts(historyPayload(store.number, [{ customer, messages }]));
  // A thread with nothing but changes makes no lead.
  await post(changes.slice(0, 3));
  expect(await store.leadOf(customer.phone)).toBeUndefined();
  await post([edited, deleted, liked, sent, lost]);
  await post(changes);
  const leadId = (await store.leadOf(customer.phone)) as string;
  const reaction = (emoji: string, from: string, days: number) => ({ emoji, from, at: daysAgo(days).toISOString() });
  const expected = [
    { body: '16h', edited_at: daysAgo(3).toISOString(), revoked_at: null, reactions: [] },
    { body: '', edited_at: null, revoked_at: daysAgo(4).toISOString(), reactions: [] },
    { body: 'Oi', reactions: [reaction('❤️', 'seller', 3)] },
    // Only who wrote a message deletes it.
    { body: 'Bom dia', revoked_at: null, reactions: [reaction('🙏', 'lead', 4)] },
    { body: 'Tchau', edited_at: null },
  ];
  const messages = await store.messages(leadId);
  expect(messages).toMatchObject(expected);
  await post([...changes, edited, deleted, liked, sent, lost]);
  expect(await store.messages(leadId)).toEqual(messages);
  expect(await store.facts()).toEqual([]);
  expect(await conversation(store)).toMatchObject({
    ...{ last_inbound_at: null, interaction_count: 0, unread_count: 0, is_unanswered: false, waiting_since: null },
    ...{ needs_attention: false, ai_paused_until: null, next_number: 6, read_number: 5 },
  });
  expect(await store.failed()).toEqual([]);
});

test('a change of today outlives those of the past, and has its event', async () => {
  const store = await startStore(messaging);
  const customer = { phone: newPhone() };
  const message = past('14h', 9);
  const id = message.id as string;
  await store.does(customer, contents.edit(id, '17h'));
  const old = { content: contents.edit(id, '15h'), id: newWamid(), at: daysAgo(4) };
  const liked = { content: contents.reaction(id, '👍'), id: newWamid(), at: daysAgo(4), fromMe: true };
  const chunk = historyPayload(store.number, [{ customer, messages: [message, old, liked] }]);
  await store.posts(chunk);
  await store.posts(chunk);
  const leadId = (await store.leadOf(customer.phone)) as string;
  expect(await store.messages(leadId)).toMatchObject([{ body: '17h', reactions: [{ emoji: '👍', from: 'seller' }] }]);
  expect(await store.facts()).toEqual(['message.updated']);
  await store.does(customer, contents.revoke(id));
  expect(await store.messages(leadId)).toMatchObject([{ body: '', revoked_at: expect.any(String) }]);
  await store.posts(chunk);
  expect(await store.messages(leadId)).toMatchObject([{ body: '' }]);
  expect(await store.facts()).toEqual(['message.updated', 'message.updated']);
});

test('what WhatsApp reports later of a past message counts in no report', async () => {
  const store = await startStore(messaging);
  const customer = { phone: newPhone() };
  const sent = past('Oi', 1, { fromMe: true, status: 'SENT' });
  await store.posts(historyPayload(store.number, [{ customer, messages: [sent] }]));
  await store.posts(statusUpdate(store.number.phoneNumberId, { id: sent.id as string, status: 'read' }));
  const leadId = (await store.leadOf(customer.phone)) as string;
  expect(await store.messages(leadId)).toMatchObject([{ status: 'read' }]);
  const [row] = await messaging.adminSql`select counted_at from messages where lead_id = ${leadId}`;
  expect(row).toEqual({ counted_at: null });
});

test('the channel shows how far the past has come, and that the store has declined to share it', async () => {
  const store = await startStore(messaging);
  const state = async () =>
    (await messaging.rpc.call(showChannel, {}, testContext({ storeId: store.storeId }))).history;
  expect(await state()).toBeNull();
  await store.posts(historyDeclinedPayload(store.number));
  expect(await store.failed()).toEqual([]);
  expect(await state()).toEqual({ progress_percent: null, declined_code: '2593109' });
  // They changed their mind.
  for (const progress of [60, 40]) await store.posts(historyPayload(store.number, [], { progress }));
  expect(await state()).toEqual({ progress_percent: 60, declined_code: null });
});
