import { calendarWatchWorkflow } from '@mostrador/contracts';
import { appendOutbox, wakeWorkflow } from '@mostrador/kit/outbox/outbox';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import type { WaitingSource } from '@mostrador/kit/step/waiting';
import { toWaitingItem, type WaitingCause } from '@mostrador/kit/step/waiting-item';
import {
  findWaitingWatches,
  findWatchStores,
  lockWaitingWatch,
  saveWatchRetry,
  type WaitingWatchRow,
} from './waiting.repository.ts';

/** Connected calendars whose next read is due, or whose last one failed. Only an operator sees them: most wait for a moment. */
export const waitingWatches: WaitingSource = {
  async find(sql, storeId, rows) {
    const found = await findWaitingWatches(sql, storeId, rows);
    return found.map((row) => {
      const { id, attempts, since } = row;
      const workflow_id = calendarWatchWorkflow.workflowId(id);
      return toWaitingItem({ kind: 'calendar_watch', id, lead_id: null, attempts, since, workflow_id }, causeOf(row));
    });
  },

  findStores: findWatchStores,

  async retry(sql, storeId, { id }) {
    const watch = await lockWaitingWatch(sql, storeId, id);
    if (!watch) return 'not_waiting';
    const { reason } = causeOf(watch);
    if (reason === 'running' || reason === 'needs_attention') return reason;
    await saveWatchRetry(sql, storeId, id);
    await appendOutbox(sql, storeId, [wakeWorkflow('calendarWatch', id, 'overdue')]);
    return 'done';
  },

  async giveUp() {
    const detail =
      'must not be `calendar_watch`: a calendar is read while it is connected. `calendar disconnect` ends it.';
    throw validationFailed([{ pointer: '#/kind', detail }]);
  },
};

/** Why a calendar waits. Pure. */
function causeOf({ now, lease_until, wake_at, needs_attention, last_error_code: code }: WaitingWatchRow): WaitingCause {
  if (lease_until && lease_until > now) return { reason: 'running', until: lease_until };
  if (needs_attention) return { reason: 'needs_attention', until: null, code };
  if (wake_at > now) return { reason: 'failed_attempt', until: wake_at, code };
  return { reason: 'due', until: wake_at, code };
}
