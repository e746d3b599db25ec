import {
  appointmentMetrics,
  conversationMetrics,
  type ErrorCode,
  type EventType,
  errorCatalogue,
  eventCatalogue,
  eventStream,
  eventSubject,
  feedCatalogue,
  feedRetentionDays,
  firstResponseBucketSeconds,
  followupMetrics,
  LeadReport,
  leadMetrics,
  longestReportDays,
  maxEventDataBytes,
  namedSchemaOf,
  operations,
  type ReportMetric,
  SummaryReport,
} from '../../packages/contracts/src/index.ts';
import { configurationPage } from './configuration.ts';
import { markdownTable } from './markdown-table.ts';
import { metricsPage } from './metrics-page.ts';
import { publicFace } from './public-face.ts';

const note =
  'Generated from the contracts by `node_modules/.bin/node docs/reference/write-reference.ts`. A test keeps it current.';

/** The pages that are generated, by file name: from the contracts, and the configuration from its schemas. */
export const referencePages = (): Record<string, string> => ({
  'configuration.md': configurationPage(),
  'errors.md': errorsPage(),
  'events.md': eventsPage(),
  'metrics.md': metricsPage(note.replace('the contracts', 'the code')),
  'reports.md': reportsPage(),
  'public-face.txt': publicFace(),
});

function errorsPage(): string {
  const rows = Object.entries(errorCatalogue).map(([code, { status, retryable, description }]) => ({
    status,
    cells: [`\`${code}\``, String(status), retryable ? 'yes' : 'no', description, answeredBy(code as ErrorCode)],
  }));
  rows.sort((a, b) => a.status - b.status);
  return `# Errors

${note}

Every error is an RFC 9457 problem document, \`application/problem+json\`:

\`\`\`json
{
  "type": "http://127.0.0.1:8080/docs/errors/lead_not_found",
  "title": "Lead not found",
  "status": 404,
  "detail": "The store has no such lead. Check the id or the phone.",
  "code": "lead_not_found",
  "request_id": "0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60"
}
\`\`\`

Decide by \`code\`: codes are stable, texts may change. _Retry_ says whether the same request may succeed later, unchanged.
Any request may be answered with a code that names no operation.

${markdownTable(
  ['code', 'status', 'retry', 'meaning', 'operations'],
  rows.map(({ cells }) => cells),
)}
`;
}

/** The operations of the API that name this error as their own. */
function answeredBy(code: ErrorCode): string {
  return Object.values(operations)
    .filter(({ errors }) => errors.includes(code))
    .map(({ summary }) => summary.split(/[,;]/)[0])
    .join('; ');
}

function eventsPage(): string {
  const words = (schemas: object) =>
    Object.entries<SchemaWords>({ ...schemas }).map(([name, schema]) => [`\`${name}\``, typeOf(schema)]);
  const publicEvents = Object.entries(feedCatalogue).map(
    ([type, { entity, description, ids, object }]) => `### \`${type}\`

${description} Entity \`${entity}\`, ${object ? `object \`${namedSchemaOf(object).title}\`` : 'no object'}.

${markdownTable(['data', 'type'], words(ids.properties))}`,
  );
  const notices = Object.entries(eventCatalogue).map(
    ([type, { description, data }]) => `### \`${type}\`

${description} Subject \`${eventSubject(type as EventType)}\`.

${markdownTable(['data', 'type'], words(data.properties))}`,
  );
  return `# Events

${note}

There are two catalogues. [The feed](#the-feed) is for integrators: everything that happens in a store, kept and in order.
[Notices](#notices-of-the-event-stream) are for the platform's own services, on JetStream. Neither is made from the other.

## The feed

\`GET /events\` and \`GET /events/stream\` show these events. The guide [Events](../guides/events.md) explains how to read
them, [Webhooks](../guides/webhooks.md) how to have them sent, and the section \`webhooks\` of the API document has the JSON Schema of each. The feed keeps them for ${feedRetentionDays} days.

Envelope: \`{ id, type, created_at, sequence, store_id, entity: { type, id, version, etag }, actor: { kind, id }, request_id, previous, data }\`. Besides the members below,
\`data\` has \`object\`, unless the type says otherwise: the resource as the API shows it, as it was when the event happened. It is null when \`data\` would
have more than ${maxEventDataBytes / 1024} KiB.

${publicEvents.join('\n\n')}

## Notices of the event stream

Internal: no integrator sees them. Services publish them to the JetStream stream \`${eventStream.name}\` (subjects ${[
    eventStream.subjects,
  ]
    .flat()
    .map((subject) => `\`${subject}\``)
    .join(', ')}). The
transaction that makes a fact true also writes its notice to the outbox, so none is lost in between. A notice is delivered
at least once, in no guaranteed order. Its \`id\` is the same on every delivery and is also the message's \`Nats-Msg-Id\`.
Notices carry ids and states only; a consumer that needs more asks the service that owns the row. JetStream may lose the
last two minutes when the power fails, so a consumer must not depend on a notice for its correctness.

A service creates the stream when it is missing: 7 days, 1 GiB, one replica. Change these limits with the NATS tools, and
they stay.

Envelope: \`{ id, type, store_id, occurred_at, data }\`.

${notices.join('\n\n')}
`;
}

