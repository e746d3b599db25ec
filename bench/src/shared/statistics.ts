/** Several measurements of one thing. */
export type Spread = { readonly median: number; readonly min: number; readonly max: number };

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
  return { median, min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN };
}

/** The order in which a round takes its variants: each round begins with another, so that none always comes first. */
export function rotated<T>(variants: readonly T[], round: number): T[] {
  const first = round % Math.max(1, variants.length);
  return [...variants.slice(first), ...variants.slice(0, first)];
}

/** Ratios of what was measured in the same round, so that what slows a whole round down cancels out. */
export const ratios = (of: readonly number[], to: readonly number[]): number[] =>
  of.map((value, round) => value / (to[round] ?? Number.NaN));
