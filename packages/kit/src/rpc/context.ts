import type { Log } from '../process/log.ts';

/** A POST that carries an `Idempotency-Key`: what names it, and what was asked. */
export type Idempotency = {
  readonly key: string;
  /** Method and concrete path below the prefix: `POST /appointments`. */
  readonly scope: string;
  /** `fingerprintOf` the body as it was sent, before defaults and trimming. */
  readonly fingerprint: string;
};

/** What comes with every request. */
export type Context = {
  readonly requestId: string;
  /** Milliseconds since the epoch; after it nobody waits for the answer. */
  readonly deadline: number;
  /** Aborted at the deadline. */
  readonly signal: AbortSignal;
  /** Carries the request id and the operation. */
  readonly log: Log;
  readonly idempotency?: Idempotency;
  /** The raw `If-Match` header. */
  readonly ifMatch?: string;
  /** W3C trace context, passed on as it came. */
  readonly traceparent?: string;
};

/** What comes with a request that belongs to a store. */
export type StoreContext = Context & { readonly storeId: string };
