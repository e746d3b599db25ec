/**
 * Whether this `Accept` prefers `other` to JSON (RFC 9110, 12.5.1). The higher weight wins. With equal weights, `other`
 * wins if its range is more specific. A client that accepts neither gets JSON.
 */
export function prefersToJson(accept: string | undefined, other: string): boolean {
  const ranges = readAccept(accept ?? '*/*');
  const [its, json] = [rankOf(other, ranges), rankOf('application/json', ranges)];
  if (its.weight !== json.weight) return its.weight > json.weight;
  return its.weight > 0 && its.closeness > json.closeness;
}

type Range = { readonly type: string; readonly weight: number };
type Rank = { readonly weight: number; readonly closeness: number };

/** Ignores parameters other than the weight: neither type has one that changes the response. */
function readAccept(accept: string): Range[] {
  return accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length) ?? '1';
    return { type, weight: /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 0 };
  });
}

/** The most specific range that matches decides: `text/csv` before `text/*` before any type. */
function rankOf(mediaType: string, ranges: readonly Range[]): Rank {
  const patterns = ['*/*', `${mediaType.split('/')[0]}/*`, mediaType];
  return ranges
    .map(({ type, weight }) => ({ weight, closeness: patterns.indexOf(type) }))
    .filter(({ closeness }) => closeness >= 0)
    .reduce<Rank>((best, rank) => (rank.closeness > best.closeness ? rank : best), { weight: 0, closeness: -1 });
}
