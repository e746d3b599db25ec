import type { StoreScope } from '@mostrador/kit/database/database';
import type { CallContext } from '@mostrador/kit/rpc/client';
import type { InboundEffect } from '../channels/channel-provider.ts';
import { saveCall } from '../conversations/conversation.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { isLate } from './came-at.ts';
import { changeConversation } from './change-conversation.ts';

/**
 * Opens the reply window for a customer who called. Repeats and any order are safe. A call that is told a day late
 * changes nothing. Errors are those of `changeConversation`.
 */
export async function takeCall(
  tools: Pick<Dependencies, 'database' | 'rpc'>,
  context: StoreScope & CallContext,
  channelId: string,
  call: Extract<InboundEffect, { kind: 'call' }>,
): Promise<void> {
  if (isLate(new Date(), call.at)) return;
  await changeConversation(tools, context, channelId, call, (sql, leadId) =>
    saveCall(sql, context.storeId, leadId, call.at),
  );
}
