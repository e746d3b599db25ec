import { randomUUID } from 'node:crypto';
import { acceptMessage, deliverMessages } from '@mostrador/contracts';
import { silentLog, testContext } from '@mostrador/testing/context';
import {
  type Customer,
  contents,
  type Entry,
  echoPayload,
  entriesPayload,
  historyPayload,
} from '@mostrador/testing/providers/whatsapp/entries';
import { startWhatsappServer, type WhatsappServer } from '@mostrador/testing/providers/whatsapp/server';
import { waitFor } from '@mostrador/testing/wait';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newPhone, newUserId, newWamid, startStore, type TestStore } from '../../test/customers.ts';
import { longMs, startMessaging, type TestMessaging } from '../../test/messaging.ts';
import type { CustomerIds } from '../channels/channel-provider.ts';
import { followPhone } from '../conversations/change-contact-phone.ts';
import { finishMerges } from '../merges/finish-merges.ts';
import { moveIdentity } from './move-identity.ts';

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

async function storeWithLead() {
  const store = await startStore(messaging);
  const before = { phone: newPhone(), userId: newUserId() };
  const after = { phone: newPhone(), userId: newUserId() };
  await store.does(before, contents.text('from the old number'), { at: ago(100) });
  const leadId = (await store.leadOf(before.phone)) as string;
  const moved = contents.changedNumber(after.phone, { userId: after.userId, previousUserId: before.userId });
  return { store, before, after, leadId, moved };
}
const leadsOf = async ({ storeId }: TestStore) => {
  const rows = await messaging.adminSql`select lead_id from conversations where store_id = ${storeId} order by lead_id`;
  return rows.map(({ lead_id }) => lead_id);
};
const bodies = async (store: TestStore, leadId: string) => (await store.messages(leadId)).map(({ body }) => body);

test('a customer with another number stays the same lead, which crm and the channel know by the new one', async () => {
  const { store, before, after, leadId, moved } = await storeWithLead();
  await store.does(before, moved, { at: ago(50) });
  expect(messaging.crm.phoneOf(store.storeId, leadId)).toBe(after.phone);
  expect(await store.leadOf(after.phone)).toBe(leadId);
  await store.does(after, contents.text('from the new number'));
  await store.does({ userId: after.userId }, contents.text('without the phone'));
  expect(await leadsOf(store)).toEqual([leadId]);
  expect(await bodies(store, leadId)).toEqual(['from the old number', 'from the new number', 'without the phone']);
});

test('a customer who writes from the earlier number later is another lead, and a late message from before is the lead’s', async () => {
  const { store, before, leadId, moved } = await storeWithLead();
  await store.does(before, moved, { at: ago(50) });
  await store.does({ phone: before.phone, userId: newUserId() }, contents.text('I am new here'), { at: ago(10) });
  const other = (await store.leadOf(before.phone)) as string;
  expect(other).not.toBe(leadId);
  await store.does({ phone: before.phone }, contents.text('late'), { at: ago(60) });
  expect(await bodies(store, leadId)).toEqual(['from the old number', 'late']);
  expect(await bodies(store, other)).toEqual(['I am new here']);
});

test('a repeated notice, also after another customer has the earlier number, moves no lead', async () => {
  const { store, before, after, leadId, moved } = await storeWithLead();
  const id = newWamid();
  const notice = entriesPayload(store.number, before, [{ content: moved, id, at: ago(50) }]);
  await store.posts(notice);
  await store.does({ phone: before.phone }, contents.text('I am new here'), { at: ago(10) });
  const other = (await store.leadOf(before.phone)) as string;
  await store.posts({ ...notice, retried: true });
  expect(await store.leadOf(before.phone)).toBe(other);
  expect(await store.leadOf(after.phone)).toBe(leadId);
  expect(messaging.crm.phoneOf(store.storeId, other)).toBe(before.phone);
});

