import { randomUUID } from 'node:crypto';
import { acceptMessage, type RequestOf, sendMessage } from '@mostrador/contracts';
import { contents } from '@mostrador/testing/providers/whatsapp/entries';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newPhone, newUserId, startStore, type TestStore } from '../../test/customers.ts';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';
import type { CustomerIds } from '../channels/channel-provider.ts';
import { applyEffect } from '../inbound/apply-effect.ts';
import { purgeKeptEffects } from './kept-effect.repository.ts';
import type { ConversationEffect } from './kept-effect.ts';
import { type crmEvents, onCrmEvent } from './on-crm-event.ts';

let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging();
  messaging.inbound.start();
});
afterAll(() => messaging?.stop());

type Told = { readonly customer: CustomerIds; readonly at: Date };
const stop = (told: Told) => ({ kind: 'opt_out', wish: { want: 'stop', scope: 'all' }, ...told }) as const;
const start = (told: Told) => ({ kind: 'opt_out', wish: { want: 'start', scope: 'all' }, ...told }) as const;
const call = (told: Told) => ({ kind: 'call', ...told }) as const;
const handover = (told: Told) => ({ kind: 'handover', owner: 'store', ...told }) as const;
const kinds: Readonly<Record<string, (told: Told) => ConversationEffect>> = { 'opt-out': stop, call, handover };
const columnOf: Readonly<Record<string, string>> = {
  'opt-out': 'opted_out_at',
  call: 'called_at',
  handover: 'handover_at',
};

/** A moment of a whole second, as WhatsApp tells it. */
const ago = (seconds: number) => new Date(Math.floor(Date.now() / 1000 - seconds) * 1000);
const byPhone = (waId: string): CustomerIds => ({ waId, userId: null });

const tell = ({ context, channelId }: TestStore, effect: ConversationEffect) =>
  applyEffect(messaging.dependencies, context(), channelId, effect);
const kept = async ({ storeId }: TestStore) => {
  const rows = await messaging.adminSql`select kind from kept_effects where store_id = ${storeId} order by kind`;
  return rows.map(({ kind }) => kind);
};
const rowOf = async ({ storeId }: TestStore, leadId: string) => {
  const [row] = await messaging.adminSql`
    select opted_out_at, called_at, handover_at, handover_owner, ai_paused_until, last_inbound_at from conversations
    where store_id = ${storeId} and lead_id = ${leadId}`;
  return row;
};
const send = ({ context }: TestStore, leadId: string, source: 'followup' | 'ai' = 'followup') => {
  const body: RequestOf<typeof acceptMessage>['body'] = { id: randomUUID(), lead_id: leadId, source, message: 'Hello' };
  return messaging.rpc.call(acceptMessage, { body }, context());
};
const happens = ({ storeId }: TestStore, type: (typeof crmEvents)[number], data: object) =>
  onCrmEvent(messaging.dependencies)(
    { id: randomUUID(), type, store_id: storeId, occurred_at: new Date().toISOString(), data } as never,
    { deadline: Date.now() + 10_000 },
  );

