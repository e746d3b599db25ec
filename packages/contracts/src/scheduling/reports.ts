import { type Static, Type } from '@sinclair/typebox';
import { Described, Exact, Uuid } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { appointmentMetrics, followupMetrics } from '../core/report-metrics.ts';
import { Boundaries, Bucketed, Count, PerWord, Span } from '../core/reports.ts';
import { defineClosing, defineReset, defineVerification } from '../core/rollups.ts';
import { appointmentStatuses } from './appointments.ts';

export const AppointmentCounts = Type.Object(
  {
    created: Count(appointmentMetrics.created),
    without_lead: Count(appointmentMetrics.without_lead),
  },
  { title: 'AppointmentCounts', description: 'Appointments created in the period.' },
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

export const summarizeScheduling = defineOperation({
  subject: 'scheduling.internal.reports.summary',
  summary: "Count a store's appointments and follow-ups over a period",
  request: { body: Exact({ boundaries: Boundaries }) },
  reply: Type.Object({
    appointments: Bucketed(AppointmentCounts),
    appointments_by_status: AppointmentsByStatus,
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

export const reportLeadScheduling = defineOperation({
  subject: 'scheduling.internal.reports.lead',
  summary: "Count a lead's appointments and follow-ups over a period",
  request: { body: Exact({ lead_id: Uuid, ...Span }) },
  reply: Type.Object({ appointments: LeadAppointments, followups: FollowupCounts }),
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
