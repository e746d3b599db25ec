import type { SendingWindows } from '@mostrador/contracts';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import type { Dependencies } from '../dependencies.ts';
import { wakeFollowup } from './followup.ts';
import { planAttempt } from './sending-window.ts';
import { findSendingWindows, lockPendingAfter, moveAttempts, type Planned } from './sending-windows.repository.ts';
import { zoneFor } from './store-zone.ts';

const batch = 1_000;
const beforeAnyId = '00000000-0000-0000-0000-000000000000';

/**
 * Plans the next attempt of every pending follow-up with the current windows and zone. Each batch is a transaction.
 * Idempotent. After a crash, a step checks the window of each remaining follow-up when it is due.
 */
export async function replanPending(
  { database, rpc, relay }: Pick<Dependencies, 'database' | 'rpc' | 'relay'>,
  context: StoreContext,
): Promise<void> {
  const { storeId } = context;
  const windows = await database.read(context, (sql) => findSendingWindows(sql, storeId));
  const zone = await zoneFor(windows, rpc, context);
  for (let after: string | undefined = beforeAnyId; after !== undefined; ) {
    const from: string = after;
    after = await database.write(context, async (sql) => {
      const { rows, now } = await lockPendingAfter(sql, storeId, from, batch);
      const moved = rows.flatMap((row) => {
        const next_attempt_at = planAgain(row, windows, zone, now);
        return next_attempt_at.getTime() === row.next_attempt_at.getTime() ? [] : [{ ...row, next_attempt_at }];
      });
      if (moved.length > 0) {
        await moveAttempts(sql, storeId, moved);
        await appendOutbox(
          sql,
          storeId,
          moved.map((row) => wakeFollowup(row, 'rescheduled')),
        );
      }
      return rows.length < batch ? undefined : rows.at(-1)?.id;
    });
    relay.nudge();
  }
}

/** Plans from `due_at`. After a failed attempt it plans from the time of the retry instead. */
function planAgain(row: Planned, windows: SendingWindows, zone: string, now: Date): Date {
  const asked = row.error_code !== null && row.next_attempt_at > row.due_at ? row.next_attempt_at : row.due_at;
  // An overdue follow-up is tried now or at the next opening, never at a past one.
  if (asked >= now) return planAttempt(windows, zone, asked, row.id);
  const planned = planAttempt(windows, zone, now, row.id);
  return planned.getTime() === now.getTime() ? asked : planned;
}
