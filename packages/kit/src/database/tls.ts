/** How a connection is secured. `undefined` in its place: not at all. */
export type TlsMode = {
  /** False: a server without TLS gets a connection in plain text. */
  readonly required: boolean;
  /** Whether the certificate must come from a trusted authority and name the host. */
  readonly verified: boolean;
  /** TLS begins with the first byte (`sslnegotiation=direct`), not after PostgreSQL has agreed to it. */
  readonly direct: boolean;
};

/**
 * What `sslmode` (or `ssl`) of an address says, as postgres.js reads it: every text that is not listed here verifies, as
 * `verify-full` does.
 */
export function tlsModeOf(url: URL | null): TlsMode | undefined {
  const parameters = url?.searchParams;
  const text = parameters?.get('sslmode') ?? parameters?.get('ssl') ?? 'disable';
  if (text === 'disable' || text === 'false') return undefined;
  const optional = text === 'allow' || text === 'prefer';
  return {
    required: !optional,
    verified: !optional && text !== 'require',
    direct: parameters?.get('sslnegotiation') === 'direct',
  };
}

/** The verification results of OpenSSL that say that no trusted authority has signed the certificate. */
const untrusted = new Set([
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/**
 * The failure of a handshake as an operator needs it. Node's error may hold the whole certificate, which no log needs.
 * An error of the network stays as it is.
 */
export function failedHandshake(error: NodeJS.ErrnoException): Error {
  const { message, code = '' } = error;
  const isOfNetwork = /^(E[A-Z]+|CONN.*)$/.test(code) && code !== 'EPROTO';
  return isOfNetwork
    ? error
    : Object.assign(new Error(`the TLS handshake failed: ${message}`), { code: reasonOf(code) });
}

function reasonOf(code: string): string {
  if (untrusted.has(code)) return 'TLS_NOT_TRUSTED';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'TLS_OTHER_HOST';
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') return 'TLS_NOT_VALID_NOW';
  return 'TLS_FAILED';
}
