import type { Result } from './call.ts';
import type { paths } from './generated/schema.ts';

/** How to request an operation. `Operation` exists for the types only. */
export type Route<Operation = unknown> = {
  readonly method: Method;
  readonly path: keyof paths;
  /** Where the members of the input go that are not in the path. */
  readonly input: 'query' | 'body';
  readonly operation?: Operation;
};

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Settings of one call. Those of the client are the default. */
export type CallOptions = {
  /** Default: a new key for each POST, PUT, PATCH and DELETE. All retries of the call have the same. */
  readonly idempotencyKey?: string;
  /** An `ETag`: the change is refused with `version_mismatch` if the resource has changed since. */
  readonly ifMatch?: string;
  /** Of `leads.upsert`: only creates. An existing lead is refused with `version_mismatch`, which has its `id`. */
  readonly ifNoneMatch?: '*';
  /** Ends the call, also while it waits for a retry. */
  readonly signal?: AbortSignal;
  readonly maxRetries?: number;
  readonly timeoutMs?: number;
};

type Members<Value> = [Value] extends [undefined] ? unknown : Value;
type PathOf<Operation> = Operation extends { parameters: { path: infer Path } } ? Path : unknown;
type QueryOf<Operation> = Operation extends { parameters: { query?: infer Query } }
  ? Members<Exclude<Query, undefined>>
  : unknown;
type BodyOf<Operation> = Operation extends { requestBody: { content: { 'application/json': infer Body } } }
  ? Body
  : unknown;

/** The members of path, query and body together. */
export type InputOf<Operation> = PathOf<Operation> & QueryOf<Operation> & BodyOf<Operation>;

type Success<Operation> = Operation extends { responses: infer Responses }
  ? Responses[keyof Responses & (200 | 201 | 202)]
  : never;
/** The body of an operation's success. */
export type OutputOf<Operation> =
  Success<Operation> extends { content: { 'application/json': infer Data } } ? Data : undefined;

type Arguments<Operation> =
  Record<never, never> extends InputOf<Operation>
    ? [input?: InputOf<Operation>, options?: CallOptions]
    : [input: InputOf<Operation>, options?: CallOptions];

/** A request under way. Awaited, it gives the body of the answer. */
export type PendingCall<Data> = Pick<Promise<Data>, 'then' | 'catch' | 'finally'> & {
  /** The body together with the response: its headers have the `ETag`, or `Idempotent-Replay`. */
  withResponse(): Promise<Result<Data>>;
};

/** A request for a list under way. Awaited, it gives the first page; iterated, every element of every page. */
export type PendingList<Page, Item> = PendingCall<Page> & {
  [Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined>;
  /** Every page, with its `total`. */
  pages(): AsyncGenerator<Page, void, undefined>;
};

type Paged = { readonly cursor?: string };
type Pending<Operation> =
  QueryOf<Operation> extends Paged
    ? 'cursor' extends keyof QueryOf<Operation>
      ? OutputOf<Operation> extends { data: (infer Item)[] }
        ? PendingList<OutputOf<Operation>, Item>
        : PendingCall<OutputOf<Operation>>
      : PendingCall<OutputOf<Operation>>
    : PendingCall<OutputOf<Operation>>;

type Csv<Operation> = 'format' extends keyof QueryOf<Operation>
  ? (input: InputOf<Operation> & { format: 'csv' }, options?: CallOptions) => PendingCall<string>
  : unknown;

/** An operation as a function of the client. */
export type Callable<Operation> = Csv<Operation> & ((...input: Arguments<Operation>) => Pending<Operation>);
