import { Exact, type Operation, type ValidationFault } from '@mostrador/contracts/core';
import type { TSchema } from '@sinclair/typebox';
import { compileWith } from '../schema/compile.ts';
import { type Fault, greatestFaultCount } from '../schema/faults.ts';
import { toInstant } from '../schema/formats.ts';

export { toInstant, toTimestamp } from '../schema/formats.ts';

/** The request of an operation before validation. */
export type UncheckedRequest = { params?: unknown; query?: unknown; body?: unknown };

/**
 * All faults of a request at once, at most 50. Missing `params` and `query` count as empty. Without faults the
 * request's parts are what `RequestOf` says, trimmed and with defaults. When the operation has
 * no query or no body, every member of it is a fault. Path parameters that the operation does not have are ignored.
 */
export function validateRequest(operation: Operation, request: UncheckedRequest): ValidationFault[] {
  const { params, query, body } = operation.request;
  const faults: ValidationFault[] = [];
  if (params !== undefined) {
    request.params ??= {};
    faults.push(...compileWith(params, unknownParameter)(request.params).map((fault) => named('path', fault)));
  }
  if (query !== undefined) {
    request.query ??= {};
    const ofQuery = compileWith(query, unknownParameter)(request.query);
    faults.push(...ofQuery.map((fault) => named('query', fault)));
    if (ofQuery.length === 0) faults.push(...faultsOfRange(query, request.query));
  } else if (typeof request.query === 'object' && request.query !== null) {
    faults.push(
      ...Object.keys(request.query).map((name) => ({ in: 'query' as const, name, detail: unknownParameter })),
    );
  }
  if (request.body !== undefined) {
    faults.push(...compileWith(body ?? emptyBody, 'is not a member of this request')(request.body));
  } else if (body !== undefined) faults.push({ pointer: '#', detail: 'is required' });
  return faults.slice(0, greatestFaultCount);
}

/** A query with the moments `from` and `to`. Equal ones are a range: with `overlap`, what takes time at that moment. */
function faultsOfRange({ properties }: TSchema, query: unknown): ValidationFault[] {
  if (properties.from?.format !== 'date-time' || properties.to?.format !== 'date-time') return [];
  const { from, to } = query as { readonly from?: string; readonly to?: string };
  if (from === undefined || to === undefined || toInstant(from) <= toInstant(to)) return [];
  return [{ in: 'query', name: 'to', detail: 'must not be before `from`' }];
}

/** What an operation without a body accepts, because some clients send it with every request. */
const emptyBody = Exact({});

const unknownParameter = 'is not a parameter of this request';

/** A fault in the path or the query. Parameters are flat, so the first part of the pointer is the name. */
function named(place: 'path' | 'query', { pointer, detail }: Fault): ValidationFault {
  const [, name = ''] = pointer.split('/');
  return { in: place, name: decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'), detail };
}
