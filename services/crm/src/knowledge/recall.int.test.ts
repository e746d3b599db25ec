import { randomUUID } from 'node:crypto';
import { importDocument, searchKnowledge } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';
import { floor, type GoldShop, goldShops, measureRecall } from '../../test/gold/gold.ts';

let crm: TestCrm;
const stores = new Map<GoldShop, string>(goldShops.map((shop) => [shop, randomUUID()]));

beforeAll(async () => {
  crm = await startCrm();
  for (const [shop, storeId] of stores) {
    for (const [title, content] of Object.entries(shop.documents)) {
      const body = { title, content, locale: shop.locale };
      await crm.rpc.call(importDocument, { body }, testContext({ storeId }));
    }
  }
});
afterAll(() => crm?.stop());

const titles = async (shop: GoldShop, q: string, limit: number) => {
  const storeId = stores.get(shop) as string;
  const { data } = await crm.rpc.call(searchKnowledge, { query: { q, limit } }, testContext({ storeId }));
  return data.map(({ document }) => document.title);
};

test('full text finds the document of at least as many questions of customers as it did', async () => {
  const { missed, ...recall } = await measureRecall(titles);
  expect(recall.same_language, missed.join('\n')).toBeGreaterThanOrEqual(floor.full_text.same_language);
  expect(recall.across, missed.join('\n')).toBeGreaterThanOrEqual(floor.full_text.across);
});
