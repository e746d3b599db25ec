import type { noteCalendarChange as operation } from '@mostrador/contracts';
import { appendOutbox, wakeWorkflow } from '@mostrador/kit/outbox/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { hashToken } from '@mostrador/kit/tokens/token';
import type { Dependencies } from '../dependencies.ts';
import { findChannel, noteChange } from './channel.repository.ts';
import { leastPauseMs } from './channel.ts';

/** Lets a calendar be read soon, because it tells that something has changed. */
export const noteCalendarChange =
  ({ database, systemDatabase, relay }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const [channel] = await systemDatabase.read(context, (sql) => findChannel(sql, hashToken(body.token)));
    if (!channel) throw new AppError('webhook_refused', { detail: 'No calendar has a channel with this token.' });
    const { store_id: storeId, connection_id: id } = channel;
    await database.write({ storeId, deadline: context.deadline }, async (sql) => {
      if (await noteChange(sql, { storeId, id }, leastPauseMs)) {
        await appendOutbox(sql, storeId, [wakeWorkflow('calendarWatch', id, 'changed')]);
      }
    });
    relay.nudge();
    return { done: true as const };
  };
