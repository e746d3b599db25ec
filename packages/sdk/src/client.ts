import { Call, type Result } from './call.ts';
import { type Address, type Input, type RequestOf, requestsTo } from './requests.ts';
import { type SendOptions, send } from './send.ts';
import type { CallOptions, Route } from './types.ts';

export type ClientOptions = Address & {
  /** How often a request is repeated that may succeed later. Default: 3. */
  readonly maxRetries?: number;
  /** The time for a call with all its retries. Default: 60,000. */
  readonly timeoutMs?: number;
  /** The time for one attempt. Default: 30,000. */
  readonly attemptTimeoutMs?: number;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
};

/** How a client sends: its requests, and its settings with the defaults. */
export type Sender = { readonly requestOf: RequestOf; readonly settings: SendOptions };

export function senderOf({ baseUrl, apiKey, ...settings }: ClientOptions): Sender {
  const defaults = { fetch: globalThis.fetch, maxRetries: 3, timeoutMs: 60_000, attemptTimeoutMs: 30_000 };
  return { requestOf: requestsTo({ baseUrl, apiKey }), settings: { ...defaults, ...settings } };
}

export type Routes = Readonly<Record<string, Readonly<Record<string, Route>>>>;

/** Makes a function for each route: `client.leads.create(input, options)`. */
export function bindRoutes(routes: Routes, sender: Sender): Record<string, Record<string, unknown>> {
  const bind = (route: Route) => (input?: Input, options?: CallOptions) => call(sender, route, input, options);
  const mapped = <From, To>(record: Readonly<Record<string, From>>, change: (value: From) => To) =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
  return mapped(routes, (resource) => mapped(resource, bind));
}

export function call(
  { requestOf, settings }: Sender,
  route: Route,
  input: Input = {},
  { ifMatch, ifNoneMatch, ...options }: CallOptions & Partial<SendOptions> = {},
): Call<unknown> {
  const idempotencyKey = options.idempotencyKey ?? (route.method === 'GET' ? undefined : crypto.randomUUID());
  const headers = { 'Idempotency-Key': idempotencyKey, 'If-Match': ifMatch, 'If-None-Match': ifNoneMatch };
  const perform = async (request: Request): Promise<Result<unknown>> => {
    const { response, body } = await send(request, { ...settings, ...options, idempotencyKey });
    return { data: dataOf(response, body), response };
  };
  const first = requestOf(route, input, headers);
  // Only the query of the link counts: the key never goes to an address that an answer names.
  return new Call(perform(first), (link) =>
    perform(requestOf(route, input, headers, new URL(link, first.url).search.slice(1))),
  );
}

const dataOf = ({ headers }: Response, body: string): unknown =>
  headers.get('content-type')?.includes('json') ? JSON.parse(body) : body;
