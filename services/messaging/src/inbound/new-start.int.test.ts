import { randomUUID } from 'node:crypto';
import { acceptMessage, deliverMessages } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { type Customer, contents, entriesPayload } from '@mostrador/testing/providers/whatsapp/entries';
import { startWhatsappServer, type WhatsappServer } from '@mostrador/testing/providers/whatsapp/server';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newPhone, newUserId, startStore, type TestStore } from '../../test/customers.ts';
import { connectWhatsapp, receive } from '../../test/inbound-webhook.ts';
import { longMs, startMessaging, type TestMessaging } from '../../test/messaging.ts';

// A number that WhatsApp gives to another person. It tells by the business-scoped user id.

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
const bodies = async (store: TestStore, leadId: string) =>
  (await store.messages(leadId)).flatMap(({ direction, body }) => (direction === 'inbound' ? [body] : []));
const leadsOf = async ({ storeId }: TestStore): Promise<string[]> => {
  const rows = await messaging.adminSql`select lead_id from conversations where store_id = ${storeId} order by lead_id`;
  return rows.map(({ lead_id }) => lead_id);
};

/** A store with a lead who has opted out, whose AI is paused, and who has an open session. */
async function storeWithLead() {
  const store = await startStore(messaging);
  const phone = newPhone();
  const first = { phone, userId: newUserId() };
  await store.does(first, contents.text('sair'), { at: ago(100) });
  const leadId = (await store.leadOf(phone)) as string;
  await messaging.adminSql`
    update conversations set ai_paused_until = now() + interval '1 hour'
    where store_id = ${store.storeId} and lead_id = ${leadId}`;
  const second = { phone, userId: newUserId() };
  return { store, phone, first, second, leadId };
}

test('another user id of a number is a marked new start: nothing of the lead before passes on', async () => {
  const { store, phone, first, second, leadId } = await storeWithLead();
  await store.does(second, contents.text('I have this number now'), { at: ago(10) });
  const newId = (await store.leadOf(phone)) as string;
  expect(newId).not.toBe(leadId);
  expect(messaging.crm.newStarts.get(newId)).toBe(leadId);
  expect(messaging.crm.leadOf(store.storeId, newId)).toMatchObject({ customer_phone: phone });
  expect(messaging.crm.leadOf(store.storeId, leadId)).toMatchObject({
    ...{ customer_phone: null, channel_user_id: first.userId },
  });
  expect(await bodies(store, leadId)).toEqual(['sair']);
  expect(await bodies(store, newId)).toEqual(['I have this number now']);
  expect(await store.conversation(newId)).toMatchObject({ opted_out_at: null });
  expect(await store.conversation(leadId)).toMatchObject({ opted_out_at: expect.any(String) });
  const rows = await messaging.adminSql`
    select c.lead_id, c.ai_paused_until is not null as paused, count(s.id)::int as sessions
    from conversations c join sessions s using (store_id, lead_id)
    where c.store_id = ${store.storeId} group by c.lead_id, c.ai_paused_until order by c.lead_id = ${newId}`;
  expect(rows).toEqual([
    { lead_id: leadId, paused: true, sessions: 1 },
    { lead_id: newId, paused: false, sessions: 1 },
  ]);
});

test('a message that waits for the lead before goes to the user id, never to the one who has the number now', async () => {
  const { store, first, second, leadId } = await storeWithLead();
  // Without a URL for webhooks it only opens the reply window.
  await whatsapp.customerDoes(first, { content: contents.text() });
  whatsapp.settings.moreNumberIds = [...whatsapp.settings.moreNumberIds, store.number.phoneNumberId];
  await messaging.adminSql`
    update channels set api_url = ${whatsapp.apiUrl}, pair_interval_seconds = 0 where id = ${store.channelId}`;
  const id = randomUUID();
  const template = { name: 't', language: 'en' };
  const body = { id, lead_id: leadId, source: 'seller' as const, message: 'Your order', template };
  await messaging.rpc.call(acceptMessage, { body }, store.context());
  await store.does(second, contents.text('I have this number now'), { at: ago(10) });
  await messaging.rpc.call(
    deliverMessages,
    { body: { lead_id: leadId } },
    testContext({ storeId: store.storeId, timeoutMs: longMs }),
  );
  const sent = whatsapp.log.filter(({ callbackData }) => callbackData === id).map(({ to }) => to);
  expect(sent).toEqual([first.userId]);
});

