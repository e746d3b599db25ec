import type { NextStep } from '@mostrador/contracts';
import { lookAgain } from '@mostrador/kit/delivery/step';
import type { Log } from '@mostrador/kit/process/log';
import type { Dependencies } from '../../dependencies.ts';
import { currentKeys, openSecrets } from '../endpoints/secrets.ts';
import { type Claimed, claimNext, type Sender, type Taken } from './claim-next.ts';
import type { Outcome } from './next-move.ts';
import { postEvent } from './post-event.ts';
import { recordOutcome } from './record-outcome.ts';
import { signatureHeaders } from './signature.ts';

const claimLimitMs = 5_000;
/** How long recording an outcome may take. It ends before the lease does. */
const recordLimitMs = 4_000;
/** The clocks of this machine and of PostgreSQL may differ by this much. A claim that comes too early finds nothing. */
const clockMarginMs = 1_000;

type Drained = {
  readonly storeId: string;
  readonly endpointId: string;
  readonly sender: Sender;
  /** Whether another delivery may begin. */
  readonly mayBegin: () => boolean;
  readonly log: Log;
};

/**
 * Sends what is due to an endpoint, up to `max_in_flight` at once, until nothing is due or `mayBegin` says no. Claim,
 * commit, call, record: every lease is committed before its call, and no call runs inside a transaction. A process that
 * dies leaves leases that expire, and these deliveries are sent again with the same `webhook-id`.
 */
export async function drainEndpoint(dependencies: Dependencies, drained: Drained): Promise<NextStep> {
  const { database, limits } = dependencies;
  const { storeId, mayBegin } = drained;
  const claim = (): Promise<Taken> =>
    database.write({ storeId, deadline: Date.now() + claimLimitMs }, (sql) => claimNext(sql, drained, limits.leaseMs));
  const running = new Set<Promise<void>>();
  let isDue = false;
  const begin = ({ claimed }: Taken) => {
    for (const one of claimed) {
      const attempt: Promise<void> = makeAttempt(dependencies, drained, one).then((dueSoon) => {
        isDue ||= dueSoon;
        running.delete(attempt);
      });
      running.add(attempt);
    }
  };
  let taken = await claim();
  begin(taken);
  while (running.size > 0) {
    await Promise.race(running);
    if (!mayBegin()) taken = { claimed: [], next: lookAgain('more may be due') };
    // The last claim of a workflow also decides whether it hands the endpoint back.
    else if (isDue || drained.sender === 'workflow') {
      isDue = false;
      taken = await claim();
      begin(taken);
    }
  }
  return taken.next;
}

/**
 * Resolves with whether another delivery of the endpoint may be due now. Never rejects: no caller awaits the other attempts
 * of an endpoint when one of them ends the drain.
 */
async function makeAttempt(dependencies: Dependencies, { log }: Drained, claimed: Claimed): Promise<boolean> {
  const { database, limits, onAttempt, relay } = dependencies;
  const { attempt, endpoint } = claimed;
  const startedAt = new Date();
  const beganMs = performance.now();
  const outcome = await send(dependencies, claimed, startedAt).catch((err): Outcome => {
    // Such as a secret that no configured key opens. The delivery waits like any that failed.
    log.error({ endpoint: endpoint.id, delivery: attempt.deliveryId, err }, 'a webhook could not be sent');
    return { kind: 'failed', error: 'internal_error', status: null, body: null };
  });
  const timing = { startedAt, durationMs: performance.now() - beganMs };
  onAttempt(outcome);
  if (outcome.kind === 'failed') {
    const { error, status } = outcome;
    log.info(
      { endpoint: endpoint.id, delivery: attempt.deliveryId, attempt: attempt.number, error, status },
      'a webhook delivery failed',
    );
  }
  const scope = { storeId: attempt.storeId, deadline: Date.now() + Math.min(recordLimitMs, limits.leaseMs) };
  try {
    const { handedOver, dueAt } = await database.write(scope, (sql) => recordOutcome(sql, claimed, outcome, timing));
    if (handedOver) relay.nudge();
    return dueAt !== null && dueAt.getTime() <= Date.now() + clockMarginMs;
  } catch (err) {
    // The lease expires, and the delivery is sent again.
    log.warn({ endpoint: endpoint.id, delivery: attempt.deliveryId, err }, 'the outcome of a webhook was not recorded');
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
  return await postEvent(webhookEgress, { url: endpoint.url, headers, body, limitMs: limits.callMs });
}
