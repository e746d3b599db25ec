import type { createPasskeySession as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { findLastStore } from '../credentials/credential.repository.ts';
import { storesOfPasskey } from '../credentials/failed-sign-in.repository.ts';
import { ofUser, recordingFailure } from '../credentials/failed-sign-ins.ts';
import type { Dependencies } from '../dependencies.ts';
import { lockPerson } from '../people/person.repository.ts';
import { openSession } from '../sessions/open-session.ts';
import { currentSession } from '../sessions/session.ts';
import { findSigningPasskey, recordPasskeyUse, takeChallenge } from './passkey.repository.ts';
import { requireRelyingParty } from './relying-party.ts';
import { signatureOf } from './signature.ts';

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
    const { id, user_id: userId } = passkey;
    const previous = await currentSession(systemDatabase, context);
    const signIn = async () => {
      const { newCounter: counter, credentialBackedUp: synced } = await signatureOf(answer, party, passkey, take);
      return await systemDatabase.write(context, async (sql) => {
        const isEnabled = await lockPerson(sql, userId);
        const storeId = await findLastStore(sql, userId, id);
        if (!isEnabled || storeId === null || !(await recordPasskeyUse(sql, { id, counter, synced }))) {
          throw new AppError('invalid_credentials');
        }
        return await openSession(sql, context, {
          ...{ storeId, userId, reach: 'joined', openedBy: 'passkey', passkeyId: id, previous },
        });
      });
    };
    const whom = async () => ofUser(userId, await systemDatabase.read(context, (sql) => storesOfPasskey(sql, id)));
    return await recordingFailure({ systemDatabase, context, method: 'passkey', whom }, signIn);
  };
