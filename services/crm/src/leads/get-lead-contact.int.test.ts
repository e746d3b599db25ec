import { randomUUID } from 'node:crypto';
import { createLead, getLeadContact } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

test('only its own store can read the contact of a lead', async () => {
  const storeId = randomUUID();
  const body = { name: 'Maria', customer_phone: '5511900000001' };
  const { id } = await crm.rpc.call(createLead, { body }, testContext({ storeId }));
  const read = (asking: string) =>
    crm.rpc.call(getLeadContact, { body: { lead_id: id } }, testContext({ storeId: asking }));
  expect(await read(storeId)).toEqual({ id, ...body, version: 1 });
  await expect(read(randomUUID())).rejects.toMatchObject({ code: 'lead_not_found' });
});
