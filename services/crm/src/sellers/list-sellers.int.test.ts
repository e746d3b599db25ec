import { randomUUID } from 'node:crypto';
import { createSeller, listSellers, type RequestOf, type Seller } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

const list = async (storeId: string, query: RequestOf<typeof listSellers>['query'] = {}) => {
  const { body, headers } = await crm.rpc.forward(listSellers, { query }, testContext({ storeId }));
  const page = JSON.parse(Buffer.from(body).toString()) as { data: Seller[]; total: number; page: number };
  return { ...page, cursor: headers.nextCursor };
};
const fill = async (storeId: string, count: number) => {
  const sellers: Seller[] = [];
  for (let n = 0; n < count; n += 1) {
    const body = { name: `Seller ${n}`, whatsapp_id: `551190000010${n}`, is_active: n % 2 === 0 };
    sellers.push(await crm.rpc.call(createSeller, { body }, testContext({ storeId })));
  }
  return sellers;
};

test('a store without sellers has an empty first page, even if other stores have sellers', async () => {
  await fill(randomUUID(), 1);
  expect(await list(randomUUID())).toEqual({ data: [], total: 0, page: 1, limit: 50, cursor: undefined });
});

test('pages and cursors both list all sellers, inactive ones included, in the order of creation', async () => {
  const storeId = randomUUID();
  const expected = await fill(storeId, 5);
  const byPage = [await list(storeId, { page: 1, limit: 2 }), await list(storeId, { page: 2, limit: 2 })];
  expect(byPage.flatMap(({ data }) => data)).toEqual(expected.slice(0, 4));
  const byCursor = [await list(storeId, { limit: 2 })];
  for (let cursor = byCursor[0]?.cursor; cursor; cursor = byCursor.at(-1)?.cursor) {
    byCursor.push(await list(storeId, { limit: 2, cursor }));
  }
  expect(byCursor.flatMap(({ data }) => data)).toEqual(expected);
  expect(byCursor.map(({ total, page }) => [total, page])).toEqual([1, 2, 3].map((page) => [5, page]));
});

test('a wrong page, limit or cursor and an unknown parameter are rejected', async () => {
  const wrong = [
    { page: 0 },
    { limit: 0 },
    { limit: 201 },
    { cursor: 'x' },
    { page: 1, cursor: 'x' },
    { is_active: 1 },
  ];
  for (const query of wrong) {
    await expect(list(randomUUID(), query), JSON.stringify(query)).rejects.toMatchObject({ code: 'validation_failed' });
  }
});