test('an earlier notice that comes after a later one moves no lead back', async () => {
  const { store, before, after, leadId, moved } = await storeWithLead();
  const last = newPhone();
  await store.does(after, contents.changedNumber(last), { at: ago(20) });
  await store.does(before, moved, { at: ago(50) });
  expect(messaging.crm.phoneOf(store.storeId, leadId)).toBe(last);
  await store.does({ phone: last }, contents.text('hello again'), { at: ago(5) });
  expect(await leadsOf(store)).toEqual([leadId]);
});

test('a user id that changes without a number leads to the same lead', async () => {
  const { store, before, after, leadId } = await storeWithLead();
  await store.does({ userId: before.userId }, contents.changedUserId(before.userId, after.userId));
  await store.does({ userId: after.userId }, contents.text('hidden'));
  expect(await bodies(store, leadId)).toEqual(['from the old number', 'hidden']);
  expect(messaging.crm.phoneOf(store.storeId, leadId)).toBe(before.phone);
});

test('a lead who has not written gets the new number, and an unknown customer becomes no lead', async () => {
  const store = await startStore(messaging);
  const [before, after] = [newPhone(), newPhone()];
  const leadId = messaging.crm.addLead(store.storeId, before);
  await store.does({ phone: before }, contents.customerChangedNumber(before, after), { at: ago(50) });
  expect(messaging.crm.phoneOf(store.storeId, leadId)).toBe(after);
  await store.does({ phone: newPhone() }, contents.changedNumber(newPhone()), { at: ago(50) });
  expect(await leadsOf(store)).toEqual([]);
  expect(await store.failed()).toEqual([]);
});

test('a lead to which the store gave another number keeps that number', async () => {
  const { store, before, leadId, moved } = await storeWithLead();
  const ofStore = newPhone();
  messaging.crm.changePhone(store.storeId, leadId, ofStore);
  await store.does(before, moved, { at: ago(50) });
  expect(messaging.crm.phoneOf(store.storeId, leadId)).toBe(ofStore);
});

test.each([
  ['a message', (store: TestStore, customer: Customer) => store.payload(customer, contents.text('here'))],
  ['an echo', (store: TestStore, customer: Customer) => echoPayload(store.number, customer, contents.text('here'))],
  [
    'a past message',
    ({ number }: TestStore, customer: Customer) =>
      historyPayload(number, [
        { customer, messages: [{ content: contents.text('here'), id: newWamid(), at: ago(9) }] },
      ]),
  ],
])('%s whose lead gets another phone at the same moment is another lead’s, and overrules no phone', async (_, of) => {
  const store = await startStore(messaging);
  const customer = { phone: newPhone(), userId: newUserId() };
  const leadId = messaging.crm.addLead(store.storeId, customer.phone);
  await messaging.adminSql`insert into conversations (store_id, lead_id) values (${store.storeId}, ${leadId})`;
  const phone = newPhone();
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const changing = messaging.database.write(testContext({ storeId: store.storeId, timeoutMs: longMs }), async (sql) => {
    await followPhone(sql, store.storeId, { lead_id: leadId, customer_phone: phone, version: 2 });
    held.resolve();
    await released.promise;
  });
  await held.promise;
  await store.post(of(store, customer));
  const waits = async () =>
    (
      await messaging.adminSql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%conversations%'`
    ).length > 0;
  await waitFor(waits, { description: 'the message waits for the conversation' });
  messaging.crm.changePhone(store.storeId, leadId, phone);
  released.resolve();
  await changing;
  await store.settled();
  expect(await store.messages(leadId)).toEqual([]);
  expect(await bodies(store, (await store.leadOf(customer.phone)) as string)).toEqual(['here']);
  const [row] = await messaging.adminSql`select wa_id, user_id, phone from conversations where lead_id = ${leadId}`;
  expect(row).toEqual({ wa_id: null, user_id: null, phone });
});

