import type { ApiKey } from '../api/platform.ts';

export type KeyState = 'active' | 'expired' | 'revoked';

export function stateOf({ revoked_at, expires_at }: Pick<ApiKey, 'revoked_at' | 'expires_at'>, now: number): KeyState {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= now ? 'expired' : 'active';
}

/** The moment this many days from now; null: never. */
export const expiryOf = (days: number | null, now: number): string | null =>
  days === null ? null : new Date(now + days * 86_400_000).toISOString();
