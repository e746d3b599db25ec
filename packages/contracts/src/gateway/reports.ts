import { type Static, type TObject, Type } from '@sinclair/typebox';
import { About, Described, Exact, NullableTimestamp, OneOf, Uuid, WrittenPhone } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { NullableNumber } from '../core/reports.ts';
import { Lead } from '../crm/leads.ts';
import { LeadCounts, LeadsByStatus, SellerCounts, StatusSeconds } from '../crm/reports.ts';
import { AdCounts, ConversationCounts, LeadConversationCounts, mostAdsOfReport } from '../messaging/reports.ts';
import {
  AppointmentCounts,
  AppointmentsByStatus,
  FollowupCounts,
  LeadAppointments,
  LeadFollowups,
  SellerAppointments,
  ServiceAppointments,
} from '../scheduling/reports.ts';

/** The longest period of a summary, in days. */
export const longestReportDays = 366;

export const reportBuckets = ['day', 'week', 'month'] as const;
export type ReportBucket = (typeof reportBuckets)[number];
const BucketWord = OneOf(reportBuckets, { title: 'ReportBucket', description: 'A week begins on Monday.' });

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
      description: 'IANA time zone of dates and buckets. Default: the store’s.',
    }),
  ),
};

const ReportPeriod = Type.Object(
  {
    from: About(NullableTimestamp, 'The first instant of the period. Null: since the beginning.'),
    to: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date-time',
      description: 'The first instant after the period.',
    }),
    timezone: Type.String({ description: 'The IANA time zone of its days.' }),
  },
  { title: 'ReportPeriod', description: 'What the report covers: from `from` to before `to`.' },
);

const ConversionRate = NullableNumber('`converted / created`, to four decimal places. Null when no lead was created.');

const SeriesLeads = Type.Composite([LeadCounts, Type.Object({ conversion_rate: ConversionRate })], {
  title: 'SeriesLeadCounts',
  description: 'Events of leads in the bucket.',
});
const SummaryLeads = Type.Composite([SeriesLeads, Type.Object({ by_status: LeadsByStatus })], {
  title: 'SummaryLeadCounts',
  description: 'Events of leads in the period, and the leads by status.',
});
const SummaryConversations = Type.Composite(
  [
    ConversationCounts,
    Type.Object({
      by_ad: Type.Optional(
        Type.Array(AdCounts, {
          description:
            'One element for each ad or post from which customers came, the most messages first, and at most ' +
            `${mostAdsOfReport}. As of now: a message that its customer has deleted since is missing.`,
        }),
      ),
    }),
  ],
  { title: 'SummaryConversationCounts', description: 'Sessions and messages of the period, and who came from ads.' },
);
const SummaryAppointments = Type.Composite(
  [
    AppointmentCounts,
    Type.Object({
      by_status: AppointmentsByStatus,
      by_seller: Type.Optional(
        Type.Array(SellerAppointments, { description: 'One element for each seller of whom something is counted.' }),
      ),
      by_service: Type.Optional(
        Type.Array(ServiceAppointments, { description: 'One element for each service of which something is counted.' }),
      ),
    }),
  ],
  {
    title: 'SummaryAppointmentCounts',
    description: 'What happened to appointments in the period, and all by status.',
  },
);

const SeriesElement = Type.Object(
  {
    start: Type.String({ format: 'date-time', description: 'Start of the bucket, or of the period if that is later.' }),
    leads: SeriesLeads,
    conversations: ConversationCounts,
    appointments: AppointmentCounts,
    followups: FollowupCounts,
  },
  { title: 'SeriesElement', description: 'The counts of one bucket: a day, a week or a month.' },
);

