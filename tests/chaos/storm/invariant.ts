import type { judgedOf } from './journal.ts';
import type { Seen } from './seen.ts';

/** What the invariants read of a journal. */
export type Judged = Readonly<ReturnType<typeof judgedOf>>;

/** A condition that every run must satisfy. */
export type Invariant = {
  readonly name: string;
  /** What a violation means. */
  readonly verdict: 'lost' | 'doubled' | 'broken';
  /** Describes each violation. An empty array means that the invariant holds. */
  find(journal: Judged, seen: Seen): string[];
};

/** The lead that has what was of this lead: the lead itself, or the one that it was merged into. */
export function keptIn({ merges }: Pick<Seen, 'merges'>): (leadId: string) => string {
  const kept = new Map(merges.map(({ id, keptId }) => [id, keptId]));
  return (leadId) => kept.get(leadId) ?? leadId;
}

export function countOneMore(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
