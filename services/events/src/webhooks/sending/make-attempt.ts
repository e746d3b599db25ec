import type { Log } from '@mostrador/kit/process/log';
import type { Dependencies } from '../../dependencies.ts';
import { currentKeys, openSecrets } from '../endpoints/secrets.ts';
import type { Claimed } from './claim-next.ts';
import { hostOf } from './host-places.ts';
import type { Outcome } from './next-move.ts';
import { postEvent } from './post-event.ts';
import { recordOutcome } from './record-outcome.ts';
import { signatureHeaders } from './signature.ts';

/** How long recording an outcome may take. It ends before the lease does. */
const recordLimitMs = 4_000;
/** The clocks of this machine and of PostgreSQL may differ by this much. A claim that comes too early finds nothing. */
const clockMarginMs = 1_000;

const advice = {
  failing:
    'a webhook endpoint fails: it is retried for 120 hours; tell its store, whose receiver does not accept events',
  disabled: 'a webhook endpoint was given up: tell its store, which enables it again when its receiver works',
};

/**
 * Sends a claimed delivery, outside any transaction, and records what became of it. Resolves with whether another
 * delivery of the endpoint may be due now. Never rejects: a failed attempt is an outcome.
 */
export async function makeAttempt(dependencies: Dependencies, claimed: Claimed, log: Log): Promise<boolean> {
  const { database, hostPlaces, limits, onAttempt, relay } = dependencies;
  const { attempt, endpoint } = claimed;
  const startedAt = new Date();
  const beganMs = performance.now();
  const outcome = await send(dependencies, claimed, startedAt).catch((err): Outcome => {
    // Such as a secret that no configured key opens. The delivery waits like any that failed.
    log.error({ endpoint: endpoint.id, delivery: attempt.id, err }, 'a webhook could not be sent');
    return { kind: 'failed', error: 'internal_error', status: null, body: null };
  });
  hostPlaces.give(hostOf(endpoint.url), attempt.storeId, 1);
  const timing = { startedAt, durationMs: performance.now() - beganMs };
  onAttempt(outcome);
  if (outcome.kind === 'failed') {
    const { error, status } = outcome;
    log.info(
      { endpoint: endpoint.id, delivery: attempt.id, attempt: attempt.number, error, status },
      'a webhook delivery failed',
    );
  }
  const scope = { storeId: attempt.storeId, deadline: Date.now() + Math.min(recordLimitMs, limits.leaseMs) };
  try {
    const recorded = await database.write(scope, (sql) => recordOutcome(sql, claimed, outcome, timing));
    const { handedOver, turned, dueAt } = recorded;
    if (handedOver) relay.nudge();
    if (turned && outcome.kind === 'failed') {
      const about = { store_id: attempt.storeId, endpoint: endpoint.id, error: outcome.error, status: outcome.status };
      log.warn(about, advice[turned]);
    }
    return dueAt !== null && dueAt.getTime() <= Date.now() + clockMarginMs;
  } catch (err) {
    // The lease expires, and the delivery is sent again.
    log.warn({ endpoint: endpoint.id, delivery: attempt.id, err }, 'the outcome of a webhook was not recorded');
    return true;
  }
}

async function send(
  { vault, webhookEgress, limits }: Dependencies,
  { endpoint, eventId, body }: Claimed,
  at: Date,
): Promise<Outcome> {
  const keys = currentKeys(openSecrets(vault, endpoint.id, endpoint.sealed_secrets), at);
  const headers = signatureHeaders(keys, { id: eventId, at, body });
  return await postEvent(webhookEgress.forStore(endpoint.store_id), {
    url: endpoint.url,
    headers,
    body,
    limitMs: limits.callMs,
  });
}
