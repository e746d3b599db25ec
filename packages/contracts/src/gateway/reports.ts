import { type Static, Type } from '@sinclair/typebox';
import { Exact, NullableTimestamp, OneOf, Phone, Uuid } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { NullableNumber } from '../core/reports.ts';
import { Lead } from '../crm/leads.ts';
import { LeadCounts, LeadsByStatus, SellerCounts, StatusSeconds } from '../crm/reports.ts';
import { ConversationCounts, LeadConversationCounts } from '../messaging/reports.ts';
import { AppointmentCounts, AppointmentsByStatus, FollowupCounts, LeadAppointments } from '../scheduling/reports.ts';

/** The most days of one summary. */
export const longestReportDays = 366;

export const reportBuckets = ['day', 'week', 'month'] as const;
export type ReportBucket = (typeof reportBuckets)[number];

const Moment = (description: string) =>
  Type.String({
    format: 'date-or-date-time',
    maxLength: 40,
    description: `${description} A date (\`2027-01-31\`), or a date-time with its offset.`,
  });

const periodQuery = {
  timezone: Type.Optional(
    Type.String({
      format: 'time-zone',
      maxLength: 100,
      description: 'IANA time zone of dates and buckets; the store’s unless given.',
    }),
  ),
};

const ReportPeriod = Type.Object({
  from: NullableTimestamp,
  to: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'date-time',
    description: 'The first instant after the period.',
  }),
  timezone: Type.String(),
});

const ConversionRate = NullableNumber('`converted / created`, to four places; null without leads created.');

const SummaryLeads = Type.Composite([LeadCounts, Type.Object({ conversion_rate: ConversionRate })]);

const SeriesElement = Type.Object({
  start: Type.String({
    format: 'date-time',
    description: 'Where the bucket begins, or the period if that begins later.',
  }),
  leads: SummaryLeads,
  conversations: ConversationCounts,
  appointments: AppointmentCounts,
  followups: FollowupCounts,
});

export const SummaryReport = Type.Object(
  {
    period: ReportPeriod,
    leads: Type.Composite([SummaryLeads, Type.Object({ by_status: LeadsByStatus })]),
    conversations: ConversationCounts,
    appointments: Type.Composite([AppointmentCounts, Type.Object({ by_status: AppointmentsByStatus })]),
    followups: FollowupCounts,
    sellers: Type.Array(SellerCounts),
    series: Type.Optional(
      Type.Array(SeriesElement, { description: 'With `bucket`: an element for every bucket, empty ones too.' }),
    ),
  },
  { title: 'SummaryReport' },
);
export type SummaryReport = Static<typeof SummaryReport>;

export const getSummaryReport = defineOperation({
  subject: 'gateway.api.reports.summary',
  summary: 'Read the report of a period',
  description:
    'The last 30 days with today unless `from` and `to` say otherwise; at most 366 days. Dates are inclusive and of the ' +
    'time zone; date-times are half-open. `Accept: text/csv` gives the series and a row for each seller.',
  request: {
    query: Exact({
      from: Type.Optional(Moment('Beginning.')),
      to: Type.Optional(Moment('End.')),
      ...periodQuery,
      bucket: Type.Optional(OneOf(reportBuckets, { description: 'Adds a `series`. A week begins on Monday.' })),
    }),
  },
  reply: SummaryReport,
});

export const LeadReport = Type.Object(
  {
    period: ReportPeriod,
    lead: Lead,
    leads: Type.Composite([LeadCounts, Type.Object({ seconds_in_status: StatusSeconds })]),
    conversations: LeadConversationCounts,
    appointments: LeadAppointments,
    followups: FollowupCounts,
  },
  { title: 'LeadReport' },
);
export type LeadReport = Static<typeof LeadReport>;

export const getLeadReport = defineOperation({
  subject: 'gateway.api.reports.lead',
  summary: 'Read the report of one lead',
  description: 'Exactly one of `lead_id` and `customer_phone`. All time unless `from` or `to` is given.',
  request: {
    query: Exact({
      lead_id: Type.Optional(Uuid),
      customer_phone: Type.Optional(Phone),
      from: Type.Optional(Moment('Beginning.')),
      to: Type.Optional(Moment('End.')),
      ...periodQuery,
    }),
  },
  reply: LeadReport,
  errors: ['lead_not_found'],
});

export const gatewayReportOperations = { getSummaryReport, getLeadReport } as const;
