import type { createPasskeySession as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import {
  type AuthenticationResponseJSON,
  type AuthenticatorTransport,
  verifyAuthenticationResponse,
} from '@simplewebauthn/server';
import { findLastStore } from '../credentials/credential.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { openSession } from '../sessions/open-session.ts';
import { currentSession } from '../sessions/session.ts';
import { findSigningPasskey, recordPasskeyUse, type SigningPasskey, takeChallenge } from './passkey.repository.ts';
import { type RelyingParty, requireRelyingParty } from './relying-party.ts';

/** An unknown passkey and a wrong signature get the same answer. */
export const createPasskeySession =
  ({ systemDatabase, publicUrl }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { answer } }) => {
    const party = requireRelyingParty(publicUrl);
    const credentialId = typeof answer.id === 'string' ? answer.id : '';
    const passkey = await systemDatabase.read(context, (sql) => findSigningPasskey(sql, credentialId));
    if (!passkey) throw new AppError('invalid_credentials');
    const take = async (challenge: string) =>
      (await systemDatabase.write(context, (sql) => takeChallenge(sql, challenge, null))) !== undefined;
    const { newCounter: counter, credentialBackedUp: synced } = await verified(answer, party, passkey, take);
    const previous = await currentSession(systemDatabase, context);
    return await systemDatabase.write(context, async (sql) => {
      const { id, user_id: userId } = passkey;
      const storeId = await findLastStore(sql, userId);
      if (storeId === null || !(await recordPasskeyUse(sql, { id, counter, synced }))) {
        throw new AppError('invalid_credentials');
      }
      return await openSession(sql, context, { storeId, userId, reach: 'joined', openedBy: 'passkey', previous });
    });
  };

async function verified(
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
