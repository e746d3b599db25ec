import type { settleMessage as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { StatusUpdate } from '../channels/channel-provider.ts';
import type { Dependencies } from '../dependencies.ts';
import { findMessage } from '../messages/message.repository.ts';
import { toMessage } from '../messages/message.ts';
import { applyStatusUpdates } from './apply-status-updates.ts';
import { lockMessage } from './lock-message.ts';

/** An operator sets the outcome of an `unknown` message. A later status update from the provider still counts. */
export const settleMessage =
  ({ database, outcomes, relay, notices }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { storeId } = context;
    const settled = await database.write(context, async (sql) => {
      const found = await findMessage(sql, storeId, body.message_id);
      if (!found) throw new AppError('message_not_found', { detail: 'The store has no message with this id.' });
      const { message } = await lockMessage(sql, storeId, found);
      if (message.status !== 'unknown') {
        throw new AppError('message_not_unknown', { members: { current_status: message.status } });
      }
      return await applyStatusUpdates(sql, storeId, message, [settlementOf(body.status)]);
    });
    outcomes.announce(settled.id);
    relay.nudge();
    notices.publish(storeId, settled.lead_id);
    return toMessage(settled);
  };

/** The outcome that a person sets. */
export const settlementOf = (status: 'sent' | 'failed'): StatusUpdate => ({
  status,
  at: new Date(),
  ...(status === 'failed' && {
    error: { code: 'settled_as_failed', detail: 'An operator settled the message as failed.' },
  }),
});
