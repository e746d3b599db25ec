import { dayMs } from '@mostrador/hours/local-days';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { delayWhileBlockedMs } from '@mostrador/kit/resilience/retry-delay';
import { type Attempt, answer, type Claim, type RowKey } from '@mostrador/kit/step/retry-engine';
import { done, failedReason, recordingMs, stepLimits, waitForLease, waitUntil } from '@mostrador/kit/step/step';
import { hashToken, newAddressSecret } from '@mostrador/kit/tokens/token';
import { reasonOf } from '../calendar-sync/next-move.ts';
import { appointmentAt } from '../calendars/calendar-event.ts';
import { type ConnectionRow, findConnection } from '../calendars/connection.repository.ts';
import { targetOf, tellingProviders } from '../calendars/providers.ts';
import type { Dependencies } from '../dependencies.ts';
import { beginList } from './channel.repository.ts';
import { isChannelDue } from './channel.ts';
import { listPending, listScheduled, type PendingObject, renewObjects } from './object.repository.ts';
import { claim, deleteWatch, findZone, lockWatch, postpone } from './watch.repository.ts';

/** A claimed look at a calendar: at what has changed, or at the objects of which that is known. */
export type Claimed = {
  readonly attempt: Attempt;
  readonly connection: ConnectionRow;
  readonly cursor: string | null;
  /** The secret of the channel by which the calendar is asked to tell of its changes. Undefined: it is not asked. */
  readonly channelToken: string | undefined;
  /** What was deleted before the first look is no change. */
  readonly isFirst: boolean;
  readonly pending: readonly PendingObject[];
  /** By the database clock, before the calendar is called. */
  readonly readAt: Date;
  /** What was over by then does not matter. */
  readonly since: Date;
  /** Of the store, if it has booking rules. */
  readonly zone: string | undefined;
  /** How long the next look waits at least. */
  readonly fairPauseMs: number;
  /** Epoch milliseconds. The outcome must be recorded before this moment, while the lease is valid. */
  readonly recordBy: number;
};

/** The most objects that one step reads. */
const batch = 20;
/** A calendar that refused its connection is looked at this rarely, because only a person can mend that. */
const refusedPauseMs = 15 * 60_000;

/** Claims a look at a calendar when one is due. Otherwise answers why none is. */
export async function claimNext(
  sql: TransactionSql,
  key: RowKey,
  { circuit, publicUrl, fairPauseMs }: Pick<Dependencies, 'circuit' | 'publicUrl' | 'fairPauseMs'>,
): Promise<Claim<Claimed>> {
  const connection = await findConnection(sql, key.storeId);
  if (connection?.id !== key.id) {
    await deleteWatch(sql, key.storeId, key.id);
    return answer(done('the calendar is no longer connected'));
  }
  const found = await lockWatch(sql, key);
  if (!found) return answer(done('the calendar is not watched'));
  const { watch, now } = found;
  if (watch.lease_until && watch.lease_until > now) return answer(waitForLease(watch.lease_until));
  if (watch.wake_at > now) return answer(waitUntil(watch.wake_at, reasonFor(watch)));
  if (connection.status === 'needs_attention') {
    const until = await postpone(sql, key, refusedPauseMs);
    return answer(waitUntil(until, `the connection needs attention (${connection.last_error_code ?? 'refused'})`));
  }
  const blocked = circuit.blocked(targetOf(connection));
  if (blocked) {
    const until = await postpone(sql, key, delayWhileBlockedMs(whileBlocked(blocked.forMs)));
    return answer(waitUntil(until, reasonOf(blocked)));
  }
  const since = new Date(now.getTime() - dayMs);
  if (watch.renewed_at < since) await renewObjects(sql, key, since);
  const { claimedAt, ...attempt } = await claim(sql, key, stepLimits.leaseMs);
  const [objects, zone] = await Promise.all([listPending(sql, key, batch), findZone(sql, key.storeId)]);
  // An event that came and went between two looks is known only by its address.
  const named = objects.map(({ href, appointment_id: id }) => ({ href, id: id ?? appointmentAt(href) }));
  const scheduled = await listScheduled(
    sql,
    key.storeId,
    named.flatMap(({ id }) => id ?? []),
  );
  const pending = named.map(({ href, id }) => ({ href, appointment_id: id && scheduled.has(id) ? id : null }));
  const asksForChannel =
    pending.length === 0 && tellingProviders.includes(connection.provider) && isChannelDue(watch, now, publicUrl);
  const channelToken = asksForChannel ? newAddressSecret() : undefined;
  if (pending.length === 0) await beginList(sql, key, channelToken === undefined ? undefined : hashToken(channelToken));
  const claimed = {
    ...{ attempt, connection, pending, zone, since, channelToken, cursor: watch.cursor, readAt: claimedAt },
    isFirst: watch.listed_at === null,
    fairPauseMs: connection.provider === 'google' ? fairPauseMs() : 0,
    recordBy: Date.now() + stepLimits.leaseMs - recordingMs,
  };
  return { kind: 'claimed', claimed };
}

export const whileBlocked = (blockedForMs: number) => ({ blockedForMs, leastMs: 5_000, leastSpreadMs: 5_000 });

const reasonFor = ({
  last_error_code: code,
  attempts,
}: {
  last_error_code: string | null;
  attempts: number;
}): string => (code === null ? 'the next look is not due yet' : failedReason(code, attempts));
