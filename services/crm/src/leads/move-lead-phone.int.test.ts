import { randomUUID } from 'node:crypto';
import {
  createLead,
  ensureLead,
  findLeadByPhone,
  finishMerge,
  getLead,
  listLeads,
  moveLeadPhone,
  updateLead,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
let storeId: string;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());
beforeEach(() => {
  storeId = randomUUID();
});

const [before, after] = ['5511960000001', '5511960000002'];
const context = () => testContext({ storeId });
const create = async (customer_phone: string, more: object = {}) =>
  (await crm.rpc.call(createLead, { body: { name: 'Maria', customer_phone, ...more } }, context())).id;
const move = (lead_id: string, to_phone = after, from_phone: string = before) =>
  crm.rpc.call(moveLeadPhone, { body: { lead_id, to_phone, ...(from_phone && { from_phone }) } }, context());
const read = (leadId: string) => crm.rpc.call(getLead, { params: { leadId } }, context());
const leads = async () => (await crm.rpc.call(listLeads, { query: {} }, context())).data;
const events = async (after = 0) => {
  const rows = await crm.adminSql`
    select topic, data from outbox where store_id = ${storeId} and kind = 'event' order by id offset ${after}`;
  return rows.map(({ topic, data }) => [topic, data.lead_id]);
};

test('the lead gets the number, with its version and its events, and a repetition changes nothing', async () => {
  const id = await create(before);
  const moved = { outcome: 'moved', lead_id: id, version: 2, merged: [] };
  expect(await move(id)).toEqual(moved);
  expect(await move(id)).toEqual(moved);
  expect(await read(id)).toMatchObject({ customer_phone: after });
  expect(await events(1)).toEqual([
    ['crm.lead.updated', id],
    ['crm.lead.phone_changed', id],
  ]);
  const find = async (customer_phone: string) =>
    (await crm.rpc.call(findLeadByPhone, { body: { customer_phone } }, context())).id;
  expect([await find(before), await find(after)]).toEqual([null, id]);
  expect(await leads()).toHaveLength(1);
});

test('a number that the store has given the lead since stays', async () => {
  const id = await create(before);
  await crm.rpc.call(updateLead, { params: { leadId: id }, body: { customer_phone: '5511960000003' } }, context());
  expect(await move(id)).toMatchObject({ outcome: 'kept', lead_id: id });
  expect(await read(id)).toMatchObject({ customer_phone: '5511960000003' });
  expect(await move(id, after, '')).toMatchObject({ outcome: 'moved' });
});

test('a lead that has the new number is the same person: the younger one is merged into the older one', async () => {
  const older = await create(before, { status: 'converted', tags: ['vip'] });
  const { id: younger } = await crm.rpc.call(
    ensureLead,
    { body: { customer_phone: after, name: 'Maria S.' } },
    context(),
  );
  const moved = { outcome: 'moved', lead_id: older, version: 2, merged: [younger] };
  expect(await move(older)).toEqual(moved);
  // As a process that was killed before it recorded the answer asks again.
  expect(await move(older)).toEqual(moved);
  expect(await leads()).toMatchObject([
    { id: older, name: 'Maria', status: 'converted', tags: ['vip'], customer_phone: after },
  ]);
  await expect(read(younger)).rejects.toMatchObject({ code: 'lead_not_found', members: { merged_into: older } });
  expect(await events(2)).toEqual([
    ['crm.lead.merged', younger],
    ['crm.lead.updated', older],
    ['crm.lead.phone_changed', older],
  ]);
  await crm.rpc.call(finishMerge, { body: { lead_id: younger } }, context());
  expect(await move(older)).toEqual({ ...moved, merged: [] });
});

test('an older lead with the new number stays, and gets what the moved one has', async () => {
  const older = await create('5511960000002', { name: 'Mother' });
  const younger = await create(before, { email: 'maria@example.com' });
  expect(await move(younger)).toMatchObject({ outcome: 'moved', lead_id: older, merged: [younger] });
  expect(await move(younger)).toMatchObject({ outcome: 'moved', lead_id: older, merged: [younger] });
  expect(await leads()).toMatchObject([
    { id: older, name: 'Mother', email: 'maria@example.com', customer_phone: after },
  ]);
  // The earlier number is free for another lead.
  const { id } = await crm.rpc.call(ensureLead, { body: { customer_phone: before, name: 'New' } }, context());
  expect([older, younger]).not.toContain(id);
});

