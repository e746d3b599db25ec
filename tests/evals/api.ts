/** Parsed JSON of the API, whose shape the judge checks. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Json = any;

export type Api = (method: string, path: string, body?: unknown) => Promise<Json>;

/** Calls the API of a store. `path` is below the version prefix. @throws Error when it answers no 2xx */
export const createApi =
  (baseUrl: string, key: string): Api =>
  async (method, path, body) => {
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
