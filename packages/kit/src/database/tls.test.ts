import { expect, test } from 'vitest';
import { failedHandshake } from './tls.ts';

test.each([
  ['SELF_SIGNED_CERT_IN_CHAIN', 'TLS_NOT_TRUSTED'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'TLS_NOT_TRUSTED'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'TLS_OTHER_HOST'],
  ['CERT_HAS_EXPIRED', 'TLS_NOT_VALID_NOW'],
  ['CERT_NOT_YET_VALID', 'TLS_NOT_VALID_NOW'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'TLS_FAILED'],
  ['INVALID_PURPOSE', 'TLS_FAILED'],
  ['EPROTO', 'TLS_FAILED'],
])('a handshake that fails with %s is %s, without the certificate in the error', (code, reason) => {
  const failed = failedHandshake(Object.assign(new Error('why'), { code, cert: { subject: 'secret' } }));
  expect(failed).toMatchObject({ message: 'the TLS handshake failed: why', code: reason });
  expect(failed).not.toHaveProperty('cert');
  expect(failed.cause).toBeUndefined();
});

test.each(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'CONNECT_TIMEOUT', 'CONNECTION_CLOSED'])(
  'an error of the network stays as it is: %s',
  (code) => {
    const error = Object.assign(new Error('why'), { code });
    expect(failedHandshake(error)).toBe(error);
  },
);
