import { type Static, type TObject, type TSchema, type TUnsafe, Type, TypeGuard } from '@sinclair/typebox';
import { appointmentStatuses } from './appointment-status.ts';
import { Exact, firstInstantMs, lastInstantMs, NullableTimestamp, OneOf, Phone, Timestamp, Uuid } from './common.ts';
import { Lead } from './lead.ts';
import { leadStatuses } from './lead-status.ts';
import { defineOperation } from './operation.ts';
import {
  appointmentMetrics,
  conversationMetrics,
  followupMetrics,
  leadMetrics,
  type ReportMetric,
} from './report-metrics.ts';
import type { ReportService } from './workflows.ts';

const describe = ({ counts, moment }: ReportMetric): string => `${counts} Counted at: ${moment}.`;
const Count = (metric: ReportMetric) => Type.Integer({ minimum: 0, description: describe(metric) });
const Total = Type.Integer({ minimum: 0 });
const NullableNumber = (description: string) => Type.Unsafe<number | null>({ type: ['number', 'null'], description });

const PerWord = <const Words extends readonly string[]>(words: Words, description: string) =>
  Type.Object(Object.fromEntries(words.map((word) => [word, Total])) as Record<Words[number], typeof Total>, {
    description,
  });

/* ---- the counts of each service ---- */

export const LeadCounts = Type.Object({
  created: Count(leadMetrics.created),
  converted: Count(leadMetrics.converted),
  lost: Count(leadMetrics.lost),
});
export type LeadCounts = Static<typeof LeadCounts>;

export const ConversationCounts = Type.Object({
  sessions_started: Count(conversationMetrics.sessions_started),
  sessions_ended: Count(conversationMetrics.sessions_ended),
  messages_inbound: Count(conversationMetrics.messages_inbound),
  messages_outbound: Type.Object(
    { ai: Total, seller: Total, api: Total, followup: Total },
    { description: describe(conversationMetrics.messages_outbound) },
  ),
  messages_failed: Count(conversationMetrics.messages_failed),
  first_response_seconds: Type.Object(
    {
      p50: NullableNumber('Null without a first response.'),
      p90: NullableNumber('Null without a first response.'),
      average: NullableNumber('Of the seconds themselves, to a thousandth; null without a first response.'),
    },
    { description: describe(conversationMetrics.first_response_seconds) },
  ),
});
export type ConversationCounts = Static<typeof ConversationCounts>;

export const AppointmentCounts = Type.Object({
  created: Count(appointmentMetrics.created),
  without_lead: Count(appointmentMetrics.without_lead),
});
export type AppointmentCounts = Static<typeof AppointmentCounts>;

export const FollowupCounts = Type.Object({
  scheduled: Count(followupMetrics.scheduled),
  sent: Count(followupMetrics.sent),
  failed: Count(followupMetrics.failed),
  cancelled: Count(followupMetrics.cancelled),
});
export type FollowupCounts = Static<typeof FollowupCounts>;

const LeadsByStatus = PerWord(leadStatuses, 'All leads of the store by their status, as of now.');
const AppointmentsByStatus = PerWord(appointmentStatuses, 'All appointments by their status, as of now.');

const SellerCounts = Type.Object({
  seller_id: Uuid,
  leads: Type.Integer({ minimum: 0, description: 'Leads that are the seller’s, as of now.' }),
  converted: Type.Integer({
    minimum: 0,
    description: 'As `leads.converted`: those that were this seller’s at the first such change of the period.',
  }),
});
export type SellerCounts = Static<typeof SellerCounts>;

/* ---- what each service answers for ---- */

/** Instants in ascending order, epoch ms: `n + 1` of them make `n` buckets, each from one (inclusive) to the next (exclusive). */
const Boundaries = Type.Array(Type.Integer({ minimum: firstInstantMs, maximum: lastInstantMs }), {
  minItems: 2,
  maxItems: 400,
});

/** Rows that have the same members, as one list for each member: a year of days is a fifth of as many objects, written. */
export type Columns<Row> = {
  readonly [Name in keyof Row]: Row[Name] extends object ? Columns<Row[Name]> : readonly Row[Name][];
};
const Columns = <Row extends TObject>({ properties }: Row): TUnsafe<Columns<Static<Row>>> =>
  Type.Unsafe(
    Type.Object(
      Object.fromEntries(
        Object.entries<TSchema>(properties).map(([name, schema]) => [
          name,
          TypeGuard.IsObject(schema) ? Columns(schema) : Type.Array(schema),
        ]),
      ),
    ),
  );

