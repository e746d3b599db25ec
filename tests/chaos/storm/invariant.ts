import type { Journal } from './journal.ts';
import type { Seen } from './seen.ts';

/** A condition that every run must satisfy. */
export type Invariant = {
  readonly name: string;
  /** What a violation means. */
  readonly verdict: 'lost' | 'doubled' | 'broken';
  /** Describes each violation. An empty array means that the invariant holds. */
  find(journal: Pick<Journal, 'entries' | 'written' | 'followed'>, seen: Seen): string[];
};

export function countOneMore(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
