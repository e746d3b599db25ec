import { type Operation, userRoles } from '@mostrador/contracts/core';
import { type EventActor, eventActorKinds } from '@mostrador/contracts/feed';
import { headers, type MsgHdrs } from 'nats';
import type { Client, Idempotency, Person } from './context.ts';
import { validationFailed } from './errors.ts';

/**
 * The form of a request and its reply on NATS. Request: JSON `{ params?, query?, body? }` and these headers. Reply: its
 * JSON bytes, or a `WireError` when it has the header `Mostrador-Error`.
 */
export const wireHeaders = {
  requestId: 'X-Request-Id',
  /** Milliseconds since the epoch. */
  deadline: 'Mostrador-Deadline',
  store: 'Mostrador-Store',
  /** JSON of `Idempotency`. */
  idempotency: 'Mostrador-Idempotency',
  ifMatch: 'If-Match',
  ifNoneMatch: 'If-None-Match',
  /** The token of a person's session. */
  session: 'Mostrador-Session',
  /** JSON of `Client`. */
  client: 'Mostrador-Client',
  /** JSON of `Person`. */
  person: 'Mostrador-Person',
  /** JSON of `EventActor`. */
  actor: 'Mostrador-Actor',
  /** The name of the actor, as a JSON string. */
  actorName: 'Mostrador-Actor-Name',
  traceparent: 'traceparent',
  error: 'Mostrador-Error',
  etag: 'ETag',
  nextCursor: 'Next-Cursor',
  replayed: 'Idempotent-Replay',
} as const;

/** What a request carries besides its parts. */
export type RequestEnvelope = {
  readonly requestId: string;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  readonly storeId?: string;
  readonly idempotency?: Idempotency;
  readonly ifMatch?: string;
  /** Excludes `ifMatch`. */
  readonly ifNoneMatch?: string;
  readonly session?: string;
  readonly client?: Client;
  readonly person?: Person;
  /** Who is behind the request, also behind one that it causes. */
  readonly actor?: EventActor | null;
  /** The name of the person behind the request. */
  readonly actorName?: string;
  /** W3C trace context. Null or undefined: none. */
  readonly traceparent?: string | null;
};

/** What a successful reply carries besides its bytes. */
export type ReplyHeaders = {
  /** Strong ETag, quotes included. */
  readonly etag?: string;
  /** Opaque cursor of the next page of a list. */
  readonly nextCursor?: string;
};

/** The audience of an operation, which also names its request queue by default: the second word of its subject. */
export const audienceOf = (operation: Operation): string => operation.subject.split('.')[1] ?? '';

/** The headers of a request. */
export function writeEnvelope(envelope: RequestEnvelope): MsgHdrs {
  const { requestId, deadline, storeId, idempotency, ifMatch, ifNoneMatch, session, client, person, actor } = envelope;
  const written = headers();
  written.set(wireHeaders.requestId, requestId);
  written.set(wireHeaders.deadline, String(deadline));
  if (storeId !== undefined) written.set(wireHeaders.store, storeId);
  if (idempotency !== undefined) written.set(wireHeaders.idempotency, JSON.stringify(idempotency));
  if (ifMatch !== undefined) written.set(wireHeaders.ifMatch, ifMatch);
  if (ifNoneMatch !== undefined) written.set(wireHeaders.ifNoneMatch, ifNoneMatch);
  if (session !== undefined) written.set(wireHeaders.session, session);
  if (client !== undefined) written.set(wireHeaders.client, JSON.stringify(client));
  if (person !== undefined) written.set(wireHeaders.person, JSON.stringify(person));
  if (actor) written.set(wireHeaders.actor, JSON.stringify(actor));
  if (envelope.actorName !== undefined) written.set(wireHeaders.actorName, JSON.stringify(envelope.actorName));
  if (envelope.traceparent) written.set(wireHeaders.traceparent, envelope.traceparent);
  return written;
}

/**
 * Reads the envelope of a request. A missing deadline is NaN; the other values are unchecked.
 *
 * @throws AppError `validation_failed` when the header of the idempotency or of the person is not what `writeEnvelope` writes
 */
export function readEnvelope(received: MsgHdrs | undefined): RequestEnvelope {
  const deadline = header(received, wireHeaders.deadline);
  const idempotency = header(received, wireHeaders.idempotency);
  const client = header(received, wireHeaders.client);
  const person = header(received, wireHeaders.person);
  const actor = header(received, wireHeaders.actor);
  const actorName = header(received, wireHeaders.actorName);
  return {
    requestId: header(received, wireHeaders.requestId) ?? 'none',
    deadline: deadline === undefined ? Number.NaN : Number(deadline),
    storeId: header(received, wireHeaders.store),
    idempotency: idempotency === undefined ? undefined : readIdempotency(idempotency),
    ifMatch: header(received, wireHeaders.ifMatch),
    ifNoneMatch: header(received, wireHeaders.ifNoneMatch),
    session: header(received, wireHeaders.session),
    client: client === undefined ? undefined : readClient(client),
    person: person === undefined ? undefined : readPerson(person),
    actor: actor === undefined ? undefined : readActor(actor),
    actorName: actorName === undefined ? undefined : readName(actorName),
    traceparent: header(received, wireHeaders.traceparent),
  };
}

function readIdempotency(text: string): Idempotency {
  const { key, scope, fingerprint, settles } = parsed(text) ?? {};
  if (typeof key === 'string' && typeof scope === 'string' && typeof fingerprint === 'string') {
    return { key, scope, fingerprint, ...(settles === true && { settles }) };
  }
  const detail = 'must be JSON with a key, a scope and a fingerprint';
  throw validationFailed([{ in: 'header', name: wireHeaders.idempotency, detail }]);
}

/** Leaves out a value that is no text: only people read it. */
function readClient(text: string): Client {
  const { address, agent, device } = parsed(text) ?? {};
  return {
    address: typeof address === 'string' ? address : 'unknown',
    ...(typeof agent === 'string' ? { agent } : {}),
    ...(typeof device === 'string' ? { device } : {}),
  };
}

/** A person who cannot be read must not become a caller without limits. */
function readPerson(text: string): Person {
  const { userId, role: given, sellerId } = parsed(text) ?? {};
  const role = userRoles.find((known) => known === given);
  const hasSeller = typeof sellerId === 'string' || (sellerId === null && role !== 'seller');
  if (typeof userId === 'string' && role !== undefined && hasSeller) {
    return { userId, role, sellerId: sellerId as string | null };
  }
  const detail = 'must be JSON with a user, a role and, for a seller, their id';
  throw validationFailed([{ in: 'header', name: wireHeaders.person, detail }]);
}

/** Undefined when it has a kind that this version does not know. */
function readActor(text: string): EventActor | undefined {
  const { kind: given, id } = parsed(text) ?? {};
  const kind = eventActorKinds.find((known) => known === given);
  return kind && (typeof id === 'string' || id === null) ? { kind, id } : undefined;
}

/** Undefined when it is no text: only people read it. */
function readName(text: string): string | undefined {
  const name: unknown = parsed(text);
  return typeof name === 'string' ? name : undefined;
}

type Member = keyof Idempotency | keyof Client | keyof Person | keyof EventActor;

function parsed(text: string): Partial<Record<Member, unknown>> | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** One header, or `undefined` when it is not there. */
export function header(received: MsgHdrs | undefined, name: string): string | undefined {
  return received?.has(name) ? received.get(name) : undefined;
}
