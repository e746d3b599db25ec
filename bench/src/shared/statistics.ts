/** The spread of several measurements of one figure. */
export type Spread = { readonly median: number; readonly min: number; readonly max: number };

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
  return { median, min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN };
}

/**
 * The middle ones of many values: with a probability of 95 %, the range of these holds the median that more and more rounds
 * would approach (order statistics of the sign test).
 */
export function middleOf(values: readonly number[]): number[] {
  const left = Math.max(0, Math.floor((values.length - 1.96 * Math.sqrt(values.length)) / 2));
  return [...values].sort((a, b) => a - b).slice(left, values.length - left);
}

/** The order of the variants in a round. Each round begins with another variant, so that none always comes first. */
export function rotated<T>(variants: readonly T[], round: number): T[] {
  const first = round % Math.max(1, variants.length);
  return [...variants.slice(first), ...variants.slice(0, first)];
}

/** Ratios of values from the same round, so that the effect of a slow round cancels out. */
export const ratios = (of: readonly number[], to: readonly number[]): number[] =>
  of.map((value, round) => value / (to[round] ?? Number.NaN));
