import type { Scope, Tier } from '@mostrador/contracts';

/** What a key gives access to: the key's own row, and the tier, the rate and the country of its store. */
export type Access = {
  readonly keyId: string;
  readonly keyHash: Uint8Array;
  readonly storeId: string;
  readonly tier: Tier;
  readonly requestsPerMinute: number;
  /** ISO 3166; null: the store has none. */
  readonly country: string | null;
  readonly scopes: ReadonlySet<Scope>;
  /** Milliseconds since the epoch; null: never. */
  readonly expiresAtMs: number | null;
  readonly revoked: boolean;
};

/** Whether the key is valid at this moment (milliseconds since the epoch). */
export function isValid(access: Access, nowMs: number): boolean {
  return !access.revoked && (access.expiresAtMs === null || nowMs < access.expiresAtMs);
}
