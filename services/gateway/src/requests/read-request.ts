import { gatewayOperations, type Operation, type ValidationFault } from '@mostrador/contracts';
import { withExamplePhone } from '@mostrador/kit/phones/read-phone';
import type { Idempotency } from '@mostrador/kit/rpc/context';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import { fingerprintOf } from '@mostrador/kit/rpc/fingerprint';
import { type UncheckedRequest, validateRequest } from '@mostrador/kit/rpc/validate';
import { sentTwice } from '../http/headers.ts';
import { type Route, takesIdempotencyKey } from '../routes/route.ts';
import { readIdempotencyKey } from './idempotency-key.ts';
import { type Preconditions, readPreconditions } from './preconditions.ts';
import { queryReader, type RawQuery } from './query.ts';
import { type OpenPhones, phonesReader } from './written-phones.ts';

/** The parts of an HTTP request that a reader needs. */
export type RawRequest = {
  readonly params: Record<string, string>;
  readonly query: RawQuery;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly rawHeaders: readonly string[];
  /** The country of the store. */
  readonly country: string | null;
};

/**
 * A valid request. That of a service is, except for phones, as the client sent it: texts are not trimmed, defaults not
 * filled in.
 */
export type ReadRequest = {
  readonly parts: UncheckedRequest;
  readonly idempotency?: Idempotency;
  readonly preconditions: Preconditions;
  /** The phones of each part that `settlePhones` must settle; undefined when there is none. */
  readonly open?: Readonly<Record<keyof UncheckedRequest, OpenPhones>>;
};

/** The operations that run in this process: their requests are validated only here. */
const own: ReadonlySet<Operation> = new Set(Object.values(gatewayOperations));

/** Makes the reader of a route's requests. It throws `validation_failed` with all faults of a request at once. */
export function requestReader(route: Route): (raw: RawRequest) => ReadRequest {
  const { operation } = route;
  const readQuery = queryReader(operation.request.query);
  const phonesOfParams = phonesReader(operation.request.params);
  const phonesOfQuery = phonesReader(operation.request.query);
  const phonesOfBody = phonesReader(operation.request.body);
  const hasBody = operation.request.body !== undefined;

  return (given) => {
    const { country } = given;
    const params = phonesOfParams(given.params, country);
    const raw = { ...given, params: params.part };
    const faults: ValidationFault[] = [];
    const key = takesIdempotencyKey(route) ? idempotencyKey(raw, faults) : undefined;
    const preconditions = readPreconditions(route, raw.headers, faults);
    const isComplete = raw.body !== undefined || !hasBody;
    const idempotency = key === undefined || !isComplete ? undefined : idempotencyOf(route, raw, key);

    const { query, repeated } = readQuery(raw.query);
    for (const name of repeated) faults.push({ in: 'query', name, detail: 'was given more than once' });
    const [asked, body] = [phonesOfQuery(query, country), phonesOfBody(raw.body, country)];
    const parts: UncheckedRequest = { query: asked.part };
    if (operation.request.params) parts.params = raw.params;
    if (raw.body !== undefined) parts.body = body.part;
    // Validation fills in defaults, so it gets a copy. A service gets only what the client sent: one that still runs
    // the previous version would reject a member that it does not know.
    const filled = copyOf(parts);
    faults.push(...withExamplePhone(validateRequest(operation, filled), country));

    if (faults.length > 0) throw validationFailed(faults);
    if (!operation.request.query) delete parts.query;
    if (!hasBody) delete parts.body;
    const open = { params: params.open, query: asked.open, body: body.open };
    const isOpen = Object.values(open).some((phones) => Object.keys(phones).length > 0);
    return { parts: own.has(operation) ? filled : parts, idempotency, preconditions, ...(isOpen && { open }) };
  };
}

/** Copies to the depth at which contracts have defaults. An unchecked body may be too deep for a deep copy. */
const copyOf = ({ params, query, body }: UncheckedRequest): UncheckedRequest => ({
  params: shallow(params),
  query: shallow(query),
  body: shallow(body),
});
const shallow = (part: unknown) =>
  typeof part === 'object' && part !== null && !Array.isArray(part) ? { ...part } : part;

function idempotencyKey(raw: RawRequest, faults: ValidationFault[]): string | undefined {
  const header = raw.headers['idempotency-key'];
  if (typeof header !== 'string') return undefined;
  const read = sentTwice(raw.rawHeaders, 'idempotency-key')
    ? { fault: 'was given more than once' }
    : readIdempotencyKey(header);
  if ('key' in read) return read.key;
  faults.push({ in: 'header', name: 'Idempotency-Key', detail: read.fault });
  return undefined;
}

/** The scope has the concrete path in one canonical form: ids in lower case, nothing escaped. */
function idempotencyOf(route: Route, raw: RawRequest, key: string): Idempotency {
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => raw.params[name]?.toLowerCase() ?? '');
  return { key, scope: `${route.method} ${path}`, fingerprint: fingerprintOf(raw.body) };
}
