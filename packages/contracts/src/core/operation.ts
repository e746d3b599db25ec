import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { Access } from './access.ts';
import type { ErrorCode } from './errors.ts';

/**
 * The parts of a request. A public operation has those of the HTTP request (path, query string, body).
 * Step, internal and admin operations use only `body`.
 */
export type RequestParts = { readonly params?: TObject; readonly query?: TObject; readonly body?: TSchema };

/** How the gateway serves an operation, below the prefix of its API. */
export type Http = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With the names of `params`: `/leads/:leadId`. */
  readonly path: string;
  /** Of a successful response. Default: 200. With 204 there is no body. */
  readonly status?: 200 | 201 | 202 | 204;
  /** The status is 201 when the reply's `created` is true. Its requests take `If-None-Match: *`. */
  readonly upserts?: boolean;
  /**
   * The resource has a version: answers carry `ETag`, GET takes `If-None-Match`, PUT, PATCH and DELETE take
   * `If-Match`. To a write that does not check a precondition the gateway answers `validation_failed`.
   */
  readonly versioned?: boolean;
  /**
   * The reply's `id` names a resource below this path. Answers carry its address in `Location`. Default: when the status
   * is 201 and that path has a GET.
   */
  readonly located?: boolean;
  /** Its `wait` is for the gateway, which asks the service again until the page has an event. */
  readonly follows?: boolean;
  /** A list whose rows also come all in one response, as NDJSON or CSV. The gateway makes it from the pages. */
  readonly exports?: boolean;
};

/** An operation of a service: everything that the caller and the service must agree on. */
export type Operation<
  Parts extends RequestParts = RequestParts,
  Reply extends TSchema = TSchema,
  Tenancy extends 'store' | 'none' = 'store' | 'none',
> = {
  /** NATS subject: `<service>.<api|platform|step|internal|admin>.<resource>.<verb>`. NATS permissions are prefixes of it. */
  readonly subject: string;
  /** Undefined: the gateway serves it at no path, or at one with its own code, such as the calendar feed's. */
  readonly http?: Http;
  /**
   * Who may call it. The gateway checks scope and tier, the service checks the role. Every operation with `http` has it,
   * and every operation without a store: its service reads the person from the session.
   */
  readonly access?: Access;
  /** `store`: every call names a store and sees only its rows. `none`: the call belongs to no store. */
  readonly tenancy: Tenancy;
  /**
   * Default: the request queue of its audience. `webhook` is for what anybody can send without a key, `sign-in` for what
   * checks who a person is, which is slow on purpose, `pump` for a step that stays open for seconds.
   */
  readonly queue?: 'webhook' | 'sign-in' | 'pump';
  /** One sentence for the API document and for `--help`. */
  readonly summary: string;
  readonly description?: string;
  /** True when the specification does not have this operation. The API document marks it as an extension. */
  readonly extension?: boolean;
  readonly request: Parts;
  readonly reply: Reply;
  /** The codes of this operation itself, beyond those of every operation (validation, internal errors). */
  readonly errors: readonly ErrorCode[];
};

/** The parsed request of an operation: those of `params`, `query` and `body` that the operation has. */
export type RequestOf<O extends Operation> = {
  [Part in keyof O['request']]: O['request'][Part] extends TSchema ? Static<O['request'][Part]> : never;
};

/** The parsed reply of an operation. */
export type ReplyOf<O extends Operation> = Static<O['reply']>;

type Definition<Parts extends RequestParts, Reply extends TSchema, Tenancy> = Omit<
  Operation<Parts, Reply>,
  'tenancy' | 'errors'
> & {
  readonly tenancy?: Tenancy;
  readonly errors?: readonly ErrorCode[];
} & (Tenancy extends 'none' ? { readonly access: Access } : object);

/** Defines an operation. `tenancy` defaults to `store`, `errors` to an empty list. */
export function defineOperation<
  const Parts extends RequestParts,
  Reply extends TSchema,
  const Tenancy extends 'store' | 'none' = 'store',
>(definition: Definition<Parts, Reply, Tenancy>): Operation<Parts, Reply, Tenancy> {
  const { tenancy = 'store' as Tenancy, errors = [], ...rest } = definition;
  return { ...rest, tenancy, errors };
}
