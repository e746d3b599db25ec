import { randomUUID } from 'node:crypto';
import {
  getLead,
  type Lead,
  type LeadSort,
  leadSorts,
  leadStatuses,
  listLeads,
  type RequestOf,
} from '@mostrador/contracts';
import { encodeCursor } from '@mostrador/kit/database/paging';
import { testContext } from '@mostrador/testing/context';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

type Query = RequestOf<typeof listLeads>['query'];
type Page = { data: Lead[]; total: number; page: number; limit: number; cursor: string | undefined };
type Given = Pick<
  Lead,
  'status' | 'seller_id' | 'external_id' | 'email' | 'tags' | 'opted_out_at' | 'created_at' | 'updated_at'
>;

const list = async (storeId: string, query: Query = {}): Promise<Page> => {
  const { body, headers } = await crm.rpc.forward(listLeads, { query }, testContext({ storeId }));
  return { ...JSON.parse(Buffer.from(body).toString()), cursor: headers.nextCursor };
};
/** All pages, by following the cursor. */
const walk = async (storeId: string, query: Query): Promise<Page[]> => {
  const pages = [await list(storeId, query)];
  for (let cursor = pages[0]?.cursor; cursor; cursor = pages.at(-1)?.cursor) {
    const { page: _, ...rest } = query;
    pages.push(await list(storeId, { ...rest, cursor }));
  }
  return pages;
};
const addSeller = async (storeId: string) => {
  const [row] = await crm.adminSql`
    insert into sellers (store_id, name, whatsapp_id) values (${storeId}, 'Ana', '5511900000100') returning id`;
  return row?.id as string;
};
/** Inserts leads with SQL instead of the service, so that many can share a timestamp. */
const addLeads = async (storeId: string, leads: readonly Partial<Given>[]): Promise<Lead[]> => {
  const moment = minute(0);
  const rows = leads.map((lead, n) => ({
    store_id: storeId,
    name: `Lead ${n}`,
    customer_phone: String(5511900000000 + n),
    status: lead.status ?? 'pending',
    seller_id: lead.seller_id ?? null,
    external_id: lead.external_id ?? null,
    email: lead.email ?? null,
    email_key: lead.email?.toLowerCase() ?? null,
    tags: lead.tags ?? [],
    opted_out_at: lead.opted_out_at ?? null,
    created_at: lead.created_at ?? moment,
    updated_at: lead.updated_at ?? moment,
  }));
  const added = await crm.adminSql<{ id: string; n: number }[]>`
    insert into leads ${crm.adminSql(rows)} returning id, customer_phone::bigint - 5511900000000 as n`;
  await crm.adminSql`
    insert into lead_tags (store_id, tag, lead_id)
    select store_id, tag, id from leads, unnest(tags) as tag where store_id = ${storeId}`;
  return added.map(({ id, n }) => ({
    ...withoutKey(rows[Number(n)] as (typeof rows)[number]),
    id,
    metadata: {},
    interaction_count: 0,
    channel_user_id: null,
    username: null,
    previous_lead_id: null,
    ai_paused_by: null,
    ai_paused_until: null,
  }));
};
const withoutKey = <Row extends { email_key: string | null }>({ email_key: _, ...row }: Row) => row;
const minute = (n: number) => new Date(Date.UTC(2026, 9, 1, 12, n)).toISOString();
const idsOf = (leads: readonly Lead[]) => leads.map(({ id }) => id);

const inLowerCase = (words: readonly string[]) => words.map((word) => word.toLowerCase());

