import type { EventActor } from '@mostrador/contracts/feed';

/** The server itself, and its operator. */
export const systemActor: EventActor = { kind: 'system', id: null };

/**
 * What caused a change: who, and with which request to the API. Null: not known, or no request. `traceparent`: in which
 * trace.
 */
export type Origin = {
  readonly actor: EventActor | null;
  readonly requestId: string | null;
  readonly traceparent?: string | null;
};

/**
 * The origin of what is done in this scope. A scope without an actor is one of the service itself. The system and a
 * channel have sent no request to the API.
 */
export function originOf({
  actor = systemActor,
  requestId,
  traceparent = null,
}: {
  readonly actor?: EventActor | null;
  readonly requestId?: string;
  readonly traceparent?: string | null;
}): Origin {
  const hasAsked = actor?.kind !== 'system' && actor?.kind !== 'channel';
  return { actor, requestId: (hasAsked && requestId) || null, traceparent };
}
