import { randomUUID } from 'node:crypto';
import { acceptMessage, deliverMessages, listConversations } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { type Customer, contents } from '@mostrador/testing/providers/whatsapp/entries';
import { startWhatsappServer, type WhatsappServer } from '@mostrador/testing/providers/whatsapp/server';
import { statusPayload } from '@mostrador/testing/providers/whatsapp/webhooks';
import { waitFor } from '@mostrador/testing/wait';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newPhone, newUserId, newWamid, startStore, type TestStore } from '../../test/customers.ts';
import { longMs, startMessaging, type TestMessaging } from '../../test/messaging.ts';
import { followPhone } from '../conversations/change-contact-phone.ts';
import { findChangedIds } from './accept-many.repository.ts';

// A customer whom WhatsApp names by a business-scoped user id alone.

let messaging: TestMessaging;
let whatsapp: WhatsappServer;
beforeAll(async () => {
  messaging = await startMessaging();
  messaging.inbound.start();
  whatsapp = await startWhatsappServer({ accessToken: 'token' });
});
afterAll(async () => {
  await messaging?.stop();
  await whatsapp?.close();
});

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);
const leadsOf = async ({ storeId }: TestStore): Promise<string[]> => {
  const rows = await messaging.adminSql`select lead_id from conversations where store_id = ${storeId} order by lead_id`;
  return rows.map(({ lead_id }) => lead_id);
};
/** The texts that the customer wrote. */
const bodies = async (store: TestStore, leadId: string) =>
  (await store.messages(leadId)).flatMap(({ direction, body }) => (direction === 'inbound' ? [body] : []));

/** A store with the lead of a customer without a phone, who wrote one message. */
async function storeWithHidden() {
  const store = await startStore(messaging);
  const customer = { userId: newUserId(), name: 'Sheena', username: 'sheena.n' };
  await store.does(customer, contents.text('hidden'), { at: ago(100) });
  const [leadId] = (await leadsOf(store)) as [string];
  return { store, customer, leadId, phone: newPhone() };
}

test('a first message without a phone makes one lead with the id and the username, and the next ones find it', async () => {
  const { store, customer, leadId } = await storeWithHidden();
  expect(messaging.crm.leadOf(store.storeId, leadId)).toMatchObject({
    ...{ customer_phone: null, channel_user_id: customer.userId, username: 'sheena.n', name: 'Sheena' },
  });
  await store.does(customer, contents.text('again'));
  expect(await leadsOf(store)).toEqual([leadId]);
  expect(await bodies(store, leadId)).toEqual(['hidden', 'again']);
  expect(await store.failed()).toEqual([]);
  const { data } = await messaging.rpc.call(
    listConversations,
    { query: {} },
    testContext({ storeId: store.storeId, role: 'manager' }),
  );
  expect(data[0]?.lead).toMatchObject({
    ...{ id: leadId, customer_phone: null, channel_user_id: customer.userId, username: 'sheena.n' },
  });
});

test('a reaction, an edit and a stop word of a customer without a phone are the lead’s', async () => {
  const { store, customer, leadId } = await storeWithHidden();
  const id = newWamid();
  await store.does(customer, contents.text('first'), { id });
  await store.does(customer, contents.reaction(id, '👍'));
  await store.does(customer, contents.edit(id, 'second'));
  await store.does(customer, contents.text('sair'));
  expect((await store.messages(leadId))[1]).toMatchObject({ body: 'second', reactions: [{ emoji: '👍' }] });
  expect(await store.conversation(leadId)).toMatchObject({ opted_out_at: expect.any(String) });
});

async function connectStandIn({ channelId, number, storeId }: TestStore, customer: Customer): Promise<void> {
  // Without a URL for webhooks it only opens the reply window.
  await whatsapp.customerDoes(customer, { content: contents.text('hidden') });
  whatsapp.settings.moreNumberIds = [...whatsapp.settings.moreNumberIds, number.phoneNumberId];
  await messaging.adminSql`
    update channels set api_url = ${whatsapp.apiUrl}, pair_interval_seconds = 0 where id = ${channelId}`;
  await messaging.adminSql`insert into store_settings (store_id, message_wait_seconds) values (${storeId}, 0)`;
}
const queue = (store: TestStore, leadId: string, message: string) =>
  messaging.rpc.call(
    acceptMessage,
    { body: { id: randomUUID(), lead_id: leadId, source: 'seller', message, template: { name: 't', language: 'en' } } },
    store.context(),
  );
const deliver = ({ storeId }: TestStore, lead_id: string) =>
  messaging.rpc.call(deliverMessages, { body: { lead_id } }, testContext({ storeId, timeoutMs: longMs }));
