import { randomUUID } from 'node:crypto';
import { createLead, getLeadContact, listLeadContacts } from '@mostrador/contracts';
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

test('the contacts of several leads are those of the asking store', async () => {
  const [storeId, other] = [randomUUID(), randomUUID()];
  const create = (of: string, customer_phone: string) =>
    crm.rpc.call(createLead, { body: { name: 'Maria', customer_phone } }, testContext({ storeId: of }));
  const [one, two] = [await create(storeId, '5511900000001'), await create(other, '5511900000002')];
  const lead_ids = [one.id, two.id, randomUUID()];
  const ask = (of: string) => crm.rpc.call(listLeadContacts, { body: { lead_ids } }, testContext({ storeId: of }));
  expect(await ask(storeId)).toEqual({
    contacts: [{ id: one.id, name: 'Maria', customer_phone: '5511900000001', version: 1 }],
  });
  expect((await ask(other)).contacts.map(({ id }) => id)).toEqual([two.id]);
  expect(await ask(randomUUID())).toEqual({ contacts: [] });
});
