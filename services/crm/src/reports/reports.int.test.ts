import { randomUUID } from 'node:crypto';
import {
  closeLeadReports,
  createLead,
  createSeller,
  deleteSeller,
  importLeads,
  type Lead,
  type ReplyOf,
  type RequestOf,
  reportLead,
  summarizeLeads,
  updateLead,
  verifyLeadReports,
} from '@mostrador/contracts';
import { toRows } from '@mostrador/kit/rpc/columns';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

const hourMs = 3_600_000;
const [hourAgo, inAnHour] = [-hourMs, hourMs].map((ms) => new Date(Date.now() + ms).toISOString()) as [string, string];
let phones = 5511900000000;
const create = (storeId: string, members: Partial<RequestOf<typeof createLead>['body']> = {}): Promise<Lead> => {
  phones += 1;
  return crm.rpc.call(
    createLead,
    { body: { name: 'Maria', customer_phone: String(phones), ...members } },
    testContext({ storeId }),
  );
};
const update = (storeId: string, leadId: string, body: RequestOf<typeof updateLead>['body']) =>
  crm.rpc.call(updateLead, { params: { leadId }, body }, testContext({ storeId }));
const seller = async (storeId: string): Promise<string> => {
  const body = { name: 'Ana', whatsapp_id: '5511900000100' };
  return (await crm.rpc.call(createSeller, { body }, testContext({ storeId }))).id;
};
const summary = async (storeId: string, boundaries: string[] = [hourAgo, inAnHour]) => {
  const inMs = boundaries.map((at) => Date.parse(at));
  const counted = await crm.rpc.call(summarizeLeads, { body: { boundaries: inMs } }, testContext({ storeId }));
  return { ...counted, buckets: toRows(counted.buckets, boundaries.length - 1) };
};
const report = (storeId: string, body: Partial<RequestOf<typeof reportLead>['body']>) =>
  crm.rpc.call(reportLead, { body: { from: null, to: null, ...body } }, testContext({ storeId }));
const byStatus = (members: object = {}) => ({ pending: 0, in_progress: 0, converted: 0, lost: 0, ...members });

test('a store without leads has zeros everywhere', async () => {
  const none = { created: 0, converted: 0, lost: 0 };
  expect(await summary(randomUUID(), [hourAgo, new Date().toISOString(), inAnHour])).toEqual({
    total: none,
    buckets: [none, none],
    by_status: byStatus(),
    sellers: [],
  });
});

test('a lead counts once in a period however often it changes into a status, and only for its own store', async () => {
  const storeId = randomUUID();
  await create(randomUUID(), { status: 'converted' });
  const { id } = await create(storeId);
  await create(storeId, { status: 'converted' });
  for (const status of ['converted', 'lost', 'converted', 'lost', 'in_progress'] as const) {
    await update(storeId, id, { status });
  }
  const counts = { created: 2, converted: 2, lost: 1 };
  expect(await summary(storeId)).toEqual({
    total: counts,
    buckets: [counts],
    by_status: byStatus({ in_progress: 1, converted: 1 }),
    sellers: [],
  });
  expect((await report(storeId, { lead_id: id })).counts).toEqual({ created: 1, converted: 1, lost: 1 });
});

test('a lead that changes into a status in two buckets counts once in each', async () => {
  const storeId = randomUUID();
  const { id } = await create(storeId);
  await update(storeId, id, { status: 'converted' });
  await update(storeId, id, { status: 'pending' });
  await update(storeId, id, { status: 'converted' });
  const [first] = await crm.adminSql<{ changed_at: Date }[]>`
    select changed_at from lead_status_changes where lead_id = ${id} and version = 2`;
  const between = new Date((first?.changed_at.getTime() ?? 0) + 1).toISOString();
  const { total, buckets } = await summary(storeId, [hourAgo, between, inAnHour]);
  expect([total.converted, ...buckets.map(({ converted }) => converted)]).toEqual([1, 1, 1]);
});