/** Where messages with these callback ids went. */
const sentTo = (ids: readonly string[]) =>
  whatsapp.log.filter(({ callbackData }) => ids.includes(callbackData ?? '')).map(({ to }) => to);

test('a message goes to the id, and its status updates move it', async () => {
  const { store, customer, leadId } = await storeWithHidden();
  await connectStandIn(store, customer);
  const { id } = await queue(store, leadId, 'Hello');
  await deliver(store, leadId);
  expect(sentTo([id])).toEqual([customer.userId]);
  const taken = whatsapp.log.find(({ callbackData }) => callbackData === id);
  await store.posts(
    statusPayload(store.number, {
      ...{ id: taken?.id as string, recipient: customer.userId, status: 'read', callbackData: null },
    }),
  );
  expect((await store.messages(leadId)).at(-1)).toMatchObject({ id, status: 'read' });
});

test('the customer’s number, once told, is the lead’s, and messages go to it', async () => {
  const { store, customer, leadId, phone } = await storeWithHidden();
  await connectStandIn(store, { ...customer, phone });
  await store.does({ ...customer, phone }, contents.text('shown'));
  expect(await leadsOf(store)).toEqual([leadId]);
  expect(await bodies(store, leadId)).toEqual(['hidden', 'shown']);
  expect(messaging.crm.leadOf(store.storeId, leadId)).toMatchObject({
    ...{ customer_phone: phone, channel_user_id: customer.userId },
  });
  const { id } = await queue(store, leadId, 'Hello');
  await deliver(store, leadId);
  expect(sentTo([id])).toEqual([phone]);
  await store.does({ phone }, contents.text('by phone'));
  await store.does({ userId: customer.userId }, contents.text('by id'));
  expect(await bodies(store, leadId)).toEqual(['hidden', 'shown', 'by phone', 'by id']);
  // Neither id is an earlier one, so what the customer writes is accepted together with what others write.
  const ids = [phone, customer.userId];
  const changed = await messaging.database.read(store.context(), (sql) => findChangedIds(sql, store.storeId, ids));
  expect(changed).toEqual(new Set());
});

test('a lead with the number and one without become one when a message tells both', async () => {
  const { store, customer, leadId, phone } = await storeWithHidden();
  await store.does({ phone }, contents.text('by phone'), { at: ago(50) });
  const other = (await store.leadOf(phone)) as string;
  await store.does({ ...customer, phone }, contents.text('both'));
  expect(await leadsOf(store)).toEqual([leadId]);
  expect(await bodies(store, leadId)).toEqual(['hidden', 'by phone', 'both']);
  expect(messaging.crm.mergedInScheduling).toContainEqual({ lead_id: other, merged_into: leadId });
});

test('a lead that the store has created with the number is the customer’s, too', async () => {
  const { store, customer, leadId, phone } = await storeWithHidden();
  const created = messaging.crm.addLead(store.storeId, phone);
  await store.does({ ...customer, phone }, contents.text('both'));
  expect(await leadsOf(store)).toEqual([leadId]);
  expect(messaging.crm.leadOf(store.storeId, created)).toBeUndefined();
  expect(await bodies(store, leadId)).toEqual(['hidden', 'both']);
});

test('a phone that the store gives the lead changes neither who the customer is nor where messages go', async () => {
  const { store, customer, leadId, phone } = await storeWithHidden();
  await connectStandIn(store, customer);
  const version = messaging.crm.changePhone(store.storeId, leadId, phone);
  const body = { lead_id: leadId, customer_phone: phone, version };
  await messaging.database.write(store.context(), (sql) => followPhone(sql, store.storeId, body));
  await store.does(customer, contents.text('again'));
  expect(await bodies(store, leadId)).toEqual(['hidden', 'again']);
  expect(await store.conversation(leadId)).toMatchObject({ window_open: true });
  const { id } = await queue(store, leadId, 'Hello');
  await deliver(store, leadId);
  expect(sentTo([id])).toEqual([customer.userId]);
  // WhatsApp tells another number than the store wrote: the store's stays, and the customer is the same.
  await store.does({ ...customer, phone: newPhone() }, contents.text('told'));
  expect(messaging.crm.phoneOf(store.storeId, leadId)).toBe(phone);
  expect((await bodies(store, leadId)).at(-1)).toBe('told');
});

test('a second phone that the store gives the lead is another person’s: messages go to it, and the id is forgotten', async () => {
  const { store, customer, leadId, phone } = await storeWithHidden();
  const second = newPhone();
  await connectStandIn(store, { phone: second });
  for (const customer_phone of [phone, second]) {
    // Crm forgets the id with the second one, too.
    const channel_user_id = customer_phone === phone ? customer.userId : null;
    const version = messaging.crm.change(store.storeId, leadId, { customer_phone, channel_user_id });
    const body = { lead_id: leadId, customer_phone, version };
    await messaging.database.write(store.context(), (sql) => followPhone(sql, store.storeId, body));
  }
  const { id } = await queue(store, leadId, 'Hello');
  await deliver(store, leadId);
  expect(sentTo([id])).toEqual([second]);
  await store.does(customer, contents.text('again'));
  expect(await bodies(store, leadId)).toEqual(['hidden']);
});

