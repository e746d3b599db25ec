import { type Static, Type } from '@sinclair/typebox';
import { About, Described, Exact, NullableString, Uuid } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { appointmentMetrics, followupMetrics } from '../core/report-metrics.ts';
import { Boundaries, Bucketed, Count, describe, PerWord, Span } from '../core/reports.ts';
import { defineClosing, defineReset, defineVerification } from '../core/rollups.ts';
import { appointmentSources, appointmentStatuses } from './appointments.ts';
import { followupStatuses } from './followups.ts';

/** What happened to appointments after their creation, and the refusals. */
const changes = {
  refused: Count(appointmentMetrics.refused),
  moved: Count(appointmentMetrics.moved),
  confirmed: Count(appointmentMetrics.confirmed),
  no_shows: Count(appointmentMetrics.no_shows),
  cancelled: PerWord(appointmentSources, 'AppointmentsBySource', describe(appointmentMetrics.cancelled)),
};
const AppointmentChanges = Type.Object(changes);
export type AppointmentChanges = Static<typeof AppointmentChanges>;

export const AppointmentCounts = Type.Object(
  {
    created: Count(appointmentMetrics.created),
    without_lead: Count(appointmentMetrics.without_lead),
    // The previous version of the service does not have them.
    ...Type.Partial(AppointmentChanges).properties,
  },
  { title: 'AppointmentCounts', description: 'What happened to appointments in the period.' },
);
export type AppointmentCounts = Static<typeof AppointmentCounts>;

export const FollowupCounts = Type.Object(
  {
    scheduled: Count(followupMetrics.scheduled),
    sent: Count(followupMetrics.sent),
    failed: Count(followupMetrics.failed),
    cancelled: Count(followupMetrics.cancelled),
  },
  { title: 'FollowupCounts', description: 'Follow-ups of the period.' },
);
export type FollowupCounts = Static<typeof FollowupCounts>;

export const AppointmentsByStatus = PerWord(
  appointmentStatuses,
  'AppointmentsByStatus',
  'All appointments by status, as of now.',
);

const NullableName = (description: string) => Type.Unsafe<string | null>({ ...NullableString, description });

export const SellerAppointments = Type.Object(
  { seller_id: About(Uuid, 'The id of the seller.'), name: NullableName('Null for a deleted seller.'), ...changes },
  { title: 'SellerAppointmentCounts', description: 'What happened to the appointments of one seller in the period.' },
);

export const ServiceAppointments = Type.Object(
  { service_id: About(Uuid, 'The id of the service.'), name: NullableName('Null for a deleted service.'), ...changes },
  { title: 'ServiceAppointmentCounts', description: 'What happened to the appointments of one service in the period.' },
);

export const summarizeScheduling = defineOperation({
  subject: 'scheduling.internal.reports.summary',
  summary: "Count a store's appointments and follow-ups over a period",
  request: { body: Exact({ boundaries: Boundaries }) },
  reply: Type.Object({
    appointments: Bucketed(AppointmentCounts),
    appointments_by_status: AppointmentsByStatus,
    appointments_by_seller: Type.Optional(Type.Array(Type.Omit(SellerAppointments, ['name']))),
    appointments_by_service: Type.Optional(Type.Array(ServiceAppointments)),
    followups: Bucketed(FollowupCounts),
  }),
});

export const LeadAppointments = Type.Object(
  {
    created: Count(appointmentMetrics.created),
    by_status: Described(AppointmentsByStatus, {
      description: 'All appointments of the lead by status, as of now.',
    }),
  },
  { title: 'LeadAppointmentCounts', description: 'Appointments of the lead.' },
);

export const LeadFollowups = Type.Composite(
  [
    FollowupCounts,
    Type.Object({
      // The previous version of the service does not have it.
      by_status: Type.Optional(
        PerWord(followupStatuses, 'FollowupsByStatus', 'All follow-ups of the lead by status, as of now.'),
      ),
    }),
  ],
  { title: 'LeadFollowupCounts', description: 'Follow-ups of the lead.' },
);

export const reportLeadScheduling = defineOperation({
  subject: 'scheduling.internal.reports.lead',
  summary: "Count a lead's appointments and follow-ups over a period",
  request: { body: Exact({ lead_id: Uuid, ...Span }) },
  reply: Type.Object({ appointments: LeadAppointments, followups: LeadFollowups }),
});

export const closeSchedulingReports = defineClosing('scheduling');

export const verifySchedulingReports = defineVerification('scheduling');

export const resetSchedulingReports = defineReset('scheduling');

export const schedulingReportOperations = {
  summarizeScheduling,
  reportLeadScheduling,
  closeSchedulingReports,
  verifySchedulingReports,
  resetSchedulingReports,
} as const;
