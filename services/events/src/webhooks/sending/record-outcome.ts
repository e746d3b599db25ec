import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/delivery/outbox';
import { lockEndpoint, saveSender } from '../endpoints/endpoint.repository.ts';
import {
  findRunning,
  insertAttempt,
  recordDelivered,
  recordGivenUp,
  recordRetry,
  releaseFailed,
  saveDue,
  saveFailure,
  saveSuccess,
} from './attempt.repository.ts';
import type { Claimed } from './claim-next.ts';
import { afterFailure, endsOutage, type Outcome } from './next-move.ts';
import { wakeEndpoint } from './wake-endpoint.ts';

/**
 * Records what became of an attempt, in its delivery and in its endpoint. Without the lease it writes nothing, because
 * another attempt has begun, a request ended the delivery, or the endpoint was deleted. The first failure hands the
 * endpoint over to its workflow. `dueAt`: when the endpoint is to be looked at again.
 */
export async function recordOutcome(
  sql: TransactionSql,
  { attempt, endpoint: { id } }: Claimed,
  outcome: Outcome,
  timing: { startedAt: Date; durationMs: number },
): Promise<{ readonly handedOver: boolean; readonly dueAt: Date | null }> {
  const endpoint = await lockEndpoint(sql, attempt.storeId, id);
  const delivery = endpoint && (await findRunning(sql, attempt));
  if (!endpoint || !delivery) return { handedOver: false, dueAt: null };
  let handedOver = false;
  await insertAttempt(sql, attempt, outcome, timing);
  if (outcome.kind === 'delivered') {
    await recordDelivered(sql, attempt);
    await saveSuccess(sql, endpoint);
    if (endsOutage(endpoint, delivery.now) && endpoint.failing_since) {
      await releaseFailed(sql, endpoint, endpoint.failing_since);
    }
  } else if (delivery.is_test) {
    await recordGivenUp(sql, attempt, outcome.error);
  } else {
    const after = afterFailure(endpoint, delivery, outcome, delivery.now);
    const { retryAt } = after.delivery;
    if (retryAt === null) await recordGivenUp(sql, attempt, outcome.error);
    else {
      const failed = { error: outcome.error, answered: outcome.status !== null, now: delivery.now };
      await recordRetry(sql, attempt, { ...after.delivery, retryAt }, failed);
    }
    await saveFailure(sql, endpoint, after.endpoint);
    if (endpoint.sender === 'service' && after.endpoint.disabled === null) {
      await saveSender(sql, endpoint, 'workflow');
      await appendOutbox(sql, endpoint.store_id, [wakeEndpoint(endpoint.id, 'degraded')]);
      handedOver = true;
    }
  }
  return { handedOver, dueAt: await saveDue(sql, endpoint) };
}
