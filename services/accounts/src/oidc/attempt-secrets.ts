import { createHmac } from 'node:crypto';

/**
 * The secrets of an attempt. All of them derive from the token in the cookie of the browser, so only that browser can
 * finish the attempt, and the database has only the hash of the token.
 */
export type AttemptSecrets = {
  /** Returns in the address to which the browser comes back. */
  readonly state: string;
  /** Returns in the ID token. */
  readonly nonce: string;
  /** Proves to the provider that the code is used by the client that asked for it (PKCE, RFC 7636). */
  readonly codeVerifier: string;
};

export function secretsOf(attemptToken: string): AttemptSecrets {
  const derive = (purpose: string) => createHmac('sha256', attemptToken).update(purpose).digest('base64url');
  return { state: derive('state'), nonce: derive('nonce'), codeVerifier: derive('code verifier') };
}
