import { randomUUID } from 'node:crypto';
import { createLead, createSeller, importLeads, listLeads, maxImportedLeads, type NewLead } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

const lead = (n: number, others: Partial<NewLead> = {}): NewLead => ({
  name: `Lead ${n}`,
  customer_phone: String(5_511_900_000_000 + n),
  ...others,
});
const several = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => lead(from + i));
const importInto = (storeId: string, leads: NewLead[]) =>
  crm.rpc.call(importLeads, { body: { leads } }, testContext({ storeId }));
const rowsOf = (storeId: string) =>
  crm.adminSql`select name, customer_phone, status, seller_id from leads where store_id = ${storeId} order by customer_phone`;
const newSeller = async (storeId: string, is_active: boolean) => {
  const body = { name: 'Ana', whatsapp_id: '5511900000100', is_active };
  return (await crm.rpc.call(createSeller, { body }, testContext({ storeId }))).id;
};

test('imported leads have the given values and defaults for the rest', async () => {
  const storeId = randomUUID();
  const seller_id = await newSeller(storeId, true);
  const leads = [lead(1, { status: 'converted', seller_id }), lead(2)];
  expect(await importInto(storeId, leads)).toEqual({ created: 2, existing: 0, refused: [] });
  expect(await rowsOf(storeId)).toEqual([
    { name: 'Lead 1', customer_phone: '5511900000001', status: 'converted', seller_id },
    { name: 'Lead 2', customer_phone: '5511900000002', status: 'pending', seller_id: null },
  ]);
});

test('imported leads have their external id, email and tags, and a taken external id counts as existing', async () => {
  const storeId = randomUUID();
  const known = { external_id: 'c-1', email: 'Maria@example.com', tags: ['vip', 'nova cliente'] };
  const leads = [lead(1, known), lead(2, { external_id: 'c-1' }), lead(3, { tags: ['vip'] })];
  expect(await importInto(storeId, leads)).toEqual({ created: 2, existing: 1, refused: [] });
  const list = (query: object) => crm.rpc.call(listLeads, { query }, testContext({ storeId }));
  expect((await list({ external_id: 'c-1' })).data).toMatchObject([{ name: 'Lead 1', ...known }]);
  expect(await list({ tag: 'vip' })).toMatchObject({ total: 2 });
  expect(await list({ email: 'maria@EXAMPLE.com' })).toMatchObject({ total: 1 });
  expect(await importInto(storeId, [lead(4, { external_id: 'c-1' })])).toMatchObject({ created: 0, existing: 1 });
});

test('a repeated import changes no lead and creates no duplicate', async () => {
  const storeId = randomUUID();
  await importInto(storeId, several(0, 500));
  expect(await importInto(storeId, [lead(7, { name: 'Other' }), ...several(400, 600)])).toEqual({
    created: 100,
    existing: 101,
    refused: [],
  });
  const rows = await rowsOf(storeId);
  expect(rows).toHaveLength(600);
  expect(rows[7]).toMatchObject({ name: 'Lead 7' });
});

test('of several leads with one phone the first is imported', async () => {
  const storeId = randomUUID();
  const leads = [lead(2), lead(1), lead(2, { name: 'Second' })];
  expect(await importInto(storeId, leads)).toEqual({ created: 2, existing: 1, refused: [] });
  expect(await rowsOf(storeId)).toMatchObject([{ name: 'Lead 1' }, { name: 'Lead 2' }]);
});

test('a lead whose seller is unknown, inactive or foreign is rejected, and the others are imported', async () => {
  const storeId = randomUUID();
  const [inactive, foreign] = await Promise.all([newSeller(storeId, false), newSeller(randomUUID(), true)]);
  const leads = [
    lead(1, { seller_id: randomUUID() }),
    lead(2),
    lead(3, { seller_id: inactive }),
    lead(4, { seller_id: foreign }),
  ];
  expect(await importInto(storeId, leads)).toEqual({
    created: 1,
    existing: 0,
    refused: [
      { index: 0, code: 'seller_not_found' },
      { index: 2, code: 'seller_inactive' },
      { index: 3, code: 'seller_not_found' },
    ],
  });
});

test.each([
  ['no lead', []],
  ['more leads than one transaction takes', several(0, maxImportedLeads + 1)],
  ['a lead that POST /leads would reject', [lead(1), lead(2, { name: ' ' })]],
])('an import with %s imports nothing', async (_, leads) => {
  const storeId = randomUUID();
  await expect(importInto(storeId, leads)).rejects.toMatchObject({ code: 'validation_failed' });
  expect(await rowsOf(storeId)).toHaveLength(0);
});

test('one event lists all created leads, and an import that creates none writes no event', async () => {
  const storeId = randomUUID();
  await importInto(storeId, several(0, 1000));
  await importInto(storeId, several(0, 1000));
  const events = await crm.adminSql`select topic, data from outbox where store_id = ${storeId}`;
  const created = await crm.adminSql`select id from leads where store_id = ${storeId}`;
  expect(events).toHaveLength(1);
  expect(events[0]).toMatchObject({ topic: 'crm.leads.imported' });
  expect(events[0]?.data.lead_ids.sort()).toEqual(created.map(({ id }) => id).sort());
});

test('the feed has an event for each created lead, with the lead as the API shows it', async () => {
  const storeId = randomUUID();
  await importInto(storeId, [lead(2, { tags: ['vip'] }), lead(1)]);
  await importInto(storeId, [lead(1), lead(3)]);
  const { data: leads } = await crm.rpc.call(listLeads, { query: {} }, testContext({ storeId }));
  const feed = await crm.feed(storeId);
  expect(feed.map(({ type }) => type)).toEqual(Array.from({ length: 3 }, () => 'lead.created'));
  expect(new Map(feed.map(({ entity_id, data }) => [entity_id, data.object]))).toEqual(
    new Map(leads.map((each) => [each.id, each])),
  );
});

test('two concurrent imports of one file create each lead once and do not deadlock', async () => {
  const storeId = randomUUID();
  const leads = several(0, 1000);
  const results = await Promise.all([importInto(storeId, leads), importInto(storeId, leads.toReversed())]);
  expect(results.map(({ created }) => created).reduce((sum, n) => sum + n)).toBe(1000);
  expect(await rowsOf(storeId)).toHaveLength(1000);
});

test('a concurrent request and import with one phone create one lead', async () => {
  const storeId = randomUUID();
  const made = crm.rpc.call(createLead, { body: lead(5) }, testContext({ storeId }));
  const [, imported] = await Promise.allSettled([made, importInto(storeId, several(0, 10))]);
  expect(imported).toMatchObject({ status: 'fulfilled' });
  expect(await rowsOf(storeId)).toHaveLength(10);
});
