import { randomUUID } from 'node:crypto';
import {
  createAgent,
  createLead,
  createSeller,
  deleteSeller,
  importDocument,
  importLeads,
  leadStatuses,
  listAgents,
  listDocuments,
  listLeads,
  listSellers,
  mergeLead,
  raiseInteractionCounts,
  updateAgent,
  updateLead,
} from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';
import { testContext } from '@mostrador/testing/context';
import { type CountedRows, holdTotals } from '@mostrador/testing/servers/list-totals';
import { openSnapshots, type Snapshots } from '@mostrador/testing/servers/snapshots';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../test/crm.ts';
import type { crmLists } from './dependencies.ts';
import { countLeads, countLeftOut } from './leads/lead-list.repository.ts';
import { type LeadFilters, rowsOf } from './leads/lead-list.ts';

let crm: TestCrm;
let snapshots: Snapshots;
beforeAll(async () => {
  crm = await startCrm();
  snapshots = openSnapshots(crm);
});
afterAll(async () => {
  await snapshots?.close();
  await crm?.stop();
});

type Case = CountedRows<(typeof crmLists)[number]>;

/** Every total that a list reads, with a query that counts the rows. */
const casesOf =
  (storeId: string, sellers: readonly (string | undefined)[], moment: Date) =>
  (sql: Sql): Case[] => {
    const [first = randomUUID(), second = randomUUID()] = sellers;
    const sellerFilters: LeadFilters[] = [
      {},
      { seller_id: first },
      { seller_id: null },
      { visible_to: first },
      { visible_to: first, seller_id: null },
      { visible_to: first, seller_id: second },
    ];
    const statuses = [undefined, ['pending'], ['lost', 'converted']] as const;
    const filters = sellerFilters.flatMap((one) =>
      statuses.flatMap((status) => {
        const both: LeadFilters = { ...one, ...(status ? { status } : {}) };
        return [both, { ...both, updated_before: moment }];
      }),
    );
    const leads = filters.flatMap((filter) => {
      const rows = rowsOf(filter);
      const except = countLeftOut(sql, storeId, filter);
      return rows ? [{ rows: { ...rows, except }, recount: countLeads(sql, storeId, filter, { isBroad: false }) }] : [];
    });
    expect(leads).toHaveLength(filters.length);
    const agents = sql`select count(*) from agents where store_id = ${storeId}`;
    return [
      ...leads,
      { rows: { list: 'sellers' }, recount: sql`select count(*) from sellers where store_id = ${storeId}` },
      {
        rows: { list: 'documents' },
        recount: sql`select count(*) from knowledge_documents where store_id = ${storeId}`,
      },
      { rows: { list: 'agents' }, recount: agents },
      { rows: { list: 'agents', statuses: ['active'] }, recount: sql`${agents} and is_active` },
    ];
  };

type Action =
  | { readonly kind: 'create'; readonly status: number; readonly seller: number }
  | { readonly kind: 'import'; readonly leads: readonly { status: number; seller: number }[] }
  | { readonly kind: 'change'; readonly lead: number; readonly status?: number; readonly seller?: number }
  | { readonly kind: 'merge'; readonly status: number; readonly seller: number }
  | { readonly kind: 'count' | 'undone' | 'agent' | 'document' | 'delete seller' | 'list' | 'run' | 'rebuild' };

const status = fc.nat({ max: leadStatuses.length - 1 });
const seller = fc.nat({ max: 2 });
const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined, freq: 3 });
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('create' as const), status, seller }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('import' as const),
      leads: fc.array(fc.record({ status, seller }), { minLength: 1, maxLength: 6 }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      lead: fc.nat({ max: 20 }),
      status: optional(status),
      seller: optional(seller),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('merge' as const), status, seller }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom<Exclude<Action['kind'], 'create' | 'import' | 'change' | 'merge'>[]>(
        ...['count' as const, 'undone' as const, 'agent' as const, 'document' as const, 'delete seller' as const],
        ...['list' as const, 'run' as const, 'run' as const, 'rebuild' as const],
      ),
    }),
  },
);

let phones = 0;
/** A phone with the ninth digit, and the same without it. */
const newPhone = () => {
  phones += 1;
  const rest = String(60_000_000 + phones);
  return { phone: `55119${rest}`, short: `5511${rest}` };
};

