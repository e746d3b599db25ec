import { isDeepStrictEqual } from 'node:util';
import {
  type Appointment,
  type AppointmentSource,
  type EventActor,
  maxAppointmentMetadataBytes,
  type RequestOf,
  type SignalOf,
  type updateAppointment,
} from '@mostrador/contracts';
import { etagOf } from '@mostrador/kit/database/etag';
import { changeMetadata, type Metadata } from '@mostrador/kit/database/metadata';
import { type OutboxEntry, wakeWorkflow } from '@mostrador/kit/outbox/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import { toInstant, toTimestamp } from '@mostrador/kit/rpc/validate';

/** A row of `appointments`. */
export type AppointmentRow = {
  readonly store_id: string;
  readonly id: string;
  readonly lead_id: string | null;
  readonly title: string;
  readonly scheduled_at: Date;
  readonly duration_minutes: number;
  readonly status: Appointment['status'];
  readonly notes: string | null;
  readonly metadata: Metadata;
  readonly seller_id: string | null;
  readonly service_id: string | null;
  /** When the customer confirmed it at its present time. */
  readonly confirmed_at: Date | null;
  /** When its time or its length last changed. Null: not known, or never. */
  readonly moved_at: Date | null;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
};

/** What a new appointment says. */
export type NewAppointment = Pick<
  AppointmentRow,
  'lead_id' | 'title' | 'scheduled_at' | 'duration_minutes' | 'notes' | 'metadata'
> &
  Partial<Pick<AppointmentRow, 'seller_id' | 'service_id'>>;

/** The row of a new appointment, with the defaults of the table. PostgreSQL writes UUIDs in lower case. */
export const newRow = (
  storeId: string,
  appointment: NewAppointment,
  { id, at }: { readonly id: string; readonly at: Date },
): AppointmentRow => ({
  ...appointment,
  store_id: storeId,
  id,
  lead_id: appointment.lead_id?.toLowerCase() ?? null,
  seller_id: appointment.seller_id?.toLowerCase() ?? null,
  service_id: appointment.service_id?.toLowerCase() ?? null,
  ...{ status: 'scheduled', confirmed_at: null, moved_at: null, version: 1, created_at: at, updated_at: at },
});

/** The columns that a change can set. */
export type AppointmentContent = Pick<
  AppointmentRow,
  | 'title'
  | 'scheduled_at'
  | 'duration_minutes'
  | 'notes'
  | 'status'
  | 'metadata'
  | 'seller_id'
  | 'service_id'
  | 'confirmed_at'
>;

export type AppointmentPatch = RequestOf<typeof updateAppointment>['body'];

/** The wake-up of an appointment's workflow. */
export const wakeAppointment = (
  { id, lead_id }: { readonly id: string; readonly lead_id?: string | null },
  signal: SignalOf<'appointment'>,
): OutboxEntry => wakeWorkflow('appointment', id, signal, lead_id);

