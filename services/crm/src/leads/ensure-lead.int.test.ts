import { randomUUID } from 'node:crypto';
import { createLead, ensureLead, getLead, listLeads, updateLead } from '@mostrador/contracts';
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

const hidden = { name: 'Sheena', channel_user_id: 'BR.13491208655302741918', username: 'sheena.n' };
const ensureHidden = (storeId: string, body = hidden) => crm.rpc.call(ensureLead, { body }, testContext({ storeId }));

test('concurrent first messages of a customer without a phone make one lead, which has the id and the username', async () => {
  const storeId = randomUUID();
  const answers = await Promise.all(Array.from({ length: 20 }, () => ensureHidden(storeId)));
  expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
  expect(answers.filter(({ created }) => created)).toHaveLength(1);
  const leadId = answers[0]?.id as string;
  const lead = await crm.rpc.call(getLead, { params: { leadId } }, testContext({ storeId }));
  expect(lead).toMatchObject({ ...hidden, customer_phone: null });
  expect(await crm.feed(storeId)).toMatchObject([{ type: 'lead.created', entity_id: leadId, data: { object: lead } }]);
  const list = async (query: object) =>
    (await crm.rpc.call(listLeads, { query }, testContext({ storeId }))).data.map(({ id }) => id);
  expect(await list({ q: 'sheena.n' })).toEqual([leadId]);
  expect(await list({ channel_user_id: hidden.channel_user_id })).toEqual([leadId]);
  expect(await list({ channel_user_id: 'BR.1' })).toEqual([]);
  expect((await ensureHidden(randomUUID())).id).not.toBe(leadId);
});

test('a phone that the store gives a lead without one keeps the id, and another phone after it does not', async () => {
  const storeId = randomUUID();
  const { id: leadId } = await ensureHidden(storeId);
  const change = (customer_phone: string) =>
    crm.rpc.call(updateLead, { params: { leadId }, body: { customer_phone } }, testContext({ storeId }));
  expect(await change('5511900000002')).toMatchObject({ channel_user_id: hidden.channel_user_id });
  expect(await change('+5511900000002'.slice(1))).toMatchObject({ channel_user_id: hidden.channel_user_id });
  expect(await change('5511900000003')).toMatchObject({ channel_user_id: null, username: null });
});

test('one phone in two stores is two leads', async () => {
  const [one, other] = await Promise.all([ensure(randomUUID()), ensure(randomUUID())]);
  expect([one.created, other.created]).toEqual([true, true]);
  expect(one.id).not.toBe(other.id);
});
