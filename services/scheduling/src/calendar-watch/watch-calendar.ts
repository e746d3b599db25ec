import { mostHorizonDays, type NextStep, type watchCalendar as operation } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import type { Log } from '@mostrador/kit/process/log';
import { CircuitOpen } from '@mostrador/kit/resilience/circuit';
import { delayWhileBlockedMs, retryDelayMs } from '@mostrador/kit/resilience/retry-delay';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Attempt, AttemptError } from '@mostrador/kit/step/retry-engine';
import { callTimeMs, failedReason, lookAgain, waitUntil } from '@mostrador/kit/step/step';
import { reasonOf } from '../calendar-sync/next-move.ts';
import { appointmentOf, isEventOfStore } from '../calendars/calendar-event.ts';
import { readCalendarObject, windowAt } from '../calendars/calendar-object.ts';
import {
  type CalendarChanges,
  type CalendarError,
  type CalendarReader,
  toCalendarError,
  unforeseen,
} from '../calendars/calendar-provider.ts';
import { openCredentials } from '../calendars/credentials.ts';
import { targetOf } from '../calendars/providers.ts';
import type { Dependencies } from '../dependencies.ts';
import { saveChannel } from './channel.repository.ts';
import { changesUrl, channelSeconds, leastPauseMs } from './channel.ts';
import { type Claimed, claimNext, whileBlocked } from './claim-next.ts';
import type { SeenEvent } from './event-change.ts';
import { missingOf } from './missing.ts';
import { pauseAfterUse } from './next-look.ts';
import {
  hasPending,
  listKnown,
  listWritten,
  type ObjectOutcome,
  recordChanges,
  recordObjects,
} from './object.repository.ts';
import { type ReadPending, readPending } from './read-pending.ts';
import { attemptsUntilTold, emptied } from './reading.ts';
import { settleEvent } from './settle-event.ts';
import { lastUse, lockLease, postpone, recordFailed, recordRead } from './watch.repository.ts';

/** What the calendar answered. */
type Found =
  | { readonly kind: 'changes'; readonly changes: CalendarChanges }
  | ({ readonly kind: 'objects' } & ReadPending);

/** Within it, the calendar is called. The rest of the request's time is for the appointments. */
const callMs = 7_000;
/** After it, nothing further is asked of the calendar. What is left comes with the next step. */
const readingMs = 4_000;
/** For asking for a channel, without which the calendar is read all the same. */
const channelMs = 2_000;
/** Kept for recording when appointments are settled. */
const recordingMs = 1_500;

/**
 * One look: claimed in one transaction, the calendar called outside of any, each appointment changed in its own, and the rest
 * recorded under the lease in a last one.
 */
export const watchCalendar =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const limitMs = callTimeMs(context.deadline, { callMs });
    const key = { storeId: context.storeId, id: body.connection_id };
    const claim = await dependencies.database.write(context, (sql) => claimNext(sql, key, dependencies));
    return claim.kind === 'answer' ? claim.next : await look(dependencies, context, claim.claimed, limitMs);
  };

async function look(
  dependencies: Dependencies,
  context: StoreContext,
  claimed: Claimed,
  limitMs: number,
): Promise<NextStep> {
  const scope = { storeId: context.storeId, deadline: claimed.recordBy };
  const underLease = (work: (sql: TransactionSql) => Promise<NextStep>) =>
    dependencies.database.write(scope, async (sql) =>
      (await lockLease(sql, claimed.attempt)) ? await work(sql) : lookAgain(),
    );
  const signal = AbortSignal.timeout(limitMs);
  // Before the list, so that the channel tells of each change that the list lacks. It is kept also when the list fails.
  const expiresAt = await openChannel(dependencies, context.log, claimed, signal);
  if (expiresAt) await dependencies.database.write(scope, (sql) => saveChannel(sql, claimed.attempt, expiresAt));
  let found: Found;
  try {
    found = await callCalendar(dependencies, claimed, signal);
  } catch (error) {
    if (!(error instanceof CircuitOpen)) logFailure(context.log, claimed, toCalendarError(error));
    return await underLease((sql) => recordFailure(sql, claimed, error));
  }
  if (found.kind === 'changes') return await underLease((sql) => record(sql, claimed, found.changes));
  const settling = { ...context, deadline: context.deadline - recordingMs };
  const outcomes = await settle(dependencies, settling, claimed, found);
  return await underLease(async (sql) => {
    await recordObjects(sql, claimed.attempt, outcomes);
    return await nextLook(sql, claimed);
  });
}

