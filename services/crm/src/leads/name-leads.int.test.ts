import { randomUUID } from 'node:crypto';
import {
  createLead,
  ensureLead,
  getLead,
  importLeads,
  listLeads,
  moveLeadPhone,
  nameLeads,
  type RequestOf,
  updateLead,
  upsertLead,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';
import { purgeContactNames } from './contact-name.repository.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

const phone = '5531991230001';
type Context = ReturnType<typeof testContext>;
/** A store, and what its telephone and its people do. */
function openStore() {
  const context = testContext({ storeId: randomUUID() });
  return {
    context,
    storeId: context.storeId,
    ensure: (name: string, customer_phone = phone) =>
      crm.rpc.call(ensureLead, { body: { customer_phone, name } }, context),
    create: (name: string) => crm.rpc.call(createLead, { body: { customer_phone: phone, name } }, context),
    patch: (leadId: string, body: object) => crm.rpc.call(updateLead, { params: { leadId }, body }, context),
    named: (name: string | null, at = '2026-11-20T10:00:00.000Z', customer_phone = phone) =>
      crm.rpc.call(nameLeads, { body: { contacts: [{ customer_phone, name, at }] } }, context),
    allNamed: (contacts: RequestOf<typeof nameLeads>['body']['contacts']) =>
      crm.rpc.call(nameLeads, { body: { contacts } }, context),
    nameOf: async (leadId: string) => (await crm.rpc.call(getLead, { params: { leadId } }, context)).name,
    count: async () => (await crm.rpc.call(listLeads, { query: {} }, context)).total,
  };
}

const kept = async () => (await crm.adminSql`select 1 from contact_names where phone_key = ${phone}`).length;

test('a lead with the name of a profile, or without one, gets the name of the telephone, and its corrections', async () => {
  for (const profile of ['✨ Má ✨', phone]) {
    const { ensure, named, nameOf, storeId } = openStore();
    const { id } = await ensure(profile);
    await named('Maria Souza', '2026-11-20T10:00:00.000Z', '553191230001');
    expect(await nameOf(id)).toBe('Maria Souza');
    await named('Maria de Souza', '2026-11-20T11:00:00.000Z');
    // A repeat, and an earlier name that comes late.
    await named('Maria de Souza', '2026-11-20T11:00:00.000Z');
    await named('Mariana', '2026-11-20T10:30:00.000Z');
    expect(await nameOf(id)).toBe('Maria de Souza');
    const updates = (await crm.feed(storeId)).filter(({ type }) => type === 'lead.updated');
    expect(updates).toHaveLength(2);
  }
});

test('a name from a person stays', async () => {
  const first = openStore();
  const { id } = await first.create('Dona Maria');
  await first.named('Maria');
  expect(await first.nameOf(id)).toBe('Dona Maria');
  const second = openStore();
  const { id: renamed } = await second.ensure('Má');
  await second.named('Maria');
  await second.patch(renamed, { name: 'Dona Maria' });
  await second.named('Maria S.', '2026-11-21T10:00:00.000Z');
  expect(await second.nameOf(renamed)).toBe('Dona Maria');
});

test('a contact who has not written becomes no lead, and one who writes later is a lead with the last name', async () => {
  const { named, count, ensure, nameOf } = openStore();
  await named('Maria Souza', '2026-11-20T11:00:00.000Z', '553191230001');
  await named('Maria', '2026-11-20T10:00:00.000Z');
  expect(await count()).toBe(0);
  const { id } = await ensure('✨ Má ✨');
  expect(await nameOf(id)).toBe('Maria Souza');
  // It is a name of the telephone, so the telephone may correct it.
  await named('Maria', '2026-11-20T10:30:00.000Z');
  await named('Maria de Souza', '2026-11-20T12:00:00.000Z');
  expect(await nameOf(id)).toBe('Maria de Souza');
  expect(await kept()).toBe(0);
});

test('a name that is removed from the address book, or has waited for half a year, names no lead', async () => {
  const removed = openStore();
  await removed.named('Maria', '2026-11-20T10:00:00.000Z');
  await removed.named(null, '2026-11-20T11:00:00.000Z');
  expect(await removed.nameOf((await removed.ensure('Má')).id)).toBe('Má');
  const late = openStore();
  await late.named('Maria');
  await crm.adminSql`update contact_names set kept_until = kept_until - interval '181 days'`;
  await purgeContactNames(crm.systemDatabase);
  expect(await late.nameOf((await late.ensure('Má')).id)).toBe('Má');
});

test('a name waits also for a lead whose number becomes known later, and a name from a person stays', async () => {
  const context = testContext({ storeId: randomUUID() });
  const { id: hidden } = await crm.rpc.call(
    ensureLead,
    { body: { channel_user_id: 'BR.1', name: 'Má', username: 'ma' } },
    context,
  );
  const other = '5531991230009';
  const { id: named } = await crm.rpc.call(ensureLead, { body: { channel_user_id: 'BR.2', name: 'Bia' } }, context);
  await crm.rpc.call(updateLead, { params: { leadId: named }, body: { name: 'Dona Bia' } }, context);
  const at = '2026-11-20T10:00:00.000Z';
  const contacts = [
    { customer_phone: phone, name: 'Maria Souza', at },
    { customer_phone: other, name: 'Bia', at },
  ];
  await crm.rpc.call(nameLeads, { body: { contacts } }, context);
  const move = (lead_id: string, to_phone: string, to_user_id: string) =>
    crm.rpc.call(moveLeadPhone, { body: { lead_id, from_phone: null, to_phone, to_user_id } }, context);
  const moved = [await move(hidden, phone, 'BR.1'), await move(named, other, 'BR.2')];
  const leads = await Promise.all(
    [hidden, named].map((leadId) => crm.rpc.call(getLead, { params: { leadId } }, context)),
  );
  expect(leads).toMatchObject([
    { name: 'Maria Souza', customer_phone: phone },
    { name: 'Dona Bia', customer_phone: other },
  ]);
  // A repetition changes nothing.
  expect([await move(hidden, phone, 'BR.1'), await move(named, other, 'BR.2')]).toEqual(moved);
});

test('a name that comes while the lead is created names it', async () => {
  const stores = Array.from({ length: 10 }, openStore);
  await Promise.all(stores.flatMap(({ named, ensure }) => [named('Maria'), ensure('Má')]));
  const names = await Promise.all(stores.map(async ({ nameOf, ensure }) => nameOf((await ensure('Má')).id)));
  expect(names).toEqual(stores.map(() => 'Maria'));
  expect(await kept()).toBe(0);
});

test('an address book names all leads that it has, each by its last name', async () => {
  const { ensure, allNamed, nameOf } = openStore();
  const other = '5531991230002';
  const [first, second] = [await ensure('Má'), await ensure(other, other)];
  const [early, late] = ['2026-11-20T10:00:00.000Z', '2026-11-20T11:00:00.000Z'];
  await allNamed([
    { customer_phone: other, name: 'Ana', at: early },
    { customer_phone: phone, name: 'Maria Souza', at: late },
    { customer_phone: '5531991230003', name: 'Never wrote', at: early },
    { customer_phone: '553191230001', name: 'Maria', at: early },
  ]);
  expect(await Promise.all([first, second].map(({ id }) => nameOf(id)))).toEqual(['Maria Souza', 'Ana']);
});

test('what comes in another order ends as it was written: the last of names and removals counts', async () => {
  const told = {
    added: ['Maria', '2026-11-20T10:00:00.000Z'],
    removed: [null, '2026-11-20T11:00:00.000Z'],
    again: ['Maria S.', '2026-11-20T12:00:00.000Z'],
  } as const;
  const orders = [
    ['added', 'removed'],
    ['removed', 'added'],
  ] as const;
  for (const order of orders) {
    const before = openStore();
    for (const step of order) await before.named(told[step][0], told[step][1]);
    const { id } = await before.ensure('Má');
    expect(await before.nameOf(id)).toBe('Má');
    // What comes late is still from before the removal, and a later name counts.
    await before.named(...told.added);
    expect(await before.nameOf(id)).toBe('Má');
    await before.named(...told.again);
    expect(await before.nameOf(id)).toBe('Maria S.');
  }
  // A lead who is there keeps the name that it had at the removal.
  for (const order of orders) {
    const after = openStore();
    const { id } = await after.ensure('Má');
    for (const step of order) await after.named(told[step][0], told[step][1]);
    expect(await after.nameOf(id)).toBe(order[0] === 'added' ? 'Maria' : 'Má');
  }
});

test('a lead that a system creates with its phone as the name gets the name of the telephone, and one with a name keeps it', async () => {
  const other = '5531991230002';
  const ways = {
    create: (context: Context, name: string, customer_phone: string) =>
      crm.rpc.call(createLead, { body: { customer_phone, name } }, context),
    upsert: (context: Context, name: string, customer_phone: string) =>
      crm.rpc.call(upsertLead, { params: { phone: customer_phone }, body: { name } }, context),
    import: (context: Context, name: string, customer_phone: string) =>
      crm.rpc.call(importLeads, { body: { leads: [{ customer_phone, name }] } }, context),
  };
  for (const way of Object.values(ways)) {
    const store = openStore();
    const at = '2026-11-20T10:00:00.000Z';
    await store.allNamed([
      { customer_phone: phone, name: 'Maria Souza', at },
      { customer_phone: other, name: 'Ana', at },
    ]);
    await way(store.context, '553191230001', phone);
    await way(store.context, 'Dona Ana', other);
    const { data } = await crm.rpc.call(listLeads, { query: {} }, store.context);
    expect(data.map(({ name }) => name).toSorted()).toEqual(['Dona Ana', 'Maria Souza']);
    // It is a name of the telephone, so the telephone may correct it.
    await store.named('Maria de Souza', '2026-11-20T11:00:00.000Z');
    const lead = data.find(({ customer_phone }) => customer_phone === phone);
    expect(await store.nameOf(lead?.id as string)).toBe('Maria de Souza');
  }
});

test('of a person’s lead and a message that come together, the name that is kept is lost by neither', async () => {
  const stores = Array.from({ length: 10 }, openStore);
  await Promise.all(stores.map(({ named }) => named('Maria')));
  await Promise.all(stores.flatMap(({ create, ensure }) => [create(phone).catch(() => {}), ensure('Má')]));
  const names = await Promise.all(stores.map(async ({ nameOf, ensure }) => nameOf((await ensure('Má')).id)));
  expect(names).toEqual(stores.map(() => 'Maria'));
});
