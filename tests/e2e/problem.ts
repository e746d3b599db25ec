import { type ErrorCode, errorCatalogue } from '@mostrador/contracts';
import { expect } from 'vitest';
import type { Answer, Json } from './platform.ts';

/** Internals that an error must not show: stack traces, SQL, addresses, file names, libraries. */
const inside =
  /node_modules|\bat \S+ \(|\.ts\b|\bselect\b.+\bfrom\b|postgres|nats:|127\.0\.0\.1:\d+.*(ECONN|refused)|ECONN/i;

/** Checks that an answer is the problem document of this error in the catalogue, and returns it. */
export function expectProblem(answer: Answer, code: ErrorCode): Json {
  const { status, title } = errorCatalogue[code];
  expect({ status: answer.status, code: answer.body?.code }, answer.text).toEqual({ status, code });
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(answer.body).toMatchObject({ status, title, code, detail: expect.any(String) });
  expect(answer.body.type).toMatch(new RegExp(`^https?://.+${code}$`));
  expect(answer.body.request_id).toBe(answer.headers.get('x-request-id'));
  expect(answer.text.replace(answer.body.type, '')).not.toMatch(inside);
  return answer.body;
}
