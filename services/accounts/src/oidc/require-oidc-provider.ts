import { AppError } from '@mostrador/kit/rpc/errors';
import type { OidcProvider } from './oidc-provider.ts';

/** @throws AppError `oidc_not_configured` */
export function requireOidcProvider(oidc: OidcProvider | null): OidcProvider {
  if (oidc === null) throw new AppError('oidc_not_configured');
  return oidc;
}
