import createFetchClient from 'openapi-fetch';
import { Call, type Result } from './call.ts';
import { type SendOptions, send } from './send.ts';
import type { CallOptions, Route } from './types.ts';

export type ClientOptions = {
  /** The API's address with its version, such as `https://api.example.com/integrations/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** How often a request is repeated that may succeed later. Default: 3. */
  readonly maxRetries?: number;
  /** The time for a call with all its retries. Default: 60,000. */
  readonly timeoutMs?: number;
  /** The time for one attempt. Default: 30,000. */
  readonly attemptTimeoutMs?: number;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
};

export type Routes = Readonly<Record<string, Readonly<Record<string, Route>>>>;
type Input = Readonly<Record<string, unknown>>;

/** Makes a function for each route: `client.leads.create(input, options)`. */
export function bindRoutes(routes: Routes, options: ClientOptions): Record<string, Record<string, unknown>> {
  const request = createRequest(options);
  const bind = (route: Route) => (input?: Input, callOptions?: CallOptions) => request(route, input, callOptions);
  const mapped = <From, To>(record: Readonly<Record<string, From>>, change: (value: From) => To) =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
  return mapped(routes, (resource) => mapped(resource, bind));
}

function createRequest({ baseUrl, apiKey, ...settings }: ClientOptions) {
  checkAddress(baseUrl);
  // `fetch` would repeat a wrong header in its error.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError('`apiKey` must be printable ASCII characters.');
  const http = createFetchClient({
    baseUrl,
    headers: { 'X-API-Key': apiKey },
    // A redirect to another host would get the key.
    redirect: 'manual',
    querySerializer: { array: { style: 'form', explode: false } },
  });
  const defaults = { fetch: globalThis.fetch, maxRetries: 3, timeoutMs: 60_000, attemptTimeoutMs: 30_000, ...settings };

  return (route: Route, input: Input = {}, { ifMatch, ifNoneMatch, ...options }: CallOptions = {}): Call<unknown> => {
    const { path, query, body } = split(route, input);
    const isWrite = route.method !== 'GET';
    const idempotencyKey = options.idempotencyKey ?? (isWrite ? crypto.randomUUID() : undefined);
    const sendOptions: SendOptions = { ...defaults, ...options, idempotencyKey };

    const perform = async (search?: string): Promise<Result<unknown>> => {
      let result: Result<unknown> | undefined;
      const init = {
        params: { path, query },
        ...(search === undefined ? {} : { querySerializer: () => search }),
        body,
        headers: { 'Idempotency-Key': idempotencyKey, 'If-Match': ifMatch, 'If-None-Match': ifNoneMatch },
        parseAs: 'stream', // `send` has read the body
        fetch: async (sent: Request) => {
          const answer = await send(sent, sendOptions);
          result = { data: dataOf(answer.response, answer.body), response: answer.response };
          return answer.response;
        },
      };
      await http.request(route.method.toLowerCase() as never, route.path as never, init as never);
      return result as Result<unknown>;
    };
    // Only the query of the link counts: the key never goes to an address that an answer names.
    return new Call(perform(), (link) => perform(new URL(link, baseUrl).search.slice(1)));
  };
}

function checkAddress(baseUrl: string): void {
  const { protocol, username, password } = new URL(baseUrl);
  if (!/^https?:$/.test(protocol) || username || password)
    throw new TypeError('`baseUrl` must be an http(s) URL without credentials.');
}

/** Divides the input into the parameters of the path, and the query or the body. */
function split({ path: template, input: place }: Route, input: Input) {
  const isInPath = ([name]: [string, unknown]) => template.includes(`{${name}}`);
  const members = Object.entries(input).filter(([, value]) => value !== undefined);
  const path = Object.fromEntries(members.filter(isInPath));
  const rest = Object.fromEntries(members.filter((member) => !isInPath(member)));
  for (const [, name = ''] of template.matchAll(/\{(\w+)\}/g))
    if (!path[name]) throw new TypeError(`\`${name}\` must not be empty.`);
  return place === 'body' ? { path, query: undefined, body: rest } : { path, query: rest, body: undefined };
}

const dataOf = ({ headers }: Response, body: string): unknown =>
  headers.get('content-type')?.includes('json') ? JSON.parse(body) : body;
