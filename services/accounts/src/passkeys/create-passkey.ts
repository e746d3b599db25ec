import { mostPasskeys, type createPasskey as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { type RegistrationResponseJSON, verifyRegistrationResponse } from '@simplewebauthn/server';
import { appendAudit } from '../audit/audit.repository.ts';
import { joinStore, lockCredentials } from '../credentials/credential.repository.ts';
import { sessionProof } from '../credentials/session-proof.ts';
import type { Dependencies } from '../dependencies.ts';
import { markProved } from '../sessions/session.repository.ts';
import { requireSession } from '../sessions/session.ts';
import { algorithms } from './algorithms.ts';
import { insertPasskey, listCredentialIds, takeChallenge } from './passkey.repository.ts';
import { type RelyingParty, requireRelyingParty } from './relying-party.ts';

/**
 * Only the session that asked for the challenge answers it, once. A person who had no password and no passkey then must
 * still have none: the holder of this link must not get into a store that the person joined meanwhile.
 */
export const createPasskey =
  ({ systemDatabase, publicUrl }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { name, answer } }) => {
    const party = requireRelyingParty(publicUrl);
    const session = await requireSession(systemDatabase, context);
    const { user_id: userId, store_id: storeId } = session;
    let taken: { proved: boolean } | undefined;
    const made = await verified(answer, party, async (challenge) => {
      taken = await systemDatabase.write(context, (sql) => takeChallenge(sql, challenge, session.id));
      return taken !== undefined;
    });
    return await systemDatabase.write(context, async (sql) => {
      const credentials = await lockCredentials(sql, session);
      if (!taken?.proved && sessionProof(session, credentials) !== 'first') throw new AppError('proof_required');
      if ((await listCredentialIds(sql, userId)).length >= mostPasskeys) throw new AppError('passkey_limit');
      const passkey = await insertPasskey(sql, { userId, name, ...made });
      if (!passkey) throw new AppError('passkey_rejected');
      await joinStore(sql, { storeId, userId });
      await markProved(sql, session.id, 'passkey');
      await appendAudit(sql, context, [{ storeId, actorId: userId, action: 'passkey.created', subjectId: passkey.id }]);
      return passkey;
    });
  };

async function verified(
  answer: Record<string, unknown>,
  { id, origin }: RelyingParty,
  expectedChallenge: (challenge: string) => Promise<boolean>,
) {
  const response = answer as unknown as RegistrationResponseJSON;
  const found = await verifyRegistrationResponse({
    ...{ response, expectedChallenge, expectedOrigin: origin, expectedRPID: id },
    supportedAlgorithmIDs: algorithms,
  }).catch((cause) => {
    throw cause instanceof AppError ? cause : new AppError('passkey_rejected', { cause });
  });
  if (!found.verified) throw new AppError('passkey_rejected');
  const { credential, credentialBackedUp: synced } = found.registrationInfo;
  const { id: credentialId, publicKey, counter, transports = [] } = credential;
  return { credentialId, publicKey, counter, synced, transports: transports.filter(isWord).slice(0, 10) };
}

/** The browser says it, and nothing checks it. */
const isWord = (transport: unknown): transport is string =>
  typeof transport === 'string' && /^[a-z-]{1,20}$/.test(transport);
