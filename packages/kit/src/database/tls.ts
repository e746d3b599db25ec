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
