import { randomUUID } from 'node:crypto';
import { createLead, type Lead, listLeads, type RequestOf } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { testContext } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';
import { insertLead, insertLeads, lockLead, saveLead } from './lead.repository.ts';
import { type NewLeadWithPhone, newLead as newLeadOf } from './lead.ts';
import { raiseInteractionCounts } from './lead-contact.repository.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

type Query = RequestOf<typeof listLeads>['query'];

const list = async (storeId: string, query: Query): Promise<{ data: Lead[]; cursor: string | undefined }> => {
  const { body, headers } = await crm.rpc.forward(listLeads, { query }, testContext({ storeId }));
  return { data: JSON.parse(Buffer.from(body).toString()).data, cursor: headers.nextCursor };
};
let phones = 5511900000000;
const newPhone = (): string => String(++phones);
const newLead = (): NewLeadWithPhone => {
  return newLeadOf({ name: '0', customer_phone: newPhone() });
};
const fill = async (storeId: string, count: number): Promise<string[]> =>
  crm.database.write(testContext({ storeId }), (sql) =>
    insertLeads(sql, storeId, Array.from({ length: count }, newLead)).then((rows) => rows.map(({ id }) => id)),
  );
/** The name of each lead counts its changes. */
const change = async (sql: TransactionSql, storeId: string, leadId: string): Promise<void> => {
  const lead = await lockLead(sql, storeId, leadId);
  if (!lead) throw new Error('no such lead');
  await saveLead(sql, lead, { ...lead, name: String(Number(lead.name) + 1) });
};

let counted = 0;
/** Stores a count that is higher than every one before. */
const count = async (sql: TransactionSql, storeId: string, leadId: string): Promise<void> => {
  counted += 1;
  await raiseInteractionCounts(sql, storeId, [{ lead_id: leadId, interaction_count: counted }]);
};
/** What changes of a lead. */
type State = { name: string; interaction_count: number };
const stateOf = ({ name, interaction_count }: State) => `${name}, ${interaction_count}`;

/** A client that follows changes: it walks to the end by cursor, then reads what changed after the last lead. */
function follower(storeId: string, limit: number) {
  /** The last state that the client read of each lead. */
  const met = new Map<string, string>();
  let position: Query = {};
  let last: string | undefined;
  /** Reads a page. Returns whether there is a next one. */
  async function read(): Promise<boolean> {
    const { data, cursor } = await list(storeId, { sort: 'updated_at', limit, ...position });
    for (const lead of data) {
      met.set(lead.id, stateOf(lead));
      last = lead.updated_at;
    }
    const { updated_after } = position;
    position = cursor ? { cursor, updated_after } : { updated_after: last };
    return cursor !== undefined;
  }
  /** Reads to the end. Returns whether the client then has the current state of each lead. */
  async function isUpToDate(): Promise<boolean> {
    while (await read());
    const rows = await crm.adminSql<(State & { id: string })[]>`
      select id, name, interaction_count from leads where store_id = ${storeId}`;
    return rows.every((lead) => met.get(lead.id) === stateOf(lead));
  }
  return { met, read, isUpToDate };
}

test('a client that follows changes does not miss a change that commits after a later one', async () => {
  const storeId = randomUUID();
  const [early, late] = (await fill(storeId, 2)) as [string, string];
  const { met, read, isUpToDate } = follower(storeId, 10);
  await waitFor(() => isUpToDate(), { description: 'both leads to be read' });

  await crm.database.write(testContext({ storeId }), async (sql) => {
    await change(sql, storeId, early);
    await crm.database.write(testContext({ storeId }), (other) => change(other, storeId, late));
    // The later change is visible. A walk that returned it now would skip the earlier, uncommitted change.
    expect((await list(storeId, { sort: '-updated_at' })).data[0]).toMatchObject({ id: late, name: '1' });
    await read();
    await read();
    expect([met.get(early), met.get(late)]).toEqual(['0, 0', '0, 0']);
  });
  expect(await waitFor(() => isUpToDate(), { description: 'both changes to be read' })).toBe(true);
});