/** `total` is over all buckets; it is no sum where a lead counts once in a period, or a percentile stands. */
const Bucketed = <Counts extends TObject>(counts: Counts) => Type.Object({ total: counts, buckets: Columns(counts) });

export const summarizeLeads = defineOperation({
  subject: 'crm.internal.reports.summary.v2',
  summary: "Count a store's leads over a period",
  request: { body: Exact({ boundaries: Boundaries }) },
  reply: Type.Composite([
    Bucketed(LeadCounts),
    Type.Object({ by_status: LeadsByStatus, sellers: Type.Array(SellerCounts) }),
  ]),
});

export const summarizeConversations = defineOperation({
  subject: 'messaging.internal.reports.summary.v2',
  summary: "Count a store's sessions and messages over a period",
  request: { body: Exact({ boundaries: Boundaries }) },
  reply: Bucketed(ConversationCounts),
});

export const summarizeScheduling = defineOperation({
  subject: 'scheduling.internal.reports.summary.v2',
  summary: "Count a store's appointments and follow-ups over a period",
  request: { body: Exact({ boundaries: Boundaries }) },
  reply: Type.Object({
    appointments: Bucketed(AppointmentCounts),
    appointments_by_status: AppointmentsByStatus,
    followups: Bucketed(FollowupCounts),
  }),
});

/* ---- the same, as gateways of the version before ask for it: to be removed with the next one ---- */

/** As `Boundaries`, but as texts. */
const BoundariesV1 = Type.Array(Timestamp, { minItems: 2, maxItems: 400 });

const BucketedV1 = <Counts extends TObject>(counts: Counts) =>
  Type.Object({ total: counts, buckets: Type.Array(counts) });

export const summarizeLeadsV1 = defineOperation({
  subject: 'crm.internal.reports.summary',
  summary: "Count a store's leads over a period",
  request: { body: Exact({ boundaries: BoundariesV1 }) },
  reply: Type.Composite([
    BucketedV1(LeadCounts),
    Type.Object({ by_status: LeadsByStatus, sellers: Type.Array(SellerCounts) }),
  ]),
});

export const summarizeConversationsV1 = defineOperation({
  subject: 'messaging.internal.reports.summary',
  summary: "Count a store's sessions and messages over a period",
  request: { body: Exact({ boundaries: BoundariesV1 }) },
  reply: BucketedV1(ConversationCounts),
});

export const summarizeSchedulingV1 = defineOperation({
  subject: 'scheduling.internal.reports.summary',
  summary: "Count a store's appointments and follow-ups over a period",
  request: { body: Exact({ boundaries: BoundariesV1 }) },
  reply: Type.Object({
    appointments: BucketedV1(AppointmentCounts),
    appointments_by_status: AppointmentsByStatus,
    followups: BucketedV1(FollowupCounts),
  }),
});

/** A null `from` is the beginning of time, a null `to` is now. */
const Span = { from: NullableTimestamp, to: NullableTimestamp };

const StatusSeconds = Type.Object(
  Object.fromEntries(leadStatuses.map((status) => [status, Type.Number({ minimum: 0 })])) as Record<
    (typeof leadStatuses)[number],
    ReturnType<typeof Type.Number>
  >,
  { description: 'How long the lead was in each status within the period, in seconds, until now at most.' },
);

export const reportLead = defineOperation({
  subject: 'crm.internal.reports.lead',
  summary: 'Find a lead by id or phone, and count what it did over a period',
  request: { body: Exact({ lead_id: Type.Optional(Uuid), customer_phone: Type.Optional(Phone), ...Span }) },
  reply: Type.Object({ lead: Lead, counts: LeadCounts, seconds_in_status: StatusSeconds }),
  errors: ['lead_not_found'],
});

const LeadConversationCounts = Type.Composite([
  ConversationCounts,
  Type.Object({
    last_interaction_at: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date-time',
      description: 'The last message of the period that was received or sent.',
    }),
  }),
]);

