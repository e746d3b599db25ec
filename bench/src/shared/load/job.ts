/** A job of the load process: a closed loop in which each caller sends its next request after the previous answer. */
export type LoadJob = {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** The callers use them in turn. */
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Instead of `body`: the next one each time that every path was used. */
  readonly bodies?: readonly string[];
  /** Instead of `paths`, `body` and `bodies`: whole requests, in turn. */
  readonly prepared?: readonly Prepared[];
  /** A text of `stamp.ts` in the prepared bodies, which becomes the number of the request and the time of its sending. */
  readonly stamped?: boolean;
  /** An open rate: a request is sent when it is due and a caller is free. By default as soon as a caller is free. */
  readonly perSecond?: number;
  /** Whether each request gets a new `Idempotency-Key`. */
  readonly idempotencyKeys?: boolean;
  readonly expectedStatus: number;
  readonly concurrency: number;
  /** The time before measuring, in milliseconds. */
  readonly warmUpMs: number;
  readonly durationMs: number;
  /** The job ends after this many requests, if that is earlier than `durationMs`. */
  readonly requests?: number;
};

export type Prepared = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export type LoadResult = {
  /** Requests answered within the measured time. */
  readonly answered: number;
  readonly perSecond: number;
  /** Latencies of requests that began within the measured time, including those answered after it. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** All requests, including the warm-up. The processor time per request divides by it. */
  readonly sent: number;
  readonly startedAt: number;
};
