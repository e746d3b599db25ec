/**
 * Where a session may go. An owner can make a login link for every person of their store and use it themselves, so such
 * a session stays in that store (`store`). The person's own password or passkeys open the stores that the person joined
 * with them (`joined`), their account at the OpenID provider those that it confirmed (`confirmed`), and a link that the
 * operator makes for a person opens all of theirs (`all`).
 */
export type Reach = 'store' | 'joined' | 'confirmed' | 'all';

/** How the person proved who they are. */
export type OpenedBy = 'link' | 'password' | 'passkey' | 'oidc';
