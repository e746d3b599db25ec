/** As in the paper on reciprocal rank fusion: the first ranks of one ranker do not outweigh a good rank in both. */
const k = 60;

export type Ranks = { readonly full_text: number | null; readonly vectors: number | null };

/**
 * Joins two rankings of the same kind of thing by reciprocal rank fusion, best first. What is first in both has the
 * score 1. Pure.
 *
 * @param keyOf what two things have in common that are the same
 */
export function fuse<T>(
  fullText: readonly T[],
  vectors: readonly T[],
  keyOf: (item: T) => string,
): { readonly item: T; readonly ranks: Ranks; readonly score: number }[] {
  const joined = new Map<string, { item: T; ranks: Ranks }>();
  for (const [index, item] of fullText.entries()) {
    joined.set(keyOf(item), { item, ranks: { full_text: index + 1, vectors: null } });
  }
  for (const [index, item] of vectors.entries()) {
    const known = joined.get(keyOf(item)) ?? { item, ranks: { full_text: null, vectors: null } };
    joined.set(keyOf(item), { ...known, ranks: { ...known.ranks, vectors: index + 1 } });
  }
  const part = (rank: number | null) => (rank === null ? 0 : (k + 1) / (k + rank) / 2);
  return [...joined.values()]
    .map((found) => ({ ...found, score: part(found.ranks.full_text) + part(found.ranks.vectors) }))
    .sort((one, other) => other.score - one.score);
}