test('an id that crm takes from a lead with another phone is the customer’s, also after a stop', async () => {
  const { store, customer, leadId, phone } = await storeWithHidden();
  const body = { lead_id: leadId, customer_phone: phone };
  const version = messaging.crm.changePhone(store.storeId, leadId, phone);
  await messaging.database.write(store.context(), (sql) => followPhone(sql, store.storeId, { ...body, version }));
  const other = { phone: newPhone(), userId: newUserId() };
  await store.does(other, contents.text('with a number'), { at: ago(90) });
  const otherId = (await store.leadOf(other.phone)) as string;
  // A process has stopped when crm had taken the id.
  messaging.crm.change(store.storeId, leadId, { channel_user_id: null });
  await store.does({ userId: other.userId }, contents.changedUserId(other.userId, customer.userId), { at: ago(50) });
  await store.does(customer, contents.text('hidden again'));
  expect(await store.failed()).toEqual([]);
  expect(await bodies(store, otherId)).toEqual(['with a number', 'hidden again']);
});

test('a changed id moves the lead, and what was queued goes to the new id only, also while crm is away', async () => {
  const { store, customer, leadId } = await storeWithHidden();
  await connectStandIn(store, customer);
  const after = newUserId();
  const { id } = await queue(store, leadId, 'queued before');
  await whatsapp.customerMoves(customer, { userId: after });
  await messaging.crm.stop();
  try {
    await store.post(store.payload(customer, contents.changedUserId(customer.userId, after), { at: ago(50) }));
    const isStored = async () =>
      (await messaging.adminSql`select from identity_changes where store_id = ${store.storeId} and lead_id is not null`)
        .length > 0;
    await waitFor(isStored, { description: 'the change is stored' });
    await deliver(store, leadId);
  } finally {
    await messaging.crm.start();
  }
  await store.settled();
  expect(sentTo([id])).toEqual([after]);
  expect(messaging.crm.leadOf(store.storeId, leadId)).toMatchObject({ channel_user_id: after });
  await store.does({ userId: after }, contents.text('new'));
  await store.does(customer, contents.text('late'), { at: ago(60) });
  expect(await leadsOf(store)).toEqual([leadId]);
  expect(await bodies(store, leadId)).toEqual(['hidden', 'new', 'late']);
});

test('a lead that a process has made in crm before it stopped gets the changed id', async () => {
  const store = await startStore(messaging);
  const [before, after] = [newUserId(), newUserId()];
  const leadId = messaging.crm.addLead(store.storeId, null, 'Sheena', { channel_user_id: before });
  await store.does({ userId: before }, contents.changedUserId(before, after), { at: ago(50) });
  expect(messaging.crm.leadOf(store.storeId, leadId)).toMatchObject({ channel_user_id: after });
  await store.does({ userId: before }, contents.text('hidden'), { at: ago(100) });
  expect(await leadsOf(store)).toEqual([leadId]);
});

test('whatever the order and the repetitions of the webhooks, a customer who shows the number is one lead', async () => {
  const store = await startStore(messaging);
  const began = Date.now() - 600_000;
  const at = (second: number) => new Date(began + second * 1000);
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }),
      fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 3 }),
      fc.boolean(),
      async (order, again, together) => {
        const [first, second] = [newUserId(), newUserId()];
        const phone = newPhone();
        const all = [
          store.payload({ userId: first }, contents.text('a'), { at: at(0), id: newWamid() }),
          store.payload({ userId: first }, contents.changedUserId(first, second), { at: at(10), id: newWamid() }),
          store.payload({ userId: second }, contents.text('b'), { at: at(20), id: newWamid() }),
          store.payload({ phone }, contents.text('c'), { at: at(30), id: newWamid() }),
          store.payload({ userId: second, phone }, contents.text('d'), { at: at(40), id: newWamid() }),
          store.payload({ userId: second }, contents.text('e'), { at: at(50), id: newWamid() }),
        ];
        for (const index of [...order, ...again]) {
          await store.post({ ...all[index], posted: Math.random() });
          if (!together) await store.settled();
        }
        await store.settled();
        const leadId = (await store.leadOf(phone)) as string;
        expect((await bodies(store, leadId)).toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
        expect(messaging.crm.phoneOf(store.storeId, leadId)).toBe(phone);
      },
    ),
    { numRuns: 8 },
  );
  expect(await store.failed()).toEqual([]);
});
