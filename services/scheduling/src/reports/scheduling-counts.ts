import {
  type Appointment,
  type AppointmentCounts,
  appointmentStatuses,
  type FollowupCounts,
} from '@mostrador/contracts';
import { createRollups } from '@mostrador/rollups';

/** The metrics of the view `report_facts`. The rollups store totals in this order, so add new ones at the end. */
export const schedulingFacts = [
  'appointments_with_lead',
  'appointments_without_lead',
  'followups_scheduled',
  'followups_sent',
  'followups_failed',
  'followups_cancelled',
] as const;
export type SchedulingFacts = Readonly<Record<(typeof schedulingFacts)[number], number>>;
export const schedulingRollups = createRollups(schedulingFacts);

export const noFacts = Object.fromEntries(schedulingFacts.map((metric) => [metric, 0])) as SchedulingFacts;

export type AppointmentsByStatus = Record<Appointment['status'], number>;
const noAppointments = Object.fromEntries(appointmentStatuses.map((status) => [status, 0])) as AppointmentsByStatus;

/** The counts as reports show them. */
export const toAppointmentCounts = (facts: SchedulingFacts): AppointmentCounts => ({
  created: facts.appointments_with_lead + facts.appointments_without_lead,
  without_lead: facts.appointments_without_lead,
});

export const toFollowupCounts = (facts: SchedulingFacts): FollowupCounts => ({
  scheduled: facts.followups_scheduled,
  sent: facts.followups_sent,
  failed: facts.followups_failed,
  cancelled: facts.followups_cancelled,
});

export const toAppointmentsByStatus = (counted: Partial<AppointmentsByStatus>): AppointmentsByStatus => ({
  ...noAppointments,
  ...counted,
});
