import { createHmac } from 'node:crypto';

/**
 * What an attempt has from its begin to its end. All of it derives from the token in the cookie of the browser, so only
 * that browser can end it, and the database has only the hash of the token.
 */
export type AttemptSecrets = {
  /** Returns in the address to which the browser comes back. */
  readonly state: string;
  /** Returns in the ID token. */
  readonly nonce: string;
  /** Proves to the provider that its code is used by who asked for it (PKCE, RFC 7636). */
  readonly codeVerifier: string;
};

export function secretsOf(attemptToken: string): AttemptSecrets {
  const derive = (purpose: string) => createHmac('sha256', attemptToken).update(purpose).digest('base64url');
  return { state: derive('state'), nonce: derive('nonce'), codeVerifier: derive('code verifier') };
}