/** The expected list, by a naive model. */
function model(leads: readonly Lead[], query: Query): Lead[] {
  const { status, seller_id, customer_phone, external_id, email, tag, opted_out, created_after, updated_after } = query;
  const { sort = '-created_at' } = query;
  const column = sort.replace('-', '') as 'created_at' | 'updated_at';
  const ascending = leads
    .filter((lead) => status === undefined || status.split(',').includes(lead.status))
    .filter((lead) => seller_id === undefined || (lead.seller_id ?? 'none') === seller_id)
    .filter((lead) => customer_phone === undefined || lead.customer_phone === customer_phone)
    .filter((lead) => external_id === undefined || lead.external_id === external_id)
    .filter((lead) => email === undefined || lead.email?.toLowerCase() === email.toLowerCase())
    .filter(
      ({ tags }) => tag === undefined || inLowerCase(tags).some((one) => inLowerCase(tag.split(',')).includes(one)),
    )
    .filter((lead) => opted_out === undefined || (lead.opted_out_at !== null) === opted_out)
    .filter((lead) => created_after === undefined || lead.created_at > created_after)
    .filter((lead) => updated_after === undefined || lead.updated_at > updated_after)
    .sort((a, b) => (a[column] + a.id < b[column] + b.id ? -1 : 1));
  return sort.startsWith('-') ? ascending.reverse() : ascending;
}

test('a store without leads has an empty first page, even if other stores have leads', async () => {
  await addLeads(randomUUID(), [{}]);
  for (const sort of [undefined, ...leadSorts]) {
    expect(await list(randomUUID(), { sort })).toEqual({ data: [], total: 0, page: 1, limit: 50, cursor: undefined });
  }
});

test('the newest lead comes first by default', async () => {
  const storeId = randomUUID();
  const leads = await addLeads(storeId, [{ created_at: minute(1) }, { created_at: minute(2) }]);
  expect((await list(storeId)).data).toEqual(leads.reverse());
});

test('every filter in every order, by page and by cursor, gives the result of a naive model', async () => {
  const momentOf = fc.integer({ min: 0, max: 5 }).map(minute);
  const leads = fc.array(
    fc.record({
      status: fc.constantFrom(...leadStatuses),
      seller: fc.constantFrom(null, 0, 1),
      created_at: momentOf,
      updated_at: momentOf,
      email: fc.constantFrom(null, 'Ana@x.com', 'ana@X.com', 'rui@x.com'),
      // Two that differ in case, as leads may have them from before tags were compared without it.
      tags: fc.subarray(['vip', 'Vip', 'new', 'Olá Você', 'ola voce']),
      hasExternalId: fc.boolean(),
      opted_out_at: fc.constantFrom(null, minute(7)),
    }),
    { maxLength: 25 },
  );
  const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined, freq: 2 });
  const queries = fc.array(
    fc.record({
      status: optional(fc.subarray([...leadStatuses], { minLength: 1 }).map((some) => some.join())),
      seller: optional(fc.constantFrom('none', 0, 1)),
      phone: fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined, freq: 1 }),
      external_id: fc.option(fc.constantFrom('c-0', 'c-1', 'c-2', 'C-1'), { nil: undefined, freq: 1 }),
      email: fc.option(fc.constantFrom('ANA@x.com', 'rui@x.com'), { nil: undefined, freq: 1 }),
      tag: optional(fc.constantFrom('vip', 'olá você', 'VIP', 'vip,new', 'olá você,VIP,new')),
      opted_out: optional(fc.boolean()),
      created_after: optional(momentOf),
      updated_after: optional(momentOf),
      sort: optional(fc.constantFrom<LeadSort[]>(...leadSorts)),
      limit: fc.integer({ min: 1, max: 9 }),
    }),
    { minLength: 1, maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(leads, queries, fc.boolean(), async (given, asked, isBuilt) => {
      const storeId = randomUUID();
      const sellers = [await addSeller(storeId), await addSeller(storeId)];
      const stored =
        given.length === 0
          ? []
          : await addLeads(
              storeId,
              given.map(({ seller, hasExternalId, ...lead }, n) => ({
                ...lead,
                external_id: hasExternalId ? `c-${n}` : null,
                seller_id: seller === null ? null : sellers[seller],
              })),
            );
      if (isBuilt) await crm.listTotals.rebuild(testContext({ storeId }));
      for (const { seller, phone, limit, ...rest } of asked) {
        const query: Query = {
          ...rest,
          seller_id: typeof seller === 'number' ? sellers[seller] : seller,
          customer_phone: phone === undefined ? undefined : String(5511900000000 + phone),
        };
        const expected = model(stored, query);
        const pages = await walk(storeId, { ...query, limit });
        expect(pages.flatMap(({ data }) => data)).toEqual(expected);
        expect(pages.map(({ total, page }) => [total, page])).toEqual(pages.map((_, n) => [expected.length, n + 1]));
        expect(pages.length).toBe(Math.max(1, Math.ceil(expected.length / limit)));
        const second = await list(storeId, { ...query, limit, page: 2 });
        expect(idsOf(second.data)).toEqual(idsOf(expected.slice(limit, 2 * limit)));
      }
    }),
    { numRuns: 15 },
  );
});

