import { ConnectionError, ProblemError, readProblem } from './problem.ts';
import { delayMs, isRetryable, retryAfterMs } from './retry.ts';

export type SendOptions = {
  readonly fetch: typeof globalThis.fetch;
  readonly maxRetries: number;
  readonly timeoutMs: number;
  readonly attemptTimeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly idempotencyKey?: string | undefined;
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
    const final = outcome instanceof Error ? outcome : problemOf(outcome, options);
    const canRetry = outcome instanceof Error || isRetryable(outcome.response);
    const askedMs = outcome instanceof Error ? 0 : retryAfterMs(outcome.response.headers, Date.now());
    const delay = delayMs(retry, askedMs, Math.random());
    if (!canRetry || retry >= options.maxRetries || performance.now() + delay >= deadline) throw final;
    await pause(delay, options.signal);
  }
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
    const { method, url } = request;
    const what = timeout.aborted ? 'had no answer in time' : 'failed: the connection broke or could not be made';
    return new ConnectionError(`${method} ${new URL(url).pathname} ${what}.`, { idempotencyKey, cause });
  }
}

const problemOf = ({ response, body }: Answer, { idempotencyKey }: SendOptions): ProblemError =>
  new ProblemError(readProblem(response, body), { idempotencyKey });

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
