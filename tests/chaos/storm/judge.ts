import { damages, type Recorded } from './damages.ts';
import type { Invariant } from './invariant.ts';
import { invariants } from './invariants.ts';

export type Finding = {
  readonly invariant: Invariant['name'];
  readonly verdict: Invariant['verdict'];
  readonly faults: string[];
};

/** Checks every invariant against the record. An invariant that holds has no faults. */
export const judge = ({ journal, seen }: Recorded): Finding[] =>
  invariants.map(({ name, verdict, find }) => ({ invariant: name, verdict, faults: find(journal, seen) }));

/**
 * Makes every damage in its own copy of the record. Returns the damages for which the invariant reported no additional
 * fault (`blind`), and those that had nothing to damage (`untried`).
 */
export function blindSpots(recorded: Recorded, findings: readonly Finding[]): { blind: string[]; untried: string[] } {
  const [blind, untried]: [string[], string[]] = [[], []];
  const before = new Map(findings.map(({ invariant, faults }) => [invariant, faults.length]));
  for (const { name, breaks, do: damage } of damages) {
    const copy = structuredClone(recorded);
    try {
      damage(copy);
    } catch {
      untried.push(name);
      continue;
    }
    const invariant = invariants.find((candidate) => candidate.name === breaks);
    if (!invariant || invariant.find(copy.journal, copy.seen).length <= (before.get(breaks) ?? 0)) blind.push(name);
  }
  return { blind, untried };
}
