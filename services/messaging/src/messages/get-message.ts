import type { getMessage as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findMessage } from './message.repository.ts';
import { toMessage } from './message.ts';

export const getMessage =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const row = await database.read(context, (sql) => findMessage(sql, context.storeId, params.messageId));
    if (row?.lead_id !== params.leadId.toLowerCase()) throw new AppError('message_not_found');
    return toMessage(row);
  };
