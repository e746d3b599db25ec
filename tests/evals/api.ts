import { setTimeout as pause } from 'node:timers/promises';

/** Parsed JSON of the API, whose shape the judge checks. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Json = any;

export type Api = (method: string, path: string, body?: unknown) => Promise<Json>;

const mostTries = 5;
const pauseMs = 1_000;

/**
 * Calls the API of a store. `path` is below the version prefix. A read that a busy machine does not answer in time is
 * repeated.
 *
 * @throws Error when it answers no 2xx
 */
export const createApi = (baseUrl: string, key: string): Api => {
  const api = async (method: string, path: string, body: unknown, tries: number): Promise<Json> => {
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (method === 'GET' && answer.status >= 503 && tries > 1) {
      await pause(pauseMs);
      return await api(method, path, body, tries - 1);
    }
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  return (method, path, body) => api(method, path, body, mostTries);
};
