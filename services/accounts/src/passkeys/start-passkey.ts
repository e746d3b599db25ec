import { mostPasskeys, type startPasskey as operation, passkeyChallengeMinutes } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { type Handler, later } from '@mostrador/kit/rpc/server';
import { generateRegistrationOptions } from '@simplewebauthn/server';
import { assertPassword } from '../credentials/assert-password.ts';
import { findCredentials } from '../credentials/credential.repository.ts';
import { sessionProof } from '../credentials/session-proof.ts';
import type { Dependencies } from '../dependencies.ts';
import { requireSession } from '../sessions/session.ts';
import { insertChallenge, listCredentialIds } from './passkey.repository.ts';
import { algorithms, requireRelyingParty } from './relying-party.ts';

/** The passkey is kept by the browser with the person's id in the store (`residentKey`), so a sign-in needs no address. */
export const startPasskey =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body: { current_password: current } }) => {
    const { systemDatabase, passwords, publicUrl } = dependencies;
    const party = requireRelyingParty(publicUrl);
    const session = await requireSession(systemDatabase, context);
    const { user_id: userId, email, user_name: name } = session;
    const [credentials, existing] = await systemDatabase.read(context, (sql) =>
      Promise.all([findCredentials(sql, session), listCredentialIds(sql, userId)]),
    );
    const proof = sessionProof(session, credentials);
    if (current === undefined && proof !== 'proved' && proof !== 'first') throw new AppError('proof_required');
    if (current !== undefined) passwords.assertRoom(email.toLowerCase());
    if (existing.length >= mostPasskeys) throw new AppError('passkey_limit');
    return later(async () => {
      if (current !== undefined) {
        await assertPassword(dependencies, context, { session, password: current, credentials });
      }
      const options = await generateRegistrationOptions({
        rpName: 'Mostrador',
        rpID: party.id,
        // The id in `users` would tell the holder of a link when another store invited the person.
        userID: new TextEncoder().encode(session.person_id),
        userName: email,
        userDisplayName: name,
        timeout: passkeyChallengeMinutes * 60_000,
        excludeCredentials: existing,
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        supportedAlgorithmIDs: algorithms,
      });
      const proved = current !== undefined || proof === 'proved';
      await systemDatabase.write(context, (sql) =>
        insertChallenge(sql, {
          ...{ challenge: options.challenge, sessionId: session.id, proved, byPassword: current !== undefined },
          minutes: passkeyChallengeMinutes,
        }),
      );
      return { options: { ...options } };
    });
  };
