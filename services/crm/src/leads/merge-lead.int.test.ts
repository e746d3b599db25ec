import { randomUUID } from 'node:crypto';
import {
  checkLead,
  closeLeadReports,
  createLead,
  ensureLead,
  finishMerge,
  getLead,
  getLeadContact,
  listLeads,
  listUnfinishedMerges,
  mergeLead,
  raiseInteractionCounts,
  reportLead,
  resetLeadReports,
  selectAgent,
  summarizeLeads,
  updateLead,
  verifyLeadReports,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
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

const [short, long] = ['553177776666', '5531977776666'];
const context = () => testContext({ storeId });
/** A lead from before the canonical form was stored. */
const addBefore = async (customer_phone: string, columns: object = {}): Promise<string> => {
  const row = { store_id: storeId, name: 'Before', customer_phone, ...columns };
  const [lead] = await crm.adminSql`
    with lead as (insert into leads ${crm.adminSql(row)} returning *),
    status_history as (
      insert into lead_status_changes (store_id, lead_id, version, to_status, seller_id, changed_at)
      select store_id, id, version, status, seller_id, created_at from lead),
    seller_history as (
      insert into lead_seller_changes (store_id, lead_id, version, to_seller, changed_at)
      select store_id, id, version, seller_id, created_at from lead where seller_id is not null)
    select id from lead`;
  return lead?.id;
};
const addSeller = async (): Promise<string> => {
  const [row] = await crm.adminSql`
    insert into sellers (store_id, name, whatsapp_id) values (${storeId}, 'Ana', '5511900000100') returning id`;
  return row?.id;
};
const merge = (lead_id: string, merged_into: string, dry_run = false) =>
  crm.rpc.call(mergeLead, { body: { lead_id, merged_into, dry_run } }, context());
const read = (leadId: string) => crm.rpc.call(getLead, { params: { leadId } }, context());
const rowOf = async (id: string) => (await crm.adminSql`select * from leads where id = ${id}`)[0];
const mergedRows = () => crm.adminSql`select * from merged_leads where store_id = ${storeId} order by id`;
const events = () =>
  crm.adminSql`select topic, data from outbox where store_id = ${storeId} and kind = 'event' order by id`;

test('a merged lead leaves the leads with its whole row kept, and the lead that stays has the canonical phone', async () => {
  const kept = await addBefore(short, { name: 'Maria', status: 'converted' });
  const merged = await addBefore(long, { name: 'Maria S.', status: 'lost', interaction_count: 3 });
  const [before, gone] = [await rowOf(kept), await rowOf(merged)];
  expect(await merge(merged, kept)).toEqual({
    lead_id: merged,
    merged_into: kept,
    merged_at: expect.any(String),
    finished_at: null,
  });
  expect(await rowOf(merged)).toBeUndefined();
  // Nothing that the API shows has changed, so the version and the time of the change stay.
  expect(await rowOf(kept)).toEqual({ ...before, phone_key: long });
  const [row] = await mergedRows();
  expect(row).toMatchObject({ id: merged, merged_into: kept, lead: { name: 'Maria S.', interaction_count: 3 } });
  expect(Object.keys(row?.lead).toSorted()).toEqual(Object.keys(gone ?? {}).toSorted());
  expect(await events()).toEqual([{ topic: 'crm.lead.merged', data: { lead_id: merged, merged_into: kept } }]);
});

test('the lead that stays takes a seller if it has none, and the longer pause of the AI', async () => {
  const seller_id = await addSeller();
  const until = new Date(Date.now() + 3_600_000);
  const kept = await addBefore(short, { ai_paused_until: new Date(until.getTime() - 60_000) });
  const merged = await addBefore(long, { seller_id, ai_paused_until: until });
  const [before, gone] = [await read(kept), await read(merged)];
  await merge(merged, kept);
  await merge(merged, kept);
  const after = await read(kept);
  expect(await crm.feed(storeId)).toMatchObject([
    { type: 'lead.merged', entity_id: merged, data: { lead_id: merged, merged_into: kept, object: gone } },
    { type: 'lead.updated', entity_id: kept, data: { lead_id: kept, object: after } },
  ]);
  expect(after).toEqual({
    ...before,
    seller_id,
    ai_paused_until: until.toISOString(),
    updated_at: expect.any(String),
  });
  expect(after.updated_at > before.updated_at).toBe(true);
  expect(await rowOf(kept)).toMatchObject({ version: 2 });
  expect((await events()).map(({ topic }) => topic)).toEqual(['crm.lead.merged', 'crm.lead.updated']);
});

test('a seller and a longer pause of the lead that stays are kept', async () => {
  const [own, other] = [await addSeller(), await addSeller()];
  const until = new Date(Date.now() + 3_600_000);
  const kept = await addBefore(short, { seller_id: own, ai_paused_until: until });
  const merged = await addBefore(long, { seller_id: other });
  const before = await read(kept);
  await merge(merged, kept);
  expect(await read(kept)).toEqual(before);
});

test('the lead that stays takes what the store knows of the other one, whose row keeps it', async () => {
  const kept = await crm.rpc.call(
    createLead,
    {
      body: {
        name: 'Maria',
        customer_phone: short,
        email: 'own@example.com',
        tags: ['own'],
        metadata: { plan: 'own' },
      },
    },
    context(),
  );
  const columns = { external_id: 'c-1', email: 'b@example.com', tags: ['vip'], metadata: { plan: 'b', since: '2020' } };
  const merged = await addBefore(long, columns);
  await crm.adminSql`insert into lead_tags (store_id, tag, lead_id) values (${storeId}, 'vip', ${merged})`;
  await merge(merged, kept.id);
  const after = await read(kept.id);
  expect(after).toEqual({
    ...kept,
    external_id: 'c-1',
    tags: ['own', 'vip'],
    metadata: { plan: 'own', since: '2020' },
    updated_at: expect.any(String),
  });
  expect((await mergedRows())[0]).toMatchObject({ lead: columns });
  const list = (query: object) => crm.rpc.call(listLeads, { query }, context());
  for (const query of [{ external_id: 'c-1' }, { tag: 'vip' }, { tag: 'own' }, { email: 'own@example.com' }]) {
    expect(await list(query), JSON.stringify(query)).toMatchObject({ data: [after], total: 1 });
  }
  expect(await list({ email: 'b@example.com' })).toMatchObject({ total: 0 });
});

test('a repeated merge answers the same and changes nothing', async () => {
  const [kept, merged] = [await addBefore(short), await addBefore(long)];
  const answers = await Promise.all([merge(merged, kept), merge(merged.toUpperCase(), kept), merge(merged, kept)]);
  expect(answers).toEqual([answers[0], answers[0], answers[0]]);
  expect(await mergedRows()).toHaveLength(1);
  expect(await events()).toHaveLength(1);
});

test('a dry run checks the leads and changes nothing', async () => {
  const [kept, merged] = [await addBefore(short), await addBefore(long)];
  expect(await merge(merged, kept, true)).toMatchObject({ merged_at: null });
  await expect(merge(merged, randomUUID(), true)).rejects.toMatchObject({ code: 'lead_not_found' });
  expect([await rowOf(merged), await mergedRows()]).toMatchObject([{ id: merged }, []]);
});

test('leads that are unknown, of another store, of another person or the same are not merged', async () => {
  const [kept, merged, stranger] = [await addBefore(short), await addBefore(long), await addBefore('5511900000001')];
  const elsewhere = testContext({ storeId: randomUUID() });
  const notFound = { code: 'lead_not_found', members: undefined };
  await expect(merge(randomUUID(), kept)).rejects.toMatchObject(notFound);
  await expect(merge(merged, randomUUID())).rejects.toMatchObject(notFound);
  const body = { lead_id: merged, merged_into: kept };
  await expect(crm.rpc.call(mergeLead, { body }, elsewhere)).rejects.toMatchObject(notFound);
  await expect(merge(stranger, kept)).rejects.toMatchObject({ code: 'lead_not_duplicate' });
  await expect(merge(kept, kept)).rejects.toMatchObject({ code: 'validation_failed' });
  expect(await mergedRows()).toEqual([]);
});

describe('a lead without a phone and one with a phone', () => {
  const addHidden = async (userId: string) => {
    const body = { channel_user_id: userId, name: 'Ana', username: 'ana.lima' };
    return (await crm.rpc.call(ensureLead, { body }, context())).id;
  };

  test.each(['hidden', 'known'] as const)(
    'are one person when the operator says so, and the %s one stays',
    async (which) => {
      const ids = { hidden: await addHidden('BR.1'), known: await addBefore(long) };
      const kept = ids[which];
      const gone = which === 'hidden' ? ids.known : ids.hidden;
      expect(await merge(gone, kept)).toMatchObject({ merged_into: kept });
      expect(await read(kept)).toMatchObject({ customer_phone: long, channel_user_id: 'BR.1', username: 'ana.lima' });
      const told = (await events()).filter(({ topic }) => topic === 'crm.lead.phone_changed');
      expect(told).toHaveLength(which === 'hidden' ? 1 : 0);
      // The phone is taken.
      await expect(
        crm.rpc.call(createLead, { body: { name: 'Bia', customer_phone: short } }, context()),
      ).rejects.toMatchObject({ code: 'lead_exists', members: { id: kept } });
    },
  );

  test('two without a phone are not merged', async () => {
    await expect(merge(await addHidden('BR.1'), await addHidden('BR.2'))).rejects.toMatchObject({
      code: 'lead_not_duplicate',
    });
  });
});

test('a lead that was merged into one that is merged later leads to the last one', async () => {
  const [first, second] = [await addBefore(short), await addBefore(long)];
  await merge(second, first);
  const third = await addBefore(long);
  await merge(first, third);
  expect((await mergedRows()).map(({ id, merged_into }) => [id, merged_into])).toEqual(
    [first, second].toSorted().map((id) => [id, third]),
  );
  await expect(read(second)).rejects.toMatchObject({ members: { merged_into: third } });
  await expect(merge(second, first)).rejects.toMatchObject({
    code: 'lead_not_found',
    members: { merged_into: third },
  });
});

test('a merge is unfinished until it is recorded as finished', async () => {
  const [kept, merged] = [await addBefore(short), await addBefore(long)];
  const unfinished = async () => (await crm.rpc.call(listUnfinishedMerges, {}, context())).merges;
  const answer = await merge(merged, kept);
  expect(await unfinished()).toEqual([{ lead_id: merged, merged_into: kept }]);
  const finish = () => crm.rpc.call(finishMerge, { body: { lead_id: merged } }, context());
  await finish();
  const finished = await merge(merged, kept);
  await finish();
  expect(await unfinished()).toEqual([]);
  expect(finished).toEqual({ ...answer, finished_at: expect.any(String) });
  expect(await merge(merged, kept)).toEqual(finished);
});

test('a customer who writes from either form finds the lead that stays', async () => {
  const [kept, merged] = [await addBefore(short), await addBefore(long)];
  await merge(merged, kept);
  for (const customer_phone of [short, long]) {
    const body = { customer_phone, name: 'Maria' };
    expect(await crm.rpc.call(ensureLead, { body }, context())).toEqual({ id: kept, created: false });
    await expect(crm.rpc.call(createLead, { body }, context())).rejects.toMatchObject({
      code: 'lead_exists',
      members: { id: kept },
    });
  }
});

test('a count of messages of a merged lead that comes late is ignored', async () => {
  const [kept, merged] = [await addBefore(short), await addBefore(long)];
  await merge(merged, kept);
  const counts = [
    { lead_id: merged, interaction_count: 9 },
    { lead_id: kept, interaction_count: 2 },
  ];
  await crm.rpc.call(raiseInteractionCounts, { body: { counts } }, context());
  expect(await read(kept)).toMatchObject({ interaction_count: 2 });
});

describe('of a merged lead `lead_not_found` names the lead that stays', () => {
  const body = (lead_id: string) => ({ body: { lead_id } });
  const asking = {
    'Read a lead': (leadId: string) => read(leadId),
    'Change a lead': (leadId: string) =>
      crm.rpc.call(updateLead, { params: { leadId }, body: { status: 'lost' } }, context()),
    'Check a lead': (leadId: string) => crm.rpc.call(checkLead, body(leadId), context()),
    'Read its contact': (leadId: string) => crm.rpc.call(getLeadContact, body(leadId), context()),
    'Choose its agent': (leadId: string) => crm.rpc.call(selectAgent, body(leadId), context()),
    'Read its report': (lead_id: string) =>
      crm.rpc.call(reportLead, { body: { lead_id, from: null, to: null } }, context()),
  };
  test.each(Object.entries(asking))('%s', async (_name, ask) => {
    const [kept, merged] = [await addBefore(short), await addBefore(long)];
    await merge(merged, kept);
    await expect(ask(merged)).rejects.toMatchObject({ code: 'lead_not_found', members: { merged_into: kept } });
    await expect(ask(randomUUID())).rejects.toMatchObject({ code: 'lead_not_found', members: undefined });
    storeId = randomUUID();
    await expect(ask(merged)).rejects.toMatchObject({ code: 'lead_not_found', members: undefined });
  });
});

test('the reports count the merged lead no longer, what was counted before stays, and the rollups verify', async () => {
  const seller_id = await addSeller();
  const created_at = new Date(Date.now() - 5 * 3_600_000);
  const kept = await addBefore(short, { status: 'converted', created_at });
  const merged = await addBefore(long, { status: 'lost', seller_id, created_at });
  await addBefore('5511900000001', { seller_id, created_at });
  const close = async () => {
    while ((await crm.rpc.call(closeLeadReports, {}, testContext())).more);
  };
  const summary = () => {
    const boundaries = [created_at.getTime() - 60_000, Date.now() + 60_000];
    return crm.rpc.call(summarizeLeads, { body: { boundaries } }, context());
  };
  const wrong = async () => (await crm.rpc.call(verifyLeadReports, { body: { after: null } }, testContext())).wrong;
  await close();
  const before = await summary();
  expect(before).toMatchObject({
    by_status: { pending: 1, converted: 1, lost: 1 },
    sellers: [{ seller_id, leads: 2 }],
  });
  await merge(merged, kept);
  const expected = {
    ...before,
    by_status: { ...before.by_status, lost: 0 },
    // The lead that stays had no seller.
    sellers: [{ ...before.sellers[0], leads: 2 }],
  };
  expect(await summary()).toEqual(expected);
  expect(await wrong()).toEqual([]);
  // As if the merge were some hours old.
  for (const table of ['lead_status_changes', 'lead_seller_changes']) {
    await crm.adminSql`
      update ${crm.adminSql(table)} set changed_at = ${new Date(created_at.getTime() + 3_600_000)}
      where store_id = ${storeId} and changed_at > ${created_at}`;
  }
  await crm.rpc.call(resetLeadReports, {}, testContext());
  await close();
  expect(await summary()).toEqual(expected);
  expect(await wrong()).toEqual([]);
});
