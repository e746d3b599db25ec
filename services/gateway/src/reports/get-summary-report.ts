import {
  type LeadCounts,
  type getSummaryReport as operation,
  type SummaryReport,
  summarizeConversations,
  summarizeLeads,
  summarizeScheduling,
} from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc-server';
import type { Dependencies } from '../dependencies.ts';
import { allAnswers, askingContext } from './ask-services.ts';
import { boundariesOf, summaryPeriod } from './period.ts';
import { reportZone } from './report-zone.ts';

/** The report of a period. Its buckets are cut here, once, so that all services count the same ones. */
export const getSummaryReport =
  ({ database, rpc }: Dependencies): Handler<typeof operation> =>
  async (context, { query }) => {
    const timezone = await reportZone(database, context, query.timezone);
    const boundaries = boundariesOf(summaryPeriod(query, timezone, new Date()), query.bucket);
    const question = { body: { boundaries } };
    const asking = askingContext(context);
    const { crm, messaging, scheduling } = await allAnswers({
      crm: rpc.call(summarizeLeads, question, asking),
      messaging: rpc.call(summarizeConversations, question, asking),
      scheduling: rpc.call(summarizeScheduling, question, asking),
    });

    const report: SummaryReport = {
      period: { from: boundaries[0] ?? null, to: boundaries.at(-1) ?? null, timezone },
      leads: { ...withRate(crm.total), by_status: crm.by_status },
      conversations: messaging.total,
      appointments: { ...scheduling.appointments.total, by_status: scheduling.appointments_by_status },
      followups: scheduling.followups.total,
      sellers: crm.sellers,
    };
    if (query.bucket !== undefined) {
      report.series = crm.buckets.map((leads, index) => ({
        start: boundaries[index] as string,
        leads: withRate(leads),
        conversations: bucketOf(messaging.buckets, index),
        appointments: bucketOf(scheduling.appointments.buckets, index),
        followups: bucketOf(scheduling.followups.buckets, index),
      }));
    }
    return report;
  };

const withRate = (leads: LeadCounts) => ({ ...leads, conversion_rate: conversionRate(leads) });

/** To four places: a share that people read. It is over 1 where leads of earlier days were converted. */
function conversionRate({ created, converted }: LeadCounts): number | null {
  return created === 0 ? null : Math.round((converted / created) * 10_000) / 10_000;
}

/** Every service was asked for the same buckets. */
function bucketOf<Counts>(buckets: readonly Counts[], index: number): Counts {
  const counts = buckets[index];
  if (counts === undefined) throw new Error(`a service counted ${buckets.length} buckets, too few`);
  return counts;
}
