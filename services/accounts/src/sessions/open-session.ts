import { type PersonSession, sessionDays } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import type { Context } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import { sessionForm } from '@mostrador/kit/tokens/token';
import { appendAudit } from '../audit/audit.repository.ts';
import type { OpenedBy, Reach } from './reach.ts';
import { endSessionRow, findSession, insertSession, type SessionRow } from './session.repository.ts';
import { toPersonSession } from './session.ts';

const mostAgentCharacters = 300;

export type NewSession = {
  readonly storeId: string;
  readonly userId: string;
  readonly reach: Reach;
  readonly openedBy: OpenedBy;
  /** The passkey that opens it. */
  readonly passkeyId?: string | null;
  /** The session that the browser had: it ends. */
  readonly previous: SessionRow | null;
  /** The session whose times it keeps, because the person gave no new proof of who they are. */
  readonly continues?: Pick<SessionRow, 'signed_in_at' | 'expires_at'>;
};

/** Every session gets a new token, so a cookie that an attacker planted in the browser opens nothing. */
export async function openSession(
  sql: TransactionSql,
  context: Context,
  { storeId, userId, reach, openedBy, passkeyId = null, previous, continues }: NewSession,
): Promise<{ session_token: string; session: PersonSession }> {
  const { id, token, hash } = sessionForm.make();
  const { address = 'unknown', agent } = context.client ?? {};
  const hasEnded = previous !== null && (await endSessionRow(sql, previous.id));
  // The previous session has ended meanwhile, so it must not continue in a new one.
  if (continues && !hasEnded) throw new AppError('invalid_session');
  await insertSession(sql, {
    ...{ id, hash, storeId, userId, reach, openedBy, passkeyId, address, days: sessionDays },
    signedInAt: continues?.signed_in_at ?? null,
    expiresAt: continues?.expires_at ?? null,
    agent: agent?.slice(0, mostAgentCharacters) ?? null,
  });
  const details = { method: openedBy };
  await appendAudit(sql, context, [{ storeId, actorId: userId, action: 'session.opened', subjectId: id, details }]);
  return { session_token: token, session: toPersonSession((await findSession(sql, id)) as SessionRow) };
}
