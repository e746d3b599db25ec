import { randomUUID } from 'node:crypto';
import { createSeller, getSeller } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

test('a store reads its own seller with an ETag, and another store does not find it', async () => {
  const storeId = randomUUID();
  const body = { name: 'Ana', whatsapp_id: '5511900000100' };
  const seller = await crm.rpc.call(createSeller, { body }, testContext({ storeId }));
  const params = { sellerId: seller.id };
  const read = await crm.rpc.forward(getSeller, { params }, testContext({ storeId }));
  expect(JSON.parse(Buffer.from(read.body).toString())).toEqual(seller);
  expect(read.headers.etag).toBe('"v1"');
  const reading = crm.rpc.call(getSeller, { params }, testContext());
  await expect(reading).rejects.toMatchObject({ code: 'seller_not_found' });
});