export const SummaryReport = Type.Object(
  {
    period: ReportPeriod,
    leads: SummaryLeads,
    conversations: SummaryConversations,
    appointments: SummaryAppointments,
    followups: FollowupCounts,
    sellers: Type.Array(SellerCounts, { description: 'One element for each seller.' }),
    series: Type.Optional(
      Type.Array(SeriesElement, { description: 'With `bucket`: one element per bucket, including empty ones.' }),
    ),
  },
  { title: 'SummaryReport', description: 'The counts of the store over a period.' },
);
export type SummaryReport = Static<typeof SummaryReport>;

export const reportTables = ['totals', 'series', 'sellers', 'ads'] as const;
export type ReportTable = (typeof reportTables)[number];

/** How the gateway writes the summary. The handler does not get these parameters. */
const csvQuery = {
  format: Type.Optional(
    OneOf(['json', 'csv'], { title: 'ReportFormat', description: 'Default: what `Accept` prefers.' }),
  ),
  table: Type.Optional(
    OneOf(reportTables, {
      title: 'ReportTable',
      description:
        'The table of a CSV: one row for the period, one per bucket, one per seller, or one per ad. Default: the first ' +
        'three in one table, whose first column is the kind of the row.',
    }),
  ),
  delimiter: Type.Optional(
    Described(
      OneOf(['comma', 'semicolon'], {
        title: 'CsvDelimiter',
        description:
          'The separator of a CSV. With `semicolon` numbers have a decimal comma, as spreadsheets in such locales expect.',
      }),
      { default: 'comma' },
    ),
  ),
  bom: Type.Optional(
    Type.Boolean({ default: false, description: 'A CSV begins with a byte order mark, by which Excel knows UTF-8.' }),
  ),
};
export type CsvQuery = Static<TObject<typeof csvQuery>>;

export const getSummaryReport = defineOperation({
  subject: 'gateway.api.reports.summary',
  http: { method: 'GET', path: '/reports/summary' },
  access: { scope: 'reports:read' },
  summary: 'Read the report of a period',
  description:
    'Without `from` and `to` the period is the last 30 days, including today. It has at most 366 days. Dates are in ' +
    'the time zone, and both are inclusive. Date-times are half-open: `to` is exclusive. `format=csv` and ' +
    '`Accept: text/csv` answer a table.',
  request: {
    query: Exact({
      from: Type.Optional(Moment('Start of the period.')),
      to: Type.Optional(Moment('End of the period.')),
      ...periodQuery,
      bucket: Type.Optional(Described(BucketWord, { description: 'Adds `series`. A week begins on Monday.' })),
      ...csvQuery,
    }),
  },
  reply: SummaryReport,
});

const LeadHistory = Type.Composite([LeadCounts, Type.Object({ seconds_in_status: StatusSeconds })], {
  title: 'LeadReportCounts',
  description: 'Events of the lead in the period.',
});

export const LeadReport = Type.Object(
  {
    period: ReportPeriod,
    lead: Lead,
    leads: LeadHistory,
    conversations: LeadConversationCounts,
    appointments: LeadAppointments,
    followups: LeadFollowups,
  },
  { title: 'LeadReport', description: 'The counts of one lead over a period.' },
);
export type LeadReport = Static<typeof LeadReport>;

export const getLeadReport = defineOperation({
  subject: 'gateway.api.reports.lead',
  http: { method: 'GET', path: '/reports/leads' },
  access: { scope: 'reports:read' },
  summary: 'Read the report of one lead',
  description: 'Send exactly one of `lead_id` and `customer_phone`. Without `from` and `to` it covers all time.',
  request: {
    query: Exact({
      lead_id: Type.Optional(About(Uuid, 'The lead, by id. Instead of `customer_phone`.')),
      customer_phone: Type.Optional(WrittenPhone),
      from: Type.Optional(Moment('Start of the period.')),
      to: Type.Optional(Moment('End of the period.')),
      ...periodQuery,
    }),
  },
  reply: LeadReport,
  errors: ['lead_not_found'],
});

export const gatewayReportOperations = { getSummaryReport, getLeadReport } as const;
