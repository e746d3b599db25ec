import type { createOidcSession, ReplyOf } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import type { Context } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import { appendAudit } from '../audit/audit.repository.ts';
import { confirmStore, useIdentity } from '../oidc/oidc.repository.ts';
import type { OidcIdentity } from '../oidc/oidc-provider.ts';
import { openSession } from '../sessions/open-session.ts';
import { reachAfter } from '../sessions/reach.ts';
import type { SessionRow } from '../sessions/session.repository.ts';
import { requireOpenSession } from '../sessions/session.ts';

/**
 * The account that the person has at the provider opens the store of the session too, whatever its address is now. The
 * caller has locked the person.
 */
export async function joinWithAccount(
  sql: TransactionSql,
  context: Context,
  { identity, session }: { identity: OidcIdentity; session: SessionRow },
): Promise<ReplyOf<typeof createOidcSession>> {
  const { store_id: storeId, user_id: userId } = session;
  const person = await useIdentity(sql, identity);
  if (person?.user_id !== userId) throw new AppError('oidc_refused');
  await requireOpenSession(sql, session.id);
  await confirmStore(sql, { storeId, userId });
  await appendAudit(sql, context, [
    { storeId, actorId: userId, action: 'store.joined', subjectId: userId, details: { proof: 'oidc' } },
  ]);
  const reach = reachAfter('oidc', session);
  return await openSession(sql, context, { storeId, userId, reach, openedBy: 'oidc', previous: session });
}
