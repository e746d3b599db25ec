import type { getCredentials as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { requireSession } from '../sessions/session.ts';
import { findCredentials } from './credential.repository.ts';
import { replacesPassword } from './set-password.ts';

export const getCredentials =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const session = await requireSession(systemDatabase, context);
    const credentials = await systemDatabase.read(context, (sql) =>
      findCredentials(sql, session.user_id, session.store_id),
    );
    const { password_changed_at: changedAt } = credentials;
    return {
      password: changedAt && { changed_at: toTimestamp(changedAt) },
      needs_current_password: !replacesPassword(session, credentials),
    };
  };
