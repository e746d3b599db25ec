import { type Static, Type } from '@sinclair/typebox';
import {
  Exact,
  NullableAppointmentMetadata,
  NullableString,
  NullableText,
  NullableUuid,
  OneOf,
  Page,
  paging,
  Text,
  Timestamp,
  Uuid,
} from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';

export const appointmentStatuses = ['scheduled', 'done', 'cancelled', 'no_show'] as const;
export const AppointmentStatus = OneOf(appointmentStatuses, { title: 'AppointmentStatus' });

/** Minutes, 1 to 1,440 (a day). */
const Duration = (options: { default?: number } = {}) => Type.Integer({ ...options, minimum: 1, maximum: 1440 });

export const Appointment = Type.Object(
  {
    id: Uuid,
    store_id: Uuid,
    lead_id: NullableUuid,
    title: Type.String(),
    scheduled_at: Timestamp,
    duration_minutes: Type.Integer(),
    status: AppointmentStatus,
    notes: NullableString,
    metadata: Type.Record(Type.String(), Type.String()),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Appointment' },
);
export type Appointment = Static<typeof Appointment>;

export const appointmentParams = Exact({ appointmentId: Uuid });

export const createAppointment = defineOperation({
  subject: 'scheduling.api.appointments.create',
  summary: 'Create an appointment',
  description:
    'The service syncs the appointment to the connected calendar, if the store has one. ' +
    '`GET /appointments/{appointmentId}/calendar-sync` shows the state of the sync. Past dates are allowed.',
  request: {
    body: Exact({
      title: Text(200),
      scheduled_at: Timestamp,
      duration_minutes: Type.Optional(Duration({ default: 60 })),
      notes: Type.Optional(NullableText(5000)),
      lead_id: Type.Optional(NullableUuid),
      metadata: Type.Optional(NullableAppointmentMetadata),
    }),
  },
  reply: Appointment,
  errors: ['lead_not_found'],
});

export const getAppointment = defineOperation({
  subject: 'scheduling.api.appointments.get',
  summary: 'Read an appointment',
  request: { params: appointmentParams },
  reply: Appointment,
  errors: ['appointment_not_found'],
});

export const listAppointments = defineOperation({
  subject: 'scheduling.api.appointments.list',
  summary: 'List appointments',
  description: 'Ordered by `scheduled_at`. `from` is inclusive, `to` is exclusive.',
  extension: true,
  request: {
    query: Exact({
      status: Type.Optional(AppointmentStatus),
      lead_id: Type.Optional(Uuid),
      from: Type.Optional(Timestamp),
      to: Type.Optional(Timestamp),
      ...paging(),
    }),
  },
  reply: Page(Appointment),
});

export const updateAppointment = defineOperation({
  subject: 'scheduling.api.appointments.update',
  summary: 'Change an appointment',
  description:
    'Send at least one member; members left out stay as they are. Only a `scheduled` appointment can change: ' +
    '`done`, `cancelled` and `no_show` are final. The calendar does not get `metadata`.',
  extension: true,
  request: {
    params: appointmentParams,
    body: Exact(
      {
        title: Type.Optional(Text(200)),
        scheduled_at: Type.Optional(Timestamp),
        duration_minutes: Type.Optional(Duration()),
        notes: Type.Optional(NullableText(5000)),
        status: Type.Optional(AppointmentStatus),
        metadata: Type.Optional(NullableAppointmentMetadata),
      },
      { minProperties: 1 },
    ),
  },
  reply: Appointment,
  errors: ['appointment_not_found', 'appointment_not_scheduled', 'version_mismatch'],
});
