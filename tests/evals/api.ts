import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

/** Parsed JSON of the API, whose shape the judge checks. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Json = any;

export type Api = (method: string, path: string, body?: unknown) => Promise<Json>;

const mostTries = 5;
const pauseMs = 1_000;

/**
 * Calls the API of a store. `path` is below the version prefix. What a busy machine does not answer in time is repeated
 * with the same idempotency key.
 *
 * @throws Error when it answers no 2xx
 */
export const createApi =
  (baseUrl: string, key: string): Api =>
  async (method, path, body) => {
    const request = {
      method,
      headers: {
        ...{ 'x-api-key': key, 'idempotency-key': randomUUID() },
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    for (let tries = 1; ; tries += 1) {
      const answer = await fetch(`${baseUrl}${path}`, request);
      const text = await answer.text();
      if (answer.ok) return text === '' ? undefined : JSON.parse(text);
      if (answer.status < 503 || tries === mostTries) {
        throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
      }
      await pause(pauseMs);
    }
  };
