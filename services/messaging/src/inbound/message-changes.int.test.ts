import { randomBytes } from 'node:crypto';
import type { Message } from '@mostrador/contracts';
import { type Content, contents, echoPayload, entriesPayload } from '@mostrador/testing/providers/whatsapp/entries';
import { wamidOf } from '@mostrador/testing/providers/whatsapp/webhooks';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newPhone, newUserId, newWamid, startStore, type TestStore } from '../../test/customers.ts';
import { statusUpdate } from '../../test/inbound-webhook.ts';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';

let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging();
  messaging.inbound.start();
});
afterAll(() => messaging?.stop());

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);
const changedOf = ({ body, reactions, edited_at, revoked_at }: Message) => ({ body, reactions, edited_at, revoked_at });
const newKey = () => randomBytes(10).toString('hex').toUpperCase();
const second = (at: Date) => new Date(Math.floor(at.getTime() / 1000) * 1000).toISOString();

async function storeWithMessage(body = 'Olá') {
  const store = await startStore(messaging);
  const customer = { phone: newPhone() };
  const id = newWamid();
  await store.does(customer, contents.text(body), { id, at: ago(60) });
  const leadId = (await store.leadOf(customer.phone)) as string;
  const message = async () => (await store.messages(leadId))[0] as Message;
  return { store, customer, id, leadId, message };
}

test('a reaction is shown on its message, another one replaces it, and it can be taken back', async () => {
  const { store, customer, id, message } = await storeWithMessage();
  const before = await message();
  const at = ago(30);
  await store.does(customer, contents.reaction(id, '👍'), { at });
  expect(await message()).toEqual({
    ...before,
    reactions: [{ emoji: '👍', from: 'lead', at: second(at) }],
    updated_at: expect.any(String),
  });
  expect((await message()).updated_at > before.updated_at).toBe(true);
  await store.does(customer, contents.reaction(id, '❤️'), { at: ago(20) });
  expect((await message()).reactions).toMatchObject([{ emoji: '❤️' }]);
  await store.does(customer, contents.removedReaction(id), { at: ago(10) });
  expect(await message()).toEqual({ ...before, updated_at: expect.any(String) });
  expect((await store.facts()).slice(2)).toEqual(['message.updated', 'message.updated', 'message.updated']);
});

test('an edit replaces the text, a deletion removes it for good, and the feed shows the message as it is now', async () => {
  const { store, customer, id, message } = await storeWithMessage('Meu CPF é 123');
  const [edited, revoked] = [ago(30), ago(20)];
  await store.does(customer, contents.edit(id, 'Meu CPF é 124'), { at: edited });
  expect(changedOf(await message())).toEqual({
    ...{ body: 'Meu CPF é 124', reactions: [], edited_at: second(edited), revoked_at: null },
  });
  await store.does(customer, contents.revoke(id), { at: revoked });
  const now = await message();
  expect(changedOf(now)).toEqual({
    ...{ body: '', reactions: [], edited_at: second(edited), revoked_at: second(revoked) },
  });
  await store.does(customer, contents.edit(id, 'again'), { at: ago(10) });
  expect((await message()).body).toBe('');
  const feed = await messaging.feed(store.storeId);
  const updates = feed.filter(({ type }) => type === 'message.updated').map(({ data }) => data.object);
  expect(updates[1]).toEqual(now);
});

describe('WhatsApp names a message by another of its ids: that of the number, or that of the user id', () => {
  /** The ids of one message, as it is stored, and as it is named later. */
  const idsOf = (customer: { phone: string; userId: string }, isFromCustomer: boolean) => {
    const key = newKey();
    return {
      stored: wamidOf({ customer: customer.phone, key, isFromCustomer }),
      named: wamidOf({ customer: customer.userId, key, isFromCustomer }),
    };
  };

  async function conversation() {
    const store = await startStore(messaging);
    const customer = { phone: newPhone(), userId: newUserId() };
    const own = idsOf(customer, true);
    const ours = idsOf(customer, false);
    await store.does(customer, contents.text('Olá'), { id: own.stored, at: ago(60) });
    await store.posts(echoPayload(store.number, customer, contents.text('Oi!'), { id: ours.stored, at: ago(50) }));
    const leadId = (await store.leadOf(customer.phone)) as string;
    return { store, customer, own, ours, messages: () => store.messages(leadId) };
  }

  test.each([
    ['the customer’s own', 'own', 0],
    ['the store’s', 'ours', 1],
  ] as const)('an answer quotes %s message', async (_, whose, place) => {
    const { store, customer, messages, ...ids } = await conversation();
    const context = { id: ids[whose].named };
    await store.does(customer, { ...contents.text('Sim'), context }, { at: ago(40) });
    await store.posts(echoPayload(store.number, customer, { ...contents.text('Certo'), context }, { at: ago(30) }));
    const all = await messages();
    expect(all.map(({ reply_to_id }) => reply_to_id)).toEqual([null, null, all[place]?.id, all[place]?.id]);
  });

  test('a reaction, an edit and a deletion reach the message', async () => {
    const { store, customer, own, ours, messages } = await conversation();
    await store.does(customer, contents.reaction(ours.named, '👍'), { at: ago(40) });
    await store.does(customer, contents.edit(own.named, 'Olá!'), { at: ago(40) });
    expect(await messages()).toMatchObject([{ body: 'Olá!' }, { reactions: [{ emoji: '👍', from: 'lead' }] }]);
    await store.posts(echoPayload(store.number, customer, contents.revoke(ours.named), { at: ago(30) }));
    expect((await messages())[1]).toMatchObject({ body: '', revoked_at: expect.any(String) });
  });

  test('a message of another customer with the same key is none of them', async () => {
    const { store, own } = await conversation();
    const other = { phone: newPhone(), userId: newUserId() };
    await store.does(other, { ...contents.text('Sim'), context: { id: own.named } }, { at: ago(40) });
    await store.does(other, contents.edit(own.named, 'not mine'), { at: ago(30) });
    const [message] = await store.messages((await store.leadOf(other.phone)) as string);
    expect(message).toMatchObject({ body: 'Sim', reply_to_id: null });
  });
});

