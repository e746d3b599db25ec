import { randomUUID } from 'node:crypto';
import { listLeadContacts } from '@mostrador/contracts';
import type { StoreScope } from '@mostrador/kit/database/database';
import type { Log } from '@mostrador/kit/process/log';
import type { CallContext } from '@mostrador/kit/rpc/client';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import type { Dependencies } from '../dependencies.ts';
import {
  type BehindRow,
  countAgain,
  findBehind,
  findBehindOf,
  listLeadsOfSeller,
  lockConversations,
  saveLeads,
} from './catch-up.repository.ts';

type Tools = Pick<Dependencies, 'database' | 'rpc'>;
type Scope = StoreScope & CallContext;

const limitMs = 10_000;
/** A list waits so long for what crm adds. */
const crmLimitMs = 500;
const batch = 200;

/**
 * Asks crm for leads and stores them in their conversations. Repeats and any order are safe. `waitMs`: crm has so long, at
 * most until the deadline.
 */
export async function followLeads(
  { database, rpc }: Tools,
  scope: Scope,
  leadIds: readonly string[],
  waitMs = Number.POSITIVE_INFINITY,
): Promise<void> {
  if (leadIds.length === 0) return;
  const limited = { ...scope, deadline: Math.min(scope.deadline, Date.now() + waitMs) };
  const { contacts } = await rpc.call(listLeadContacts, { body: { lead_ids: [...leadIds] } }, limited);
  const leads = contacts.map(({ id: lead_id, ...lead }) => ({ ...lead, lead_id }));
  if (leads.length > 0) await database.write(scope, (sql) => saveLeads(sql, scope.storeId, leads));
}

/** Follows all leads of a seller. */
export async function followLeadsOfSeller(tools: Tools, scope: Scope, sellerId: string): Promise<void> {
  const { storeId } = scope;
  for (let after: string | undefined; ; ) {
    const leadIds = await tools.database.read(scope, (sql) =>
      listLeadsOfSeller(sql, storeId, sellerId, { after, limit: batch }),
    );
    await followLeads(tools, scope, leadIds);
    after = leadIds.at(-1);
    if (leadIds.length < batch) return;
  }
}

/**
 * Catches up on some conversations of a store before it is listed, so that a new lead is in the list at once. When crm
 * does not answer within 500 ms, they are missing in it.
 */
export async function catchUpStore(tools: Tools, context: StoreContext): Promise<void> {
  const rows = await tools.database.read(context, (sql) => findBehindOf(sql, context.storeId, batch));
  try {
    await catchUp(tools, context, rows, crmLimitMs);
  } catch (error) {
    context.log.warn({ err: error }, 'the inbox could not catch up');
  }
}

/**
 * Catches up on the conversations of all stores: those whose messages are not counted, and those
 * whose lead is not known yet. Stops at a failure in each store; the next run continues. Returns
 * the number of conversations that were behind.
 */
export async function catchUpAll(
  { systemDatabase, log, ...tools }: Tools & Pick<Dependencies, 'systemDatabase'> & { log: Log },
  signal: AbortSignal,
): Promise<number> {
  let found = 0;
  let after: BehindRow | undefined;
  const failed = new Set<string>();
  while (!signal.aborted) {
    const rows = await systemDatabase.read({ deadline: Date.now() + limitMs }, (sql) =>
      findBehind(sql, { after, limit: batch }),
    );
    for (const [storeId, some] of Map.groupBy(rows, (row) => row.store_id)) {
      if (failed.has(storeId)) continue;
      try {
        await catchUp(tools, { storeId, deadline: Date.now() + limitMs, requestId: randomUUID() }, some);
      } catch (error) {
        failed.add(storeId);
        log.warn({ err: error, store_id: storeId }, 'the inbox could not catch up');
      }
    }
    found += rows.length;
    after = rows.at(-1);
    if (rows.length < batch) break;
  }
  return found;
}

async function catchUp(tools: Tools, scope: Scope, rows: readonly BehindRow[], waitMs?: number): Promise<void> {
  const idsOf = (some: readonly BehindRow[]) => some.map(({ lead_id }) => lead_id);
  const uncounted = idsOf(rows.filter(({ is_counted }) => !is_counted));
  if (uncounted.length > 0) {
    await tools.database.write(scope, async (sql) => {
      // First, so that the counting sees every message that was accepted before.
      await lockConversations(sql, scope.storeId, uncounted);
      await countAgain(sql, scope.storeId, uncounted);
    });
  }
  await followLeads(tools, scope, idsOf(rows.filter(({ is_known }) => !is_known)), waitMs);
}
