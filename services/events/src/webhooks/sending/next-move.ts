import type { WebhookDisabledReason, WebhookStatus } from '@mostrador/contracts';
import { retryDelayMs } from '@mostrador/kit/resilience/retry-delay';
import { type Outcome as AnyOutcome, answer, type Move, type NextMove } from '@mostrador/kit/step/retry-engine';
import { done, waitUntil } from '@mostrador/kit/step/step';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** The wait before each attempt of a delivery: the first is made at once. ±20 %, so that retries do not come bunched. */
export const scheduleMs = [
  0,
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hourMs),
] as const;

/** How long a delivery that fails holds the later ones of its entity. */
export const longestHoldMs = hourMs;
/** An endpoint at which everything fails for this long is disabled. */
export const disabledAfterMs = 120 * hourMs;
/** When the endpoint fails for this long, what failed meanwhile is due at once after the next success. */
export const outageMs = minuteMs;
/** A failing endpoint gets one attempt, and the next one after 5 s, doubled each time, at most 5 minutes. */
const probe = { firstMs: 5 * secondMs, longestMs: 5 * minuteMs };

/** How the deliveries of an endpoint go. Times are PostgreSQL's. */
export type Endpoint = {
  readonly status: WebhookStatus;
  readonly max_in_flight: number;
  /** Failed attempts since the last success. */
  readonly failures: number;
  /** When the first of these failed. */
  readonly failing_since: Date | null;
  /** The delivery of the last of these. */
  readonly last_failed_id: string | null;
  /** Whether these belong to more than one delivery. */
  readonly several_fail: boolean;
  /** No attempt begins before this moment. */
  readonly blocked_until: Date | null;
  readonly last_success_at: Date | null;
};

/** The running deliveries of an endpoint: how many, when the first of their leases ends, and PostgreSQL's time. */
export type Load = { readonly now: Date; readonly in_flight: number; readonly in_flight_until: Date | null };

/** What waits for an endpoint. */
export type Queue = Omit<Load, 'now'> & {
  /** When the next delivery is due that no earlier one of its entity holds. */
  readonly next_at: Date | null;
  /** When the first hold ends. */
  readonly held_until: Date | null;
};

export type Situation = Load & { readonly endpoint: Endpoint };

/** Up to `slots` due deliveries may begin. */
type Due = { readonly slots: number };

/** A failing endpoint gets a probe instead of everything that waits. */
const mostAtOnce = ({ failures, max_in_flight }: Endpoint): number => (failures > 0 ? 1 : max_in_flight);

/** Decides whether the next deliveries of an endpoint may begin. */
export const nextMove: NextMove<Situation, Move<Due>> = ({ endpoint, now, in_flight, in_flight_until }) => {
  if (endpoint.status !== 'enabled') return answer(done(`the endpoint is ${endpoint.status}`));
  if (endpoint.blocked_until && endpoint.blocked_until > now) {
    return answer(waitUntil(endpoint.blocked_until, 'the endpoint fails'));
  }
  const slots = mostAtOnce(endpoint) - in_flight;
  if (slots > 0) return { kind: 'claim', slots };
  return answer(waitUntil(in_flight_until ?? now, 'the deliveries that may run at once are running'));
};

/** When the sender looks at an endpoint again. Null: when something else changes. */
export function dueAt(endpoint: Endpoint, { in_flight, in_flight_until, next_at, held_until }: Queue): Date | null {
  if (endpoint.status !== 'enabled') return null;
  if (in_flight >= mostAtOnce(endpoint)) return latest(in_flight_until, endpoint.blocked_until);
  const next = next_at && held_until ? (next_at < held_until ? next_at : held_until) : (next_at ?? held_until);
  return next && latest(next, endpoint.blocked_until);
}

/** The later moment, without those that are null. */
export const latest = (a: Date | null, b: Date | null): Date | null => (a && b ? (a > b ? a : b) : (a ?? b));

/** What the endpoint answered to an attempt. */
export type Outcome = AnyOutcome<
  { readonly status: number; readonly body: string },
  {
    readonly error: string;
    /** Null without an answer. */
    readonly status: number | null;
    readonly body: string | null;
    readonly retryAfterSeconds?: number | undefined;
  }
>;

type Failed = Extract<Outcome, { kind: 'failed' }>;

/** The delivery before the outcome is recorded. */
export type Delivery = {
  readonly id: string;
  /** A test gets one attempt, and says nothing about the endpoint. */
  readonly is_test: boolean;
  /** Failed attempts of this round. */
  readonly step: number;
  /** When the first attempt of this round failed. */
  readonly first_failed_at: Date | null;
};

/** What becomes of a delivery that failed. `retryAt` null: it is given up. */
export type DeliveryFailure = {
  readonly step: number;
  readonly firstFailedAt: Date;
  readonly retryAt: Date | null;
};

export type EndpointFailure = Pick<Endpoint, 'failures' | 'several_fail'> & {
  readonly failing_since: Date;
  readonly last_failed_id: string;
  readonly blocked_until: Date | null;
  readonly disabled: WebhookDisabledReason | null;
};

/** Decides what a failed attempt means for its delivery and for its endpoint. Pure. */
export function afterFailure(
  endpoint: Endpoint,
  delivery: Delivery,
  outcome: Failed,
  now: Date,
  random: () => number = Math.random,
): { delivery: DeliveryFailure; endpoint: EndpointFailure } {
  const firstFailedAt = delivery.first_failed_at ?? now;
  const after = (ms: number) => new Date(now.getTime() + ms);
  const gone = outcome.status === 410;
  const failing_since = endpoint.failing_since ?? now;
  const failures = endpoint.failures + 1;
  const several_fail =
    endpoint.several_fail || (endpoint.last_failed_id !== null && endpoint.last_failed_id !== delivery.id);

  const step = delivery.step + 1;
  const rounds = scheduleMs.length;
  // An endpoint that does not answer at all loses no delivery. It is disabled in the end, and all of them are kept.
  const isToBlame = outcome.status !== null || (endpoint.last_success_at ?? firstFailedAt) > firstFailedAt;
  const givenUp = step >= rounds && isToBlame && !gone;
  const retryAfterMs = (outcome.retryAfterSeconds ?? 0) * secondMs;
  const stepMs = scheduleMs[Math.min(step, rounds - 1)] as number;
  const delayMs = Math.max(Math.round(stepMs * (0.8 + 0.4 * random())), retryAfterMs);

  const busy = outcome.status === 429 || outcome.status === 503;
  const down = outcome.status === null || busy || several_fail;
  const probeMs = retryDelayMs({ attempts: failures, ...probe }, random);
  return {
    delivery: { step, firstFailedAt, retryAt: givenUp ? null : gone ? now : after(delayMs) },
    endpoint: {
      failures,
      failing_since,
      several_fail,
      last_failed_id: delivery.id,
      blocked_until: down ? after(busy ? Math.max(probeMs, retryAfterMs) : probeMs) : endpoint.blocked_until,
      disabled: gone ? 'gone' : now.getTime() - failing_since.getTime() >= disabledAfterMs ? 'failing' : null,
    },
  };
}

/** Whether a success ends an outage: what failed meanwhile is due at once, because it failed for that reason. */
export const endsOutage = ({ several_fail, failing_since }: Endpoint, now: Date): boolean =>
  several_fail && failing_since !== null && now.getTime() - failing_since.getTime() >= outageMs;