test('moves and first messages at once leave one lead with the number', async () => {
  const id = await create(before);
  const ensure = () => crm.rpc.call(ensureLead, { body: { customer_phone: after, name: 'New' } }, context());
  const again = async (): Promise<unknown> => await move(id).catch(again);
  await Promise.all([...Array.from({ length: 5 }, again), ...Array.from({ length: 5 }, ensure)]);
  expect(await leads()).toMatchObject([{ id, customer_phone: after }]);
});

test('a lead of another store is not found', async () => {
  const id = await create(before);
  storeId = randomUUID();
  await expect(move(id)).rejects.toMatchObject({ code: 'lead_not_found' });
});

const hide = async (channel_user_id: string, name = 'Sheena') =>
  (await crm.rpc.call(ensureLead, { body: { channel_user_id, name } }, context())).id;
const moveTo = (lead_id: string, to: { from_phone?: string | null; to_phone?: string; to_user_id?: string }) =>
  crm.rpc.call(moveLeadPhone, { body: { lead_id, ...to } }, context());

test('a lead without a number gets the number and the id that the channel tells, with its events', async () => {
  const id = await hide('BR.1');
  const moved = { outcome: 'moved', lead_id: id, version: 2, merged: [] };
  const to = { from_phone: null, to_phone: after, to_user_id: 'BR.2' };
  expect(await moveTo(id, to)).toEqual(moved);
  expect(await moveTo(id, to)).toEqual(moved);
  expect(await read(id)).toMatchObject({ customer_phone: after, channel_user_id: 'BR.2' });
  expect(await events(1)).toEqual([
    ['crm.lead.updated', id],
    ['crm.lead.phone_changed', id],
  ]);
});

test('a lead with a number keeps it when the channel tells another one of a customer who had none', async () => {
  const id = await create(before);
  expect(await moveTo(id, { from_phone: null, to_phone: after })).toMatchObject({ outcome: 'kept', lead_id: id });
  expect(await read(id)).toMatchObject({ customer_phone: before, channel_user_id: null });
});

test('of a lead without a number and the one with it the older stays, with the data of both', async () => {
  for (const order of ['hidden first', 'hidden last']) {
    storeId = randomUUID();
    const withNumber = () => create(after, { email: 'ana@example.com' });
    const [older, younger] =
      order === 'hidden first' ? [await hide('BR.1'), await withNumber()] : [await withNumber(), await hide('BR.1')];
    const hidden = order === 'hidden first' ? older : younger;
    const answer = await moveTo(hidden, { from_phone: null, to_phone: after, to_user_id: 'BR.1' });
    expect(answer, order).toMatchObject({ outcome: 'moved', lead_id: older, merged: [younger] });
    expect(await leads(), order).toMatchObject([
      { id: older, customer_phone: after, channel_user_id: 'BR.1', email: 'ana@example.com' },
    ]);
    // The notice comes again.
    expect(await moveTo(hidden, { from_phone: null, to_phone: after, to_user_id: 'BR.1' })).toEqual(answer);
  }
});

test('a lead with the new id and no number is the same person, and one with another number only loses the id', async () => {
  const [id, early] = [await hide('BR.1'), await hide('BR.2')];
  expect(await moveTo(id, { to_user_id: 'BR.2' })).toMatchObject({ lead_id: id, merged: [early] });
  expect(await leads()).toMatchObject([{ id, customer_phone: null, channel_user_id: 'BR.2' }]);
  const other = await hide('BR.3');
  await crm.rpc.call(updateLead, { params: { leadId: other }, body: { customer_phone: before } }, context());
  await crm.rpc.call(updateLead, { params: { leadId: id }, body: { customer_phone: after } }, context());
  expect(await moveTo(id, { to_user_id: 'BR.3' })).toMatchObject({ lead_id: id });
  expect(await read(id)).toMatchObject({ customer_phone: after, channel_user_id: 'BR.3' });
  expect(await read(other)).toMatchObject({ customer_phone: before, channel_user_id: null });
});

test('a customer with the number of one lead and the id of another one joins all three', async () => {
  const id = await create(before);
  await create(after);
  await hide('BR.2');
  expect(await moveTo(id, { from_phone: before, to_phone: after, to_user_id: 'BR.2' })).toMatchObject({ lead_id: id });
  expect(await leads()).toMatchObject([{ id, customer_phone: after, channel_user_id: 'BR.2' }]);
});
