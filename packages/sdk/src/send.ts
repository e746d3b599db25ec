import { ConnectionError, ProblemError, readProblem } from './problem.ts';
import { delayMs, isRetryable, retryAfterMs } from './retry.ts';

export type SendOptions = {
  readonly fetch: typeof globalThis.fetch;
  readonly maxRetries: number;
  readonly timeoutMs: number;
  readonly attemptTimeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Called before each retry, with why it is needed. */
  readonly onRetry?: ((error: ProblemError | ConnectionError) => void) | undefined;
};

/** An answer with its whole body. */
export type Answer = { readonly response: Response; readonly body: string };

/**
 * Sends a request until it is answered with success or with a final error, the retries are used up, or the next attempt
 * would begin after `timeoutMs`.
 *
 * @throws {ProblemError} the last answer is an error
 * @throws {ConnectionError} the last attempt had no answer
 */
export async function send(request: Request, options: SendOptions): Promise<Answer> {
  const deadline = performance.now() + options.timeoutMs;
  for (let retry = 0; ; retry += 1) {
    const outcome = await attempt(request, deadline - performance.now(), options);
    if (!(outcome instanceof Error) && outcome.response.ok) return outcome;
    const { error, askedMs } = failureOf(outcome, options);
    const delay = delayMs(retry, askedMs ?? 0, Math.random());
    if (askedMs === undefined || retry >= options.maxRetries || performance.now() + delay >= deadline) throw error;
    options.onRetry?.(error);
    await pause(delay, options.signal);
  }
}

/**
 * The error of an answer or of a missing one. `askedMs` is how long the server asks to wait before the same request may
 * succeed; undefined: it cannot.
 */
export function failureOf(outcome: Answer | ConnectionError, { idempotencyKey }: Pick<SendOptions, 'idempotencyKey'>) {
  if (outcome instanceof Error) return { error: outcome, askedMs: 0 };
  const { response, body } = outcome;
  const error = new ProblemError(readProblem(response, body), { idempotencyKey });
  return { error, askedMs: isRetryable(response) ? retryAfterMs(response.headers, Date.now()) : undefined };
}

/** One attempt with its whole body, so that a connection that breaks in the body is retried too. */
async function attempt(request: Request, leftMs: number, options: SendOptions): Promise<Answer | ConnectionError> {
  const { fetch, attemptTimeoutMs, signal, idempotencyKey } = options;
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(Math.max(0, Math.ceil(Math.min(leftMs, attemptTimeoutMs))));
  try {
    const response = await fetch(request.clone(), { signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
    return { response, body: await response.text() };
  } catch (cause) {
    signal?.throwIfAborted();
    return connectionError(request, timeout.aborted ? noAnswer : brokenConnection, { idempotencyKey, cause });
  }
}

export const noAnswer = 'had no answer in time';
export const brokenConnection = 'failed: the connection broke or could not be made';

export const connectionError = (
  { method, url }: Request,
  what: string,
  failure: ConstructorParameters<typeof ConnectionError>[1] = {},
): ConnectionError => new ConnectionError(`${method} ${new URL(url).pathname} ${what}.`, failure);

/** Rejects with the reason of the signal when that comes first. */
export function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
