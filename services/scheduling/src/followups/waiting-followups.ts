import { followupWorkflow } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { Changed, WaitingSource } from '@mostrador/kit/step/waiting';
import { toWaitingItem, type WaitingCause } from '@mostrador/kit/step/waiting-item';
import { cancelLocked } from './cancel-followup.ts';
import { lockFollowup } from './followup.repository.ts';
import type { FollowupRow } from './followup.ts';
import { wakeFollowup } from './followup.ts';
import { restored } from './restored.ts';
import {
  findFollowupStores,
  findWaitingFollowups,
  saveFollowupRetry,
  type WaitingFollowupRow,
} from './waiting.repository.ts';

/** Follow-ups that are due. Once messaging has accepted one, its message waits instead. */
export const waitingFollowups: WaitingSource = {
  async find(sql, storeId, rows) {
    const found = await findWaitingFollowups(sql, storeId, rows);
    return found.map((row) =>
      toWaitingItem({ ...row, kind: 'followup', workflow_id: followupWorkflow.workflowId(row.id) }, causeOf(row)),
    );
  },

  findStores: findFollowupStores,

  async retry(sql, storeId, item, { named }) {
    const found = await lockWaiting(sql, storeId, item.id);
    if (typeof found === 'string') return found;
    const released = isHeld(found);
    // It may have been sent already, so only who names it can want it again.
    if (released && !named) return 'restored';
    await saveFollowupRetry(sql, storeId, found.id, { released });
    await appendOutbox(sql, storeId, [wakeFollowup(found, 'retried')]);
    return 'done';
  },

  async giveUp(sql, storeId, item) {
    const found = await lockWaiting(sql, storeId, item.id);
    if (typeof found === 'string') return found;
    // Messaging may have it: only its answer tells.
    if (found.status === 'sending') return 'handed_over';
    await cancelLocked(sql, storeId, found, 'api');
    return 'done';
  },
};

/** Locks the follow-up as the claim of a step does. Otherwise says why it is left as it is. */
async function lockWaiting(
  sql: TransactionSql,
  storeId: string,
  id: string,
): Promise<Exclude<Changed, 'done'> | FollowupRow> {
  const found = await lockFollowup(sql, storeId, id);
  if (!found) return 'not_waiting';
  const { followup, now } = found;
  if ((followup.status !== 'pending' && followup.status !== 'sending') || followup.due_at > now) return 'not_waiting';
  if (followup.lease_until && followup.lease_until > now) return 'running';
  return followup.message_id === null ? followup : 'handed_over';
}

const isHeld = ({ status, error_code }: Pick<FollowupRow, 'status' | 'error_code'>): boolean =>
  status === 'pending' && error_code === restored.code;

/** Why a follow-up waits. Pure. */
function causeOf(row: WaitingFollowupRow): WaitingCause {
  const { now, lease_until, next_attempt_at: until, error_code: code } = row;
  if (lease_until && lease_until > now) return { reason: 'running', until: lease_until };
  if (isHeld(row)) return { reason: 'restored', until: null };
  if (until <= now) return { reason: 'due', until, code };
  if (code === 'channel_not_connected') return { reason: 'not_connected', until, code };
  return { reason: code === null ? 'postponed' : 'failed_attempt', until, code };
}