async function recordFailure(sql: TransactionSql, { attempt }: Claimed, error: unknown): Promise<NextStep> {
  if (error instanceof CircuitOpen) {
    const { blocked } = error;
    const delayMs = delayWhileBlockedMs(whileBlocked(blocked.forMs));
    return waitUntil(await postpone(sql, attempt, delayMs, true), reasonOf(blocked));
  }
  const failure = toCalendarError(error);
  return await retryLater(sql, attempt, failure, failure.retryAfterSeconds);
}

async function retryLater(
  sql: TransactionSql,
  attempt: Attempt,
  error: AttemptError,
  retryAfterSeconds?: number,
): Promise<NextStep> {
  const after = { attempts: attempt.number, firstMs: 60_000, longestMs: 15 * 60_000, retryAfterSeconds };
  return waitUntil(
    await recordFailed(sql, attempt, error, retryDelayMs(after)),
    failedReason(error.code, attempt.number),
  );
}

async function callCalendar(dependencies: Dependencies, claimed: Claimed, signal: AbortSignal): Promise<Found> {
  const { pending, cursor, since } = claimed;
  return await dependencies.circuit.run(targetOf(claimed.connection), async () => {
    const reader = readerOf(dependencies, claimed);
    if (pending.length === 0) return { kind: 'changes', changes: await reader.changes(cursor, since, signal) };
    return { kind: 'objects', ...(await readPending(reader, pending, Date.now() + readingMs, signal)) };
  });
}

/** Returns until when the calendar tells of its changes. Undefined: it is not asked, or it refuses, and is only polled. */
async function openChannel(
  dependencies: Dependencies,
  log: Log,
  claimed: Claimed,
  signal: AbortSignal,
): Promise<Date | undefined> {
  const { connection, channelToken: token } = claimed;
  if (token === undefined) return undefined;
  const channel = { address: changesUrl(dependencies.publicUrl), token, seconds: channelSeconds };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(channelMs)]);
  try {
    return await dependencies.circuit.run(targetOf(connection), async () =>
      readerOf(dependencies, claimed).openChannel?.(channel, limit),
    );
  } catch (error) {
    // The list is not asked for either, then.
    if (error instanceof CircuitOpen) return undefined;
    const { code, detail } = toCalendarError(error);
    log.info({ code, detail }, 'a calendar tells nothing of its changes, and is only polled');
    return undefined;
  }
}

function readerOf(
  { vault, openProvider }: Dependencies,
  { attempt: { storeId }, connection }: Claimed,
): CalendarReader {
  const { provider, settings } = connection;
  const credentials = openCredentials(vault, storeId, connection);
  const { reader } = openProvider({ storeId, provider, settings, credentials });
  if (!reader) throw new Error(`calendars of ${provider} cannot be read`);
  return reader;
}

/** Records what has changed. The objects are read in the next steps. */
async function record(sql: TransactionSql, claimed: Claimed, changes: CalendarChanges): Promise<NextStep> {
  const { attempt, since, readAt, isFirst } = claimed;
  const mayMiss = !isFirst && (changes.isFull || changes.removed.length > 0);
  const [written, known] = await Promise.all([
    mayMiss ? listWritten(sql, attempt, readAt) : [],
    changes.isFull ? listKnown(sql, attempt, since) : [],
  ]);
  const missing = missingOf(changes, { written, known });
  if (missing === 'too_many') return await retryLater(sql, attempt, emptied);
  await recordChanges(sql, attempt, changes, missing);
  if (!changes.isPart || changes.cursor === claimed.cursor) return await nextLook(sql, claimed);
  return waitUntil(await recordRead(sql, attempt, 0), 'the calendar has more changes');
}

