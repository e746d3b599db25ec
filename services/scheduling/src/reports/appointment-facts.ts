import type { AppointmentSource } from '@mostrador/contracts';
import { type AppointmentRow, isMoved } from '../appointments/appointment.ts';
import type { SchedulingMetric } from './scheduling-counts.ts';

/** A row of `appointment_facts`. */
export type AppointmentFact = Pick<AppointmentRow, 'seller_id' | 'service_id'> & {
  readonly metric: Extract<SchedulingMetric, `appointments_${string}`>;
};

/** What reports count of a change. */
export function factsOfChange(
  before: AppointmentRow,
  { seller_id, service_id, ...row }: AppointmentRow,
  source: AppointmentSource,
): AppointmentFact[] {
  const fact = (isSo: boolean, metric: AppointmentFact['metric']) => (isSo ? [{ metric, seller_id, service_id }] : []);
  return [
    ...fact(isMoved(before, row), 'appointments_moved'),
    ...fact(row.confirmed_at !== null && before.confirmed_at === null, 'appointments_confirmed'),
    ...fact(row.status === 'no_show' && before.status !== 'no_show', 'appointments_no_shows'),
    ...fact(row.status === 'cancelled' && before.status !== 'cancelled', `appointments_cancelled_${source}`),
  ];
}

/** What reports count of a booking that no place was free for. */
export const refusedFact = ({
  seller_id,
  service_id,
}: Pick<AppointmentFact, 'seller_id' | 'service_id'>): AppointmentFact => ({
  ...{ metric: 'appointments_refused', seller_id, service_id },
});