/** The row as the API shows it. */
export function toAppointment(row: AppointmentRow): Appointment {
  return {
    id: row.id,
    store_id: row.store_id,
    lead_id: row.lead_id,
    title: row.title,
    scheduled_at: toTimestamp(row.scheduled_at),
    duration_minutes: row.duration_minutes,
    status: row.status,
    notes: row.notes,
    metadata: row.metadata,
    seller_id: row.seller_id,
    service_id: row.service_id,
    confirmed_at: row.confirmed_at && toTimestamp(row.confirmed_at),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}

/**
 * The values after the patch, or null when the patch changes nothing.
 * @throws AppError `appointment_not_scheduled`: every other status is final.
 */
export function changeAppointment(row: AppointmentRow, patch: AppointmentPatch): AppointmentContent | null {
  if (row.status !== 'scheduled') {
    throw new AppError('appointment_not_scheduled', {
      detail: `The appointment is ${row.status}. Only a scheduled appointment can change.`,
      members: { current_status: row.status },
    });
  }
  const { title, scheduled_at, duration_minutes, notes, status, metadata, seller_id, service_id } = patch;
  const startsAt = scheduled_at === undefined ? row.scheduled_at : toInstant(scheduled_at);
  const changed: AppointmentContent = {
    title: title ?? row.title,
    scheduled_at: startsAt,
    duration_minutes: duration_minutes ?? row.duration_minutes,
    notes: notes === undefined ? row.notes : notes,
    status: status ?? row.status,
    metadata: changeMetadata(row.metadata, metadata, maxAppointmentMetadataBytes),
    seller_id: seller_id === undefined ? row.seller_id : (seller_id?.toLowerCase() ?? null),
    service_id: service_id === undefined ? row.service_id : (service_id?.toLowerCase() ?? null),
    // The customer has not confirmed the new time.
    confirmed_at: startsAt.getTime() === row.scheduled_at.getTime() ? row.confirmed_at : null,
  };
  const isSame = !isShown(row, changed) && !takesAnother(row, changed);
  return isSame && isDeepStrictEqual(changed.metadata, row.metadata) ? null : changed;
}

/** Whether the change needs another place, or another time of it. */
export const takesAnother = (row: AppointmentRow, changed: AppointmentContent): boolean =>
  isMoved(row, changed) || changed.seller_id !== row.seller_id || changed.service_id !== row.service_id;

export const isMoved = (
  row: AppointmentRow,
  changed: Pick<AppointmentContent, 'scheduled_at' | 'duration_minutes'>,
): boolean =>
  changed.scheduled_at.getTime() !== row.scheduled_at.getTime() || changed.duration_minutes !== row.duration_minutes;

/** Whether the change is one that the calendar shows. */
export const isShown = (row: AppointmentRow, changed: AppointmentContent): boolean =>
  changed.title !== row.title || isMoved(row, changed) || changed.notes !== row.notes || changed.status !== row.status;

/** The signal for a change. Its name shows operators in Temporal what happened. */
export function signalOfChange(changed: AppointmentContent): SignalOf<'appointment'> {
  return changed.status === 'cancelled' ? 'cancelled' : 'changed';
}

const idsOf = (row: AppointmentRow) => ({
  appointment_id: row.id,
  lead_id: row.lead_id,
  scheduled_at: toTimestamp(row.scheduled_at),
  status: row.status,
});
const shown = (row: AppointmentRow) =>
  ({ kind: 'feed', entityId: row.id, etag: etagOf(row.version), object: toAppointment(row) }) as const;

/** The entries of the events about a new appointment. */
export const appointmentCreated = (row: AppointmentRow): OutboxEntry[] => [
  { kind: 'event', type: 'scheduling.appointment.created', data: idsOf(row) },
  { ...shown(row), type: 'appointment.created', data: idsOf(row) },
];

/** The entries of the events about a changed appointment. */
export const appointmentUpdated = (before: AppointmentRow, row: AppointmentRow): OutboxEntry[] => [
  { kind: 'event', type: 'scheduling.appointment.updated', data: idsOf(row) },
  { ...shown(row), type: 'appointment.updated', data: idsOf(row), before: toAppointment(before) },
];

/** The entries of the events about times and reminders, which stores with rules have, and changes in the calendar. */
export function appointmentRebooked(
  before: AppointmentRow,
  row: AppointmentRow,
  source: AppointmentSource,
): OutboxEntry[] {
  const previous = {
    previous_scheduled_at: toTimestamp(before.scheduled_at),
    previous_duration_minutes: before.duration_minutes,
  };
  return [
    ...(isMoved(before, row)
      ? [{ ...shown(row), type: 'appointment.moved' as const, data: { ...idsOf(row), ...previous, source } }]
      : []),
    ...(row.status === 'cancelled'
      ? [{ ...shown(row), type: 'appointment.cancelled' as const, data: { ...idsOf(row), source } }]
      : []),
    ...(row.confirmed_at && row.confirmed_at.getTime() !== before.confirmed_at?.getTime()
      ? [{ ...shown(row), type: 'appointment.confirmed' as const, data: { ...idsOf(row), source } }]
      : []),
  ];
}

/** The entry of the event about a change in the calendar that was refused. */
export const appointmentChangeRefused = (
  row: AppointmentRow,
  requested: { readonly startsAt: Date | null; readonly durationMinutes: number; readonly reason: string },
): OutboxEntry => ({
  ...shown(row),
  type: 'appointment.change_refused',
  data: {
    ...idsOf(row),
    requested_scheduled_at: requested.startsAt && toTimestamp(requested.startsAt),
    requested_duration_minutes: requested.durationMinutes,
    reason: requested.reason,
    source: 'calendar',
  },
});

/** Where a change came from. */
export function sourceOf(kind: EventActor['kind'] | undefined): AppointmentSource {
  switch (kind) {
    case 'user':
      return 'console';
    case 'channel':
      return 'customer';
    case 'agent':
    case 'system':
      return kind;
    default:
      return 'api';
  }
}
