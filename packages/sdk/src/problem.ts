import type { Problem, ProblemOf } from './generated/problems.ts';

/** A code of the API that this version knows. Later versions of the API add codes. */
export type ProblemCode = ProblemOf['code'];

/** An answer that is no problem document, such as one of a proxy in between. */
type UnexpectedResponse = Problem & { code: 'unexpected_response' };

type Failure = { readonly idempotencyKey?: string | undefined };

/** The API refused a request, or still fails after the last retry. Decide by `problem.code`. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  /** The body of the answer (RFC 9457). `code` tells which further members it has. */
  readonly problem: ProblemOf | UnexpectedResponse;
  /** The request's idempotency key. The same call with the same key has its effect once. */
  readonly idempotencyKey: string | undefined;

  constructor(problem: Problem, { idempotencyKey }: Failure = {}) {
    super(`${problem.detail} (${problem.status} ${problem.code}, request ${problem.request_id})`);
    this.problem = problem as ProblemOf;
    this.idempotencyKey = idempotencyKey;
  }

  get code(): ProblemCode | 'unexpected_response' {
    return this.problem.code;
  }

  get status(): number {
    return this.problem.status;
  }

  get request_id(): string {
    return this.problem.request_id;
  }
}

/** No answer came: the connection failed, or the time was up. The request may have taken effect. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** The request's idempotency key. The same call with the same key has its effect once. */
  readonly idempotencyKey: string | undefined;

  constructor(message: string, { idempotencyKey, cause }: Failure & { readonly cause?: unknown } = {}) {
    super(message, { cause });
    this.idempotencyKey = idempotencyKey;
  }
}

/** Reads the problem document of an answer. Any other body gives the code `unexpected_response`. */
export function readProblem({ status, headers }: Response, body: string): Problem {
  try {
    const problem: unknown = JSON.parse(body);
    if (typeof problem === 'object' && problem !== null && 'code' in problem && typeof problem.code === 'string')
      return problem as Problem;
  } catch {
    // Not JSON.
  }
  return {
    type: 'about:blank',
    title: 'Unexpected response',
    status,
    detail: 'The answer is no problem document of the API. Check the base URL and the proxies in between.',
    code: 'unexpected_response',
    request_id: headers.get('x-request-id') ?? 'unknown',
  };
}