export const reportConversation = defineOperation({
  subject: 'messaging.internal.reports.lead',
  summary: "Count a lead's sessions and messages over a period",
  request: { body: Exact({ lead_id: Uuid, ...Span }) },
  reply: LeadConversationCounts,
});

const LeadAppointments = Type.Object({
  created: Count(appointmentMetrics.created),
  by_status: PerWord(appointmentStatuses, 'All appointments of the lead by their status, as of now.'),
});

export const reportLeadScheduling = defineOperation({
  subject: 'scheduling.internal.reports.lead',
  summary: "Count a lead's appointments and follow-ups over a period",
  request: { body: Exact({ lead_id: Uuid, ...Span }) },
  reply: Type.Object({ appointments: LeadAppointments, followups: FollowupCounts }),
});

/* ---- the rollups behind them ---- */

/** Counts closed time into quarter-hours, a while at most: `more` says that there is more to close. Safe at any moment. */
const closing = (service: ReportService) =>
  defineOperation({
    subject: `${service}.step.reports.close`,
    tenancy: 'none',
    summary: 'Close the quarter-hours that are over',
    request: {},
    reply: Type.Object({
      closed_until: NullableTimestamp,
      more: Type.Boolean({ description: 'There is more to close: ask again.' }),
    }),
  });
export const closeLeadReports = closing('crm');
export const closeConversationReports = closing('messaging');
export const closeSchedulingReports = closing('scheduling');

/** Compares a stretch of closed time with the facts. `next` is where to go on; null at the end. */
const verification = (service: ReportService) =>
  defineOperation({
    subject: `${service}.admin.reports.verify`,
    tenancy: 'none',
    summary: 'Compare the rollups of the reports with the facts',
    request: { body: Exact({ after: NullableTimestamp }) },
    reply: Type.Object({
      closed_until: NullableTimestamp,
      next: NullableTimestamp,
      quarters: Type.Integer({
        description: 'How many that something happened in were compared, of each store and seller.',
      }),
      wrong: Type.Array(
        Type.Object({
          store_id: Uuid,
          subject: Type.String({
            description: 'What was counted: the zero uuid for the store, or the id of a seller.',
          }),
          quarter: Timestamp,
          metric: Type.String(),
          is: Type.Integer(),
          should_be: Type.Integer(),
        }),
        { description: 'At most 100.' },
      ),
    }),
  });
export const verifyLeadReports = verification('crm');
export const verifyConversationReports = verification('messaging');
export const verifySchedulingReports = verification('scheduling');

/** Forgets the rollups. Reports count from the rows until the job has closed everything again. */
const rebuilding = (service: ReportService) =>
  defineOperation({
    subject: `${service}.admin.reports.reset`,
    tenancy: 'none',
    summary: 'Forget the rollups of the reports, so that they are made anew',
    request: {},
    reply: Type.Object({ quarters: Type.Integer({ description: 'Rows forgotten.' }) }),
  });
export const resetLeadReports = rebuilding('crm');
export const resetConversationReports = rebuilding('messaging');
export const resetSchedulingReports = rebuilding('scheduling');

/** What each service can be asked about the rollups of its reports. */
export const rollupOperations = {
  crm: { close: closeLeadReports, verify: verifyLeadReports, reset: resetLeadReports },
  messaging: { close: closeConversationReports, verify: verifyConversationReports, reset: resetConversationReports },
  scheduling: { close: closeSchedulingReports, verify: verifySchedulingReports, reset: resetSchedulingReports },
} as const satisfies Record<ReportService, unknown>;

export const crmReportOperations = {
  summarizeLeads,
  summarizeLeadsV1,
  reportLead,
  closeLeadReports,
  verifyLeadReports,
  resetLeadReports,
} as const;
export const messagingReportOperations = {
  summarizeConversations,
  summarizeConversationsV1,
  reportConversation,
  closeConversationReports,
  verifyConversationReports,
  resetConversationReports,
} as const;
export const schedulingReportOperations = {
  summarizeScheduling,
  summarizeSchedulingV1,
  reportLeadScheduling,
  closeSchedulingReports,
  verifySchedulingReports,
  resetSchedulingReports,
} as const;

/* ---- the public reports ---- */

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
