import type { Invariant } from './invariant.ts';
import type { Entry } from './journal.ts';
import { requestTimeoutMs } from './platform.ts';
import type { Row, Seen } from './seen.ts';

/** What a row may be younger than the last deadline of its requests, by the resolution of clocks and BEGIN's place. */
const clockMs = 250;

/** What clients were told about what they asked for under a key. */
export const ofKeys: readonly Invariant[] = [
  {
    name: 'what was acknowledged is there, as it was acknowledged',
    verdict: 'lost',
    find: ({ entries }, seen) => {
      const byMark = rowsByMark(seen);
      return entries
        .filter(({ acknowledged }) => acknowledged !== undefined)
        .flatMap((entry) => {
          const [row] = byMark(entry);
          const fault = row ? faultOf(entry, row) : 'there is no row';
          return fault ? `${entry.kind} with key ${entry.key}: ${fault}` : [];
        });
    },
  },
  {
    name: 'a key has one effect',
    verdict: 'doubled',
    find: ({ entries }, seen) => {
      const byMark = rowsByMark(seen);
      return entries.flatMap((entry) => {
        const [rows, ids] = [byMark(entry).length, entry.ids.size];
        return rows > 1 || ids > 1 ? `${entry.kind} with key ${entry.key}: ${rows} rows, ${ids} ids were answered` : [];
      });
    },
  },
  {
    name: 'nothing is made that nobody asked for, late, or after a refusal',
    verdict: 'broken',
    find: ({ entries }, seen) => {
      const byMark = rowsByMark(seen);
      const asked = new Set(entries.map(({ kind, mark }) => `${kind} ${mark}`));
      const unasked = seen.rows
        .filter(({ kind, mark }) => !asked.has(`${kind} ${mark}`) && !isFromTheBeginning(kind, mark, seen))
        .map(({ kind, id }) => `nobody asked for the ${kind} ${id}`);
      const untimely = entries.flatMap((entry) => {
        const [row] = byMark(entry);
        const fault = row && (timeFaultOf(entry, row) ?? (entry.acknowledged === undefined && faultOf(entry, row)));
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

/** The leads that a run begins with are called so, and the clients' own after their store. */
const isFromTheBeginning = (kind: Row['kind'], mark: string, { rows }: Seen): boolean =>
  kind === 'lead' && rows.some((row) => row.kind === 'lead' && row.mark === mark && row.content.name === 'Ana first');

/** What is in the row and not what was asked for. */
function faultOf({ storeId, body, may, ids, leadId, kind }: Entry, row: Row): string | undefined {
  if (row.store_id !== storeId) return 'the row is in another store';
  if (ids.size > 0 && !ids.has(row.id)) return 'the row has another id than was answered';
  if (kind !== 'lead' && row.lead_id !== leadId) return 'the row is of another lead';
  for (const [name, value] of Object.entries(row.content)) {
    const isFixed = name in body && may.every((content) => !(name in content));
    if (isFixed && body[name] !== value) return `another ${name}`;
  }
  const isOneOf = may.some((content) => Object.entries(content).every(([name, value]) => row.content[name] === value));
  return isOneOf ? undefined : 'its content is none of what it may be';
}

function timeFaultOf({ attempts }: Entry, { created_at }: Row): string | undefined {
  if (attempts.every(({ status }) => status === 503))
    return `it was only ever answered 503, and has a row${whenOf(attempts)}`;
  const madeAt = created_at.getTime();
  // A gateway that was stalled, or that a request reached late, counts from when it read it: some time before the answer.
  const inTime = attempts.some(
    ({ sentAt, afterMs, wasGood }) =>
      madeAt >= sentAt - clockMs && madeAt <= sentAt + (wasGood ? 0 : afterMs) + requestTimeoutMs + clockMs,
  );
  return inTime ? undefined : `it was carried out after the deadline of every request${whenOf(attempts)}`;
}

const whenOf = (attempts: Entry['attempts']): string =>
  ` (sent ${attempts.map(({ sentAt, status }) => `${new Date(sentAt).toISOString()}: ${status}`).join(', ')})`;
