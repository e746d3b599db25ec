import type { Journal } from './journal.ts';
import type { Seen } from './seen.ts';

/** What must hold of every run. */
export type Invariant = {
  readonly name: string;
  /** What it means when it does not hold. */
  readonly verdict: 'lost' | 'doubled' | 'broken';
  /** Every fault, in words; none: it holds. */
  find(journal: Pick<Journal, 'entries' | 'written'>, seen: Seen): string[];
};

/** Counts one more of a name. */
export function countOneMore(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
