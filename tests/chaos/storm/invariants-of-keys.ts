import { type Invariant, keptIn } from './invariant.ts';
import type { Entry } from './journal.ts';
import { requestTimeoutMs } from './platform.ts';
import type { Row, Seen } from './seen.ts';

/** Tolerance for `created_at`: clocks differ, and PostgreSQL takes the time at BEGIN. */
const clockMs = 250;

/** Invariants of the answers that clients got for an idempotency key. */
export const ofKeys: readonly Invariant[] = [
  {
    name: 'every acknowledged request is stored with the content that was acknowledged',
    verdict: 'lost',
    find: ({ entries }, seen) => {
      const [byMark, keptOf] = [rowsByMark(seen), keptIn(seen)];
      return entries
        .filter(({ acknowledged }) => acknowledged !== undefined)
        .flatMap((entry) => {
          const [row] = byMark(entry);
          const fault = row ? faultOf(entry, row, keptOf) : 'there is no row';
          return fault ? `${entry.kind} with key ${entry.key}: ${fault}` : [];
        });
    },
  },
  {
    name: 'an idempotency key has one effect',
    verdict: 'doubled',
    find: ({ entries }, seen) => {
      const byMark = rowsByMark(seen);
      return entries.flatMap((entry) => {
        const [rows, ids] = [byMark(entry).length, entry.ids.size];
        return rows > 1 || ids > 1 ? `${entry.kind} with key ${entry.key}: ${rows} rows, ${ids} ids in answers` : [];
      });
    },
  },
  {
    name: 'no row comes from an unknown, expired or rejected request',
    verdict: 'broken',
    find: ({ entries }, seen) => {
      const [byMark, keptOf] = [rowsByMark(seen), keptIn(seen)];
      const asked = new Set(entries.map(({ kind, mark }) => `${kind} ${mark}`));
      const unasked = seen.rows
        .filter(({ kind, mark }) => !asked.has(`${kind} ${mark}`) && !isFromTheBeginning(kind, mark, seen))
        .map(({ kind, id }) => `no client requested the ${kind} ${id}`);
      const untimely = entries.flatMap((entry) => {
        const [row] = byMark(entry);
        const fault =
          row && (timeFaultOf(entry, row) ?? (entry.acknowledged === undefined && faultOf(entry, row, keptOf)));
        return fault ? `${entry.kind} with key ${entry.key}: ${fault}` : [];
      });
      return [...unasked, ...untimely];
    },
  },
];

function rowsByMark({ rows }: Seen): (entry: Entry) => Row[] {
  const byMark = Map.groupBy(rows, ({ kind, mark }) => `${kind} ${mark}`);
  return ({ kind, mark }) => byMark.get(`${kind} ${mark}`) ?? [];
}

/** `createStores` names its leads `Ana first`. Leads of the load have their store's id in the name. */
const isFromTheBeginning = (kind: Row['kind'], mark: string, { rows }: Seen): boolean =>
  kind === 'lead' && rows.some((row) => row.kind === 'lead' && row.mark === mark && row.content.name === 'Ana first');

/** How the row differs from what the client requested. */
function faultOf(
  { storeId, body, may, ids, leadId, kind }: Entry,
  row: Row,
  keptOf: (leadId: string) => string,
): string | undefined {
  if (row.store_id !== storeId) return 'the row is in another store';
  if (ids.size > 0 && !ids.has(row.id)) return 'the row has an id that no answer had';
  if (kind !== 'lead' && row.lead_id !== (leadId && keptOf(leadId))) return 'the row names another lead';
  for (const [name, value] of Object.entries(row.content)) {
    const isFixed = name in body && may.every((content) => !(name in content));
    if (isFixed && body[name] !== value) return `${name} differs from the request`;
  }
  const isOneOf = may.some((content) => Object.entries(content).every(([name, value]) => row.content[name] === value));
  return isOneOf ? undefined : 'its content is none of the possible ones';
}

function timeFaultOf({ attempts }: Entry, { created_at }: Row): string | undefined {
  if (attempts.every(({ status }) => status === 503))
    return `every answer was 503, but there is a row${whenOf(attempts)}`;
  const madeAt = created_at.getTime();
  // The deadline counts from when the gateway read the request. After a stall or on a bad link, that can be any time up
  // to the answer.
  const inTime = attempts.some(
    ({ sentAt, afterMs, wasGood, limitMs = requestTimeoutMs }) =>
      madeAt >= sentAt - clockMs && madeAt <= sentAt + (wasGood ? 0 : afterMs) + limitMs + clockMs,
  );
  return inTime ? undefined : `it was created after the deadline of every request${whenOf(attempts)}`;
}

const whenOf = (attempts: Entry['attempts']): string =>
  ` (sent ${attempts.map(({ sentAt, status }) => `${new Date(sentAt).toISOString()}: ${status}`).join(', ')})`;
