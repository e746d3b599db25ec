import {
  type getLeadReport as operation,
  type RequestOf,
  reportConversation,
  reportLead,
  reportLeadScheduling,
  type ValidationFault,
} from '@mostrador/contracts';
import type { Dependencies } from '../dependencies.ts';
import type { OwnHandler } from '../own-handler.ts';
import { allAnswers, askingContext } from './ask-services.ts';
import { leadPeriod, timestampOf } from './period.ts';
import { reportZone } from './report-zone.ts';

/** The report of one lead, found by its id or its phone. */
export const getLeadReport =
  ({ lookUps, rpc }: Dependencies): OwnHandler<typeof operation> =>
  async (context, { query }) => {
    const { lead_id, customer_phone } = query;
    const timezone = await reportZone(lookUps, context, query.timezone);
    const period = leadPeriod(query, timezone, new Date(), faultsOfLead(query));
    const from = period.from && timestampOf(period.from);
    const to = period.to && timestampOf(period.to);

    const asking = askingContext(context);
    const ofLead = rpc.call(reportLead, { body: { lead_id, customer_phone, from, to } }, asking);
    // Only crm can find a lead by its phone.
    const leadId = lead_id ?? (await allAnswers({ crm: ofLead })).crm.lead.id;
    const question = { body: { lead_id: leadId, from, to } };
    const { crm, messaging, scheduling } = await allAnswers({
      crm: ofLead,
      messaging: rpc.call(reportConversation, question, asking),
      scheduling: rpc.call(reportLeadScheduling, question, asking),
    });
    return {
      period: { from, to, timezone },
      lead: crm.lead,
      leads: { ...crm.counts, seconds_in_status: crm.seconds_in_status },
      conversations: messaging,
      appointments: scheduling.appointments,
      followups: scheduling.followups,
    };
  };

function faultsOfLead({ lead_id, customer_phone }: RequestOf<typeof operation>['query']): ValidationFault[] {
  if (lead_id === undefined && customer_phone === undefined) {
    return [{ in: 'query', name: 'lead_id', detail: 'is required unless `customer_phone` is given' }];
  }
  if (lead_id === undefined || customer_phone === undefined) return [];
  return [
    { in: 'query', name: 'lead_id', detail: 'cannot be combined with `customer_phone`; send only one' },
    { in: 'query', name: 'customer_phone', detail: 'cannot be combined with `lead_id`; send only one' },
  ];
}