test('a conversion counts for the seller at that time, even after a reassignment or deletion', async () => {
  const storeId = randomUUID();
  const [ana, bia, gone, idle] = await Promise.all([1, 2, 3, 4].map(() => seller(storeId)));
  const { id } = await create(storeId, { seller_id: ana as string });
  await update(storeId, id, { status: 'converted' });
  await update(storeId, id, { status: 'lost', seller_id: bia as string });
  // A repeated conversion in the same period: only the first one counts, for Ana.
  await update(storeId, id, { status: 'converted' });
  await create(storeId, { status: 'converted', seller_id: gone as string });
  await create(storeId, { seller_id: gone as string });
  const never = await seller(storeId);
  await crm.rpc.call(deleteSeller, { params: { sellerId: gone as string } }, testContext({ storeId }));
  await crm.rpc.call(deleteSeller, { params: { sellerId: never } }, testContext({ storeId }));
  const { total, sellers, by_status } = await summary(storeId);
  const ended = (seller_id: string | undefined, leads: number, converted: number, name: string | null = 'Ana') => ({
    ...{ seller_id, name, leads, converted },
  });
  expect(new Set(sellers)).toEqual(
    new Set([ended(ana, 0, 1), ended(gone, 0, 1, null), ended(bia, 1, 0), ended(idle, 0, 0)]),
  );
  expect(total.converted).toBe(2);
  expect(by_status).toEqual(byStatus({ converted: 2, pending: 1 }));
});

test('imported leads count like any other', async () => {
  const storeId = randomUUID();
  const ana = await seller(storeId);
  const leads = [
    { name: 'Maria', customer_phone: '5511900000001', status: 'converted' as const, seller_id: ana },
    { name: 'Bia', customer_phone: '5511900000002' },
  ];
  await crm.rpc.call(importLeads, { body: { leads } }, testContext({ storeId }));
  expect(await summary(storeId)).toMatchObject({
    total: { created: 2, converted: 1, lost: 0 },
    by_status: byStatus({ pending: 1, converted: 1 }),
    sellers: [{ seller_id: ana, name: 'Ana', leads: 1, converted: 1 }],
  });
});

test('a lead is found by its id or its phone, but not by another store', async () => {
  const storeId = randomUUID();
  const lead = await create(storeId);
  expect((await report(storeId, { lead_id: lead.id })).lead).toEqual(lead);
  expect((await report(storeId, { customer_phone: lead.customer_phone as string })).lead).toEqual(lead);
  const refusals = [
    () => report(randomUUID(), { lead_id: lead.id }),
    () => report(randomUUID(), { customer_phone: lead.customer_phone as string }),
    () => report(storeId, { lead_id: randomUUID() }),
    () => report(storeId, { customer_phone: '5599999999999' }),
  ];
  for (const refused of refusals) await expect(refused()).rejects.toMatchObject({ code: 'lead_not_found' });
});

test('the time in each status counts only within the period, until now at most', async () => {
  const storeId = randomUUID();
  const { id } = await create(storeId);
  await update(storeId, id, { status: 'lost' });
  await update(storeId, id, { status: 'pending' });
  const ago = (hours: number) => new Date(Date.now() - hours * hourMs).toISOString();
  for (const [version, hours] of [
    [1, 10],
    [2, 7],
    [3, 2],
  ] as const) {
    await crm.adminSql`update lead_status_changes set changed_at = ${ago(hours)} where lead_id = ${id} and version = ${version}`;
  }
  const hoursIn = async (from: string | null, to: string | null) => {
    const { seconds_in_status, counts } = await report(storeId, { lead_id: id, from, to });
    const hours = Object.entries(seconds_in_status).map(([status, seconds]) => [
      status,
      Math.round(seconds / 360) / 10,
    ]);
    return { ...Object.fromEntries(hours), created: counts.created };
  };
  const none = { in_progress: 0, converted: 0 };
  expect(await hoursIn(null, null)).toEqual({ ...none, pending: 5, lost: 5, created: 1 });
  expect(await hoursIn(ago(8), ago(3))).toEqual({ ...none, pending: 1, lost: 4, created: 0 });
  expect(await hoursIn(ago(1), ago(-5))).toEqual({ ...none, pending: 1, lost: 0, created: 0 });
  expect(await hoursIn(ago(20), ago(15))).toEqual({ ...none, pending: 0, lost: 0, created: 0 });
});

