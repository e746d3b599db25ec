import {
  crmOperations,
  type ErrorCode,
  type EventType,
  errorCatalogue,
  eventCatalogue,
  eventStream,
  eventSubject,
  gatewayOperations,
  messagingOperations,
  schedulingOperations,
} from '../packages/contracts/src/index.ts';

const note = 'Made from the contracts by `node_modules/.bin/node docs/write-reference.ts`; a test holds it current.';

/** The pages that are made from the contracts, by file name. */
export const referencePages = (): Record<string, string> => ({ 'errors.md': errorsPage(), 'events.md': eventsPage() });

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
  "detail": "The store has no lead with this id.",
  "code": "lead_not_found",
  "request_id": "0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60"
}
\`\`\`

Decide by \`code\`: codes are stable, texts may change. _Retry_ says whether the same request may succeed later unchanged.
Codes without an operation may be answered by any request.

${markdownTable(
  ['code', 'status', 'retry', 'meaning', 'operations'],
  rows.map(({ cells }) => cells),
)}
`;
}

/** The operations of the API that name this error as their own. */
function answeredBy(code: ErrorCode): string {
  const operations = { ...gatewayOperations, ...crmOperations, ...schedulingOperations, ...messagingOperations };
  return Object.values(operations)
    .filter(({ errors }) => errors.includes(code))
    .map(({ summary }) => summary.split(/[,;]/)[0])
    .join('; ');
}

function eventsPage(): string {
  const events = Object.entries(eventCatalogue).map(([type, { description, data }]) => {
    const members = Object.entries(data.properties).map(([name, schema]) => [`\`${name}\``, typeOf(schema)]);
    return `## \`${type}\`

${description} Subject \`${eventSubject(type as EventType)}\`.

${markdownTable(['data', 'type'], members)}`;
  });
  return `# Events

${note}

Facts that services publish to the JetStream stream \`${eventStream.name}\` (subjects \`${eventStream.subjects}\`). An event
leaves through the outbox of the transaction that made it true, so none is lost between the two. It is delivered at least
once and in no promised order; \`id\` is the same on every delivery and is also the message's \`Nats-Msg-Id\`. Events carry
ids and states only: whoever needs more asks the service that owns the row. JetStream may lose its last two minutes when
the power fails, so no consumer may rest its correctness on an event alone.

Envelope: \`{ id, type, store_id, occurred_at, data }\`.

${events.join('\n\n')}
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

/** A table in the form that the formatter leaves alone: every cell as wide as its column. */
function markdownTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows].map((cells) => cells.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = headings.map((_, column) => Math.max(3, ...lines.map((cells) => cells[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [first = [], ...others] = lines;
  return [line(first), line(widths.map((width) => '-'.repeat(width))), ...others.map(line)].join('\n');
}
