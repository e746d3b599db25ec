import {
  checkLead,
  defaultDurationMinutes,
  maxAppointmentMetadataBytes,
  createAppointment as operation,
} from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { etagOf } from '@mostrador/kit/database/etag';
import { changeMetadata } from '@mostrador/kit/database/metadata';
import { createGroupCommit } from '@mostrador/kit/idempotency/group-commit';
import { appendOutboxWithCommit, causedBy } from '@mostrador/kit/outbox/outbox';
import { createBoundedCache } from '@mostrador/kit/process/bounded-cache';
import type { Origin } from '@mostrador/kit/rpc/actor';
import { AppError, firstRefusal } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant } from '@mostrador/kit/rpc/validate';
import { type BookingRow, insertBookingsWithCommit } from '../booking/booking.repository.ts';
import { deferErrors, holdRefusal, isNewTo, readHold, readNamed } from '../booking/named.ts';
import { withAlternatives } from '../booking/refusals.ts';
import { lockRules } from '../booking/rules.repository.ts';
import { readAround, takePlaces, type Wish } from '../booking/take-places.ts';
import { requestSyncs } from '../calendar-sync/sync.repository.ts';
import { lockCalendarConnection } from '../calendars/connection.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { cancelFollowups } from '../followups/cancel-followups.ts';
import { keepReminders } from '../reminders/keep-reminders.ts';
import { insertAppointments, insertWithCommit, type NewIdentity, newIdentities } from './appointment.repository.ts';
import {
  type AppointmentRow,
  appointmentCreated,
  type NewAppointment,
  newRow,
  toAppointment,
  wakeAppointment,
} from './appointment.ts';

/** A request for an appointment. */
type Item = {
  readonly appointment: NewAppointment;
  /** What it needs in a store with rules. */
  readonly wish: Wish;
  /** What the request names is not there, or not to be asked for. A repeated request gets its first answer nevertheless. */
  readonly refusal: AppError | null;
};

/** The store has rules, which the process did not know: the work must begin again. */
class RulesFound extends Error {}

const mostKnownStores = 10_000;

export const createAppointment = (dependencies: Dependencies): Handler<typeof operation> => {
  const withRules = createBoundedCache<string, true>(mostKnownStores);
  const create = createGroupCommit<typeof operation, Item, AppointmentRow>(dependencies, {
    operation,
    work: async (sql, storeId, items, origins) => {
      // Only what is written with places can refuse an item.
      if (withRules.has(storeId) || items.some((item) => refusalWithoutRules(item))) {
        return await writeBooked(sql, storeId, items, origins);
      }
      try {
        const appointments = items.map(({ appointment }) => appointment);
        return await writeAppointments(sql, storeId, appointments, origins);
      } catch (error) {
        if (error instanceof RulesFound) withRules.set(storeId, true);
        throw error;
      }
    },
    toReply: toAppointment,
    etag: (row) => etagOf(row.version),
  });

  return async (context, { body }) => {
    const metadata = changeMetadata({}, body.metadata, maxAppointmentMetadataBytes);
    const lead_id = body.lead_id ?? null;
    const hold = await readHold(dependencies, context, body.hold_id);
    const names = {
      seller_id: (body.seller_id === undefined ? hold?.seller_id : body.seller_id) ?? null,
      service_id: (body.service_id === undefined ? hold?.service_id : body.service_id) ?? null,
    };
    const named = await deferErrors(context, {
      named: readNamed(dependencies, context, names, isNewTo(names, hold)),
      lead: lead_id ? dependencies.rpc.call(checkLead, { body: { lead_id } }, context) : Promise.resolve(),
    });
    const { service, choice } = named;
    const appointment = {
      lead_id,
      title: body.title,
      scheduled_at: toInstant(body.scheduled_at),
      duration_minutes:
        body.duration_minutes ?? hold?.duration_minutes ?? service?.duration_minutes ?? defaultDurationMinutes,
      notes: body.notes ?? null,
      metadata,
      seller_id: named.seller_id,
      service_id: named.service_id,
    };
    const { scheduled_at, duration_minutes, service_id } = appointment;
    const wish: Wish = {
      ...{ choice, scheduled_at, duration_minutes, service_id },
      ...{ hold_id: body.hold_id?.toLowerCase() ?? null, appointment_id: null },
    };
    const refusal = firstRefusal([named.refusal, holdRefusal(body.hold_id, hold)]);
    const item = { appointment, wish, refusal };
    const search = { named, scheduled_at, duration_minutes, appointment_id: null };
    return await withAlternatives(dependencies, context, search, async () => {
      try {
        return await create(context, item);
      } catch (error) {
        if (error instanceof RulesFound) return await create(context, item);
        throw error;
      }
    });
  };
};

