import { randomUUID } from 'node:crypto';
import {
  createLead,
  createSeller,
  deleteSeller,
  getLeadContact,
  listLeadContacts,
  updateLead,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

const withPhone = { channel_user_id: null, username: null };
const untouched = {
  ...{ version: 1, status: 'pending', seller_id: null, ai_paused_until: null, ai_paused_by: null, ai_pause_version: 0 },
  ...withPhone,
};

test('only its own store can read the contact of a lead', async () => {
  const storeId = randomUUID();
  const body = { name: 'Maria', customer_phone: '5511900000001' };
  const { id } = await crm.rpc.call(createLead, { body }, testContext({ storeId }));
  const read = (asking: string) =>
    crm.rpc.call(getLeadContact, { body: { lead_id: id } }, testContext({ storeId: asking }));
  expect(await read(storeId)).toEqual({ id, ...body, ...untouched });
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
    contacts: [{ id: one.id, name: 'Maria', customer_phone: '5511900000001', ...untouched }],
  });
  expect((await ask(other)).contacts.map(({ id }) => id)).toEqual([two.id]);
  expect(await ask(randomUUID())).toEqual({ contacts: [] });
});

test('the version of a contact rises with each change of what it shows', async () => {
  const context = testContext({ storeId: randomUUID() });
  const { id } = await crm.rpc.call(createLead, { body: { name: 'Maria', customer_phone: '5511900000001' } }, context);
  const seller = await crm.rpc.call(createSeller, { body: { name: 'Ana', whatsapp_id: '5511900000009' } }, context);
  const pausedUntil = '2099-01-01T00:00:00.000Z';
  const changes = [
    { name: 'Marta' },
    { status: 'lost' },
    { ai_paused_until: pausedUntil },
    { seller_id: seller.id },
    { customer_phone: '5511900000002' },
  ] as const;
  for (const body of changes) await crm.rpc.call(updateLead, { params: { leadId: id }, body }, context);
  const read = () => crm.rpc.call(getLeadContact, { body: { lead_id: id } }, context);
  const changed = Object.assign({ id, ai_paused_by: null, ai_pause_version: 0, ...withPhone }, ...changes);
  expect(await read()).toEqual({ ...changed, version: 6 });
  await crm.rpc.call(deleteSeller, { params: { sellerId: seller.id } }, context);
  expect(await read()).toEqual({ ...changed, seller_id: null, version: 7 });
});
