import type { Sql } from '@mostrador/kit/database/database';
import { AppError } from '@mostrador/kit/rpc/errors';
import { type Credentials, findCredentials } from '../credentials/credential.repository.ts';
import type { SessionRow } from '../sessions/session.repository.ts';

/** An owner may hold the link of a session, so it sees no passkeys that open stores that the session does not. */
export const ownsPasskeys = ({ reach }: SessionRow, { joined_elsewhere }: Credentials): boolean =>
  reach === 'joined' || reach === 'all' || !joined_elsewhere;

/** @throws AppError `passkey_not_found` */
export async function assertOwnsPasskeys(sql: Sql, session: SessionRow): Promise<void> {
  const credentials = await findCredentials(sql, session);
  if (!ownsPasskeys(session, credentials)) throw new AppError('passkey_not_found');
}
