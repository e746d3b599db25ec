import type { checkPersonSessions as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { hasHash, sessionForm } from '@mostrador/kit/tokens/token';
import type { Dependencies } from '../dependencies.ts';
import { toAuthorized } from './authorize-person.ts';
import { findSessions } from './session.repository.ts';
import { isOpen } from './session-rules.ts';

/** One statement for all of them, so that a gateway with thousands of open pages costs little. */
export const checkPersonSessions =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { tokens } }) => {
    const ids = tokens.map((token) => sessionForm.idOf(token));
    const known = [...new Set(ids.filter((id) => id !== undefined))];
    const rows = known.length === 0 ? [] : await systemDatabase.read(context, (sql) => findSessions(sql, known));
    const byId = new Map(rows.map((row) => [row.id, row]));
    const sessions = tokens.map((token, index) => {
      const row = byId.get(ids[index] ?? '');
      return row && hasHash(token, row.token_hash) && isOpen(row) ? toAuthorized(row, row) : null;
    });
    return { sessions };
  };
