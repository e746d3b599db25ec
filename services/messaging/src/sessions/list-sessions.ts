import type { listSessions as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { requireLead } from '../conversations/require-lead.ts';
import type { Dependencies } from '../dependencies.ts';
import { listSessions as listRows } from './session.repository.ts';
import { toSession } from './session.ts';

export const listSessions =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const rows = await dependencies.database.read(context, (sql) => listRows(sql, context.storeId, params.leadId));
    if (rows.length === 0) await requireLead(dependencies, context, params.leadId);
    return rows.map(toSession);
  };
