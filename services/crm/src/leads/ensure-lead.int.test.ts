import { randomUUID } from 'node:crypto';
import { createLead, ensureLead, getLead } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

const maria = { name: 'Maria', customer_phone: '5511900000001' };
const ensure = (storeId: string, body = maria) => crm.rpc.call(ensureLead, { body }, testContext({ storeId }));
const eventsOf = (storeId: string) => crm.adminSql`select topic, data from outbox where store_id = ${storeId}`;

test('a hundred concurrent first messages make one lead and one event, and all get that lead', async () => {
  const storeId = randomUUID();
  const answers = await Promise.all(Array.from({ length: 100 }, () => ensure(storeId)));
  expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
  expect(answers.filter(({ created }) => created)).toHaveLength(1);
  expect(await eventsOf(storeId)).toEqual([
    { topic: 'crm.lead.created', data: { lead_id: answers[0]?.id, status: 'pending', seller_id: null } },
  ]);
});

test('the new lead is pending, without a seller, and has the given name and phone', async () => {
  const storeId = randomUUID();
  const { id } = await ensure(storeId);
  const lead = await crm.rpc.call(getLead, { params: { leadId: id } }, testContext({ storeId }));
  expect(lead).toMatchObject({ ...maria, status: 'pending', seller_id: null, interaction_count: 0 });
  await ensure(storeId);
  expect(await crm.feed(storeId)).toMatchObject([{ type: 'lead.created', entity_id: id, data: { object: lead } }]);
});

test('an existing lead stays unchanged, whatever name comes with the phone', async () => {
  const storeId = randomUUID();
  const body = { ...maria, status: 'converted' as const };
  const { id } = await crm.rpc.call(createLead, { body }, testContext({ storeId }));
  expect(await ensure(storeId, { ...maria, name: 'M.' })).toEqual({ id, created: false });
  const lead = await crm.rpc.call(getLead, { params: { leadId: id } }, testContext({ storeId }));
  expect(lead).toMatchObject({ name: 'Maria', status: 'converted' });
  expect(await eventsOf(storeId)).toHaveLength(1);
});

test('one phone in two stores is two leads', async () => {
  const [one, other] = await Promise.all([ensure(randomUUID()), ensure(randomUUID())]);
  expect([one.created, other.created]).toEqual([true, true]);
  expect(one.id).not.toBe(other.id);
});
