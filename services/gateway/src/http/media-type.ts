/**
 * Whether this `Accept` prefers `other` to JSON (RFC 9110, 12.5.1). The higher weight wins. With equal weights, `other`
 * wins if its range is more specific. A client that accepts neither gets JSON.
 */
export function prefersToJson(accept: string | undefined, other: string): boolean {
  const ranges = readWeights(accept ?? '*/*');
  const [its, json] = [rankOf(other, ranges), rankOf('application/json', ranges)];
  if (its.weight !== json.weight) return its.weight > json.weight;
  return its.weight > 0 && its.closeness > json.closeness;
}

/**
 * The one of `types` that this `Accept` names and prefers, to JSON too. A range such as `text/*` is not enough: it also
 * comes from clients that take whatever there is.
 */
export function namedBeforeJson<Type extends string>(
  accept: string | undefined,
  types: readonly Type[],
): Type | undefined {
  const weightOf = weightOfNamed(accept);
  const [preferred] = types
    .filter((type) => weightOf(type) > 0 && prefersToJson(accept, type))
    .sort((one, other) => weightOf(other) - weightOf(one));
  return preferred;
}

/** Tells the weight of each type that this `Accept` names, without `*`. 0: it does not name it. */
export function weightOfNamed(accept = ''): (type: string) => number {
  const ranges = readWeights(accept);
  return (type) => ranges.find(({ range }) => range === type)?.weight ?? 0;
}

/** An element of `Accept` or `Accept-Encoding`, in lower case, with its weight from 0 to 1. */
export type Range = { readonly range: string; readonly weight: number };
type Rank = { readonly weight: number; readonly closeness: number };

/** No real list is longer. To read 16 KiB of commas takes milliseconds. */
const mostCharacters = 1024;

/** Reads the weights (RFC 9110, 12.4.2), and ignores other parameters: no type of ours has one that matters. */
export function readWeights(header: string): Range[] {
  const elements = header.slice(0, mostCharacters).split(',');
  return elements.map((element) => {
    const [range = '', ...parameters] = element.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length) ?? '1';
    return { range, weight: /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 0 };
  });
}

/** The most specific range that matches decides: `text/csv` before `text/*` before any type. */
function rankOf(mediaType: string, ranges: readonly Range[]): Rank {
  const patterns = ['*/*', `${mediaType.split('/')[0]}/*`, mediaType];
  return ranges
    .map(({ range, weight }) => ({ weight, closeness: patterns.indexOf(range) }))
    .filter(({ closeness }) => closeness >= 0)
    .reduce<Rank>((best, rank) => (rank.closeness > best.closeness ? rank : best), { weight: 0, closeness: -1 });
}
