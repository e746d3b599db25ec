import { freshSessionMinutes } from '@mostrador/contracts';
import type { OpenedBy } from '../sessions/reach.ts';

/**
 * What a session says about who uses it, when how they sign in is to be changed.
 *
 * - `proved`: it was just opened with the person's own passkey or password.
 * - `first`: there is nothing yet, and a link, or an account at the OpenID provider, was just used. What is set then opens
 *   the store of the session.
 * - `reset`: the same, by a person who has something already. All of that ends with a new password.
 * - `elsewhere`: the same, but it opens other stores too. An owner could use a link of their store themselves, so it
 *   must not open the others.
 * - `stale`: none of it.
 */
export type Proof = 'proved' | 'first' | 'reset' | 'elsewhere' | 'stale';

export function proofOf(session: {
  readonly openedBy: OpenedBy;
  /** Since the person signed in. */
  readonly ageMs: number;
  /** Whether there is a password or a passkey. */
  readonly hasCredentials: boolean;
  /** Whether these open a store that the session does not. */
  readonly joinedElsewhere: boolean;
}): Proof {
  const { openedBy, ageMs, hasCredentials, joinedElsewhere } = session;
  if (ageMs >= freshSessionMinutes * 60_000) return 'stale';
  if (openedBy === 'password' || openedBy === 'passkey') return 'proved';
  if (!hasCredentials) return 'first';
  return joinedElsewhere ? 'elsewhere' : 'reset';
}
