/**
 * Every count of the reports, defined once. The API document's descriptions and docs/reports.md come from here.
 * A count belongs to the moment at which its event was recorded, by the database's clock. So past counts do not change.
 */
export type ReportMetric = {
  /** What counts, and what does not. */
  readonly counts: string;
  /** The moment that decides the day on which the event counts. */
  readonly moment: string;
};

export const leadMetrics = {
  created: {
    counts: 'Leads created by the API, by a first message or by an import.',
    moment: 'the creation of the lead',
  },
  converted: {
    counts:
      'Leads that became `converted`, also by their creation. A lead counts once in a period, and once in a bucket.',
    moment: 'the change',
  },
  lost: {
    counts: 'Leads that became `lost`, also by their creation. A lead counts once in a period, and once in a bucket.',
    moment: 'the change',
  },
} as const satisfies Record<string, ReportMetric>;

export const conversationMetrics = {
  sessions_started: { counts: 'Sessions that began.', moment: 'the moment the session’s first message was stored' },
  sessions_ended: { counts: 'Sessions that ended, by close or idle time.', moment: 'the moment the end was recorded' },
  messages_inbound: {
    counts: 'Messages from customers, of any type. A message that the channel delivers twice counts once.',
    moment: 'the moment the message was stored',
  },
  messages_outbound: {
    counts: 'Messages that the channel accepted, by source. Queued, rejected and cancelled messages do not count.',
    moment: 'the moment the channel’s acceptance was recorded',
  },
  messages_failed: {
    counts:
      'Outbound messages that failed, also after the channel had accepted them. A message that arrives after its ' +
      'failure was recorded stays counted.',
    moment: 'the moment the failure was recorded',
  },
  messages_priced: {
    counts:
      'Outbound messages that were delivered and whose price the channel told, by category and source: `billable` those ' +
      'that it bills, `free` the others. What it says of a price later changes no count.',
    moment: 'the moment the delivery and the price were recorded',
  },
  messages_cost: {
    counts:
      'What the messages of `messages_priced` cost by the rate file of the server, by category and source. A rate that ' +
      'the file gets later changes no amount.',
    moment: 'the moment the delivery and the price were recorded',
  },
  first_response_seconds: {
    counts:
      'For each session that a customer’s message began: the seconds from storing that message to recording that the ' +
      'channel accepted the first outbound message, from any source. `p50` and `p90` come from fixed buckets: each ' +
      'is the upper limit of the bucket that holds the rank, so it is at most one bucket too high.',
    moment: 'the moment that acceptance was recorded',
  },
} as const satisfies Record<string, ReportMetric>;

export const appointmentMetrics = {
  created: { counts: 'Appointments created.', moment: 'the creation' },
  without_lead: { counts: 'The appointments created without a lead, as a part of these.', moment: 'the creation' },
  refused: {
    counts:
      'Requests for an appointment, a hold or another time that were refused because no place was free, and such moves in ' +
      'the calendar. A request that is sent again counts again. By seller and by service: as the request named them.',
    moment: 'the refusal',
  },
  moved: { counts: 'Changes of an appointment’s time or duration.', moment: 'the change' },
  confirmed: { counts: 'Appointments that their customers confirmed.', moment: 'the confirmation' },
  no_shows: { counts: 'Appointments that became `no_show`.', moment: 'the change' },
  cancelled: { counts: 'Appointments that were cancelled, by where that came from.', moment: 'the cancellation' },
} as const satisfies Record<string, ReportMetric>;

export const followupMetrics = {
  scheduled: { counts: 'Follow-ups scheduled.', moment: 'the request' },
  sent: { counts: 'Follow-ups that the channel accepted.', moment: 'the moment the acceptance was recorded' },
  failed: { counts: 'Follow-ups that failed permanently.', moment: 'the moment the failure was recorded' },
  cancelled: { counts: 'Follow-ups cancelled, for any reason.', moment: 'the cancellation' },
} as const satisfies Record<string, ReportMetric>;

/**
 * Upper limits, inclusive, of the buckets of `first_response_seconds`. A longer time falls into one more bucket without
 * an upper limit; reports show the last limit for it.
 */
export const firstResponseBucketSeconds = [
  1, 2, 3, 5, 7, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 450, 600, 900, 1200, 1800, 2700, 3600, 5400, 7200, 10_800,
  14_400, 21_600, 43_200, 86_400, 172_800, 604_800,
] as const;
