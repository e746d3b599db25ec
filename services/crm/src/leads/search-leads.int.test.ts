import { randomUUID } from 'node:crypto';
import {
  createLead,
  createSeller,
  type Lead,
  listLeads,
  mergeLead,
  mostCountedLeads,
  type NewLead,
  type RequestOf,
  searchLeads,
  updateLead,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';
import { mostFound } from './lead-search.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

type Query = RequestOf<typeof listLeads>['query'];

type Page = { data: Lead[]; total: number; page: number; cursor: string | undefined };

const page = async (storeId: string, query: Query): Promise<Page> => {
  const { body, headers } = await crm.rpc.forward(listLeads, { query }, testContext({ storeId }));
  return { ...JSON.parse(Buffer.from(body).toString()), cursor: headers.nextCursor };
};
const names = async (storeId: string, q: string, more: Query = {}) =>
  (await page(storeId, { q, ...more })).data.map(({ name }) => name).sort();

let phones = 0;
const add = (storeId: string, lead: Partial<NewLead>): Promise<Lead> =>
  crm.rpc.call(
    createLead,
    { body: { name: 'Nobody', customer_phone: `55119${String(++phones).padStart(8, '0')}`, ...lead } },
    testContext({ storeId }),
  );

test('a search finds parts of words and numbers in every member, whatever their case and accents', async () => {
  const storeId = randomUUID();
  await add(storeId, { name: 'José Araújo', customer_phone: '553177776666', email: 'Ze.Araujo@Example.com' });
  await add(storeId, { name: 'Straße Ægir', external_id: 'ERP-1042/7', tags: ['Cliente Fiél'] });
  const expected: [string, string[]][] = [
    ['jose', ['José Araújo']],
    ['JOSÉ', ['José Araújo']],
    ['jose\u0301', ['José Araújo']],
    ['raúj', ['José Araújo']],
    ['ara jos', ['José Araújo']],
    ['ze.ara', ['José Araújo']],
    ['EXAMPLE.COM', ['José Araújo']],
    ['7777', ['José Araújo']],
    ['(31) 7777-6666', ['José Araújo']],
    ['+55 31 97777-6666', ['José Araújo']],
    ['jo', ['José Araújo']],
    ['strasse', ['Straße Ægir']],
    ['aegir', ['Straße Ægir']],
    ['1042', ['Straße Ægir']],
    ['1042/7', ['Straße Ægir']],
    ['erp-1042', ['Straße Ægir']],
    ['fiel', ['Straße Ægir']],
    ['fiel straße', ['Straße Ægir']],
    // Two characters only match the beginning of a word.
    ['os', []],
    ['jose straße', []],
    ['nobody', []],
  ];
  for (const [q, found] of expected) expect([q, await names(storeId, q)]).toEqual([q, found]);
});

test('a search for signs of patterns finds these signs', async () => {
  const storeId = randomUUID();
  for (const name of ['50%off', '50xoff', 'a_b_c', 'axbxc', 'd\\e\\f']) await add(storeId, { name });
  expect(await names(storeId, '50%off')).toEqual(['50%off']);
  expect(await names(storeId, 'a_b_c')).toEqual(['a_b_c']);
  expect(await names(storeId, 'd\\e\\f')).toEqual(['d\\e\\f']);
  expect(await names(storeId, "'; drop table leads; --")).toEqual([]);
});

test('another store finds nothing, neither through the function', async () => {
  const [storeId, other] = [randomUUID(), randomUUID()];
  await add(storeId, { name: 'Zuleica' });
  expect(await page(other, { q: 'zuleica' })).toMatchObject({ data: [], total: 0 });
  const found = await crm.database.read({ storeId: other, deadline: Date.now() + 30_000 }, (sql) =>
    Promise.all([
      sql`select * from find_lead_texts(${storeId}, ${['zuleica']}, '{}', 10)`,
      sql`select * from lead_texts where store_id = ${storeId}`,
    ]),
  );
  expect(found).toEqual([[], []]);
});

test('a search follows each change of a lead, and forgets a merged one', async () => {
  const storeId = randomUUID();
  const scope = testContext({ storeId });
  const { id } = await add(storeId, { name: 'Beatriz' });
  const change = (body: RequestOf<typeof updateLead>['body']) =>
    crm.rpc.call(updateLead, { params: { leadId: id }, body }, scope);
  await change({ name: 'Helena' });
  expect([await names(storeId, 'beatriz'), await names(storeId, 'helena')]).toEqual([[], ['Helena']]);
  await change({ email: 'h@example.org' });
  await change({ external_id: 'ext-99' });
  await change({ tags: ['vip'] });
  await change({ customer_phone: '5521988887777' });
  for (const q of ['example.org', 'ext-99', 'vip', '88887777']) expect(await names(storeId, q)).toEqual(['Helena']);
  await change({ email: null, tags: null });
  for (const q of ['example.org', 'vip']) expect(await names(storeId, q)).toEqual([]);

  // A duplicate from before the canonical form.
  const [duplicate] = await crm.adminSql`
    insert into leads (store_id, name, customer_phone) values (${storeId}, 'Helenita', '552188887777') returning id`;
  expect(await names(storeId, 'helenita')).toEqual(['Helenita']);
  await crm.rpc.call(mergeLead, { body: { lead_id: duplicate?.id, merged_into: id } }, scope);
  expect(await names(storeId, 'helenita')).toEqual([]);
  expect(await crm.adminSql`select lead_id from lead_texts where store_id = ${storeId}`).toEqual([{ lead_id: id }]);
});

test('a search works with every other filter, order and page, and a cursor is bound to it', async () => {
  const storeId = randomUUID();
  for (const [n, status] of (['lost', 'pending', 'lost', 'converted', 'lost'] as const).entries()) {
    await add(storeId, { name: `Ana ${n}`, status, tags: n > 1 ? ['vip'] : [] });
    await add(storeId, { name: `Rui ${n}`, status, tags: ['vip'] });
  }
  const walk = async (query: Query) => {
    const first = await page(storeId, query);
    const pages = [first];
    for (let { cursor } = first; cursor; ) {
      const next = await page(storeId, { ...query, cursor });
      pages.push(next);
      cursor = next.cursor;
    }
    expect(pages.map(({ total }) => total)).toEqual(pages.map(() => pages.flatMap(({ data }) => data).length));
    return pages.flatMap(({ data }) => data.map(({ name }) => name));
  };
  const query: Query = { q: 'ana', limit: 2, sort: 'created_at' };
  expect(await walk(query)).toEqual(['Ana 0', 'Ana 1', 'Ana 2', 'Ana 3', 'Ana 4']);
  expect(await walk({ ...query, sort: '-updated_at' })).toEqual(['Ana 4', 'Ana 3', 'Ana 2', 'Ana 1', 'Ana 0']);
  expect(await walk({ ...query, status: 'lost' })).toEqual(['Ana 0', 'Ana 2', 'Ana 4']);
  expect(await walk({ ...query, status: 'lost,converted', tag: 'vip' })).toEqual(['Ana 2', 'Ana 3', 'Ana 4']);
  expect(await walk({ ...query, page: 2 }).catch(({ members }) => members)).toMatchObject({
    errors: [{ name: 'page' }],
  });
  const { cursor } = await page(storeId, query);
  await expect(page(storeId, { ...query, q: 'rui', cursor })).rejects.toMatchObject({ code: 'validation_failed' });
});

test('a search stops to count at 1,000, and its walk still meets every lead once', async () => {
  const storeId = randomUUID();
  const rows = Math.ceil((mostFound * 10) / 9) + 2_000;
  // Nine of ten are found. Some of the lost ones, and the rare ones, are beyond the `mostFound` that the index gives.
  await crm.adminSql`
    insert into leads (store_id, name, customer_phone, status, created_at)
    select ${storeId},
      case when n % 10 = 0 then 'Rui' when n between 10001 and 12500 then 'Zenaide Alta' else 'Zenaide' end,
      (5511900000000 + n)::text, case when n % 500 = 1 then 'lost' else 'pending' end, now() - n * interval '1 second'
    from generate_series(1, ${rows}) as n`;
  const query: Query = { q: 'zenaide', limit: 200 };
  const first = await page(storeId, query);
  expect(first).toMatchObject({ total: 1000, page: 1 });
  const second = await page(storeId, { ...query, cursor: first.cursor });
  expect(second).toMatchObject({ total: 1000, page: 2 });
  const read = [...first.data, ...second.data];
  expect(new Set(read.map(({ id }) => id)).size).toBe(400);
  expect(new Set(read.map(({ name }) => name))).toEqual(new Set(['Zenaide']));
  expect(read.at(-1)?.customer_phone).toBe(String(5511900000000 + 444));

  const lost = await page(storeId, { ...query, status: 'lost' });
  expect([lost.total, lost.data.length]).toEqual([27, 27]);
  expect(await page(storeId, { ...query, status: 'pending', sort: 'updated_at' })).toMatchObject({ total: 1000 });
  expect(await page(storeId, { ...query, customer_phone: '5511900000010' })).toMatchObject({ total: 0, data: [] });
  // Found by the index, and more than are counted.
  const found = new Set<string>();
  const some: Query = { q: 'zenaide alta', status: 'pending', limit: 200 };
  for (let next: Page | undefined = await page(storeId, some); next; ) {
    expect(next.total).toBe(1000);
    for (const { id } of next.data) {
      expect(found).not.toContain(id);
      found.add(id);
    }
    next = next.cursor ? await page(storeId, { ...some, cursor: next.cursor }) : undefined;
  }
  expect(found.size).toBe(2245);
});

test.each(['', 'a', ' ', '--', 'x'.repeat(101), 'a\0b'])('%j is rejected', async (q) => {
  await expect(page(randomUUID(), { q })).rejects.toMatchObject({
    code: 'validation_failed',
    members: { errors: [{ in: 'query', name: 'q' }] },
  });
});

describe('the ids for another service', () => {
  const search = async (storeId: string, q: string, visible_to?: string) =>
    (await crm.rpc.call(searchLeads, { body: { q, visible_to } }, testContext({ storeId }))).lead_ids;

  test('are those of the leads that the list finds, in their own store', async () => {
    const storeId = randomUUID();
    const ids: string[] = [];
    for (const name of ['Ana Souza', 'Anabela', 'Bruno']) ids.push((await add(storeId, { name })).id);
    expect((await search(storeId, 'ana')).sort()).toEqual(ids.slice(0, 2).sort());
    expect(await search(storeId, 'xyz')).toEqual([]);
    expect(await search(randomUUID(), 'ana')).toEqual([]);
  });

  test('are at most 1,000: those of the leads that changed last', async () => {
    const storeId = randomUUID();
    await crm.adminSql`
      insert into leads (store_id, name, customer_phone, updated_at)
      select ${storeId}, 'Common ' || n, '55119' || (10000000 + n), now() + n * interval '1 second'
      from generate_series(1, ${mostFound + 1}::int) as n`;
    const ids = await search(storeId, 'common');
    const latest = await crm.adminSql`
      select id from leads where store_id = ${storeId} order by updated_at desc limit ${mostCountedLeads}`;
    expect(ids).toEqual(latest.map(({ id }) => id));
  });

  test('are for a seller those of their own leads, however many others were changed later', async () => {
    const storeId = randomUUID();
    const addSeller = (whatsapp_id: string) =>
      crm.rpc.call(createSeller, { body: { name: 'Bia', whatsapp_id } }, testContext({ storeId }));
    const [{ id: sellerId }, other] = await Promise.all([addSeller('5511900000001'), addSeller('5511900000002')]);
    await crm.adminSql`
      insert into leads (store_id, name, customer_phone, seller_id, updated_at)
      select ${storeId}, 'Common ' || n, '55119' || (10000000 + n),
        case n when 1 then ${sellerId}::uuid when 2 then null else ${other.id}::uuid end, now() + n * interval '1 second'
      from generate_series(1, ${mostCountedLeads + 2}::int) as n`;
    const own = await crm.adminSql`
      select id from leads where store_id = ${storeId} and (seller_id is null or seller_id = ${sellerId})`;
    expect((await search(storeId, 'common', sellerId)).sort()).toEqual(own.map(({ id }) => id).sort());
  });
});