test('created_after and updated_after are exclusive to the millisecond, with any offset', async () => {
  const storeId = randomUUID();
  const moments = ['2026-10-01T12:00:00.000Z', '2026-10-01T12:00:00.001Z'];
  const [, later] = await addLeads(
    storeId,
    moments.map((moment) => ({ created_at: moment, updated_at: moment })),
  );
  const after = '2026-10-01T09:00:00-03:00';
  expect(idsOf((await list(storeId, { created_after: after })).data)).toEqual([later?.id]);
  expect(idsOf((await list(storeId, { updated_after: after })).data)).toEqual([later?.id]);
});

test('an unknown seller has no leads, and an id may be in upper case', async () => {
  const storeId = randomUUID();
  const seller_id = await addSeller(storeId);
  await addLeads(storeId, [{ seller_id }]);
  expect(await list(storeId, { seller_id: randomUUID() })).toMatchObject({ data: [], total: 0 });
  expect(await list(storeId, { seller_id: seller_id.toUpperCase() })).toMatchObject({ total: 1 });
});

test('a walk keeps the total of its first page, even if new leads arrive', async () => {
  const storeId = randomUUID();
  await addLeads(storeId, [{}, {}]);
  const first = await list(storeId, { limit: 1 });
  await crm.adminSql`insert into leads (store_id, name, customer_phone) values (${storeId}, 'New', '5511988887777')`;
  expect(await list(storeId, { limit: 1, cursor: first.cursor })).toMatchObject({ total: 2, page: 2 });
  expect(await list(storeId, { limit: 1 })).toMatchObject({ total: 3 });
});

test('the first list of a store counts its rows, and the next ones read its totals', async () => {
  const storeId = randomUUID();
  await addLeads(storeId, [{}, { status: 'lost' }]);
  // As before the triggers.
  await crm.adminSql`delete from list_total_changes where store_id = ${storeId}`;
  const totals = async () => [(await list(storeId)).total, (await list(storeId, { status: 'lost' })).total];
  expect(await totals()).toEqual([2, 1]);
  await crm.listTotals.run(new AbortController().signal);
  await crm.adminSql`update list_totals set rows = rows + 10 where store_id = ${storeId} and list = 'leads'`;
  expect(await totals()).toEqual([22, 11]);
  // Other filters count.
  expect((await list(storeId, { created_after: minute(-1) })).total).toBe(2);
});

test('the leads with some ids are listed, and what is no lead of the store is left out', async () => {
  const storeId = randomUUID();
  const [first, , third] = await addLeads(storeId, [{ created_at: minute(1) }, {}, { created_at: minute(3) }]);
  const [other] = await addLeads(randomUUID(), [{}]);
  const asked = [first, other, third].map((lead) => lead?.id ?? '');
  const { data, total } = await list(storeId, { id: [...asked, randomUUID()].join(',').toUpperCase() });
  expect([idsOf(data), total]).toEqual([[third?.id, first?.id], 2]);
});

test('the total of a list of changes leaves out what may be uncommitted', async () => {
  const storeId = randomUUID();
  await addLeads(storeId, [{}, { status: 'lost' }, { status: 'lost' }]);
  await crm.listTotals.rebuild(testContext({ storeId }));
  const followed = async (query: Query = {}) => (await list(storeId, { ...query, sort: 'updated_at' })).total;
  const both = async () => [await followed(), await followed({ status: 'lost' })];
  await expect.poll(both).toEqual([3, 2]);
  // A transaction of the service is open, and leads change beside it.
  await crm.database.write(testContext({ storeId }), async (sql) => {
    await sql`select 1`;
    await crm.adminSql`
      update leads set updated_at = clock_timestamp() where store_id = ${storeId} and status = 'lost'`;
    expect(await both()).toEqual([1, 0]);
    expect((await list(storeId)).total).toBe(3);
  });
  await expect.poll(both).toEqual([3, 2]);
});

