import type { Route } from './types.ts';

export type Input = Readonly<Record<string, unknown>>;
type Headers = Readonly<Record<string, string | undefined>>;

export type Address = {
  /** The API's address with its version, such as `https://api.example.com/integrations/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
};

/** Makes the request of a route. `search` replaces the query that comes from the input. */
export type RequestOf = (route: Route, input: Input, headers?: Headers, search?: string) => Request;

/** Makes the requests of a client. */
export function requestsTo({ baseUrl, apiKey }: Address): RequestOf {
  const { protocol, username, password } = new URL(baseUrl);
  if (!/^https?:$/.test(protocol) || username || password)
    throw new TypeError('`baseUrl` must be an http(s) URL without credentials.');
  // `fetch` would repeat a wrong header in its error.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError('`apiKey` must be printable ASCII characters.');

  return ({ method, path: template, input: place }, input, headers = {}, search) => {
    const members = Object.entries(input).filter(([, value]) => value !== undefined);
    const rest = members.filter(([name]) => !template.includes(`{${name}}`));
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      if (!input[name]) throw new TypeError(`\`${name}\` must not be empty.`);
      return encodeURIComponent(String(input[name]));
    });
    const query = search ?? (place === 'query' ? queryOf(rest) : '');
    const body = place === 'body' ? JSON.stringify(Object.fromEntries(rest)) : null;
    const sent = { ...headers, 'X-API-Key': apiKey, ...(body === null ? {} : { 'Content-Type': 'application/json' }) };
    return new Request(`${baseUrl.replace(/\/+$/, '')}${path}${query && `?${query}`}`, {
      method,
      headers: Object.entries(sent).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      body,
      // A redirect to another host would get the key.
      redirect: 'manual',
    });
  };
}

/** The values of a filter are separated by commas, which need no escape. */
function queryOf(members: readonly (readonly [string, unknown])[]): string {
  const textOf = (value: unknown) =>
    [value]
      .flat()
      .map((each) => encodeURIComponent(String(each)))
      .join(',');
  return members.map(([name, value]) => `${encodeURIComponent(name)}=${textOf(value)}`).join('&');
}
