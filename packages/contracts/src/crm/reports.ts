import { type Static, Type } from '@sinclair/typebox';
import { About, Exact, NullableString, Phone, Uuid } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { leadMetrics } from '../core/report-metrics.ts';
import { Boundaries, Bucketed, Count, PerWord, Span } from '../core/reports.ts';
import { defineClosing, defineReset, defineVerification } from '../core/rollups.ts';
import { Lead, leadStatuses } from './leads.ts';

export const LeadCounts = Type.Object(
  {
    created: Count(leadMetrics.created),
    converted: Count(leadMetrics.converted),
    lost: Count(leadMetrics.lost),
  },
  { title: 'LeadCounts', description: 'Events of leads in the period.' },
);
export type LeadCounts = Static<typeof LeadCounts>;

export const LeadsByStatus = PerWord(leadStatuses, 'LeadsByStatus', 'All leads of the store by status, as of now.');

export const SellerCounts = Type.Object(
  {
    seller_id: About(Uuid, 'The id of the seller.'),
    name: Type.Optional(Type.Unsafe<string | null>({ ...NullableString, description: 'Null for a deleted seller.' })),
    leads: Type.Integer({ minimum: 0, description: 'Leads assigned to the seller, as of now.' }),
    converted: Type.Integer({
      minimum: 0,
      description: 'As `leads.converted`, for leads assigned to this seller at their first such change in the period.',
    }),
  },
  { title: 'SellerCounts', description: 'What one seller has.' },
);
export type SellerCounts = Static<typeof SellerCounts>;

export const summarizeLeads = defineOperation({
  subject: 'crm.internal.reports.summary',
  summary: "Count a store's leads over a period",
  request: { body: Exact({ boundaries: Boundaries }) },
  reply: Type.Composite([
    Bucketed(LeadCounts),
    Type.Object({ by_status: LeadsByStatus, sellers: Type.Array(SellerCounts) }),
  ]),
});

export const StatusSeconds = Type.Object(
  Object.fromEntries(
    leadStatuses.map((status) => [
      status,
      Type.Number({ minimum: 0, description: `Seconds in the status \`${status}\`.` }),
    ]),
  ) as Record<(typeof leadStatuses)[number], ReturnType<typeof Type.Number>>,
  {
    title: 'SecondsByStatus',
    description: 'Seconds that the lead spent in each status within the period, until now at most.',
  },
);

export const reportLead = defineOperation({
  subject: 'crm.internal.reports.lead',
  summary: 'Find a lead by id or phone, and count its events over a period',
  request: { body: Exact({ lead_id: Type.Optional(Uuid), customer_phone: Type.Optional(Phone), ...Span }) },
  reply: Type.Object({ lead: Lead, counts: LeadCounts, seconds_in_status: StatusSeconds }),
  errors: ['lead_not_found'],
});

export const closeLeadReports = defineClosing('crm');

export const verifyLeadReports = defineVerification('crm');

export const resetLeadReports = defineReset('crm');

export const crmReportOperations = {
  summarizeLeads,
  reportLead,
  closeLeadReports,
  verifyLeadReports,
  resetLeadReports,
} as const;
