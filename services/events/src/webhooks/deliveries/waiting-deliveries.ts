import { type OperatorItem, webhookWorkflow } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox, wakeWorkflow } from '@mostrador/kit/outbox/outbox';
import type { Changed, WaitingSource } from '@mostrador/kit/step/waiting';
import { toWaitingItem, type WaitingCause } from '@mostrador/kit/step/waiting-item';
import { findFeed } from '../../feed/event.repository.ts';
import { lockEndpoint } from '../endpoints/endpoint.repository.ts';
import type { EndpointRow } from '../endpoints/endpoint.ts';
import { recordGivenUp } from '../sending/attempt.repository.ts';
import { afterOpening, saveWithDue } from '../sending/save-due.ts';
import { findDelivery, givenUp, reopenDelivery } from './delivery.repository.ts';
import type { DeliveryRow } from './delivery.ts';
import { findDeliveryStores, findWaitingDeliveries, type WaitingDeliveryRow } from './waiting.repository.ts';

/** Events that an endpoint has not accepted. Their changes hold the lock of the endpoint, as an attempt's do. */
export const waitingDeliveries: WaitingSource = {
  async find(sql, storeId, rows) {
    const found = await findWaitingDeliveries(sql, storeId, rows);
    return found.map((row) =>
      toWaitingItem({ ...row, kind: 'webhook_delivery', lead_id: null, workflow_id: workflowOf(row) }, causeOf(row)),
    );
  },

  findStores: findDeliveryStores,

  async retry(sql, storeId, item) {
    const found = await lockWaiting(sql, storeId, item);
    if (typeof found === 'string') return found;
    const { endpoint, delivery } = found;
    if (endpoint.status !== 'enabled') return stoppedBy(endpoint.status);
    const { oldest_sequence } = await findFeed(sql, storeId);
    if (delivery.sequence !== null && delivery.sequence < oldest_sequence) return 'event_expired';
    await reopenDelivery(sql, storeId, delivery.id);
    // An endpoint that fails gets its next attempt now, too.
    await afterOpening(sql, { ...endpoint, blocked_until: null });
    return 'done';
  },

  async giveUp(sql, storeId, item) {
    const found = await lockWaiting(sql, storeId, item);
    if (typeof found === 'string') return found;
    const { endpoint, delivery } = found;
    await recordGivenUp(sql, { storeId, id: delivery.id }, givenUp);
    await saveWithDue(sql, endpoint);
    // What it held may begin, and without anything left its workflow ends.
    if (endpoint.sender === 'workflow')
      await appendOutbox(sql, storeId, [wakeWorkflow('webhook', endpoint.id, 'planned')]);
    return 'done';
  },
};

/** Locks the endpoint, and reads the delivery. Otherwise says why it is left as it is. */
async function lockWaiting(
  sql: TransactionSql,
  storeId: string,
  { id, endpoint_id }: OperatorItem,
): Promise<Exclude<Changed, 'done'> | { endpoint: EndpointRow; delivery: DeliveryRow }> {
  const endpointId = endpoint_id as string;
  const endpoint = await lockEndpoint(sql, storeId, endpointId);
  const delivery = endpoint && (await findDelivery(sql, storeId, { endpointId, deliveryId: id }));
  if (!endpoint || delivery?.status !== 'pending') return 'not_waiting';
  return delivery.lease_token === null ? { endpoint, delivery } : 'running';
}

const stoppedBy = (status: 'paused' | 'disabled') => `endpoint_${status}` as const;

const workflowOf = ({ sender, endpoint_id }: WaitingDeliveryRow): string | null =>
  sender === 'workflow' ? webhookWorkflow.workflowId(endpoint_id) : null;

/** Why a delivery waits. Pure. */
function causeOf(row: WaitingDeliveryRow): WaitingCause {
  const { now, endpoint_status, lease_until, blocked_until, next_attempt_at: until, error: code } = row;
  if (lease_until && lease_until > now) return { reason: 'running', until: lease_until };
  if (endpoint_status !== 'enabled') return { reason: stoppedBy(endpoint_status), until: null, code };
  if (until > now) return { reason: code === null ? 'postponed' : 'failed_attempt', until, code };
  if (row.is_behind) return { reason: 'behind_another', until: null, code };
  if (blocked_until && blocked_until > now) return { reason: 'provider_unavailable', until: blocked_until, code };
  return { reason: 'due', until, code };
}