test('an open transaction that only reads does not hold back a change', async () => {
  const storeId = randomUUID();
  await crm.adminSql.begin(async (sql) => {
    await sql`select 1`;
    const { id } = await crm.rpc.call(
      createLead,
      { body: { name: 'Ana', customer_phone: newPhone() } },
      testContext({ storeId }),
    );
    const seen = await waitFor(async () => (await list(storeId, { sort: 'updated_at' })).data[0], {
      description: 'the lead to be settled',
    });
    expect(seen.id).toBe(id);
  });
});

test('a client that follows changes reads each at least once, however transactions overlap', async () => {
  // Each writer runs some transactions. After each step a transaction waits until `heldFor` more pages are read.
  const step = fc.oneof(
    fc.constant('insert' as const),
    fc.record({ write: fc.constantFrom(change, count), lead: fc.nat({ max: 29 }) }),
  );
  const transactions = fc.array(
    fc.record({
      steps: fc.array(step, { minLength: 1, maxLength: 3 }),
      heldFor: fc.nat({ max: 6 }),
    }),
    { minLength: 1, maxLength: 6 },
  );
  const writers = fc.array(transactions, { minLength: 2, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(writers, fc.integer({ min: 1, max: 12 }), async (plans, limit) => {
      const storeId = randomUUID();
      const leads = await fill(storeId, 30);
      const { read, isUpToDate } = follower(storeId, limit);
      let pages = 0;
      let writing = true;
      const reads = (count: number) => {
        const until = pages + count;
        return waitFor(() => pages >= until, { description: 'pages to be read', intervalMs: 1 });
      };
      const transact = ({ steps, heldFor }: (typeof plans)[number][number]) =>
        crm.database.write(testContext({ storeId }), async (sql) => {
          // In the order of ids, so that two transactions cannot deadlock.
          const ordered = [...steps].sort((a, b) => (a === 'insert' ? 1 : b === 'insert' ? -1 : a.lead - b.lead));
          for (const step of ordered) {
            if (step === 'insert') await insertLead(sql, storeId, newLead());
            else await step.write(sql, storeId, leads[step.lead] as string);
            await reads(heldFor);
          }
        });
      const reader = async () => {
        while (writing) {
          await read();
          pages += 1;
        }
      };
      const writer = async (plan: (typeof plans)[number]) => {
        for (const each of plan) await transact(each);
      };
      const reading = reader();
      await Promise.all(plans.map(writer)).finally(() => {
        writing = false;
      });
      await reading;
      expect(await waitFor(() => isUpToDate(), { description: 'every change to be read' })).toBe(true);
    }),
    { numRuns: 6, endOnFailure: true },
  );
});

test.each([
  { sort: 'created_at', limit: 1 },
  { sort: 'created_at', limit: 9 },
  { sort: '-created_at', limit: 1 },
  { sort: '-created_at', limit: 9 },
] as const)(
  'while leads are created and changed, a walk by $sort in pages of $limit reads each older lead exactly once',
  async ({ sort, limit }) => {
    const storeId = randomUUID();
    for (let batch = 0; batch < 10; batch += 1) await fill(storeId, 10);
    const there = await crm.adminSql<{ id: string }[]>`select id from leads where store_id = ${storeId} order by id`;
    let walking = true;
    const writer = async (first: number) => {
      for (let n = first; walking && n < 300; n += 3) {
        const { id } = there[(n * 37) % there.length] as { id: string };
        await crm.database.write(testContext({ storeId }), async (sql) => {
          await change(sql, storeId, id);
          await insertLead(sql, storeId, newLead());
        });
      }
    };
    const writing = Promise.all([0, 1, 2].map(writer));
    const met: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list(storeId, { sort, limit, cursor });
      met.push(...page.data.map(({ id }) => id));
      ({ cursor } = page);
    } while (cursor);
    walking = false;
    await writing;
    expect(new Set(met).size).toBe(met.length);
    expect(there.filter(({ id }) => !met.includes(id))).toEqual([]);
  },
);