test('a deleted text is in no event of the deletion and in no stored edit, also in one that comes later', async () => {
  const store = await startStore(messaging);
  const [customer, id] = [{ phone: newPhone() }, newWamid()];
  await store.does(customer, contents.text('segredo 1'), { id, at: ago(60) });
  await store.does(customer, contents.edit(id, 'segredo 2'), { at: ago(50) });
  await store.does(customer, contents.revoke(id), { at: ago(40) });
  await store.does(customer, contents.edit(id, 'segredo 3'), { at: ago(30) });
  const { adminSql } = messaging;
  const edits = await adminSql`
    select body from message_changes where store_id = ${store.storeId} and kind = 'edit'`;
  expect(edits).toEqual([{ body: '' }]);
  const events = await adminSql`
    select data, previous from feed_entries where store_id = ${store.storeId} and type = 'message.updated' order by position`;
  expect(events.slice(1)).toHaveLength(2);
  expect(JSON.stringify(events.slice(1))).not.toContain('segredo');
  const place = newWamid();
  await store.does(customer, contents.location(), { id: place });
  await store.does(customer, contents.revoke(place));
  const [last] = await adminSql`
    select previous from feed_entries where store_id = ${store.storeId} and type = 'message.updated' order by position desc limit 1`;
  expect(Object.keys(last?.previous)).toEqual(expect.not.arrayContaining(['content']));
});

test('a message says what it is beside its text and which one it quotes, and a deletion takes that, too', async () => {
  const { store, customer, id, leadId } = await storeWithMessage();
  const place = newWamid();
  const context = { from: customer.phone, id };
  await store.does(customer, { ...contents.location(), context }, { id: place, at: ago(50) });
  await store.does(customer, { ...contents.document(), context: { id: 'wamid.unknown' } }, { at: ago(40) });
  await store.does(customer, contents.buttonReply(), { at: ago(30) });
  const [text, location, document, reply] = await store.messages(leadId);
  expect(text).toMatchObject({ type: 'text', media: null, content: null, reply_to_id: null });
  expect(location).toMatchObject({
    ...{ type: 'location', media: null, reply_to_id: text?.id },
    content: { latitude: -23.55, longitude: -46.63, name: 'Praça', address: 'Centro' },
  });
  expect(document).toMatchObject({
    ...{ type: 'document', body: 'Receita', content: null, reply_to_id: null },
    media: { mime_type: 'application/pdf', filename: 'receita.pdf', voice: false, state: 'not_fetched' },
  });
  expect(reply).toMatchObject({ type: 'interactive_reply', content: { kind: 'button', id: 'yes', title: 'Sim' } });
  await store.does(customer, contents.revoke(place));
  expect((await store.messages(leadId))[1]).toMatchObject({ type: 'location', content: null, media: null });
});

test('an edited caption and a removed one change the caption', async () => {
  const store = await startStore(messaging);
  const customer = { phone: newPhone() };
  const id = newWamid();
  await store.does(customer, contents.image('A caption'), { id, at: ago(60) });
  const leadId = (await store.leadOf(customer.phone)) as string;
  const body = async () => (await store.messages(leadId))[0]?.body;
  await store.does(customer, contents.captionEdit(id, 'Another'), { at: ago(50) });
  expect(await body()).toBe('Another');
  await store.does(customer, contents.captionEdit(id), { at: ago(40) });
  expect(await body()).toBe('');
});

test('a reaction to what the store wrote is shown there, also when it comes before the message is known as sent', async () => {
  const { store, customer, leadId } = await storeWithMessage();
  await messaging.adminSql`insert into store_settings (store_id, message_wait_seconds) values (${store.storeId}, 0)`;
  const { id } = await messaging.send(store.storeId, leadId, 'Hello');
  const wamid = newWamid();
  await store.does(customer, contents.reaction(wamid, '🎉'));
  // The answer of the provider was lost: a status update tells its id.
  await messaging.adminSql`
    update messages set status = 'unknown', unknown_since = now(), channel_id = ${store.channelId} where id = ${id}`;
  await store.posts(statusUpdate(store.number.phoneNumberId, { id: wamid, status: 'delivered', callbackData: id }));
  const sent = (await store.messages(leadId)).at(-1) as Message;
  expect(sent).toMatchObject({ status: 'delivered', body: 'Hello', reactions: [{ emoji: '🎉', from: 'lead' }] });
  await store.does(customer, contents.edit(wamid, 'not yours'));
  await store.does(customer, contents.revoke(wamid));
  expect((await store.messages(leadId)).at(-1)).toEqual(sent);
});

