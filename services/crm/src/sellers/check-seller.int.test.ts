import { randomUUID } from 'node:crypto';
import { checkSeller, createSeller } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

const check = (storeId: string, sellerId: string) =>
  crm.rpc.call(checkSeller, { body: { seller_id: sellerId } }, testContext({ storeId }));
const create = (storeId: string, isActive: boolean) =>
  crm.rpc.call(
    createSeller,
    { body: { name: 'Ana', whatsapp_id: '5511900000100', is_active: isActive } },
    testContext({ storeId }),
  );

test('an active seller of the store passes, and no other does', async () => {
  const storeId = randomUUID();
  const { id } = await create(storeId, true);
  expect(await check(storeId, id)).toEqual({ id });
  await expect(check(randomUUID(), id)).rejects.toMatchObject({ code: 'seller_not_found' });
  const inactive = await create(storeId, false);
  await expect(check(storeId, inactive.id)).rejects.toMatchObject({ code: 'seller_inactive' });
});
