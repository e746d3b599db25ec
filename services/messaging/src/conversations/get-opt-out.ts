import type { getOptOut as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { findConversation } from './conversation.repository.ts';

export const getOptOut =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const conversation = await database.read(context, (sql) => findConversation(sql, context.storeId, body.lead_id));
    const { opted_out_at = null, ai_paused_until: pause = null } = conversation ?? {};
    return {
      opted_out_at: opted_out_at && toTimestamp(opted_out_at),
      ai_paused_until: pause && pause.getTime() > Date.now() ? toTimestamp(pause) : null,
    };
  };
