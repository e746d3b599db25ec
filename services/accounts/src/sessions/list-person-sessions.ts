import { type listPersonSessions as operation, sessionIdleHours } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { listOpenSessions } from './session.repository.ts';
import { requireSession } from './session.ts';

export const listPersonSessions =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const session = await requireSession(systemDatabase, context);
    const rows = await systemDatabase.read(context, (sql) => listOpenSessions(sql, session, sessionIdleHours));
    const data = rows.map((row) => ({
      ...row,
      current: row.id === session.id,
      created_at: toTimestamp(row.created_at),
      last_seen_at: toTimestamp(row.last_seen_at),
      expires_at: toTimestamp(row.expires_at),
    }));
    return { data };
  };
