import type { Context } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Dependencies } from '../dependencies.ts';
import type { SessionRow } from '../sessions/session.repository.ts';
import { beginAttempt } from './attempts.ts';
import type { Credentials } from './credential.repository.ts';
import { ownDevice } from './devices.ts';
import { ofAddress, recordingFailure } from './failed-sign-ins.ts';

/** Throws `wrong_password` unless this is the current password of the person; `quota_exceeded` when the account waits. */
export async function assertPassword(
  { systemDatabase, passwords }: Dependencies,
  context: Context,
  { session, password, credentials }: { session: SessionRow; password: string; credentials: Credentials },
): Promise<void> {
  const { email, user_id: userId, store_id: storeId } = session;
  const whom = ofAddress(email, { userId, storeIds: [storeId] });
  await recordingFailure({ systemDatabase, context, method: 'password', whom: async () => whom }, async () => {
    const device = await ownDevice(systemDatabase, context, userId);
    const attempt = await beginAttempt(systemDatabase, context, { email, device });
    const matches = async () =>
      (await passwords.matches(password, credentials.password_hash, email.toLowerCase())) || undefined;
    if (!(await attempt(matches))) throw new AppError('wrong_password');
  });
}
