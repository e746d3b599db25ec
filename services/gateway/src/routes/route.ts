import type { Operation, Scope, Tier } from '@mostrador/contracts';
import type { Tag } from './tags.ts';

/** Every path below this prefix needs a key. */
export const apiPrefix = '/integrations/v1';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Endpoint = { readonly method: Method; readonly path: string };

/** A route of the API: the path of an operation, who may call it, and the form of its response. */
export type Route = Endpoint & {
  readonly operation: Operation;
  /** The status of a successful response. */
  readonly status: 200 | 201 | 202;
  /** The status is 201 when the reply's `created` is true. Its requests take `If-None-Match: *`. */
  readonly upserts: boolean;
  readonly scope: Scope;
  /** The lowest tier that may call it; undefined: every tier. */
  readonly tier?: Tier;
  /**
   * The resource has a version: answers carry `ETag`, GET takes `If-None-Match`, PUT, PATCH and DELETE take
   * `If-Match`. To a write that does not check a precondition the gateway answers `validation_failed`.
   */
  readonly versioned: boolean;
  /** The reply's `id` names a resource below this path. Answers carry its address in `Location`. */
  readonly located: boolean;
  /** Its `wait` is for the gateway, which asks the service again until the page has an event. */
  readonly follows: boolean;
  /** The heading in the API document. */
  readonly tag: Tag;
  /** Splits the query into the operation's part and how to render the reply: as CSV, or undefined for JSON. */
  readonly csv?: ReadCsvQuery;
};

type ReadCsvQuery = (query: object, accept: string | undefined) => CsvChoice;
type CsvChoice = { readonly query: object; readonly render?: (reply: never) => string };

type RouteOptions = {
  readonly scope: Scope;
  readonly tag: Tag;
  readonly status?: 200 | 201 | 202;
  readonly upserts?: boolean;
  readonly tier?: Tier;
  readonly versioned?: boolean;
  readonly located?: boolean;
  readonly follows?: boolean;
  readonly csv?: ReadCsvQuery;
};

/** A path as the API document writes it: `/leads/{leadId}` for `/leads/:leadId`. */
export const documentedPath = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');

export const get = (path: string): Endpoint => ({ method: 'GET', path });
export const post = (path: string): Endpoint => ({ method: 'POST', path });
export const put = (path: string): Endpoint => ({ method: 'PUT', path });
export const patch = (path: string): Endpoint => ({ method: 'PATCH', path });
export const del = (path: string): Endpoint => ({ method: 'DELETE', path });

/** Whether its requests take an `Idempotency-Key`: all but those that only read by their method. */
export const takesIdempotencyKey = ({ method }: Route): boolean => method !== 'GET';

/** Whether its requests take an `If-Match`. */
export const takesIfMatch = ({ versioned, method }: Route): boolean =>
  versioned && (method === 'PUT' || method === 'PATCH' || method === 'DELETE');

/** Whether its requests take `If-None-Match: *`: only create, and change nothing that exists. */
export const takesIfNoneMatch = ({ upserts }: Route): boolean => upserts;

/** Defaults: status 200, every tier, not versioned, no `Location`, no `wait`. */
export const route = (endpoint: Endpoint, operation: Operation, options: RouteOptions): Route => ({
  status: 200,
  upserts: false,
  versioned: false,
  located: false,
  follows: false,
  ...endpoint,
  operation,
  ...options,
});
