import { cancelMessage as operation } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { withIdempotency } from '@mostrador/kit/idempotency/idempotency';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import type { MessageRow } from '../messages/message.ts';
import { requireMessage } from '../messages/require-message.ts';
import { lockMessage } from './lock-message.ts';
import { saveCancelled } from './record-final.ts';
import { wakeDelivery } from './wake-overdue.ts';

/** A cancellation and the claim of a step exclude each other, because both hold the conversation's lock. */
export const cancelMessage =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const { database, outcomes, relay, notices } = dependencies;
    const result = await withIdempotency({
      database,
      context,
      operation,
      run: async (commit) => {
        const found = await requireMessage(dependencies, context, params);
        return await commit((sql) => cancel(sql, context.storeId, found));
      },
      toReply: ({ id }: MessageRow) => ({ cancelled: true as const, id }),
    });
    outcomes.announce(params.messageId.toLowerCase());
    relay.nudge();
    notices.publish(context.storeId, params.leadId.toLowerCase());
    return result;
  };

async function cancel(sql: TransactionSql, storeId: string, found: MessageRow): Promise<MessageRow> {
  const { message } = await lockMessage(sql, storeId, found);
  const { status } = message;
  if (status !== 'queued') {
    throw new AppError('message_not_queued', {
      detail: `The message is ${status}. Only a queued message can be cancelled.`,
      members: { current_status: status },
    });
  }
  const cancelled = await saveCancelled(sql, storeId, message, null);
  await appendOutbox(sql, storeId, [
    ...cancelled.entries,
    // The messages behind it waited for it.
    wakeDelivery(storeId, 'message_settled'),
  ]);
  return cancelled.message;
}
