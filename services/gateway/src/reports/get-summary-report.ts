import {
  type LeadCounts,
  type getSummaryReport as operation,
  type SummaryReport,
  summarizeConversations,
  summarizeLeads,
  summarizeScheduling,
} from '@mostrador/contracts';
import { toRows } from '@mostrador/kit/rpc/columns';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import type { OwnHandler } from '../own-handler.ts';
import { allAnswers, askingContext } from './ask-services.ts';
import { boundariesOf, summaryPeriod } from './period.ts';
import { reportZone } from './report-zone.ts';

type Series = NonNullable<SummaryReport['series']>;

/** The report of a period. The gateway computes the buckets once, so that all services count the same ones. */
export const getSummaryReport =
  ({ lookUps, rpc }: Dependencies): OwnHandler<typeof operation> =>
  async (context, { query }) => {
    const timezone = await reportZone(lookUps, context, query.timezone);
    const boundaries = boundariesOf(summaryPeriod(query, timezone, new Date()), query.bucket);
    const starts = boundaries.map((ms) => toTimestamp(new Date(ms)));
    const question = { body: { boundaries } };
    const asking = askingContext(context);
    const { crm, messaging, scheduling } = await allAnswers({
      crm: rpc.call(summarizeLeads, question, asking),
      messaging: rpc.call(summarizeConversations, question, asking),
      scheduling: rpc.call(summarizeScheduling, question, asking),
    });

    const names = new Map(crm.sellers.map(({ seller_id, name }) => [seller_id, name]));
    const end = starts.pop() as string;
    const report: SummaryReport = {
      period: { from: starts[0] as string, to: end, timezone },
      leads: { ...withRate(crm.total), by_status: crm.by_status },
      conversations: { ...messaging.total, ...(messaging.by_ad && { by_ad: messaging.by_ad }) },
      appointments: {
        ...scheduling.appointments.total,
        by_status: scheduling.appointments_by_status,
        by_seller: scheduling.appointments_by_seller?.map((each) => ({
          ...each,
          name: names.get(each.seller_id) ?? null,
        })),
        by_service: scheduling.appointments_by_service,
      },
      followups: scheduling.followups.total,
      sellers: crm.sellers,
    };
    if (query.bucket !== undefined) {
      const { created, converted } = crm.buckets;
      report.series = toRows<Series[number]>(
        {
          start: starts,
          leads: { ...crm.buckets, conversion_rate: created.map((count, n) => conversionRate(count, converted[n])) },
          conversations: messaging.buckets,
          appointments: scheduling.appointments.buckets,
          followups: scheduling.followups.buckets,
        },
        starts.length,
      );
    }
    return report;
  };

const withRate = (leads: LeadCounts) => ({
  ...leads,
  conversion_rate: conversionRate(leads.created, leads.converted),
});

/** Rounded to 4 decimal places. Above 1 if more leads were converted than created in the period. */
function conversionRate(created: number, converted = 0): number | null {
  return created === 0 ? null : Math.round((converted / created) * 10_000) / 10_000;
}
