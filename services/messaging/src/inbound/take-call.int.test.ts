import { randomUUID } from 'node:crypto';
import { acceptMessage } from '@mostrador/contracts';
import { type Call, type Customer, callPayload, contents } from '@mostrador/testing/providers/whatsapp/entries';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newPhone, newUserId, startStore, type TestStore } from '../../test/customers.ts';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';

let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging();
  messaging.inbound.start();
});
afterAll(() => messaging?.stop());

/** A moment of a whole second, as WhatsApp tells it. */
const ago = (seconds: number) => new Date(Math.floor(Date.now() / 1000 - seconds) * 1000);
const day = 24 * 3600;
const endOf = (called: Date) => new Date(called.getTime() + day * 1000).toISOString();
const calls = (store: TestStore, customer: Customer, call?: Call) =>
  store.posts(callPayload(store.number, customer, call));
const accept = (store: TestStore, lead_id: string) => {
  const body = { id: randomUUID(), lead_id, source: 'followup' as const, message: 'You called' };
  return messaging.rpc.call(acceptMessage, { body }, store.context());
};
const conversationsOf = ({ storeId }: TestStore) => messaging.adminSql`
  select lead_id, called_at from conversations where store_id = ${storeId}`;
const closed = { window_open: false, window_opened_by: 'message' };

/** A store with a lead who wrote two days ago. */
async function withLead() {
  const store = await startStore(messaging);
  const customer = { phone: newPhone(), userId: newUserId() };
  await store.does(customer, contents.text('Olá'), { at: ago(2 * day) });
  const leadId = (await store.leadOf(customer.phone)) as string;
  return { store, customer, leadId };
}

test('a call opens the reply window for 24 hours, and free text is accepted', async () => {
  const { store, customer, leadId } = await withLead();
  expect(await store.conversation(leadId)).toMatchObject(closed);
  await expect(accept(store, leadId)).rejects.toMatchObject({ code: 'messaging_window_closed' });
  const called = ago(3600);
  await calls(store, customer, { at: called });
  expect(await store.conversation(leadId)).toMatchObject({
    ...{ window_open: true, window_expires_at: endOf(called), window_opened_by: 'call' },
  });
  expect(await accept(store, leadId)).toMatchObject({ status: 'queued' });
  // A message afterwards opens it again.
  await store.does(customer, contents.text('Ligo depois'));
  expect(await store.conversation(leadId)).toMatchObject({ window_open: true, window_opened_by: 'message' });
  expect(await store.failed()).toEqual([]);
});

test('calls that are told twice, or out of order, count as the last one does', async () => {
  const { store, customer, leadId } = await withLead();
  const last = ago(100);
  for (const at of [ago(3600), last, last, ago(7200)]) await calls(store, customer, { at });
  expect(await store.conversation(leadId)).toMatchObject({ window_expires_at: endOf(last), window_opened_by: 'call' });
});

test.each<[string, Call]>([
  ['the store places', { direction: 'BUSINESS_INITIATED' }],
  ['has ended', { event: 'terminate' }],
  ['is told a day late', { at: ago(day) }],
])('a call that %s opens no window', async (_, call) => {
  const { store, customer, leadId } = await withLead();
  await calls(store, customer, call);
  expect(await store.conversation(leadId)).toMatchObject(closed);
  expect(await store.failed()).toEqual([]);
});

test('a call of a customer who is no lead creates none, and one of a lead who has never written opens the window', async () => {
  const store = await startStore(messaging);
  const phone = newPhone();
  await calls(store, { phone });
  expect(await conversationsOf(store)).toEqual([]);
  const leadId = messaging.crm.addLead(store.storeId, phone);
  await calls(store, { phone });
  expect(await store.conversation(leadId)).toMatchObject({ window_open: true, window_opened_by: 'call' });
  expect(await store.failed()).toEqual([]);
});

test('a customer without a phone opens the window by the id of the channel', async () => {
  const { store, customer, leadId } = await withLead();
  await calls(store, { userId: customer.userId });
  expect(await store.conversation(leadId)).toMatchObject({ window_open: true, window_opened_by: 'call' });
});
