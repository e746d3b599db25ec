import { mostPasskeys, type createPasskey as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { type RegistrationResponseJSON, verifyRegistrationResponse } from '@simplewebauthn/server';
import { appendAudit } from '../audit/audit.repository.ts';
import { findCredentials, openSameStores, openStore, opensStore } from '../credentials/credential.repository.ts';
import { sessionProof } from '../credentials/session-proof.ts';
import type { Dependencies } from '../dependencies.ts';
import { lockPerson } from '../people/person.repository.ts';
import { markProved } from '../sessions/session.repository.ts';
import { requireOpenSession, requireSession } from '../sessions/session.ts';
import { insertPasskey, listCredentialIds, type TakenChallenge, takeChallenge } from './passkey.repository.ts';
import { algorithms, type RelyingParty, requireRelyingParty } from './relying-party.ts';

/**
 * Only the session that asked for the challenge answers it, once. A person who had no password and no passkey then must
 * still have none: the holder of this link must not get into a store that the person joined meanwhile. A passkey opens what
 * its proof opens: the session's own password or passkey, the password that was given, or else the store of the link.
 */
export const createPasskey =
  ({ systemDatabase, publicUrl }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { name, answer } }) => {
    const party = requireRelyingParty(publicUrl);
    const session = await requireSession(systemDatabase, context);
    const { user_id: userId, store_id: storeId } = session;
    let taken: TakenChallenge | undefined;
    const made = await verified(answer, party, async (challenge) => {
      taken = await systemDatabase.write(context, (sql) => takeChallenge(sql, challenge, session.id));
      return taken !== undefined;
    });
    return await systemDatabase.write(context, async (sql) => {
      await lockPerson(sql, userId);
      await requireOpenSession(sql, session.id);
      const credentials = await findCredentials(sql, session);
      if (!taken?.proved && sessionProof(session, credentials) !== 'first') throw new AppError('proof_required');
      if ((await listCredentialIds(sql, userId)).length >= mostPasskeys) throw new AppError('passkey_limit');
      const passkey = await insertPasskey(sql, { userId, name, ...made });
      if (!passkey) throw new AppError('passkey_rejected');
      const passkeyId = passkey.id;
      const as = taken?.by_password ? null : session.passkey_id;
      // A session that no password or passkey opened shows only its own store.
      const isKnown = as !== null || taken?.by_password || session.opened_by === 'password';
      if (!taken?.proved || !isKnown) await openStore(sql, { storeId, userId, passkeyId });
      else if (!(await openSameStores(sql, { userId, passkeyId, as }))) throw new AppError('proof_required');
      if (await opensStore(sql, { storeId, userId, passkeyId })) await markProved(sql, session, passkeyId);
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
