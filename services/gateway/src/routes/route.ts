import {
  getSummaryReport,
  type Http,
  type Operation,
  type PersonAccess,
  type PublicOperation,
  publicOperations,
  roleFor,
  type Scope,
  type Tier,
} from '@mostrador/contracts';
import { readCsvQuery } from '../reports/summary-csv.ts';

/** Every path below this prefix needs a key. */
export const apiPrefix = '/integrations/v1';

/** Every path below this prefix is for people. The session in the cookie says who, and in which store. */
export const platformPrefix = '/platform/v1';

/** An operation at its path: its face in the contract, with the defaults filled in. */
export type Route = Required<Http> & {
  readonly operation: Operation;
  /** The scope that a key needs. Null: none, every key may call it. Undefined: no key may. */
  readonly scope?: Scope | null;
  /** A second scope that a key needs. */
  readonly alsoScope?: Scope;
  /** The lowest tier that may call it; undefined: every tier. */
  readonly tier?: Tier;
  /** The lowest role of a person who may call it. */
  readonly role: PersonAccess['role'];
  readonly audited?: PersonAccess['audited'];
  /** Splits the query into the operation's part and how to render the reply: as CSV, or undefined for JSON. */
  readonly csv?: ReadCsvQuery;
};

type ReadCsvQuery = (query: object, accept: string | undefined) => CsvChoice;
type CsvChoice = { readonly query: object; readonly render?: (reply: never) => string };

/** A route of the integrations API. */
export type ApiRoute = Route & { readonly scope: Scope | null };

/** A path as the API document writes it: `/leads/{leadId}` for `/leads/:leadId`. */
export const documentedPath = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');

/** Whether its requests take an `Idempotency-Key`: all but those that only read by their method. */
export const takesIdempotencyKey = ({ method }: Route): boolean => method !== 'GET';

/** Whether its requests take an `If-Match`. */
export const takesIfMatch = ({ versioned, method }: Route): boolean =>
  versioned && (method === 'PUT' || method === 'PATCH' || method === 'DELETE');

/** Whether its requests take `If-None-Match: *`: only create, and change nothing that exists. */
export const takesIfNoneMatch = ({ upserts }: Route): boolean => upserts;

const withoutNames = (path: string): string => path.replaceAll(/:\w+/g, ':');

/** The paths that can be read. */
const readPaths = new Set(
  Object.values(publicOperations).flatMap(({ http: { method, path } }) => (method === 'GET' ? withoutNames(path) : [])),
);

/** Whether a request creates a resource below its path, which has a GET. Its answers carry the address. */
const isLocated = ({ method, path, status }: Http): boolean =>
  method === 'POST' && status === 201 && readPaths.has(withoutNames(`${path}/:id`));

export const toRoute = (operation: PublicOperation): Route => ({
  ...{ status: 200, upserts: false, versioned: false, follows: false, exports: false },
  located: isLocated(operation.http),
  ...operation.http,
  role: roleFor(operation.access),
  ...operation.access,
  ...(operation === getSummaryReport && { csv: readCsvQuery }),
  operation,
});
