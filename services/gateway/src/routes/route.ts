import type { Operation, Scope, Tier } from '@mostrador/contracts';

/** Below this path everything needs a key. */
export const apiPrefix = '/integrations/v1';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
type Endpoint = { readonly method: Method; readonly path: string };

/** One line of the API: where an operation is found, who may call it, and how its answer is dressed. */
export type Route = Endpoint & {
  readonly operation: Operation;
  /** Of the answer when all went well. */
  readonly status: 200 | 201;
  readonly scope: Scope;
  /** The lowest tier that has it; undefined: every tier. */
  readonly tier?: Tier;
  /** The resource has a version: answers carry `ETag`, GET takes `If-None-Match`, PATCH and DELETE take `If-Match`. */
  readonly versioned: boolean;
  /** The heading in the API document. */
  readonly tag: string;
  /** The answer as CSV, for whom `Accept` says so. */
  readonly csv?: (reply: never) => string;
};

type RouteOptions = {
  readonly scope: Scope;
  readonly tag: string;
  readonly status?: 200 | 201;
  readonly tier?: Tier;
  readonly versioned?: boolean;
  readonly csv?: (reply: never) => string;
};

export const get = (path: string): Endpoint => ({ method: 'GET', path });
export const post = (path: string): Endpoint => ({ method: 'POST', path });
export const patch = (path: string): Endpoint => ({ method: 'PATCH', path });
export const del = (path: string): Endpoint => ({ method: 'DELETE', path });

/** `status` is 200, every tier has it, and nothing is versioned unless said otherwise. */
export const route = (endpoint: Endpoint, operation: Operation, options: RouteOptions): Route => ({
  status: 200,
  versioned: false,
  ...endpoint,
  operation,
  ...options,
});
