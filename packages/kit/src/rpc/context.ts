import type { PersonAccess, UserRole } from '@mostrador/contracts/core';
import type { EventActor } from '@mostrador/contracts/feed';
import type { Log } from '../process/log.ts';

/** The `Idempotency-Key` of a POST, PUT, PATCH or DELETE, with the request that it belongs to. */
export type Idempotency = {
  readonly key: string;
  /** Method and concrete path below the prefix: `POST /appointments`. */
  readonly scope: string;
  /** `fingerprintOf` the body as it was sent, before defaults and trimming. */
  readonly fingerprint: string;
  /**
   * The request repeats one whose outcome is unknown, and only learns the outcome. It gets the answer of that request, or
   * `idempotency_key_reused`: then that request has had no effect, and can have none any more.
   */
  readonly settles?: true;
};

/** Who called the gateway. It goes into the audit log, never into a log. */
export type Client = {
  readonly address: string;
  /** The `User-Agent`. */
  readonly agent?: string;
  /** The token in the cookie that says which browser it is. */
  readonly device?: string;
};

/** The person for whom the gateway calls, as accounts named them with this request. */
export type Person = {
  readonly userId: string;
  readonly role: UserRole;
  /** The seller who the person is. A person with the role `seller` always has one. */
  readonly sellerId: string | null;
};

/** The context of every request. */
export type Context = {
  readonly requestId: string;
  /** Milliseconds since the epoch. After it no caller waits for the answer. */
  readonly deadline: number;
  /** Aborted at the deadline. */
  readonly signal: AbortSignal;
  /** Aborted when the process stops. Work in several steps ends after the present one. */
  readonly closing: AbortSignal;
  /** Adds the request id and the operation to each line. */
  readonly log: Log;
  readonly idempotency?: Idempotency;
  /** The raw `If-Match` header. */
  readonly ifMatch?: string;
  /** The `If-None-Match` of a write, always `*`: it must find nothing. Never together with `ifMatch`. */
  readonly ifNoneMatch?: string;
  /** The token of a person's session, as the browser sent it. Only operations of the audience `platform` get it. */
  readonly session?: string;
  /** Only operations of the audience `platform` get it. */
  readonly client?: Client;
  /** Undefined: an API key calls. Only operations of the audiences `api` and `platform` get it. */
  readonly person?: Person;
  /** Who is behind the request. Null: a gateway of the previous version does not say so. Undefined: the system. */
  readonly actor?: EventActor | null;
  /** The name of the person behind the request. Only operations of the audiences `api` and `platform` get it. */
  readonly actorName?: string;
  /** The lowest role that the operation asks for. Only accounts needs it: it learns the caller's role from the session. */
  readonly neededRole?: PersonAccess['role'];
  /** The W3C trace context of the request's cause: the parent of its spans. */
  readonly traceparent?: string | null;
};

/** The person or the key behind a request, as what they write names them. Null: another is behind it, or it is not known. */
export function authorOf({ actor, actorName }: Pick<Context, 'actor' | 'actorName'>) {
  if (actor?.kind !== 'user' && actor?.kind !== 'api_key') return null;
  // No gateway reads the names of keys.
  return { kind: actor.kind, id: actor.id, name: actorName ?? null };
}

/** The context of a request that belongs to a store. */
export type StoreContext = Context & { readonly storeId: string };