async function connectStandIn({ channelId, number }: TestStore): Promise<void> {
  whatsapp.settings.moreNumberIds = [...whatsapp.settings.moreNumberIds, number.phoneNumberId];
  await messaging.adminSql`
    update channels set api_url = ${whatsapp.apiUrl}, pair_interval_seconds = 0 where id = ${channelId}`;
}
const queue = (store: TestStore, leadId: string, message: string) =>
  messaging.rpc.call(
    acceptMessage,
    { body: { id: randomUUID(), lead_id: leadId, source: 'seller', message, template: { name: 't', language: 'en' } } },
    store.context(),
  );
const deliver = ({ storeId }: TestStore, lead_id: string) =>
  messaging.rpc.call(deliverMessages, { body: { lead_id } }, testContext({ storeId, timeoutMs: longMs }));
/** Where the lead's messages went, accepted or not. */
const askedFor = () => new Set([...whatsapp.log, ...whatsapp.refusals].map(({ to }) => to));

test('from the notice on, what was queued and what comes next goes to the new number only, also while crm is away', async () => {
  const { store, before, after, leadId, moved } = await storeWithLead();
  await connectStandIn(store);
  await queue(store, leadId, 'queued before');
  await messaging.crm.stop();
  try {
    await store.post(store.payload(before, moved, { at: ago(50) }));
    const isStored = async () =>
      (
        await messaging.adminSql`select 1 from identity_changes where store_id = ${store.storeId} and lead_id is not null`
      ).length > 0;
    await waitFor(isStored, { description: 'the change is stored' });
    await deliver(store, leadId);
  } finally {
    await messaging.crm.start();
  }
  await store.settled();
  await queue(store, leadId, 'queued after');
  await deliver(store, leadId);
  expect(askedFor().has(before.phone)).toBe(false);
  expect([...whatsapp.log, ...whatsapp.refusals].filter(({ to }) => to === after.phone)).toHaveLength(2);
});

test('a process that stops after any step leaves the rest to the next one', async () => {
  for (const step of ['stored', 'moved in crm', 'known by the event']) {
    const { store, before, after, leadId, moved } = await storeWithLead();
    // What a process that was killed after the step has committed: the payload is still open.
    const eventId = newWamid();
    await messaging.adminSql`
      insert into identity_changes (store_id, channel_id, event_id, from_wa_id, from_user_id, to_wa_id, to_user_id, changed_at, lead_id)
      values (${store.storeId}, ${store.channelId}, ${eventId}, ${before.phone}, ${before.userId}, ${after.phone},
        ${after.userId}, ${ago(50)}, ${leadId})`;
    await messaging.adminSql`
      update conversations set wa_id = ${after.phone}, phone = ${after.phone}
      where store_id = ${store.storeId} and lead_id = ${leadId}`;
    if (step !== 'stored') {
      const version = messaging.crm.changePhone(store.storeId, leadId, after.phone);
      const customer_phone = after.phone;
      const { storeId } = store;
      if (step === 'known by the event')
        await messaging.database.write(store.context(), (sql) =>
          followPhone(sql, storeId, { lead_id: leadId, customer_phone, version }),
        );
    }
    await store.does(before, moved, { id: eventId, at: ago(50) });
    expect(messaging.crm.phoneOf(store.storeId, leadId), step).toBe(after.phone);
    await store.does(after, contents.text('new'));
    expect(await bodies(store, leadId), step).toEqual(['from the old number', 'new']);
    expect((await store.conversation(leadId)).window_open, step).toBe(true);
  }
});

