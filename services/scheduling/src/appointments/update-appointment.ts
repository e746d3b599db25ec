import { updateAppointment as operation } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { assertIfMatch, etagOf } from '@mostrador/kit/database/etag';
import { withIdempotency } from '@mostrador/kit/idempotency/idempotency';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError, firstRefusal, validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { type BookingRow, deleteBookings, insertBookings } from '../booking/booking.repository.ts';
import { deferRefusal, holdRefusal, isNewTo, type Named, readHold, readNamed } from '../booking/named.ts';
import { withAlternatives } from '../booking/refusals.ts';
import { lockRules } from '../booking/rules.repository.ts';
import type { RulesRow } from '../booking/rules.ts';
import { takePlaces } from '../booking/take-places.ts';
import { lockCalendarConnection } from '../calendars/connection.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { findAppointment, lockAppointment } from './appointment.repository.ts';
import {
  type AppointmentContent,
  type AppointmentPatch,
  type AppointmentRow,
  changeAppointment,
  takesAnother,
  toAppointment,
} from './appointment.ts';
import { saveChange } from './save-change.ts';

export const updateAppointment = (dependencies: Dependencies): Handler<typeof operation> => {
  const { database, relay } = dependencies;
  return async (context, { params, body }) => {
    if (body.hold_id !== undefined && body.status !== undefined && body.status !== 'scheduled') {
      const detail = 'takes a time, which an appointment with a final `status` does not need';
      throw validationFailed([{ pointer: '#/hold_id', detail }]);
    }
    const result = await withIdempotency({
      database,
      context,
      operation,
      run: async (commit) => {
        const { patch, named, planned } = await plan(dependencies, context, params.appointmentId, body);
        const search = { named, ...planned, appointment_id: params.appointmentId };
        return await withAlternatives(dependencies, context, search, () =>
          commit((sql) =>
            change(sql, context, params.appointmentId, { patch, named, holdId: body.hold_id?.toLowerCase() }),
          ),
        );
      },
      toReply: toAppointment,
      etag: (row) => etagOf(row.version),
    });
    relay.nudge();
    return result;
  };
};

export type Plan = {
  readonly patch: AppointmentPatch;
  /** The service and the seller after the change. */
  readonly named: Named;
  readonly planned: Pick<AppointmentRow, 'scheduled_at' | 'duration_minutes'>;
};

/** Looks up what a change needs beside the row. Without a new time, seller or service that is nothing. */
export async function plan(
  dependencies: Pick<Dependencies, 'database' | 'rpc'>,
  context: StoreContext,
  id: string,
  { hold_id, ...body }: AppointmentPatch,
): Promise<Plan> {
  const { storeId } = context;
  const [row] = await dependencies.database.lookUp(context, (sql) => findAppointment(sql, storeId, id));
  if (!row) throw new AppError('appointment_not_found');
  const hold = await readHold(dependencies, context, hold_id);
  const patch: AppointmentPatch = {
    ...(hold && {
      scheduled_at: hold.scheduled_at.toISOString(),
      duration_minutes: hold.duration_minutes,
      seller_id: hold.seller_id,
      ...(hold.service_id && { service_id: hold.service_id }),
    }),
    ...body,
  };
  const isOpen = row.status === 'scheduled';
  const planned = isOpen ? changeAppointment(row, patch) : null;
  // A change of a final one is refused, but what it names must be there.
  const { seller_id, service_id } = planned ?? (isOpen ? row : namesOf(row, patch));
  const isNew = isNewTo({ seller_id, service_id }, row, hold);
  const takes = hold_id !== undefined || (planned !== null && takesAnother(row, planned));
  const asks = takes || (!isOpen && (isNew.seller || isNew.service));
  const names = asks ? { seller_id, service_id } : { seller_id: null, service_id: null };
  const named = await deferRefusal(readNamed(dependencies, context, names, isNew));
  const refusal = firstRefusal([named.refusal, holdRefusal(hold_id, hold)]);
  // The transaction refuses a hold that is gone: a request with the same key may have used it a moment ago.
  const isRefused = isOpen ? named.refusal !== null : refusal?.status === 404;
  if (refusal && isRefused) throw refusal;
  return { patch, named, planned: planned ?? row };
}

/** The seller and the service that an appointment has after a change of its members. */
const namesOf = (row: AppointmentRow, { seller_id, service_id }: AppointmentPatch) => ({
  seller_id: seller_id === undefined ? row.seller_id : (seller_id?.toLowerCase() ?? null),
  service_id: service_id === undefined ? row.service_id : (service_id?.toLowerCase() ?? null),
});

/** Changes an appointment as planned. `source`: where the change came from, when the caller's actor does not say it. */
export async function change(
  sql: TransactionSql,
  context: Pick<StoreContext, 'storeId' | 'ifMatch'>,
  id: string,
  {
    patch,
    named,
    holdId,
    source,
  }: Pick<Plan, 'patch' | 'named'> & { holdId?: string | undefined; source?: 'calendar' },
): Promise<AppointmentRow> {
  const { storeId } = context;
  const [connection, rules] = await Promise.all([lockCalendarConnection(sql, storeId), lockRules(sql, storeId)]);
  const current = await lockAppointment(sql, storeId, id);
  if (!current) throw new AppError('appointment_not_found');
  assertIfMatch(context, current.version);
  const wanted = changeAppointment(current, patch);
  if (holdId && !rules) throw new AppError('hold_not_found');
  if (!wanted && !holdId) return current;
  const changed = rules
    ? await rebook(sql, rules, current, wanted ?? current, { named, holdId: holdId ?? null })
    : (wanted as AppointmentContent);
  return await saveChange(sql, { connection, rules, source }, current, changed);
}

/** Takes the place of the changed appointment instead of its present one, or frees that. Returns the change with its seller. */
async function rebook(
  sql: TransactionSql,
  rules: RulesRow,
  current: AppointmentRow,
  changed: AppointmentContent,
  { named, holdId }: { readonly named: Named; readonly holdId: string | null },
): Promise<AppointmentContent> {
  const { id, store_id } = current;
  if (changed.status !== 'scheduled') {
    await deleteBookings(sql, store_id, [id]);
    return changed;
  }
  if (!takesAnother(current, changed) && !holdId) return changed;
  if (changed.seller_id !== named.seller_id || changed.service_id !== named.service_id) {
    // Another request has changed them since they were looked up.
    throw new AppError('service_unavailable', { retryAfterSeconds: 1 });
  }
  const { scheduled_at, duration_minutes, service_id } = changed;
  const { choice } = named;
  const [grant] = await takePlaces(sql, store_id, rules, [
    {
      ...{ choice, scheduled_at, duration_minutes, service_id },
      ...{ hold_id: holdId, appointment_id: id },
    },
  ]);
  if (!grant || grant instanceof AppError) throw grant ?? new Error('a wish has no grant');
  if (!grant.booking) return changed;
  await insertBookings(sql, store_id, [
    { ...grant.booking, id, expires_at: null, renewed: false } satisfies BookingRow,
  ]);
  return { ...changed, seller_id: grant.seller_id };
}
