import type { NextStep, syncCalendarEvent as operation } from '@mostrador/contracts';
import type { Log } from '@mostrador/kit/process/log';
import { CircuitOpen } from '@mostrador/kit/resilience/circuit';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import type { Handler } from '@mostrador/kit/rpc/server';
import { callTimeMs } from '@mostrador/kit/step/step';
import { toCalendarEvent, uidOf } from '../calendars/calendar-event.ts';
import { CalendarError, toCalendarError, unforeseen, type WrittenEvent } from '../calendars/calendar-provider.ts';
import { openCredentials } from '../calendars/credentials.ts';
import { type Customer, findCustomers } from '../calendars/customer.ts';
import { targetOf } from '../calendars/providers.ts';
import type { Dependencies } from '../dependencies.ts';
import { type Claimed, claimNext } from './claim-next.ts';
import { type Outcome, recordOutcome } from './record-outcome.ts';

/** One attempt: claimed in one transaction, called outside of any, recorded under the lease in a second transaction. */
export const syncCalendarEvent =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const limitMs = callTimeMs(context.deadline);
    const row = { storeId: context.storeId, id: body.appointment_id };
    const claim = await dependencies.database.write(context, (sql) => claimNext(sql, row, dependencies));
    return claim.kind === 'answer' ? claim.next : await makeAttempt(dependencies, context, claim.claimed, limitMs);
  };

async function makeAttempt(
  dependencies: Dependencies,
  context: StoreContext,
  claimed: Claimed,
  limitMs: number,
): Promise<NextStep> {
  const outcome = await callCalendar(dependencies, context, claimed, limitMs);
  if (outcome.kind === 'failed') logFailure(context.log, claimed, outcome.error);
  // The outcome is recorded even when the deadline of the caller has passed.
  const scope = { storeId: context.storeId, deadline: claimed.recordBy };
  return await dependencies.database.write(scope, (sql) => recordOutcome(sql, claimed, outcome));
}

async function callCalendar(
  dependencies: Dependencies,
  context: StoreContext,
  claimed: Claimed,
  limitMs: number,
): Promise<Outcome> {
  const { circuit } = dependencies;
  const until = Date.now() + limitMs;
  try {
    const customer = await customerOf(dependencies, context, claimed);
    const event = await circuit.run(targetOf(claimed.connection), () =>
      bringEvent(dependencies, claimed, customer, AbortSignal.timeout(Math.max(1, until - Date.now()))),
    );
    return { kind: 'succeeded', event };
  } catch (error) {
    if (error instanceof CircuitOpen) return { kind: 'not_called', blocked: error.blocked };
    return { kind: 'failed', error: toCalendarError(error) };
  }
}

/** How long crm may take to name the customer. */
const customerLimitMs = 2_000;

/** The customer that the event shows, if any. Without an answer of crm the event stays as it is until the next attempt. */
async function customerOf(
  dependencies: Dependencies,
  { requestId, storeId, traceparent }: StoreContext,
  { appointment: { lead_id, status }, connection }: Claimed,
): Promise<Customer | undefined> {
  // A feed reads the customer when it is asked for.
  if (lead_id === null || status === 'cancelled' || connection.provider === 'feed') return undefined;
  const asking = { requestId, storeId, traceparent, deadline: Date.now() + customerLimitMs };
  try {
    return (await findCustomers(dependencies, asking, [lead_id])).get(lead_id);
  } catch (cause) {
    const detail = 'The customer of the appointment could not be read. The event is written when that works.';
    throw new CalendarError('unavailable', 'customer_unavailable', detail, { cause });
  }
}

/** Fewer may be a short fault of the provider. */
const attemptsUntilTold = 5;
const whatToDo = 'read `detail`, and look at the connection with `calendar show`';

function logFailure(log: Log, { attempt, connection }: Claimed, failure: CalendarError): void {
  const { kind, code, detail } = failure;
  const about = { connection: connection.id, attempts: attempt.number, kind, code, detail };
  if (code === unforeseen)
    log.error({ ...about, err: failure.cause }, 'a calendar adapter failed with an unexpected error');
  else if (attempt.number === attemptsUntilTold) log.warn(about, `a calendar sync is stuck: ${whatToDo}`);
  else if (kind === 'refused' || kind === 'rejected') log.warn(about, `a calendar attempt failed: ${whatToDo}`);
  else log.info(about, 'a calendar attempt failed, and is made again');
}

/** Puts the event of the appointment into the calendar, or removes it when the appointment is cancelled. */
async function bringEvent(
  { vault, openProvider }: Dependencies,
  { attempt, appointment, connection, known, replacesEdit, staysDeleted }: Claimed,
  customer: Customer | undefined,
  signal: AbortSignal,
): Promise<WrittenEvent | null> {
  const { provider, settings } = connection;
  const { storeId } = attempt;
  const credentials = openCredentials(vault, storeId, connection);
  const calendar = openProvider({ storeId, provider, settings, credentials });
  if (appointment.status !== 'cancelled') {
    const event = { ...toCalendarEvent(appointment, connection, customer), replacesEdit, staysDeleted };
    return await calendar.put(event, known, signal);
  }
  // Even when no event is known: an earlier attempt may have created one and died before it recorded it.
  await calendar.remove(known ?? { eventId: uidOf(appointment.id), href: null, etag: null }, signal);
  return null;
}