test.each([
  { status: 'won' },
  { status: 'lost,won' },
  { status: 'lost,' },
  { status: '' },
  { seller_id: 'nobody' },
  { seller_id: '' },
  { id: '12' },
  { id: `${randomUUID()},` },
  { id: Array.from({ length: 101 }, () => randomUUID()).join() },
  { customer_phone: '+5511900000001' },
  { external_id: '' },
  { email: 'ana' },
  { tag: 'a,,b' },
  { tag: ' ' },
  { tag: 'a, ' },
  { created_after: '2026-10-01' },
  { updated_after: '2026-02-30T00:00:00Z' },
  { sort: 'name' },
  { sort: '+created_at' },
  { page: 0 },
  { limit: 0 },
  { limit: 201 },
  { cursor: '' },
  { name: 'Maria' },
])('%o is rejected', async (query) => {
  const refused = { code: 'validation_failed', members: { errors: [{ in: 'query', name: Object.keys(query)[0] }] } };
  await expect(list(randomUUID(), query as Query)).rejects.toMatchObject(refused);
});

test('page and cursor together are rejected', async () => {
  const storeId = randomUUID();
  await addLeads(storeId, [{}, {}]);
  const { cursor } = await list(storeId, { limit: 1 });
  await expect(list(storeId, { limit: 1, cursor, page: 2 })).rejects.toMatchObject({
    code: 'validation_failed',
    members: { errors: [{ in: 'query', name: 'page' }] },
  });
});

test('a cursor is valid only with its own filters and order, and any other text is rejected', async () => {
  const storeId = randomUUID();
  await addLeads(storeId, [{}, {}, {}]);
  const query: Query = { updated_after: '2026-09-01T00:00:00Z', seller_id: 'none' };
  const { cursor } = await list(storeId, { ...query, limit: 1 });
  const same: Query = { ...query, updated_after: '2026-08-31T21:00:00-03:00', limit: 2, cursor };
  expect((await list(storeId, same)).data).toHaveLength(2);
  const { seller_id: _, ...fewer } = query;
  for (const other of [{ ...query, sort: 'created_at' }, { ...query, status: 'lost' }, fewer, {}] as const) {
    await expect(list(storeId, { ...other, cursor })).rejects.toMatchObject({ code: 'validation_failed' });
  }
  for (const made of ['x', encodeCursor({ id: "'" }, { sort: '-created_at' })]) {
    await expect(list(storeId, { cursor: made })).rejects.toMatchObject({ code: 'validation_failed' });
  }
});

test('a seller sees their own leads and those without a seller, in the list and one by one', async () => {
  const storeId = randomUUID();
  const [own, other] = [await addSeller(storeId), await addSeller(storeId)];
  const leads = await addLeads(storeId, [{ seller_id: own }, { seller_id: other }, {}]);
  const [mine, others, free] = leads.map(({ id }) => id);
  const person = { userId: randomUUID(), role: 'seller', sellerId: own } as const;
  const shown = async (query: Query) => {
    await crm.listTotals.rebuild(testContext({ storeId }));
    const { data, total } = await crm.rpc.call(listLeads, { query }, testContext({ storeId, person }));
    return { total, ids: data.map(({ id }) => id).sort() };
  };
  expect(await shown({})).toEqual({ total: 2, ids: [mine, free].sort() });
  expect(await shown({ seller_id: own })).toEqual({ total: 1, ids: [mine] });
  expect(await shown({ seller_id: 'none' })).toEqual({ total: 1, ids: [free] });
  expect(await shown({ seller_id: other })).toEqual({ total: 0, ids: [] });
  const read = (leadId: string, as: object) =>
    crm.rpc.call(getLead, { params: { leadId } }, testContext({ storeId, ...as }));
  expect((await read(mine as string, { person })).id).toBe(mine);
  await expect(read(others as string, { person })).rejects.toMatchObject({ code: 'lead_not_found' });
  expect((await read(others as string, { person: { ...person, role: 'manager' } })).id).toBe(others);
});