test('the lead reports add up to the summary before and after its rollups close, and these verify', async () => {
  const storeId = randomUUID();
  const sellers = [await seller(storeId), await seller(storeId), null];
  const statuses = ['pending', 'in_progress', 'converted', 'lost'] as const;
  const random = (below: number) => Math.floor(Math.random() * below);
  const leads: string[] = [];
  for (let n = 0; n < 12; n++) {
    const lead = await create(storeId, { status: statuses[random(4)], seller_id: sellers[random(3)] ?? null });
    leads.push(lead.id);
    for (let change = random(6); change > 0; change--) {
      await update(storeId, lead.id, { status: statuses[random(4)], seller_id: sellers[random(3)] ?? null });
    }
  }
  // The history is spread over the last days: each change is 5 hours after the previous one.
  await crm.adminSql`
    with spread as (
      select lead_id, version, now() - interval '90 hours'
        + (row_number() over (partition by lead_id order by version)) * interval '5 hours' + lead_no * interval '61 minutes' as at
      from (select *, dense_rank() over (order by lead_id) as lead_no from lead_status_changes where store_id = ${storeId}) as history)
    update lead_status_changes as change set changed_at = spread.at from spread
    where change.lead_id = spread.lead_id and change.version = spread.version`;
  await crm.adminSql`
    update lead_status_changes as change set previous_at = (
      select max(changed_at) from lead_status_changes as earlier
      where earlier.lead_id = change.lead_id and earlier.version < change.version and earlier.to_status = change.to_status)
    where store_id = ${storeId}`;
  const at = [90, 71, 60, 47, 22, -1].map((hours) => new Date(Date.now() - hours * hourMs).toISOString());
  const sum = async (from: string, to: string) => {
    const reports = await Promise.all(leads.map((lead_id) => report(storeId, { lead_id, from, to })));
    const total = { created: 0, converted: 0, lost: 0 };
    for (const { counts } of reports) {
      for (const name of ['created', 'converted', 'lost'] as const) total[name] += counts[name];
    }
    return total;
  };
  const expected = {
    total: await sum(at[0] as string, at.at(-1) as string),
    buckets: await Promise.all(at.slice(1).map((end, n) => sum(at[n] as string, end))),
  };
  const open = await summary(storeId, at);
  expect(open).toMatchObject(expected);
  const rows = await crm.adminSql<{ seller_id: string; leads: number }[]>`
    select seller_id, count(*)::int as leads from leads where store_id = ${storeId} and seller_id is not null group by 1`;
  expect(new Map(open.sellers.map(({ seller_id, leads }) => [seller_id, leads]))).toEqual(
    new Map(sellers.flatMap((id) => (id ? [[id, rows.find((row) => row.seller_id === id)?.leads ?? 0]] : []))),
  );
  while ((await crm.rpc.call(closeLeadReports, {}, testContext())).more);
  expect(await summary(storeId, at)).toEqual(open);
  let quarters = 0;
  for (let after: string | null = null; ; ) {
    const verified: ReplyOf<typeof verifyLeadReports> = await crm.rpc.call(
      verifyLeadReports,
      { body: { after } },
      testContext(),
    );
    expect(verified.wrong).toEqual([]);
    quarters += verified.quarters;
    after = verified.next;
    if (after === null) break;
  }
  expect(quarters).toBeGreaterThan(0);
});
