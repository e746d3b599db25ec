import { randomUUID } from 'node:crypto';
import { type Lead, listDuplicateLeads } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

/** Leads from before the canonical form was stored. Their ids are in the order of the phones. */
const addBefore = async (storeId: string, phones: readonly string[]) => {
  const rows = await crm.adminSql<{ id: string }[]>`
    insert into leads (store_id, name, customer_phone)
    select ${storeId}, 'Before', phone from unnest(${[...phones]}::text[]) with ordinality as given (phone, n) order by n
    returning id`;
  return rows.map(({ id }) => id);
};
const duplicatesOf = async (storeId: string) => {
  const found: Lead[][] = [];
  let after_id: string | null = null;
  let parts = 0;
  do {
    const body: { after_id?: string } = after_id === null ? {} : { after_id };
    const part = await crm.rpc.call(listDuplicateLeads, { body }, testContext({ storeId }));
    found.push(...part.duplicates);
    after_id = part.next;
    parts += 1;
  } while (after_id !== null);
  return { found, parts };
};

test('leads with one phone in two forms are listed once, the oldest first, and the others are not', async () => {
  const storeId = randomUUID();
  const [one, , two] = await addBefore(storeId, [
    ...['553177776666', '5511900000001', '5531977776666'],
    ...['553132221234', '5531932221234', '551112345678', '5511912345678'],
  ]);
  await addBefore(randomUUID(), ['5531977776667']);
  await addBefore(storeId, ['553177776667']);
  const { found } = await duplicatesOf(storeId);
  expect(found.map((leads) => leads.map(({ id }) => id))).toEqual([[one, two]]);
  expect(found[0]).toMatchObject([
    { store_id: storeId, name: 'Before', customer_phone: '553177776666', status: 'pending' },
    { customer_phone: '5531977776666' },
  ]);
});

test('a store without leads has no duplicates', async () => {
  expect(await duplicatesOf(randomUUID())).toEqual({ found: [], parts: 1 });
});

test('duplicates are found however far apart they are', async () => {
  const storeId = randomUUID();
  const others = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => String(5_511_900_000_000 + from + n));
  const phones = [...others(0, 999), '5215512345678', ...others(2000, 1200), '525512345678', ...others(4000, 10)];
  const ids = await addBefore(storeId, phones);
  const { found, parts } = await duplicatesOf(storeId);
  expect(found.map((leads) => leads.map(({ id }) => id))).toEqual([[ids[999], ids[2200]]]);
  expect(parts).toBe(3);
});
