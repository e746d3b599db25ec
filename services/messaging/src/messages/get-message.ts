import type { getMessage as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { requireLead } from '../conversations/require-lead.ts';
import type { Dependencies } from '../dependencies.ts';
import { findMessage } from './message.repository.ts';
import { toMessage } from './message.ts';

export const getMessage =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const { database } = dependencies;
    const row = await database.read(context, (sql) => findMessage(sql, context.storeId, params.messageId));
    if (row?.lead_id === params.leadId.toLowerCase()) return toMessage(row);
    // A merge may have moved the message. Then the error names the lead that has it now.
    if (row) await requireLead(dependencies, context, params.leadId);
    throw new AppError('message_not_found');
  };
