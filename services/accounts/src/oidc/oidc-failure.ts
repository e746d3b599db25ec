import { AppError } from '@mostrador/kit/rpc/errors';
import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';

/** The provider gave no answer, or one that cannot be used. */
const unusable = new Set([
  ...['OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_TIMEOUT', 'OAUTH_ABORT'],
  ...['OAUTH_PARSE_ERROR', 'OAUTH_MISSING_SERVER_METADATA', 'OAUTH_UNSUPPORTED_OPERATION'],
]);
/** The provider says so itself, in the address to which the browser comes back (RFC 6749, 4.1.2.1). */
const providersFault = ['server_error', 'temporarily_unavailable', 'unauthorized_client', 'invalid_scope'];
const unavailable = { retryAfterSeconds: 5 } as const;

/** What the provider says about itself could not be read, or is not right. */
export class ProviderUnusable extends Error {}

/**
 * What the person learns, and what the log says. Errors of the library may have claims of the person and texts of the
 * provider in them, so the log gets codes only.
 */
export function oidcFailure(error: unknown): { readonly failure: AppError; readonly reason: string } {
  if (error instanceof AppError) return { failure: error, reason: error.code };
  if (error instanceof ProviderUnusable) return { failure: outage(), reason: reasonOf(error.cause) };
  // Anybody can write this address, so only codes of the standard reach the log.
  if (error instanceof AuthorizationResponseError) {
    if (providersFault.includes(error.error)) return { failure: outage(), reason: error.error };
    if (error.error === 'access_denied') return { failure: new AppError('oidc_cancelled'), reason: 'access_denied' };
    return { failure: new AppError('oidc_failed'), reason: 'an error of the authorization endpoint' };
  }
  // The code is used, expired or of another attempt. Any other error is about this deployment.
  if (error instanceof ResponseBodyError) {
    if (error.error === 'invalid_grant') return { failure: new AppError('oidc_failed'), reason: 'invalid_grant' };
    return {
      failure: outage(),
      reason: /^\w{1,40}$/.test(error.error) ? error.error : 'an error of the token endpoint',
    };
  }
  if (error instanceof WWWAuthenticateChallengeError) {
    return { failure: outage(), reason: 'the client secret was refused' };
  }
  if (error instanceof ClientError && error.code !== undefined && !unusable.has(error.code)) {
    return { failure: new AppError('oidc_failed'), reason: error.code };
  }
  return { failure: outage(), reason: reasonOf(error) };
}

const outage = () => new AppError('oidc_unavailable', unavailable);

/** Such as `ECONNREFUSED` or `AddressRefused`, of the innermost error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') return code;
  return error.cause instanceof Error ? reasonOf(error.cause) : error.name;
}
