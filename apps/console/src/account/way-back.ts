import type { Credentials } from '../api/platform.ts';

/** Whether the person can sign in to this store again without a login link. What they may still join opens only others. */
export const hasWayBack = ({ password, passkeys, oidc, may_join }: Credentials): boolean =>
  !may_join && (password !== null || passkeys.length > 0 || oidc != null);