describe.each(Object.entries(kinds))('the %s of a customer who is no lead', (kind, effectOf) => {
  /** A store, whose channel has told it twice, and an earlier one after it. */
  async function withKept(customer: CustomerIds = byPhone(newPhone())) {
    const store = await startStore(messaging);
    for (const at of [ago(60), ago(60), ago(3600)]) await tell(store, effectOf({ customer, at }));
    expect(await kept(store)).toHaveLength(1);
    expect(await store.facts()).toEqual([]);
    const column = columnOf[kind] as string;
    const has = async (leadId: string) => (await rowOf(store, leadId))?.[column] ?? null;
    return { store, customer, has, phone: customer.waId as string };
  }

  test('creates no conversation, and is there once as soon as the lead is created', async () => {
    const { store, phone, has } = await withKept();
    const leadId = messaging.crm.addLead(store.storeId, phone);
    expect(await has(leadId)).toBeNull();
    await happens(store, 'crm.lead.created', { lead_id: leadId });
    expect(await has(leadId)).not.toBeNull();
    expect(await kept(store)).toEqual([]);
    const facts = await store.facts();
    await happens(store, 'crm.lead.created', { lead_id: leadId });
    expect(await store.facts()).toEqual(facts);
  });

  test.each(['crm.leads.imported', 'crm.lead.phone_changed'] as const)('is there after %s', async (type) => {
    const { store, phone, has } = await withKept();
    const [other, leadId] = [newPhone(), phone].map((each) => messaging.crm.addLead(store.storeId, each)) as [
      string,
      string,
    ];
    await happens(store, type, type === 'crm.leads.imported' ? { lead_ids: [other, leadId] } : { lead_id: leadId });
    expect(await has(leadId)).not.toBeNull();
    expect(await has(other)).toBeNull();
  });

  test('counts for the first message to a lead of whose creation nothing was told', async () => {
    const { store, phone, has } = await withKept();
    const leadId = messaging.crm.addLead(store.storeId, phone);
    const outcome = await send(store, leadId, kind === 'handover' ? 'ai' : 'followup').then(
      ({ status }) => status as string,
      ({ code }) => code,
    );
    expect(outcome).toBe({ 'opt-out': 'lead_opted_out', call: 'queued', handover: 'ai_paused' }[kind]);
    expect(await has(leadId)).not.toBeNull();
    const second = messaging.crm.addLead(store.storeId);
    await expect(send(store, second)).rejects.toMatchObject({ code: 'messaging_window_closed' });
  });

  test('is there when the customer writes, by the phone in another form, or by the id of the channel', async () => {
    const phone = newPhone();
    const { store, has } = await withKept(byPhone(phone));
    const short = phone.replace(/^55119/, '5511');
    await store.does({ phone: short }, contents.text('Olá'));
    expect(await has((await store.leadOf(short)) as string)).not.toBeNull();
    const hidden = await withKept({ waId: null, userId: newUserId() });
    await hidden.store.does({ userId: hidden.customer.userId as string }, contents.text('Olá'));
    const [row] = await messaging.adminSql`select lead_id from conversations where store_id = ${hidden.store.storeId}`;
    expect(await hidden.has(row?.lead_id)).not.toBeNull();
    expect([...(await kept(store)), ...(await kept(hidden.store))]).toEqual([]);
    expect([...(await store.failed()), ...(await hidden.store.failed())]).toEqual([]);
  });

  test('is nothing for the same phone in another store, nor for another person with the number', async () => {
    const userId = newUserId();
    const phone = newPhone();
    const { store, has } = await withKept({ waId: phone, userId });
    const elsewhere = await startStore(messaging);
    await elsewhere.does({ phone }, contents.text('Olá'));
    const there = await rowOf(elsewhere, (await elsewhere.leadOf(phone)) as string);
    expect(there?.[columnOf[kind] as string]).toBeNull();
    await store.does({ phone, userId: newUserId() }, contents.text('Olá'));
    expect(await has((await store.leadOf(phone)) as string)).toBeNull();
    expect(await kept(store)).toHaveLength(1);
  });

  test('follows a customer who changes the number before they are a lead', async () => {
    const { store, customer, has } = await withKept();
    const next = newPhone();
    const change = { eventId: `wamid.${randomUUID()}`, at: ago(30), from: customer, to: byPhone(next) };
    await applyEffect(messaging.dependencies, store.context(), store.channelId, { kind: 'identity', change });
    const leadId = messaging.crm.addLead(store.storeId, next);
    await happens(store, 'crm.lead.created', { lead_id: leadId });
    expect(await has(leadId)).not.toBeNull();
  });

  test('is forgotten when its time is over, and no lead gets it then', async () => {
    const { store, phone, has } = await withKept();
    await messaging.adminSql`
      update kept_effects set kept_until = now() - interval '1 second' where store_id = ${store.storeId}`;
    await purgeKeptEffects(messaging.dependencies.systemDatabase);
    expect(await kept(store)).toEqual([]);
    const leadId = messaging.crm.addLead(store.storeId, phone);
    await happens(store, 'crm.lead.created', { lead_id: leadId });
    expect(await has(leadId)).toBeNull();
  });
});

