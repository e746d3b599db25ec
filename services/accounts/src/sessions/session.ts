import type { PersonSession } from '@mostrador/contracts';
import type { Sql, SystemDatabase } from '@mostrador/kit/database/database';
import type { Context } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import { requireRole } from '@mostrador/kit/rpc/person';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import { hasHash, sessionForm } from '@mostrador/kit/tokens/token';
import { findSession, type SessionRow, touchSession } from './session.repository.ts';
import { isOpen } from './session-rules.ts';

/** The session of a request, unless it has ended. Nothing is cached: who is disabled is refused from then on. */
export async function currentSession(systemDatabase: SystemDatabase, context: Context): Promise<SessionRow | null> {
  const token = context.session ?? '';
  const id = sessionForm.idOf(token);
  if (id === undefined) return null;
  const session = await systemDatabase.read(context, (sql) => findSession(sql, id));
  return session && hasHash(token, session.token_hash) && isOpen(session) ? session : null;
}

/**
 * The session of a request, which is then in use. This is the only check of a role in this service: the contract of the
 * operation names the role. Throws `invalid_session` or `role_required`.
 */
export async function requireSession(systemDatabase: SystemDatabase, context: Context): Promise<SessionRow> {
  if (context.neededRole === undefined) throw new Error('the contract does not say who may call this operation');
  const session = await currentSession(systemDatabase, context);
  if (session === null) throw new AppError('invalid_session');
  if (isDueForTouch(session)) await systemDatabase.write(context, (sql) => touchSession(sql, session.id));
  requireRole(session, context.neededRole);
  return session;
}

/** Throws `invalid_session` when the session has ended meanwhile. The caller has locked the person. */
export async function requireOpenSession(sql: Sql, id: string): Promise<void> {
  const session = await findSession(sql, id);
  if (!session || !isOpen(session)) throw new AppError('invalid_session');
}

const isDueForTouch = ({ now, last_seen_at }: SessionRow): boolean => now.getTime() - last_seen_at.getTime() > 60_000;

export const toPersonSession = (row: SessionRow): PersonSession => ({
  id: row.id,
  user: { id: row.person_id, name: row.user_name, email: row.email },
  store: { id: row.store_id, name: row.store_name },
  role: row.role,
  seller_id: row.seller_id,
  created_at: toTimestamp(row.signed_in_at),
  expires_at: toTimestamp(row.expires_at),
});
