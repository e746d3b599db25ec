import type { LeadCounts, summarizeLeads as operation } from '@mostrador/contracts';
import { toColumns } from '@mostrador/kit/rpc/columns';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { listSellerNames } from '../sellers/seller.repository.ts';
import { type Repeats, repeatsBetween } from './lead-report.repository.ts';
import { type LeadMetrics, leadRollups } from './rollups.ts';

export const summarizeLeads =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { storeId } = context;
    const boundaries = body.boundaries.map((ms) => new Date(ms));
    const [counts, names] = await database.read(context, (sql) =>
      Promise.all([
        leadRollups.read(sql, storeId, {
          boundaries,
          subjects: true,
          alongside: repeatsBetween(sql, storeId, boundaries),
        }),
        listSellerNames(sql, storeId),
      ]),
    );
    const { in_period, in_buckets } = counts.alongside as Repeats;
    const againBy = Map.groupBy(in_period, ({ seller_id }) => seller_id);
    const againIn = Map.groupBy(in_buckets, ({ bucket }) => bucket);
    const sellers = [...new Set([...names.keys(), ...counts.subjects.keys()])].map((seller_id) => {
      const counted = counts.subjects.get(seller_id);
      return {
        seller_id,
        name: names.get(seller_id) ?? null,
        leads: counted?.now.assigned ?? 0,
        converted: (counted?.total.converted ?? 0) - countOf(againBy.get(seller_id), 'converted'),
      };
    });
    return {
      total: countsOf(counts.total, in_period),
      buckets: toColumns(counts.buckets.map((bucket, n) => countsOf(bucket, againIn.get(n + 1)))),
      by_status: byStatus(counts.now),
      sellers: sellers
        .filter(({ seller_id, leads, converted }) => names.has(seller_id) || leads + converted > 0)
        .sort((a, b) => b.converted - a.converted || b.leads - a.leads || (a.seller_id < b.seller_id ? -1 : 1)),
    };
  };

type Counted = { readonly status: 'converted' | 'lost'; readonly count: number };

/** Subtracts repeated changes, so that a lead counts once however often it changes into a status. */
function countsOf(counted: LeadMetrics, again: readonly Counted[] | undefined): LeadCounts {
  return {
    created: counted.created,
    converted: counted.converted - countOf(again, 'converted'),
    lost: counted.lost - countOf(again, 'lost'),
  };
}

const countOf = (counted: readonly Counted[] = [], status: Counted['status']): number =>
  counted.reduce((sum, one) => (one.status === status ? sum + one.count : sum), 0);

function byStatus(now: LeadMetrics) {
  const { status_pending, status_in_progress, status_converted, status_lost } = now;
  return { pending: status_pending, in_progress: status_in_progress, converted: status_converted, lost: status_lost };
}
