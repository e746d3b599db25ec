import { expect } from 'vitest';
import { publicUrl, type TestGateway } from './gateway.ts';

export const api = '/integrations/v1';
export const json = { 'content-type': 'application/json' };

export type Sent = {
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly payload?: string | Buffer | object;
  /** Null: no key at all. */
  readonly key?: string | null;
};
export type Answer = Awaited<ReturnType<ReturnType<typeof createClient>['send']>>;

/** Sends requests with a key to the app, without a socket. */
export function createClient(gateway: TestGateway, apiKey: string) {
  const send = (url: string, { method = 'GET', headers = {}, payload, key = apiKey }: Sent = {}) =>
    gateway.app.inject({
      // The type knows the common methods only.
      method: method as 'GET',
      url,
      headers: { ...(key === null ? {} : { 'x-api-key': key }), ...headers },
      payload,
    });
  /** POST /appointments. */
  const post = (payload: Sent['payload'], headers: Sent['headers'] = {}) =>
    send(`${api}/appointments`, { method: 'POST', payload, headers });
  return { send, post };
}

/** Checks the members and headers that every error has, and returns the problem document. */
export function expectProblem(answer: Answer, status: number, code: string) {
  expect(answer.json()).toMatchObject({ code });
  expect(answer.statusCode).toBe(status);
  expect(answer.headers['content-type']).toBe('application/problem+json');
  expect(answer.headers['x-content-type-options']).toBe('nosniff');
  const problem = answer.json();
  expect(problem).toMatchObject({
    type: `${publicUrl}/docs/errors/${code}`,
    title: expect.any(String),
    detail: expect.any(String),
    status,
    request_id: answer.headers['x-request-id'],
  });
  return problem;
}