type Step = readonly [
  customer: 'first' | 'second' | 'number' | 'secondWithoutNumber',
  body: string,
  ageSeconds: number,
];
describe('whatever comes late or twice is with the lead of who wrote it', () => {
  const cases: readonly { name: string; steps: readonly Step[]; first: string[]; second: string[] }[] = [
    {
      name: 'a message from before, with both ids',
      steps: [
        ['second', 'new', 10],
        ['first', 'late', 60],
      ],
      first: ['sair', 'late'],
      second: ['new'],
    },
    {
      name: 'a message from before, with the number only',
      steps: [
        ['second', 'new', 10],
        ['number', 'late', 60],
      ],
      first: ['sair', 'late'],
      second: ['new'],
    },
    {
      name: 'the first messages of the new customer in another order',
      steps: [
        ['second', 'b', 10],
        ['second', 'a', 20],
        ['secondWithoutNumber', 'c', 5],
      ],
      first: ['sair'],
      second: ['b', 'a', 'c'],
    },
    {
      name: 'a later message with the number only',
      steps: [
        ['second', 'new', 20],
        ['number', 'again', 10],
      ],
      first: ['sair'],
      second: ['new', 'again'],
    },
    {
      name: 'a message of who had the number before the lead',
      steps: [['second', 'old', 200]],
      first: ['sair'],
      second: ['old'],
    },
    {
      name: 'the number goes back',
      steps: [
        ['second', 'new', 20],
        ['first', 'I am back', 10],
        ['number', 'still me', 5],
      ],
      first: ['sair', 'I am back', 'still me'],
      second: ['new'],
    },
  ];
  test.for(cases)('$name', async ({ steps, ...expected }) => {
    const { store, phone, first, second, leadId } = await storeWithLead();
    const customers: Record<Step[0], Customer> = {
      ...{ first, second, number: { phone } },
      secondWithoutNumber: { userId: second.userId },
    };
    for (const [customer, body, age] of steps) {
      await store.does(customers[customer], contents.text(body), { at: ago(age) });
    }
    const others = (await leadsOf(store)).filter((id) => id !== leadId);
    expect(others).toHaveLength(1);
    expect(await bodies(store, leadId)).toEqual(expected.first);
    expect(await bodies(store, others[0] as string)).toEqual(expected.second);
    expect(await store.failed()).toEqual([]);
  });
});

test('a notice of another user id that comes after the customer wrote makes them one lead again', async () => {
  const { store, phone, first, second, leadId } = await storeWithLead();
  await store.does(second, contents.text('after the change'), { at: ago(10) });
  const newId = (await store.leadOf(phone)) as string;
  await store.does(first, contents.changedUserId(first.userId, second.userId), { at: ago(50) });
  expect(await leadsOf(store)).toEqual([leadId]);
  expect(await bodies(store, leadId)).toEqual(['sair', 'after the change']);
  expect(messaging.crm.mergedInScheduling).toContainEqual({ lead_id: newId, merged_into: leadId });
  expect(messaging.crm.phoneOf(store.storeId, leadId)).toBe(phone);
});

test('a notice of another number that comes after the next customer wrote moves the customer who had it', async () => {
  for (const withId of [true, false]) {
    const { store, phone, first, second, leadId } = await storeWithLead();
    await store.does(second, contents.text('new'), { at: ago(10) });
    const newId = (await store.leadOf(phone)) as string;
    const moved = newPhone();
    const ids = withId ? { userId: newUserId(), previousUserId: first.userId } : {};
    await store.does(withId ? first : { phone }, contents.changedNumber(moved, ids), { at: ago(50) });
    expect(await store.leadOf(moved)).toBe(leadId);
    expect(await store.leadOf(phone)).toBe(newId);
    expect(messaging.crm.phoneOf(store.storeId, leadId)).toBe(moved);
  }
});

test('a new start is finished when crm was away in between', async () => {
  const { store, phone, second, leadId } = await storeWithLead();
  await messaging.crm.stop();
  try {
    await store.post(store.payload(second, contents.text('new'), { at: ago(10) }));
    const isBegun = async () =>
      (await messaging.adminSql`select from identity_changes where store_id = ${store.storeId} and is_release`).length >
      0;
    await waitFor(isBegun, { description: 'the release is stored' });
    expect(await store.leadOf(phone)).toBeUndefined();
  } finally {
    await messaging.crm.start();
  }
  await store.settled();
  const newId = (await store.leadOf(phone)) as string;
  expect(messaging.crm.newStarts.get(newId)).toBe(leadId);
  expect(await bodies(store, newId)).toEqual(['new']);
});

test('an id of another business, and the first id of a number, are no new start', async () => {
  const { store, phone, leadId } = await storeWithLead();
  // The store connects a number of another business, which knows the same customer by another id.
  const { channelId, phoneNumberId } = await connectWhatsapp(messaging, store.storeId);
  const number = { ...store.number, phoneNumberId };
  const customer = { phone, userId: newUserId() };
  const isProcessed = async () => {
    const open = await messaging.adminSql`
      select from inbound_payloads where channel_id = ${channelId} and processed_at is null`;
    return open.length === 0;
  };
  for (const body of ['over the other number', 'again']) {
    await receive(messaging, channelId, entriesPayload(number, customer, [{ content: contents.text(body) }]));
    await waitFor(isProcessed, { description: 'the payload is processed' });
  }
  expect(await leadsOf(store)).toEqual([leadId]);
  expect(await bodies(store, leadId)).toEqual(['sair', 'over the other number', 'again']);
});