/** Brings the objects to their appointments. What cannot be settled in time is read again. */
async function settle(
  dependencies: Dependencies,
  context: StoreContext,
  { connection, pending, readAt, zone }: Claimed,
  { objects, elsewhere, unread }: Extract<Found, { kind: 'objects' }>,
): Promise<ObjectOutcome[]> {
  const { username } = connection.settings;
  const reading = {
    window: windowAt(readAt.getTime(), mostHorizonDays),
    zone: zone ?? 'UTC',
    account: username?.includes('@') ? username : undefined,
  };
  const settleSeen = async (appointmentId: string, seen: SeenEvent): Promise<'settled' | 'later'> => {
    if (Date.now() > context.deadline) return 'later';
    try {
      return await settleEvent(dependencies, context, { connectionId: connection.id, appointmentId, seen, readAt });
    } catch (error) {
      // Another service did not answer, or another transaction was in the way.
      context.log.info({ connection: connection.id, err: error }, 'a change in a calendar is looked at again');
      return 'later';
    }
  };
  const outcomes: ObjectOutcome[] = [];
  for (const { href, appointment_id } of pending) {
    if (unread.has(href)) continue;
    const found = objects.find((object) => object.href === href);
    if (!found) {
      outcomes.push({ kind: 'later', href });
    } else if (found.icalendar === null) {
      const isDeleted = appointment_id !== null && !elsewhere.has(href);
      const isSettled = !isDeleted || (await settleSeen(appointment_id, 'gone')) === 'settled';
      outcomes.push({ kind: isSettled ? 'gone' : 'later', href });
    } else {
      const object = readCalendarObject(found.icalendar, reading);
      const isOurs = object !== null && isEventOfStore(object, context.storeId);
      const appointmentId = isOurs ? appointmentOf(object.uid) : null;
      const seen = object?.first.isCancelled ? 'gone' : object?.first;
      const isSettled = !appointmentId || !seen || (await settleSeen(appointmentId, seen)) === 'settled';
      if (!isSettled) outcomes.push({ kind: 'later', href });
      else {
        const times = object ?? { busy: [], repeats: [], followsClock: false, endsAt: null };
        // The appointment has its own place. What a person made of its event beyond that takes time.
        const busy = isOurs ? times.repeats : times.busy;
        outcomes.push({ ...times, kind: 'read', href, etag: found.etag, appointmentId, busy });
      }
    }
  }
  return outcomes;
}

async function nextLook(sql: TransactionSql, { attempt, fairPauseMs: leastMs }: Claimed): Promise<NextStep> {
  if (await hasPending(sql, attempt)) return waitUntil(await recordRead(sql, attempt, 0), 'more objects have changed');
  const { usedAt, now, isTold, isChanged } = await lastUse(sql, attempt);
  if (isChanged) return waitUntil(await recordRead(sql, attempt, leastPauseMs), 'the calendar has told of a change');
  const pauseMs = pauseAfterUse(now.getTime() - usedAt.getTime(), attempt.id, { isTold, leastMs });
  return waitUntil(await recordRead(sql, attempt, pauseMs), 'the next look is not due yet');
}

function logFailure(log: Log, { attempt, connection }: Claimed, failure: CalendarError): void {
  const { kind, code, detail } = failure;
  const about = { connection: connection.id, attempts: attempt.number, kind, code, detail };
  if (code === unforeseen)
    log.error({ ...about, err: failure.cause }, 'a calendar reader failed with an unexpected error');
  else if (attempt.number === attemptsUntilTold) log.warn(about, 'a calendar cannot be read: read `detail`');
  else log.info(about, 'a calendar could not be read, and is read again');
}
