import { appointmentWorkflow } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { Changed, WaitingSource } from '@mostrador/kit/step/waiting';
import { toWaitingItem, type WaitingCause } from '@mostrador/kit/step/waiting-item';
import { wakeAppointment } from '../appointments/appointment.ts';
import { type ConnectionRow, findConnection } from '../calendars/connection.repository.ts';
import { lockSync, type SyncRow } from './sync.repository.ts';
import {
  findSyncStores,
  findWaitingSyncs,
  saveSyncGivenUp,
  saveSyncRetry,
  type WaitingSyncRow,
} from './waiting.repository.ts';

/** Appointments whose calendar event is not in step. */
export const waitingSyncs: WaitingSource = {
  async find(sql, storeId, rows) {
    const found = await findWaitingSyncs(sql, storeId, rows);
    return found.map((row) =>
      toWaitingItem(
        { ...row, kind: 'calendar_sync', workflow_id: appointmentWorkflow.workflowId(row.id) },
        causeOf(row),
      ),
    );
  },

  findStores: findSyncStores,

  async retry(sql, storeId, item) {
    const found = await lockWaiting(sql, storeId, item.id);
    if (typeof found === 'string') return found;
    // The next attempt would be refused like the last one.
    if (found.connection.status === 'needs_attention') return 'needs_attention';
    await saveSyncRetry(sql, storeId, item.id);
    await appendOutbox(sql, storeId, [wakeAppointment(item, 'retried')]);
    return 'done';
  },

  async giveUp(sql, storeId, item) {
    const found = await lockWaiting(sql, storeId, item.id);
    if (typeof found === 'string') return found;
    const { last_error_code: code } = found.sync;
    const why = code === null ? '' : ` Its last error was ${code}.`;
    await saveSyncGivenUp(sql, storeId, item.id, { code: givenUpCode, detail: `A person gave it up.${why}` });
    await appendOutbox(sql, storeId, [wakeAppointment(item, 'given_up')]);
    return 'done';
  },
};

const givenUpCode = 'given_up';

/** Locks the sync as the claim of a step does, and reads its connection. Otherwise says why it is left as it is. */
async function lockWaiting(
  sql: TransactionSql,
  storeId: string,
  appointmentId: string,
): Promise<Exclude<Changed, 'done'> | { sync: SyncRow; connection: ConnectionRow }> {
  const found = await lockSync(sql, storeId, appointmentId);
  const connection = found && (await findConnection(sql, storeId));
  if (!found || connection?.id !== found.sync.connection_id) return 'not_waiting';
  const { sync, now } = found;
  if (sync.state !== 'pending' && sync.state !== 'needs_attention') return 'not_waiting';
  if (sync.lease_until && sync.lease_until > now) return 'running';
  return { sync, connection };
}

/** Why a sync waits. Pure. */
function causeOf(row: WaitingSyncRow): WaitingCause {
  const { now, state, lease_until, next_attempt_at: until, last_error_code: code } = row;
  if (lease_until && lease_until > now) return { reason: 'running', until: lease_until };
  if (state === 'needs_attention') return { reason: 'needs_attention', until: null, code };
  if (row.connection_status === 'needs_attention') {
    return { reason: 'needs_attention', until: null, code: row.connection_error };
  }
  if (!until || until <= now) return { reason: 'due', until, code };
  if (row.wait_reason) return { reason: row.wait_reason, until, code };
  return { reason: code === null ? 'postponed' : 'failed_attempt', until, code };
}
