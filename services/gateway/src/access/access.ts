import type { Scope, Tier } from '@mostrador/contracts';
import type { EventActor } from '@mostrador/contracts/feed';
import type { Person } from '@mostrador/kit/rpc/context';

/** What a caller may do, and in which store. */
type Rights = {
  readonly storeId: string;
  readonly tier: Tier;
  readonly requestsPerMinute: number;
  /** ISO 3166; null: the store has none. */
  readonly country: string | null;
  readonly scopes: ReadonlySet<Scope>;
};

/** Who sent a request: an API key, or a person. */
export type Caller = Rights & {
  /** The id of the key, or of the person's session. It is not secret. */
  readonly callerId: string;
  /** The name of the person. Undefined: accounts of the previous version does not tell it, and the gateway reads no names of keys. */
  readonly name?: string;
  /** Undefined: an API key. */
  readonly person?: Person;
};

/** Who a caller is, as events tell it. */
export const actorOf = ({ person, callerId }: Pick<Caller, 'person' | 'callerId'>): EventActor =>
  person ? { kind: 'user', id: person.userId } : { kind: 'api_key', id: callerId };

/** What a key gives access to: the key's own row, and the tier, the rate and the country of its store. */
export type Access = Caller & {
  readonly keyHash: Uint8Array;
  /** Milliseconds since the epoch; null: never. */
  readonly expiresAtMs: number | null;
  readonly revoked: boolean;
};

/** Whether the key is valid at this moment (milliseconds since the epoch). */
export function isValid(access: Access, nowMs: number): boolean {
  return !access.revoked && (access.expiresAtMs === null || nowMs < access.expiresAtMs);
}