/** A store with two sellers, and what the actions do to it. */
async function newStore() {
  const storeId = randomUUID();
  const context = () => testContext({ storeId });
  const { rpc, adminSql, listTotals } = crm;
  const sellers: string[] = [];
  const leads: string[] = [];
  const addSeller = async () => {
    const body = { name: 'Ana', whatsapp_id: '5511900000100' };
    sellers.push((await rpc.call(createSeller, { body }, context())).id);
  };
  await addSeller();
  await addSeller();
  const sellerOf = (n: number) => sellers[n] ?? null;
  const statusOf = (n: number) => leadStatuses[n] ?? 'pending';
  const create = async (of: { status: number; seller: number }, phone = newPhone().phone) => {
    const content = { status: statusOf(of.status), seller_id: sellerOf(of.seller) };
    const lead = await rpc.call(createLead, { body: { name: 'Maria', customer_phone: phone, ...content } }, context());
    leads.push(lead.id);
    return lead.id;
  };
  const run = async (one: Action): Promise<unknown> => {
    switch (one.kind) {
      case 'create':
        return await create(one);
      case 'import': {
        const rows = one.leads.map((each) => ({
          name: 'Maria',
          customer_phone: newPhone().phone,
          status: statusOf(each.status),
          seller_id: sellerOf(each.seller),
        }));
        return await rpc.call(importLeads, { body: { leads: rows } }, context());
      }
      case 'change': {
        const leadId = leads[one.lead % Math.max(leads.length, 1)];
        if (leadId === undefined) return;
        const body = {
          ...(one.status === undefined ? { name: 'Other' } : { status: statusOf(one.status) }),
          ...(one.seller === undefined ? {} : { seller_id: sellerOf(one.seller) }),
        };
        return await rpc.call(updateLead, { params: { leadId }, body }, context());
      }
      case 'merge': {
        const { phone, short } = newPhone();
        // A duplicate from before the canonical form of phones.
        const [duplicate] = await adminSql`
          insert into leads (store_id, name, customer_phone, status) values (${storeId}, 'M', ${short}, ${statusOf(one.status)})
          returning id`;
        const [kept] = await adminSql`
          insert into leads (store_id, name, customer_phone, seller_id)
          select ${storeId}, 'M', ${phone}, (
            select id from sellers where store_id = ${storeId} and id = ${sellerOf(one.seller)} for key share)
          returning id`;
        const body = { lead_id: duplicate?.id, merged_into: kept?.id };
        return await rpc.call(mergeLead, { body }, context());
      }
      case 'count': {
        const counts = leads.slice(0, 3).map((lead_id, n) => ({ lead_id, interaction_count: n }));
        return counts.length > 0 && (await rpc.call(raiseInteractionCounts, { body: { counts } }, context()));
      }
      case 'undone': {
        const undone = new Error('undone');
        return await crm.database
          .write(context(), async (sql) => {
            const locked = await sql<{ id: string }[]>`
              update leads set status = 'lost', seller_id = null where store_id = ${storeId} returning id`;
            // Only what is locked: a merge could commit with another lead while the delete runs.
            await sql`
              delete from leads where id = any(${locked.map((lead) => lead.id)})
                and not exists (select from merged_leads where merged_into = leads.id)`;
            throw undone;
          })
          .catch((error) => {
            if (error !== undone) throw error;
          });
      }
      case 'agent': {
        const body = { name: 'Bot', model: 'auto' as const, priority: 1, is_active: true, is_default: false };
        const agent = await rpc.call(createAgent, { body }, context());
        return await rpc.call(updateAgent, { params: { agentId: agent.id }, body: { is_active: false } }, context());
      }
      case 'document':
        return await rpc.call(
          importDocument,
          { body: { name: `${phones % 3}.md`, title: 'Prices', content: String(phones), locale: 'pt-BR' } },
          context(),
        );
      case 'delete seller': {
        const sellerId = sellers.shift();
        await addSeller();
        return sellerId && (await rpc.call(deleteSeller, { params: { sellerId } }, context()));
      }
      case 'list':
        for (const list of [listLeads, listSellers, listAgents, listDocuments]) {
          await rpc.call(list, { query: {} }, context());
        }
        return;
      case 'run':
        return await listTotals.run(new AbortController().signal);
      case 'rebuild':
        return await listTotals.rebuild(context());
    }
  };
  return { storeId, sellers, run, context };
}

test('at every moment of any concurrent changes, folds, first reads and rebuilds, each total is a recount', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 10, maxLength: 40 }), async (actions) => {
      const { storeId, sellers, run, context } = await newStore();
      const moment = new Date(Date.now() + 50);
      await holdTotals(
        { snapshots, listTotals: crm.listTotals, scope: context, cases: casesOf(storeId, sellers, moment) },
        actions.map((one) => () => run(one)),
      );
    }),
    { numRuns: 8 },
  );
});
