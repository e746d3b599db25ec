import { randomUUID } from 'node:crypto';
import { createLead, getLead, listLeads, raiseInteractionCounts, updateLead } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
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

test('the leads of a request are locked in the order of their ids, so that two requests never wait for each other', async () => {
  const [first = '', second = ''] = [await newLead(), await newLead()].toSorted();
  const atOnce = [second, first].map((lead_id) => ({ lead_id, interaction_count: 5 }));
  let raised: Promise<unknown> | undefined;
  await crm.adminSql.begin(async (sql) => {
    await sql`select from leads where id = ${first} for no key update`;
    raised = raiseAll(atOnce);
    const waiting = () => crm.adminSql`
      select from pg_stat_activity
      where datname = current_database() and usename = 'crm' and wait_event_type = 'Lock'`;
    await waitFor(async () => (await waiting()).length > 0, { description: 'the request waits for the first lead' });
    expect(await crm.adminSql`select from leads where id = ${second} for no key update skip locked`).toHaveLength(1);
  });
  await raised;
  expect([(await read(first)).lead, (await read(second)).lead]).toMatchObject([
    { interaction_count: 5 },
    { interaction_count: 5 },
  ]);
});

test('a higher count changes the ETag and moves updated_at, and writes no event', async () => {
  const id = await newLead();
  const before = await read(id);
  const [{ count: eventsBefore }] = (await crm.adminSql`select count(*)::int from outbox`) as unknown as [
    { count: number },
  ];
  await raise(id, 9);
  const after = await read(id);
  expect(after.etag).not.toBe(before.etag);
  expect(after.lead).toEqual({ ...before.lead, interaction_count: 9, updated_at: expect.any(String) });
  expect(after.lead.updated_at > before.lead.updated_at).toBe(true);
  expect(await crm.adminSql`select count(*)::int from outbox`).toEqual([{ count: eventsBefore }]);
});

test('a count that crm already has leaves the lead as it is', async () => {
  const id = await newLead();
  await raise(id, 9);
  const before = await read(id);
  await raise(id, 9);
  await raise(id, 8);
  expect(await read(id)).toEqual(before);
});

test('a client that polls by updated_after gets a lead whose customer wrote', async () => {
  const id = await newLead();
  const { lead } = await read(id);
  await raise(id, 1);
  const query = { sort: 'updated_at', updated_after: lead.updated_at } as const;
  const seen = await waitFor(
    async () => {
      const { data } = await crm.rpc.call(listLeads, { query }, testContext({ storeId }));
      return data.find((each) => each.id === id);
    },
    { description: 'the count to be settled' },
  );
  expect(seen.interaction_count).toBe(1);
});

test.each([
  ['the ETag before it', (etag: string) => etag],
  ['an ETag without a count', () => '"v1"'],
])('a count never makes a change fail whose If-Match has %s', async (_, ifMatchOf) => {
  const id = await newLead();
  const ifMatch = ifMatchOf((await read(id)).etag ?? '');
  await raise(id, 9);
  const change = (name: string) =>
    crm.rpc.call(updateLead, { params: { leadId: id }, body: { name } }, testContext({ storeId, ifMatch }));
  expect(await change('Ana')).toMatchObject({ name: 'Ana', interaction_count: 9 });
  await expect(change('Eva')).rejects.toMatchObject({ code: 'version_mismatch' });
});

test('a count for an unknown lead or another store’s lead changes nothing and is no error', async () => {
  const id = await newLead();
  expect(await raise(id, 9, randomUUID())).toEqual({ done: true });
  expect(await raise(randomUUID(), 9)).toEqual({ done: true });
  expect((await read(id)).lead.interaction_count).toBe(0);
});
