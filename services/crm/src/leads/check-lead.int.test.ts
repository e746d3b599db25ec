import { randomUUID } from 'node:crypto';
import { checkLead, createLead } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

test('a lead exists for its own store and for no other', async () => {
  const storeId = randomUUID();
  const body = { name: 'Maria', customer_phone: '5511900000001' };
  const { id } = await crm.rpc.call(createLead, { body }, testContext({ storeId }));
  const check = (asked: string) => crm.rpc.call(checkLead, { body: { lead_id: id } }, testContext({ storeId: asked }));
  expect(await check(storeId)).toEqual({ id });
  await expect(check(randomUUID())).rejects.toMatchObject({ code: 'lead_not_found' });
});
