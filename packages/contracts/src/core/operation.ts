import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { ErrorCode } from './errors.ts';

/**
 * What a request carries. A public operation's parts are the HTTP request's own (path, query string, body);
 * steps, internal and admin operations use `body` alone.
 */
export type RequestParts = { readonly params?: TObject; readonly query?: TObject; readonly body?: TSchema };

/** One thing a service can be asked to do: the whole of what caller and service must agree on. */
export type Operation<
  Parts extends RequestParts = RequestParts,
  Reply extends TSchema = TSchema,
  Tenancy extends 'store' | 'none' = 'store' | 'none',
> = {
  /** NATS subject: `<service>.<api|step|internal|admin>.<resource>.<verb>`, so that permissions are prefixes. */
  readonly subject: string;
  /** `store`: every call names a store and sees only its rows. `none`: the call belongs to no store. */
  readonly tenancy: Tenancy;
  /** One sentence for the API document and for `--help`. */
  readonly summary: string;
  readonly description?: string;
  /** True for what the specification does not have; marked so in the API document. */
  readonly extension?: boolean;
  readonly request: Parts;
  readonly reply: Reply;
  /** What this operation itself refuses, beyond what every operation may answer (validation, our own faults). */
  readonly errors: readonly ErrorCode[];
};

/** The parsed request of an operation: `{ params, query, body }`, as far as the operation has them. */
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
};

/** Defines an operation. `tenancy` is `store` and `errors` is empty unless said otherwise. */
export function defineOperation<
  const Parts extends RequestParts,
  Reply extends TSchema,
  const Tenancy extends 'store' | 'none' = 'store',
>(definition: Definition<Parts, Reply, Tenancy>): Operation<Parts, Reply, Tenancy> {
  const { tenancy = 'store' as Tenancy, errors = [], ...rest } = definition;
  return { ...rest, tenancy, errors };
}
