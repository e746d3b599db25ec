import type { joinStore as operation, ReplyOf } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import type { Context } from '@mostrador/kit/rpc/context';
import { AppError, validationFailed } from '@mostrador/kit/rpc/errors';
import { type Handler, type Later, later } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import { assertPassword } from '../credentials/assert-password.ts';
import { findCredentials, openStore } from '../credentials/credential.repository.ts';
import { rememberDevice } from '../credentials/devices.ts';
import { ofUser, recordingFailure } from '../credentials/failed-sign-ins.ts';
import type { Dependencies } from '../dependencies.ts';
import { findSigningPasskey, recordPasskeyUse, takeChallenge } from '../passkeys/passkey.repository.ts';
import { requireRelyingParty } from '../passkeys/relying-party.ts';
import { signatureOf } from '../passkeys/signature.ts';
import { lockPerson } from '../people/person.repository.ts';
import { openSession } from '../sessions/open-session.ts';
import { reachAfter } from '../sessions/reach.ts';
import type { SessionRow } from '../sessions/session.repository.ts';
import { requireOpenSession, requireSession } from '../sessions/session.ts';

type Reply = ReplyOf<typeof operation>;

/**
 * Only this lets a password or passkey that exists open another store. The session shows that the store let the person in,
 * and the person proves in this request that they have what opens it from then on. What else they have stays outside: a
 * passkey may be one that the owner of another store made.
 */
export const joinStore =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body: { password, answer } }) => {
    const session = await requireSession(dependencies.systemDatabase, context);
    if (password !== undefined && answer === undefined) {
      return await joinWithPassword(dependencies, context, { session, password });
    }
    if (answer !== undefined && password === undefined) {
      return await joinWithPasskey(dependencies, context, { session, answer });
    }
    throw validationFailed([{ pointer: '#', detail: 'must have either `password` or `answer`' }]);
  };

async function joinWithPassword(
  dependencies: Dependencies,
  context: Context,
  { session, password }: { session: SessionRow; password: string },
): Promise<Later<Reply>> {
  const { systemDatabase, passwords } = dependencies;
  const { email } = session;
  passwords.assertRoom(email.toLowerCase());
  const credentials = await systemDatabase.read(context, (sql) => findCredentials(sql, session));
  return later(async () => {
    await assertPassword(dependencies, context, { session, password, credentials });
    return await systemDatabase.write(context, async (sql) => {
      await lockPerson(sql, session.user_id);
      const { password_hash: current } = await findCredentials(sql, session);
      if (current !== credentials.password_hash) throw new AppError('wrong_password');
      const device_token = await rememberDevice(sql, context, session.user_id);
      return { ...(await join(sql, context, session, null)), device_token };
    });
  });
}

async function joinWithPasskey(
  { systemDatabase, publicUrl }: Dependencies,
  context: Context,
  { session, answer }: { session: SessionRow; answer: Record<string, unknown> },
): Promise<Reply> {
  const party = requireRelyingParty(publicUrl);
  const credentialId = typeof answer.id === 'string' ? answer.id : '';
  const passkey = await systemDatabase.read(context, (sql) => findSigningPasskey(sql, credentialId));
  // The passkey of another person proves nothing about this one.
  if (passkey?.user_id !== session.user_id) throw new AppError('invalid_credentials');
  const take = async (challenge: string) =>
    (await systemDatabase.write(context, (sql) => takeChallenge(sql, challenge, session.id))) !== undefined;
  const { user_id: userId, store_id: storeId } = session;
  const whom = async () => ofUser(userId, [storeId]);
  return await recordingFailure({ systemDatabase, context, method: 'passkey', whom }, async () => {
    const { newCounter: counter, credentialBackedUp: synced } = await signatureOf(answer, party, passkey, take);
    return await systemDatabase.write(context, async (sql) => {
      await lockPerson(sql, userId);
      const use = { id: passkey.id, counter, synced };
      if (!(await recordPasskeyUse(sql, use))) throw new AppError('invalid_credentials');
      return await join(sql, context, session, passkey.id);
    });
  });
}

/** The session goes on under a new token, as one that was opened with the proof. */
async function join(
  sql: TransactionSql,
  context: Context,
  session: SessionRow,
  passkeyId: string | null,
): Promise<Reply> {
  const { store_id: storeId, user_id: userId } = session;
  await requireOpenSession(sql, session.id);
  const proof = passkeyId === null ? 'password' : 'passkey';
  await openStore(sql, { storeId, userId, passkeyId });
  await appendAudit(sql, context, [
    { storeId, actorId: userId, action: 'store.joined', subjectId: userId, details: { proof } },
  ]);
  return await openSession(sql, context, {
    ...{ storeId, userId, reach: reachAfter(proof, session), openedBy: proof, passkeyId, previous: session },
  });
}
