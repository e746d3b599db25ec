/**
 * Where a session may go. An owner can make a login link for every person of their store and use it themselves, so such
 * a session stays in that store (`store`). The person's own password or passkeys open the stores that the person joined
 * with them (`joined`), their account at the OpenID provider those that it confirmed (`confirmed`), and a link that the
 * operator makes for a person opens all of theirs (`all`).
 */
export type Reach = 'store' | 'joined' | 'confirmed' | 'all';

/** How the person proved who they are. */
export type OpenedBy = 'link' | 'password' | 'passkey' | 'oidc';

/** What decides where the holder of a session may go. */
export type Reaching = {
  readonly store_id: string;
  readonly reach: Reach;
  readonly opened_by: OpenedBy;
  /** The passkey that opened it. Null: another way. */
  readonly passkey_id: string | null;
};

/** The memberships of a person that a session reaches. In each of their stores the person has that membership's role. */
export type Reached =
  | { readonly stores: 'own'; readonly storeId: string }
  | { readonly stores: 'all' }
  /** The own one, and those that the person's account at the OpenID provider confirmed. */
  | { readonly stores: 'confirmed'; readonly storeId: string }
  /** The own one, and those that this passkey opens. Null: that the password opens. */
  | { readonly stores: 'opened'; readonly storeId: string; readonly passkeyId: string | null };

/** Which stores of its person a session reaches. Pure; `isReachable` is the same as an SQL condition. */
export function reachOf({ store_id: storeId, reach, opened_by, passkey_id: passkeyId }: Reaching): Reached {
  switch (reach) {
    case 'all':
      return { stores: 'all' };
    case 'confirmed':
      return { stores: 'confirmed', storeId };
    case 'joined':
      // No password or passkey opened the session.
      if (opened_by !== 'password' && passkeyId === null) return { stores: 'own', storeId };
      return { stores: 'opened', storeId, passkeyId };
    case 'store':
      return { stores: 'own', storeId };
  }
}

/** The reach of a session after its person has proved who they are with what opens its store. */
export function reachAfter(proof: Exclude<OpenedBy, 'link'>, { reach }: Pick<Reaching, 'reach'>): Reach {
  if (reach === 'all') return 'all';
  if (proof === 'oidc') return 'confirmed';
  return reach === 'store' ? 'joined' : reach;
}
