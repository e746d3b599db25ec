import type { ValidationFault } from '@mostrador/contracts';
import { type Route, takesIfMatch, takesIfNoneMatch } from '../routes/route.ts';

/** The raw preconditions of a request (RFC 9110, 13.1), for the service. At most one is there. */
export type Preconditions = { readonly ifMatch?: string; readonly ifNoneMatch?: string };

/**
 * The preconditions of a request. One that the operation does not check becomes a fault, because who sends it relies on
 * it. The `If-None-Match` of a GET is none of them: the gateway compares it with the answer.
 */
export function readPreconditions(
  route: Route,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  faults: ValidationFault[],
): Preconditions {
  const ifMatch = text(headers['if-match']);
  const ifNoneMatch = route.method === 'GET' ? undefined : text(headers['if-none-match']);
  const refused = (name: string, detail: string) => {
    faults.push({ in: 'header', name, detail });
    return {};
  };
  const notSupportedDetail = 'is not supported by this operation';
  if (ifMatch !== undefined && !takesIfMatch(route)) return refused('If-Match', notSupportedDetail);
  if (ifNoneMatch === undefined) return ifMatch === undefined ? {} : { ifMatch };
  if (!takesIfNoneMatch(route)) return refused('If-None-Match', notSupportedDetail);
  if (ifMatch !== undefined) return refused('If-None-Match', 'cannot be combined with If-Match');
  return ifNoneMatch.trim() === '*' ? { ifNoneMatch: '*' } : refused('If-None-Match', 'must be * in this operation');
}

const text = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : undefined;
