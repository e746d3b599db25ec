import type { createPersonSession, ReplyOf } from '@mostrador/contracts';
import type { Context } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import { type Later, later } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { lockPerson } from '../people/person.repository.ts';
import { openSession } from '../sessions/open-session.ts';
import { currentSession } from '../sessions/session.ts';
import { beginAttempt } from './attempts.ts';
import { findLastStore, findPasswordOwner } from './credential.repository.ts';
import { ownDevice, rememberDevice } from './devices.ts';
import { findConcerned } from './failed-sign-in.repository.ts';
import { ofAddress, recordingFailure } from './failed-sign-ins.ts';

/**
 * An unknown, a disabled and a known account do the same work, so the time tells nothing. While the password waits for its
 * check, the request holds no slot of the request queue and no connection.
 */
export async function signInWithPassword(
  { systemDatabase, passwords }: Dependencies,
  context: Context,
  { email, password }: { email: string; password: string },
): Promise<Later<ReplyOf<typeof createPersonSession>>> {
  // The same text is counted and looked up, because PostgreSQL and JavaScript make different small letters.
  const address = email.toLowerCase();
  passwords.assertRoom(address);
  const found = await systemDatabase.read(context, (sql) => findPasswordOwner(sql, address));
  const whom = async () => ofAddress(address, await systemDatabase.read(context, (sql) => findConcerned(sql, address)));
  const recorded = <T>(work: () => Promise<T>) =>
    recordingFailure({ systemDatabase, context, method: 'password', whom }, work);
  const device = await ownDevice(systemDatabase, context, found?.user_id);
  const attempt = await recorded(() => beginAttempt(systemDatabase, context, { email: address, device }));
  const signIn = async () => {
    const owner = await attempt(async () =>
      (await passwords.matches(password, found?.hash ?? null, device ?? address)) ? found : undefined,
    );
    if (!owner) throw new AppError('invalid_credentials');
    const { user_id: userId } = owner;
    const previous = await currentSession(systemDatabase, context);
    return await systemDatabase.write(context, async (sql) => {
      const isEnabled = await lockPerson(sql, userId);
      const current = await findPasswordOwner(sql, address);
      // It was changed, or the person disabled, while it was checked.
      if (!isEnabled || current?.hash !== owner.hash) throw new AppError('invalid_credentials');
      const storeId = await findLastStore(sql, userId, null);
      if (storeId === null) throw new AppError('invalid_credentials');
      const device_token = await rememberDevice(sql, context, userId);
      const signed = { storeId, userId, reach: 'joined', openedBy: 'password', previous } as const;
      return { ...(await openSession(sql, context, signed)), device_token };
    });
  };
  return later(() => recorded(signIn));
}
