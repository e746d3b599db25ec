/**
 * Every count of the reports, defined once: the API document's descriptions and docs/reports.md are made from here.
 * A count belongs to the moment at which its event was recorded, by the database's clock, so what is past stays.
 */
export type ReportMetric = {
  /** What counts, and what does not. */
  readonly counts: string;
  /** The moment that decides the day. */
  readonly moment: string;
};

export const leadMetrics = {
  created: {
    counts: 'Leads created, however they came: by the API, by a first message, by an import.',
    moment: 'the creation of the lead',
  },
  converted: {
    counts: 'Leads changed into `converted`, or created as such. A lead counts once in a period, and once in a bucket.',
    moment: 'the change',
  },
  lost: {
    counts: 'Leads changed into `lost`, or created as such. A lead counts once in a period, and once in a bucket.',
    moment: 'the change',
  },
} as const satisfies Record<string, ReportMetric>;

export const conversationMetrics = {
  sessions_started: { counts: 'Sessions that began.', moment: 'the first message of the session being stored' },
  sessions_ended: { counts: 'Sessions that ended, by close or idle time.', moment: 'the end being recorded' },
  messages_inbound: {
    counts: 'Messages of customers, of any type; one that the channel delivers twice counts once.',
    moment: 'the message being stored',
  },
  messages_outbound: {
    counts: 'Messages that the channel took, by their source. Not those that wait, and not those that it refused.',
    moment: 'the channel’s acceptance being recorded',
  },
  messages_failed: {
    counts:
      'Outbound messages that failed, also after the channel had taken them at first. One that turns out to have ' +
      'arrived after all stays counted.',
    moment: 'the failure being recorded',
  },
  first_response_seconds: {
    counts:
      'For each session that a customer’s message began: the seconds from that message being stored until the channel’s ' +
      'acceptance of the first outbound message was recorded, of whatever source. `p50` and `p90` come from fixed ' +
      'buckets: the upper limit of the bucket that holds the rank, so they are at most one bucket too high.',
    moment: 'that acceptance being recorded',
  },
} as const satisfies Record<string, ReportMetric>;

export const appointmentMetrics = {
  created: { counts: 'Appointments created.', moment: 'the creation' },
  without_lead: { counts: 'Of these, those that were created without a lead.', moment: 'the creation' },
} as const satisfies Record<string, ReportMetric>;

export const followupMetrics = {
  scheduled: { counts: 'Follow-ups scheduled.', moment: 'the request' },
  sent: { counts: 'Follow-ups that the channel took.', moment: 'that being recorded' },
  failed: { counts: 'Follow-ups that failed for good.', moment: 'the failure being recorded' },
  cancelled: { counts: 'Follow-ups cancelled, by whatever cause.', moment: 'the cancellation' },
} as const satisfies Record<string, ReportMetric>;

/**
 * Upper limits, inclusive, of the buckets of `first_response_seconds`; what is longer falls into one more, whose
 * upper limit is not known and is reported as the last one here.
 */
export const firstResponseBucketSeconds = [
  1, 2, 3, 5, 7, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 450, 600, 900, 1200, 1800, 2700, 3600, 5400, 7200, 10_800,
  14_400, 21_600, 43_200, 86_400, 172_800, 604_800,
] as const;