function reportsPage(): string {
  const parts = {
    leads: leadMetrics,
    conversations: conversationMetrics,
    appointments: appointmentMetrics,
    followups: followupMetrics,
  } satisfies Record<string, Record<string, ReportMetric>>;
  const metrics = Object.entries(parts).map(([part, ofPart]) => {
    const rows = Object.entries<ReportMetric>(ofPart).map(([name, { counts, moment }]) => [
      `\`${name}\``,
      counts,
      moment,
    ]);
    return `### \`${part}\`\n\n${markdownTable([part, 'what counts', 'counted at'], rows)}`;
  });
  const { leads, conversations, appointments, sellers } = SummaryReport.properties;
  const seller = sellers.items.properties;
  const ofLead = LeadReport.properties;
  const others = [
    ['`leads.by_status`', leads.properties.by_status.description],
    ['`leads.conversion_rate`', leads.properties.conversion_rate.description],
    ['`conversations.by_ad`', conversations.properties.by_ad.description],
    ...Object.entries(conversations.properties.by_ad.items.properties).map(([name, { description }]) => [
      `\`conversations.by_ad[].${name}\``,
      description,
    ]),
    ['`appointments.by_status`', appointments.properties.by_status.description],
    ['`appointments.by_seller`', appointments.properties.by_seller.description],
    ['`appointments.by_service`', appointments.properties.by_service.description],
    ['`sellers[].name`', seller.name.description],
    ['`sellers[].leads`', seller.leads.description],
    ['`sellers[].converted`', seller.converted.description],
    ['`leads.seconds_in_status` of one lead', ofLead.leads.properties.seconds_in_status.description],
    [
      '`conversations.last_interaction_at` of one lead',
      ofLead.conversations.properties.last_interaction_at.description,
    ],
    ['`appointments.by_status` of one lead', ofLead.appointments.properties.by_status.description],
    ['`followups.by_status` of one lead', ofLead.followups.properties.by_status.description],
  ].map(([name = '', text = '']) => [name, text]);
  return `# Reports

${note}

\`GET /reports/summary\` counts a store over a period. \`GET /reports/leads\` counts one lead, named by \`lead_id\` or
\`customer_phone\`, over a period or, without one, over all time. Both need the scope \`reports:read\`.

- **Period.** \`from\` and \`to\` are dates, both inclusive, or date-times, of which the second is exclusive. A summary has
  at most ${longestReportDays} days; the default is the last 30 days, with today. A period may end in the future, but not begin there.
- **Days** are those of \`timezone\`; the default is the store's. A day with a clock change has 23 or 25 hours. A day whose
  midnight is skipped begins at its first moment.
- **Series.** \`bucket\` (\`day\`, \`week\` from Monday, \`month\`) adds \`series\`, with an element for each bucket, also for an
  empty one. The period may cut the first and the last bucket short.
- **The past does not change.** A count belongs to the moment at which its event was recorded, by the database's clock, never
  to a moment that a provider names. So the counts of a finished day do not change.
- **Sums.** Each count of a summary is the sum over the reports of all leads for the same period, plus
  \`appointments.without_lead\` for the appointments. The report of one lead does not have what happened to appointments after
  their creation. The series adds up to it, too, except for counts in which a lead counts once.
- **All or nothing.** If a part cannot be counted, the answer is 503 \`service_unavailable\`, and \`missing\` names the part.

## What is counted

${metrics.join('\n\n')}

The limits of the buckets of \`first_response_seconds\`, in seconds: ${firstResponseBucketSeconds.join(', ')}. A longer time is
reported as the last one.

## Other members

${markdownTable(['member', 'what it is'], others)}

Every seller has a row in \`sellers\`. A deleted seller has one when the report counts something of theirs.

\`refused\`, \`moved\`, \`confirmed\`, \`no_shows\` and \`cancelled\` of the appointments are counted from the version on that
introduced them, in every store. Only a store with booking rules refuses for a taken place. A refusal is counted right after it: one
whose count cannot be written is answered all the same, and is missing in the report.

## CSV

\`format=csv\`, or \`Accept: text/csv\`, gives the summary as a table (RFC 4180, UTF-8). \`table\` selects it:

${markdownTable(
  ['`table`', 'rows'],
  [
    ['`totals`', 'one for the whole period'],
    ['`series`', 'one for each bucket; needs `bucket`'],
    ['`sellers`', 'one for each seller, with id and name'],
    ['none', 'all of them, and `row` is the kind of the line: `period`, `series` or `seller`'],
  ],
)}

The appointments by seller and by service are not in it.

\`date\` is the day on which a line begins, in the report's time zone. The header of a table is the same for every report. A
cell is empty when the line does not have that count.

\`bom=true\` puts a byte order mark first, by which Excel knows UTF-8. \`delimiter=semicolon\` separates cells with \`;\` and
writes decimal commas, for a spreadsheet in a locale such as pt-BR.

\`\`\`sh
curl -s -H "X-API-Key: $KEY" "$BASE/reports/summary?bucket=day&format=csv&table=series" > days.csv
\`\`\`
`;
}

type SchemaWords = { type?: string | string[]; format?: string; enum?: unknown[]; items?: SchemaWords };

function typeOf(schema: SchemaWords): string {
  if (schema.items) return `list of ${typeOf(schema.items)}`;
  const types = [schema.type ?? []].flat();
  const word =
    schema.enum?.map((value) => `\`${value}\``).join(', ') ?? schema.format ?? types.find((type) => type !== 'null');
  return types.includes('null') ? `${word} or null` : `${word}`;
}
