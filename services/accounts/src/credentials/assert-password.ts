import type { Context } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Dependencies } from '../dependencies.ts';
import { beginAttempt } from './attempts.ts';
import type { Credentials } from './credential.repository.ts';

/** Throws `wrong_password` unless this is the current password of the person; `quota_exceeded` when the account waits. */
export async function assertPassword(
  { systemDatabase, passwords }: Dependencies,
  context: Context,
  { email, password, credentials }: { email: string; password: string; credentials: Credentials },
): Promise<void> {
  const attempt = await beginAttempt(systemDatabase, context, email);
  const matches = async () =>
    (await passwords.matches(password, credentials.password_hash, email.toLowerCase())) || undefined;
  if (!(await attempt(matches))) throw new AppError('wrong_password');
}
