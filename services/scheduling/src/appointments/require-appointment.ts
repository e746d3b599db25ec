import type { Database } from '@mostrador/kit/database/database';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import { findAppointment } from './appointment.repository.ts';
import type { AppointmentRow } from './appointment.ts';

/**
 * Checks a reference to an appointment, if there is one, and returns that. No appointment is ever deleted, so what was there
 * stays.
 *
 * @throws AppError `appointment_not_found` when the store has none with this id
 */
export async function requireAppointment(
  database: Pick<Database, 'lookUp'>,
  context: StoreContext,
  id: string | null | undefined,
): Promise<AppointmentRow | undefined> {
  if (!id) return undefined;
  const [row] = await database.lookUp(context, (sql) => findAppointment(sql, context.storeId, id));
  if (!row) throw new AppError('appointment_not_found');
  return row;
}
