import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox, wakeWorkflow } from '@mostrador/kit/outbox/outbox';
import type { RecordOutcome } from '@mostrador/kit/step/retry-engine';
import { lockEndpoint } from '../endpoints/endpoint.repository.ts';
import type { EndpointRow } from '../endpoints/endpoint.ts';
import {
  type DeliveryAttempt,
  findRunning,
  logAttempt,
  recordDelivered,
  recordGivenUp,
  recordRetry,
  releaseFailed,
  type Timing,
} from './attempt.repository.ts';
import type { Claimed } from './claim-next.ts';
import { afterFailure, endsOutage, type Outcome } from './next-move.ts';
import { saveWithDue } from './save-due.ts';

type Recorded = {
  readonly handedOver: boolean;
  /** The outage of the endpoint has just become one that an operator should know: at its third failed attempt, or its end. */
  readonly turned: 'failing' | 'disabled' | null;
  /** When the endpoint is to be looked at again. */
  readonly dueAt: Date | null;
};

/**
 * Records what became of an attempt, in its delivery and in its endpoint. Without the lease it writes nothing, because
 * another attempt has begun, a request ended the delivery, or the endpoint was deleted. The first failure hands the
 * endpoint over to its workflow.
 */
export const recordOutcome: RecordOutcome<Claimed, Outcome, Recorded, Timing> = async (
  sql,
  { attempt, endpoint: { id } },
  outcome,
  timing,
) => {
  const locked = await lockEndpoint(sql, attempt.storeId, id);
  const endpoint =
    locked &&
    (outcome.kind === 'succeeded'
      ? await recordSuccess(sql, locked, attempt, outcome, timing)
      : await recordFailure(sql, locked, attempt, outcome, timing));
  if (!endpoint) return { handedOver: false, turned: null, dueAt: null };
  const due = await saveWithDue(sql, endpoint);
  const handedOver = endpoint.sender !== locked.sender;
  if (handedOver) await appendOutbox(sql, endpoint.store_id, [wakeWorkflow('webhook', id, 'degraded')]);
  return { handedOver, turned: turnOf(locked, endpoint), dueAt: due };
};

/** Fewer may be a short fault of the receiver: the third attempt comes five minutes after the first. */
const failuresUntilTold = 3;

function turnOf(before: EndpointRow, after: EndpointRow): Recorded['turned'] {
  if (after.status === 'disabled' && before.status !== 'disabled') return 'disabled';
  return before.failures < failuresUntilTold && after.failures >= failuresUntilTold ? 'failing' : null;
}

/** Returns the endpoint as it is afterwards, which is not saved yet. Undefined when the attempt has lost its lease. */
async function recordSuccess(
  sql: TransactionSql,
  endpoint: EndpointRow,
  attempt: DeliveryAttempt,
  outcome: Outcome,
  timing: Timing,
): Promise<EndpointRow | undefined> {
  const now = await recordDelivered(sql, attempt, outcome, timing);
  if (!now) return undefined;
  if (endsOutage(endpoint, now) && endpoint.failing_since) await releaseFailed(sql, endpoint, endpoint.failing_since);
  return { ...endpoint, ...wellSince(now) };
}

const wellSince = (now: Date) =>
  ({
    last_success_at: now,
    failures: 0,
    failing_since: null,
    last_failed_id: null,
    several_fail: false,
    blocked_until: null,
  }) satisfies Partial<EndpointRow>;

/** As `recordSuccess`. */
async function recordFailure(
  sql: TransactionSql,
  endpoint: EndpointRow,
  attempt: DeliveryAttempt,
  outcome: Extract<Outcome, { kind: 'failed' }>,
  timing: Timing,
): Promise<EndpointRow | undefined> {
  const delivery = await findRunning(sql, attempt);
  if (!delivery) return undefined;
  await logAttempt(sql, attempt, outcome, timing);
  if (delivery.is_test) {
    await recordGivenUp(sql, attempt, outcome.error);
    return endpoint;
  }
  const { now } = delivery;
  const after = afterFailure(endpoint, delivery, outcome, now);
  const { retryAt } = after.delivery;
  if (retryAt === null) await recordGivenUp(sql, attempt, outcome.error);
  else {
    const failed = { error: outcome.error, answered: outcome.status !== null, now };
    await recordRetry(sql, attempt, { ...after.delivery, retryAt }, failed);
  }
  const { disabled, ...failure } = after.endpoint;
  if (disabled) return { ...endpoint, ...failure, status: 'disabled', disabled_reason: disabled };
  return { ...endpoint, ...failure, sender: 'workflow' };
}
