import type { releaseFollowups as operation } from '@mostrador/contracts';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { wakeFollowup } from '../followups/followup.ts';
import { restored } from '../followups/restored.ts';
import { releaseHeld } from './restore.repository.ts';

/** A released follow-up is sent as any other that is due, within the sending windows. */
export const releaseFollowups =
  ({ database, relay }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { storeId } = context;
    const released = await database.write(context, async (sql) => {
      const rows = await releaseHeld(sql, storeId, restored.code, body.followup_id);
      await appendOutbox(
        sql,
        storeId,
        rows.map((row) => wakeFollowup(row, 'rescheduled')),
      );
      return rows.length;
    });
    relay.nudge();
    return { released };
  };
