/** What the load process is asked to do: so many callers, each of which sends its next request when it was answered. */
export type LoadJob = {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Taken in turn. */
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** In place of `body`: each time that every path was taken, the next of these. */
  readonly bodies?: readonly string[];
  /** In place of `paths`, `body` and `bodies`: whole requests, taken in turn. */
  readonly prepared?: readonly Prepared[];
  /** A new `Idempotency-Key` on each request. */
  readonly idempotencyKeys?: boolean;
  readonly expectedStatus: number;
  readonly concurrency: number;
  /** Before measuring, in milliseconds. */
  readonly warmUpMs: number;
  readonly durationMs: number;
  /** Ends after this many requests, if that is earlier. */
  readonly requests?: number;
};

export type Prepared = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export type LoadResult = {
  /** Answered within the measured time. */
  readonly answered: number;
  readonly perSecond: number;
  /** Of the requests that began within the measured time, also those answered after it. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** All of them, warm-up included: what the servers' processor time is divided by. */
  readonly sent: number;
  readonly startedAt: number;
};