/** Without rules there are no holds. */
function refusalWithoutRules({ wish, refusal }: Item): AppError | null {
  return refusal ?? (wish.hold_id ? new AppError('hold_not_found') : null);
}

/**
 * Writes what gets a place, and refuses the others. The rows are known before they are written, so that bookings need no
 * more round trips than appointments of a store without rules.
 */
async function writeBooked(
  sql: TransactionSql,
  storeId: string,
  items: readonly Item[],
  origins: readonly Origin[],
): Promise<(AppointmentRow | AppError)[]> {
  const asking = items.filter(({ refusal }) => !refusal);
  const wishes = asking.map(({ wish }) => wish);
  // They are sent at once and run in this order, so the last two read under the locks.
  const [connection, rules, around, identities] = await Promise.all([
    lockCalendarConnection(sql, storeId),
    lockRules(sql, storeId),
    readAround(sql, storeId, wishes),
    newIdentities(sql, items.length),
  ]);
  const granted = rules && (await takePlaces(sql, storeId, rules, wishes, around));
  const outcomes = items.map((item) => {
    if (!granted || item.refusal)
      return refusalWithoutRules(item) ?? { seller_id: item.appointment.seller_id ?? null, booking: null };
    return granted[asking.indexOf(item)] as (typeof granted)[number];
  });
  const accepted = items.flatMap((item, index) => {
    const grant = outcomes[index];
    return grant === undefined || grant instanceof AppError
      ? []
      : [{ ...item, grant, origin: origins[index] as Origin }];
  });
  if (accepted.length === 0) return outcomes as AppError[];
  const rows = accepted.map(({ appointment, grant: { seller_id } }, index) =>
    newRow(storeId, { ...appointment, seller_id }, identities[index] as NewIdentity),
  );
  const bookings = accepted.flatMap(({ grant: { booking } }, index): BookingRow[] =>
    booking ? [{ ...booking, id: (rows[index] as AppointmentRow).id, expires_at: null, renewed: false }] : [],
  );
  insertWithCommit(sql, storeId, rows);
  insertBookingsWithCommit(sql, storeId, bookings);
  await followUp(
    sql,
    storeId,
    rows,
    accepted.map(({ origin }) => origin),
    connection,
  );
  if (rules && rules.reminders.length > 0) {
    await keepReminders(
      sql,
      rules,
      rows.map((row, index) => ({ row, origin: accepted[index]?.origin })),
    );
  }
  const written = rows.values();
  return outcomes.map((outcome) => (outcome instanceof AppError ? outcome : (written.next().value as AppointmentRow)));
}

/**
 * Writes appointments of a store without rules, with all that follows from them. The rows are sent together with the locks.
 *
 * @throws RulesFound when the store has rules
 */
export async function writeAppointments(
  sql: TransactionSql,
  storeId: string,
  appointments: readonly NewAppointment[],
  origins: readonly Origin[],
): Promise<readonly AppointmentRow[]> {
  const [connection, rules, rows] = await Promise.all([
    lockCalendarConnection(sql, storeId),
    lockRules(sql, storeId),
    insertAppointments(sql, storeId, appointments),
  ]);
  if (rules) throw new RulesFound();
  return await followUp(sql, storeId, rows, origins, connection);
}

/** Writes all that follows from new appointments. Each has the origin of its request. */
async function followUp(
  sql: TransactionSql,
  storeId: string,
  rows: readonly AppointmentRow[],
  origins: readonly Origin[],
  connection: Awaited<ReturnType<typeof lockCalendarConnection>>,
): Promise<readonly AppointmentRow[]> {
  const originsOfLeads = new Map(rows.flatMap(({ lead_id }, index) => (lead_id ? [[lead_id, origins[index]]] : [])));
  // In one order, because another process may lock the follow-ups of the same leads.
  const ofLeads = [...originsOfLeads].toSorted(([a], [b]) => (a < b ? -1 : 1));
  appendOutboxWithCommit(
    sql,
    storeId,
    rows.flatMap((row, index) => [
      ...causedBy(origins[index] as Origin, appointmentCreated(row)),
      ...(connection ? [wakeAppointment(row, 'created')] : []),
    ]),
  );
  await Promise.all([
    connection && requestSyncs(sql, storeId, rows, connection.id),
    ...ofLeads.map(([leadId, origin]) =>
      cancelFollowups(sql, storeId, { leadId, reason: 'appointment_booked' }, origin),
    ),
  ]);
  return rows;
}
