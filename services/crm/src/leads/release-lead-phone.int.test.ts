import { randomUUID } from 'node:crypto';
import { createLead, ensureLead, getLead, listLeads, releaseLeadPhone } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

const customerPhone = '5511960000001';
const channelUserId = 'BR.1';

async function storeWithLead() {
  const context = testContext({ storeId: randomUUID() });
  const body = { name: 'Maria', customer_phone: customerPhone, external_id: 'ERP-1', tags: ['vip'] };
  const { id } = await crm.rpc.call(createLead, { body }, context);
  const release = (more: object = {}) =>
    crm.rpc.call(
      releaseLeadPhone,
      { body: { lead_id: id, customer_phone: customerPhone, channel_user_id: channelUserId, ...more } },
      context,
    );
  return { context, id, release, read: (leadId = id) => crm.rpc.call(getLead, { params: { leadId } }, context) };
}

test('a lead whose number is another customer’s keeps all but the number, and the next lead says whose it was', async () => {
  const { context, id, release, read } = await storeWithLead();
  expect(await release()).toEqual({ version: 2 });
  expect(await release()).toEqual({ version: 2 });
  expect(await read()).toMatchObject({
    customer_phone: null,
    channel_user_id: channelUserId,
    external_id: 'ERP-1',
    tags: ['vip'],
  });
  const body = { customer_phone: customerPhone, name: 'Bia', previous_lead_id: id };
  const next = await crm.rpc.call(ensureLead, { body }, context);
  expect(await crm.rpc.call(ensureLead, { body }, context)).toEqual({ id: next.id, created: false });
  expect(await read(next.id)).toMatchObject({
    customer_phone: customerPhone,
    external_id: null,
    tags: [],
    previous_lead_id: id,
  });
  const { data } = await crm.rpc.call(listLeads, { query: {} }, context);
  expect(data.map(({ previous_lead_id }) => previous_lead_id).toSorted()).toEqual([id, null]);
  expect(await crm.feed(context.storeId)).toMatchObject([
    { type: 'lead.created', entity_id: id },
    { type: 'lead.updated', entity_id: id },
    { type: 'lead.created', entity_id: next.id, data: { object: { previous_lead_id: id } } },
  ]);
});

test('another phone that the store gave the lead stays, and so does the lead of another store', async () => {
  const { id, release, read } = await storeWithLead();
  expect(await release({ customer_phone: '5511960000002' })).toEqual({ version: 1 });
  expect(await read()).toMatchObject({ customer_phone: customerPhone, channel_user_id: null });
  const other = testContext({ storeId: randomUUID() });
  const body = { lead_id: id, customer_phone: customerPhone, channel_user_id: channelUserId };
  await expect(crm.rpc.call(releaseLeadPhone, { body }, other)).rejects.toMatchObject({ code: 'lead_not_found' });
});