test('a message from the new number that comes before the notice belongs to the same lead afterwards', async () => {
  const { store, before, after, leadId, moved } = await storeWithLead();
  await store.does(after, contents.text('from the new number'), { at: ago(40) });
  expect(await leadsOf(store)).toHaveLength(2);
  const younger = (await store.leadOf(after.phone)) as string;
  await store.does(before, moved, { at: ago(50) });
  expect(await leadsOf(store)).toEqual([leadId]);
  expect(await bodies(store, leadId)).toEqual(['from the old number', 'from the new number']);
  expect(await store.leadOf(after.phone)).toBe(leadId);
  expect(messaging.crm.mergedInScheduling).toContainEqual({ lead_id: younger, merged_into: leadId });
  expect(messaging.crm.isFinished(younger)).toBe(false);

  await messaging.adminSql`update identity_changes set finish_at = now() - interval '1 second' where store_id = ${store.storeId}`;
  await finishMerges({ ...messaging.dependencies, log: silentLog() }, new AbortController().signal);
  expect(messaging.crm.isFinished(younger)).toBe(true);
});

test.each([
  ['the channel gave the customer another number', 'channel'],
  ['the store gave the lead another number', 'store'],
] as const)('an earlier change that is finished after %s leaves the later number', async (_, by) => {
  const store = await startStore(messaging);
  const [userId, nextId, phone, last] = [newUserId(), newUserId(), newPhone(), newPhone()];
  await store.does({ userId }, contents.text('without the phone'), { at: ago(100) });
  const [leadId] = (await leadsOf(store)) as [string];
  await store.does({ phone }, contents.text('from the number'), { at: ago(90) });
  const move = (eventId: string, seconds: number, from: CustomerIds, to: CustomerIds) =>
    moveIdentity(messaging.dependencies, store.context(), store.channelId, { eventId, at: ago(seconds), from, to });
  messaging.crm.duringMerge(async () => {
    if (by === 'channel') return await move('later', 50, { waId: phone, userId }, { waId: last, userId: nextId });
    const version = messaging.crm.changePhone(store.storeId, leadId, last);
    const body = { lead_id: leadId, customer_phone: last, version };
    await messaging.database.write(store.context(), (sql) => followPhone(sql, store.storeId, body));
  });
  await move('earlier', 60, { waId: null, userId }, { waId: phone, userId });
  expect(messaging.crm.phoneOf(store.storeId, leadId)).toBe(last);
  expect(await leadsOf(store)).toEqual([leadId]);
  const [row] = await messaging.adminSql`select wa_id, user_id, phone from conversations where lead_id = ${leadId}`;
  const ids = by === 'channel' ? { wa_id: last, user_id: nextId } : { wa_id: null, user_id: userId };
  expect(row).toMatchObject({ ...ids, phone: last });
});

test('whatever the order and the repetitions of the webhooks, they are one lead with the last number', async () => {
  const store = await startStore(messaging);
  const began = Date.now() - 600_000;
  const at = (second: number) => new Date(began + second * 1000);
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }),
      fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 3 }),
      fc.boolean(),
      async (order, again, together) => {
        const phones = [newPhone(), newPhone(), newPhone()] as const;
        const entry = (phone: string, content: Entry['content'], second: number) =>
          entriesPayload(store.number, { phone }, [{ content, id: newWamid(), at: at(second) }]);
        const all = [
          entry(phones[0], contents.text('a'), 0),
          entry(phones[0], contents.changedNumber(phones[1]), 10),
          entry(phones[1], contents.text('b'), 20),
          entry(phones[1], contents.changedNumber(phones[2]), 30),
          entry(phones[2], contents.text('c'), 40),
        ];
        for (const index of [...order, ...again]) {
          await store.post({ ...all[index], posted: Math.random() });
          if (!together) await store.settled();
        }
        await store.settled();
        const rows = await messaging.adminSql`
          select c.lead_id, m.body from conversations c join messages m using (store_id, lead_id)
          where c.store_id = ${store.storeId} and (c.wa_id = any(${[...phones]}) or c.phone = any(${[...phones]}))`;
        expect(rows.map(({ body }) => body).toSorted()).toEqual(['a', 'b', 'c']);
        expect(new Set(rows.map(({ lead_id }) => lead_id)).size).toBe(1);
        expect(await store.leadOf(phones[2])).toBe(rows[0]?.lead_id);
      },
    ),
    { numRuns: 8 },
  );
});