describe('an opt-out that was told with the number and the user id is of that person alone', () => {
  /** Whether each of the leads has opted out. `before`: who had the number when the opt-out was told. */
  async function recycled(store: TestStore, leadId: string, phone: string) {
    const userId = newUserId();
    await store.does({ phone, userId }, contents.text('I have this number now'));
    const next = (await store.leadOf(phone)) as string;
    expect(next).not.toBe(leadId);
    expect(messaging.crm.newStarts.get(next)).toBe(leadId);
    const [before, after] = await Promise.all([rowOf(store, leadId), rowOf(store, next)]);
    return { before: before?.opted_out_at !== null, after: after?.opted_out_at !== null };
  }

  test('kept for a lead who is imported by the number', async () => {
    const [store, phone, userId] = [await startStore(messaging), newPhone(), newUserId()];
    await tell(store, stop({ customer: { waId: phone, userId }, at: ago(60) }));
    const leadId = messaging.crm.addLead(store.storeId, phone);
    await happens(store, 'crm.lead.created', { lead_id: leadId });
    expect(await recycled(store, leadId, phone)).toEqual({ before: true, after: false });
    expect(await store.failed()).toEqual([]);
  });

  test('told of a lead who is known by the number only', async () => {
    const [store, phone, userId] = [await startStore(messaging), newPhone(), newUserId()];
    const leadId = messaging.crm.addLead(store.storeId, phone);
    await tell(store, stop({ customer: { waId: phone, userId }, at: ago(60) }));
    expect(await recycled(store, leadId, phone)).toEqual({ before: true, after: false });
  });

  test('that person keeps it, also with a new number, and the store still writes to the number', async () => {
    const [store, phone, userId] = [await startStore(messaging), newPhone(), newUserId()];
    await tell(store, stop({ customer: { waId: phone, userId }, at: ago(60) }));
    const leadId = messaging.crm.addLead(store.storeId, phone);
    await happens(store, 'crm.lead.created', { lead_id: leadId });
    const [row] = await messaging.adminSql`
      select wa_id, user_id from conversations where store_id = ${store.storeId} and lead_id = ${leadId}`;
    expect(row).toEqual({ wa_id: phone, user_id: userId });
    await store.does({ phone, userId }, contents.text('It is me'));
    expect(await store.leadOf(phone)).toBe(leadId);
    await store.does({ phone: newPhone(), userId }, contents.text('From a new number'));
    expect(await rowOf(store, leadId)).toMatchObject({ opted_out_at: expect.any(Date) });
    const rows = await messaging.adminSql`select 1 from conversations where store_id = ${store.storeId}`;
    expect(rows).toHaveLength(1);
  });
});

test('of an opt-out and an opt-in before the lead the later one counts, in whatever order they come', async () => {
  for (const [first, second, isOut] of [
    [stop, start, false],
    [start, stop, true],
  ] as const) {
    for (const isReversed of [false, true]) {
      const store = await startStore(messaging);
      const customer = byPhone(newPhone());
      const told = [first({ customer, at: ago(120) }), second({ customer, at: ago(60) })];
      for (const effect of isReversed ? told.toReversed() : told) await tell(store, effect);
      const leadId = messaging.crm.addLead(store.storeId, customer.waId);
      await expect(send(store, leadId)).rejects.toMatchObject({
        code: isOut ? 'lead_opted_out' : 'messaging_window_closed',
      });
    }
  }
});

test('an API message to a lead who opted out before is refused, and a call that was kept for a day opens nothing', async () => {
  const store = await startStore(messaging);
  const customer = byPhone(newPhone());
  await tell(store, stop({ customer, at: ago(600) }));
  await tell(store, call({ customer, at: ago(24 * 3600 - 60) }));
  await messaging.adminSql`update kept_effects set told_at = told_at - interval '2 minutes' where kind = 'call'`;
  await tell(store, call({ customer: byPhone(newPhone()), at: ago(25 * 3600) }));
  expect(await kept(store)).toEqual(['call', 'opt_out']);
  const leadId = messaging.crm.addLead(store.storeId, customer.waId);
  const sending = messaging.rpc.call(sendMessage, { params: { leadId }, body: { message: 'Hello' } }, store.context());
  await expect(sending).rejects.toMatchObject({ code: 'lead_opted_out' });
  expect(await store.conversation(leadId)).toMatchObject({ opt_out: { scope: 'all', source: 'channel_preference' } });
  expect(await rowOf(store, leadId)).toMatchObject({ called_at: null });
  expect(await store.facts()).toContain('lead.opted_out');
});
