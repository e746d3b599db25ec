import { type KeyAccess, type PublicOperation, publicOperations, roleFor, type UserRole } from '@mostrador/contracts';
import { document } from './platform.ts';

/** Ids of the first store's rows, which the second store must never reach. */
export type Owned = {
  leadId: string;
  sellerId: string;
  appointmentId: string;
  agentId: string;
  /** An eval of that agent. */
  evalId: string;
  documentId: string;
  /** A message of that lead. */
  messageId: string;
  sessionId: string;
  followupId: string;
  /** An event about that lead. */
  eventId: string;
  /** A webhook endpoint, one of its deliveries and one of its replays. */
  endpointId: string;
  deliveryId: string;
  replayId: string;
  /** A service of the store, and a time that is held for it. */
  serviceId: string;
  holdId: string;
  /** The phone of that lead. */
  phone: string;
};

/** An operation of the integrations API. */
export type KeyOperation = PublicOperation & { readonly access: KeyAccess };

/** Every operation of the integrations API, by its name in the contracts. */
export const keyOperations: readonly { readonly name: string; readonly operation: KeyOperation }[] = Object.entries(
  publicOperations,
).flatMap(([name, operation]) => ('scope' in operation.access ? [{ name, operation: operation as KeyOperation }] : []));

/** The lowest role of a person who may call it. */
export const roleOf = ({ access }: PublicOperation): UserRole => roleFor(access) as UserRole;

/** A request for an operation, and whether it names a row of `owned`. */
export type Call = {
  readonly method: string;
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly names: readonly (keyof Owned)[];
};

/** The member of `owned` that a parameter or a member such as `lead_id` names. The events are those of the lead. */
const rowOf = (name: string): string =>
  name === 'entity_id' ? 'leadId' : name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** What a query must have. Documents are found only with a word of theirs. */
const required: Readonly<Record<string, string>> = {
  q: 'recipe',
  from: '2027-02-01T00:00:00Z',
  to: '2027-02-02T00:00:00Z',
};

const examples = new Map<string, Promise<Readonly<Record<string, unknown>> | undefined>>();

/** The body of the example that the API document shows. */
async function exampleBody({ http: { method, path } }: KeyOperation) {
  const { paths } = await document('/docs/json');
  const documented = paths[path.replaceAll(/:(\w+)/g, '{$1}')][method.toLowerCase()];
  return documented.requestBody?.content['application/json'].examples.example.value;
}

/**
 * A request for the operation: the example of the API document, with the ids of `owned` in the path, in the query, and in
 * the body of what creates.
 */
export async function callOf(operation: KeyOperation, owned: Owned): Promise<Call> {
  const { http, request, subject } = operation;
  const names: (keyof Owned)[] = [];
  const own = (name: string): string | undefined => {
    const row = rowOf(name) as keyof Owned;
    if (!(row in owned)) return undefined;
    names.push(row);
    return owned[row];
  };
  const path = http.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = own(name);
    if (value === undefined) throw new Error(`\`Owned\` has no ${name}, which is in the path of ${subject}`);
    return value;
  });
  const query = Object.keys(request.query?.properties ?? {}).flatMap((name) => {
    const value = name.endsWith('_id') ? own(name) : request.query?.required?.includes(name) && required[name];
    return value ? [`${name}=${value}`] : [];
  });
  const call = { method: http.method, path: query.length > 0 ? `${path}?${query.join('&')}` : path, names };
  if (request.body === undefined) return call;
  const example = examples.get(subject) ?? exampleBody(operation);
  examples.set(subject, example);
  const members = http.path.includes(':') ? [] : Object.keys(request.body.properties ?? {});
  const ids = members.flatMap((name) => {
    const value = name.endsWith('_id') ? own(name) : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  return { ...call, body: { ...(await example), ...Object.fromEntries(ids) } };
}