test('a change of a message that never comes makes no lead, no message and no conversation', async () => {
  const store = await startStore(messaging);
  for (const content of [
    contents.reaction('wamid.never', '👍'),
    contents.edit('wamid.never', 'x'),
    contents.revoke('wamid.never'),
  ])
    await store.does({ phone: newPhone() }, content);
  expect(await store.failed()).toEqual([]);
  const { adminSql } = messaging;
  expect(await adminSql`select 1 from conversations where store_id = ${store.storeId}`).toHaveLength(0);
  expect(await adminSql`select kind from message_changes where store_id = ${store.storeId} order by kind`).toEqual([
    { kind: 'edit' },
    { kind: 'reaction' },
    { kind: 'revocation' },
  ]);
});

test('a text that the customer deleted before it was processed is never shown', async () => {
  const store = await startStore(messaging);
  const customer = { phone: newPhone() };
  const id = newWamid();
  await store.does(customer, contents.revoke(id), { at: ago(10) });
  await store.does(customer, contents.text('secret'), { id, at: ago(20) });
  const leadId = (await store.leadOf(customer.phone)) as string;
  expect(await store.messages(leadId)).toMatchObject([
    { body: '', revoked_at: expect.any(String), status: 'received' },
  ]);
  expect(JSON.stringify(await messaging.feed(store.storeId))).not.toContain('secret');
  expect(await store.facts()).toEqual(['session.started', 'message.received']);
});

test('an edit changes neither the reply window nor what the lead wants of messages', async () => {
  const { store, customer, id, leadId } = await storeWithMessage();
  const before = await store.conversation(leadId);
  await store.does(customer, contents.edit(id, 'stop'));
  expect(await store.conversation(leadId)).toEqual(before);
});

/** The message and all that happens to it. Times are seconds, so some changes have one in common. */
const happenings = (id: string): { content: Content; id: string; at: Date }[] => {
  const began = Date.now() - 600_000;
  const at = (seconds: number) => new Date(began + seconds * 1000);
  return [
    { content: contents.text('Olá'), id, at: at(0) },
    { content: contents.reaction(id, '👍'), id: `${id}-1`, at: at(1) },
    { content: contents.reaction(id, '❤️'), id: `${id}-2`, at: at(1) },
    { content: contents.edit(id, 'Olá!'), id: `${id}-3`, at: at(2) },
    { content: contents.removedReaction(id), id: `${id}-4`, at: at(3) },
    { content: contents.edit(id, 'Olá!!'), id: `${id}-5`, at: at(4) },
    { content: contents.reaction(id, '🎉'), id: `${id}-6`, at: at(5) },
    { content: contents.revoke(id), id: `${id}-7`, at: at(6) },
  ];
};

test('whatever the order, the batches and the repetitions of webhooks: the message ends the same, and counts once', async () => {
  const store = await startStore(messaging);
  const indexes = [...happenings('').keys()];
  const orders = fc.tuple(
    // Without the deletion, which hides what the edits did.
    fc.boolean(),
    fc.shuffledSubarray(indexes, { minLength: indexes.length }),
    fc.array(fc.constantFrom(...indexes), { maxLength: 4 }),
    fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 12, maxLength: 12 }),
  );
  await fc.assert(
    fc.asyncProperty(orders, async ([isDeleted, order, again, sizes]) => {
      const customer = { phone: newPhone() };
      const all = happenings(newWamid());
      const shown = [...order, ...again].filter((index) => isDeleted || index !== all.length - 1);
      for (let [at, size] = [0, 0]; at < shown.length; at += size) {
        size = sizes[at % sizes.length] as number;
        const entries = shown.slice(at, at + size).map((index) => all[index] as (typeof all)[number]);
        await store.post(entriesPayload(store.number, customer, entries));
      }
      await store.settled();
      const leadId = (await store.leadOf(customer.phone)) as string;
      const messages = await store.messages(leadId);
      expect(messages.map(changedOf)).toEqual([
        {
          body: isDeleted ? '' : 'Olá!!',
          reactions: [{ emoji: '🎉', from: 'lead', at: all[6]?.at && second(all[6].at) }],
          edited_at: all[5]?.at && second(all[5].at),
          revoked_at: isDeleted && all[7] ? second(all[7].at) : null,
        },
      ]);
      expect(await countOf(store, leadId)).toEqual({ interaction_count: 1, unread_count: 1 });
    }),
    { numRuns: 10 },
  );
});

const countOf = async ({ storeId }: TestStore, leadId: string) => {
  const [row] = await messaging.adminSql`
    select interaction_count, unread_count from conversations where store_id = ${storeId} and lead_id = ${leadId}`;
  return row;
};
