import { type createPersonSession as operation, sessionDays } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { hasHash, loginLinkForm, sessionForm } from '@mostrador/kit/tokens/token';
import { appendAudit } from '../audit/audit.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import {
  endSessionRow,
  findSession,
  insertSession,
  lockLoginLink,
  type SessionRow,
  useLoginLink,
} from './session.repository.ts';
import { currentSession, toPersonSession } from './session.ts';
import { isUsable } from './session-rules.ts';

const mostAgentCharacters = 300;

/** Every session gets a new token, so a cookie that somebody planted in the browser opens nothing. */
export const createPersonSession =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { token: linkToken } }) => {
    const linkId = loginLinkForm.idOf(linkToken);
    if (linkId === undefined) throw new AppError('invalid_login_link');
    const previous = await currentSession(systemDatabase, context);
    const { id, token, hash } = sessionForm.make();
    const { address = 'unknown', agent } = context.client ?? {};

    const session = await systemDatabase.write(context, async (sql: TransactionSql) => {
      const link = await lockLoginLink(sql, linkId);
      if (!link || !hasHash(linkToken, link.token_hash) || !isUsable(link)) throw new AppError('invalid_login_link');
      const { store_id: storeId, user_id: userId, reach } = link;
      await useLoginLink(sql, linkId);
      if (previous) await endSessionRow(sql, { userId: previous.user_id, storeId: null }, previous.id);
      await insertSession(sql, {
        id,
        hash,
        storeId,
        userId,
        reach,
        days: sessionDays,
        address,
        agent: agent?.slice(0, mostAgentCharacters) ?? null,
      });
      await appendAudit(sql, context, [{ storeId, actorId: userId, action: 'session.opened', subjectId: id }]);
      return (await findSession(sql, id)) as SessionRow;
    });
    return { session_token: token, session: toPersonSession(session) };
  };
