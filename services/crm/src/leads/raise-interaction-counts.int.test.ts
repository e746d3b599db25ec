import { randomUUID } from 'node:crypto';
import { createLead, getLead, raiseInteractionCounts } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

const storeId = randomUUID();
const newLead = async () => {
  const body = { name: 'Maria', customer_phone: String(5511900000000 + Math.floor(Math.random() * 1e6)) };
  return (await crm.rpc.call(createLead, { body }, testContext({ storeId }))).id;
};
type Count = { lead_id: string; interaction_count: number };
const raiseAll = (counts: Count[], store = storeId) =>
  crm.rpc.call(raiseInteractionCounts, { body: { counts } }, testContext({ storeId: store }));
const raise = (lead_id: string, interaction_count: number, store = storeId) =>
  raiseAll([{ lead_id, interaction_count }], store);
const read = async (leadId: string) => {
  const { body, headers } = await crm.rpc.forward(getLead, { params: { leadId } }, testContext({ storeId }));
  return { lead: JSON.parse(Buffer.from(body).toString()), etag: headers.etag };
};

test('the greatest count stays, even if counts arrive repeatedly, concurrently and in any order', async () => {
  const id = await newLead();
  const counts = [3, 1, 7, 2, 7, 5, 6, 4];
  await Promise.all(counts.map((count) => raise(id, count)));
  expect((await read(id)).lead.interaction_count).toBe(7);
  await raise(id, 2);
  expect((await read(id)).lead.interaction_count).toBe(7);
});

test('each lead of a request gets its own greatest count, even if the request has it twice', async () => {
  const [one, other] = [await newLead(), await newLead()];
  await raiseAll([
    { lead_id: one, interaction_count: 4 },
    { lead_id: other, interaction_count: 2 },
    { lead_id: randomUUID(), interaction_count: 1 },
    { lead_id: one, interaction_count: 3 },
  ]);
  expect((await read(one)).lead.interaction_count).toBe(4);
  expect((await read(other)).lead.interaction_count).toBe(2);
});

test('a count changes neither the ETag nor `updated_at`, and writes no event', async () => {
  const id = await newLead();
  const before = await read(id);
  const [{ count: eventsBefore }] = (await crm.adminSql`select count(*)::int from outbox`) as unknown as [
    { count: number },
  ];
  await raise(id, 9);
  const after = await read(id);
  expect(after.etag).toBe(before.etag);
  expect(after.lead).toEqual({ ...before.lead, interaction_count: 9 });
  expect(await crm.adminSql`select count(*)::int from outbox`).toEqual([{ count: eventsBefore }]);
});

test('a count for an unknown lead or another store’s lead changes nothing and is no error', async () => {
  const id = await newLead();
  expect(await raise(id, 9, randomUUID())).toEqual({ done: true });
  expect(await raise(randomUUID(), 9)).toEqual({ done: true });
  expect((await read(id)).lead.interaction_count).toBe(0);
});
