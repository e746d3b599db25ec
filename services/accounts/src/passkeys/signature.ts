import { AppError } from '@mostrador/kit/rpc/errors';
import {
  type AuthenticationResponseJSON,
  type AuthenticatorTransport,
  verifyAuthenticationResponse,
} from '@simplewebauthn/server';
import type { SigningPasskey } from './passkey.repository.ts';
import type { RelyingParty } from './relying-party.ts';

/** Checks what a passkey signed. @throws AppError `invalid_credentials` */
export async function signatureOf(
  answer: Record<string, unknown>,
  { id, origin }: RelyingParty,
  { credential_id, public_key, counter, transports }: SigningPasskey,
  expectedChallenge: (challenge: string) => Promise<boolean>,
) {
  const response = answer as unknown as AuthenticationResponseJSON;
  const { verified: right, authenticationInfo } = await verifyAuthenticationResponse({
    ...{ response, expectedChallenge, expectedOrigin: origin, expectedRPID: id },
    credential: {
      ...{ id: credential_id, publicKey: new Uint8Array(public_key), counter },
      transports: transports as AuthenticatorTransport[],
    },
  }).catch((cause) => {
    throw cause instanceof AppError ? cause : new AppError('invalid_credentials', { cause });
  });
  if (!right) throw new AppError('invalid_credentials');
  return authenticationInfo;
}
