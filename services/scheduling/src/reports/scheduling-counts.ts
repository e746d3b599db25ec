import {
  type Appointment,
  type AppointmentChanges,
  type AppointmentCounts,
  appointmentSources,
  appointmentStatuses,
  type FollowupCounts,
  type FollowupStatus,
  followupStatuses,
} from '@mostrador/contracts';
import { createRollups } from '@mostrador/rollups';

/** The metrics of the view `report_facts_of_subjects`. The rollups store totals in this order, so add new ones at the end. */
export const schedulingFacts = [
  'appointments_with_lead',
  'appointments_without_lead',
  'followups_scheduled',
  'followups_sent',
  'followups_failed',
  'followups_cancelled',
  'appointments_refused',
  'appointments_moved',
  'appointments_confirmed',
  'appointments_no_shows',
  'appointments_cancelled_api',
  'appointments_cancelled_console',
  'appointments_cancelled_calendar',
  'appointments_cancelled_customer',
  'appointments_cancelled_agent',
  'appointments_cancelled_system',
  // Only services have it.
  'services_changed',
] as const;
export type SchedulingMetric = (typeof schedulingFacts)[number];
export type SchedulingFacts = Readonly<Record<SchedulingMetric, number>>;
export const schedulingRollups = createRollups(schedulingFacts, 'report_facts_of_subjects');

export const noFacts = Object.fromEntries(schedulingFacts.map((metric) => [metric, 0])) as SchedulingFacts;

export type AppointmentsByStatus = Record<Appointment['status'], number>;
const noAppointments = Object.fromEntries(appointmentStatuses.map((status) => [status, 0])) as AppointmentsByStatus;

export type FollowupsByStatus = Record<FollowupStatus, number>;
const noFollowups = Object.fromEntries(followupStatuses.map((status) => [status, 0])) as FollowupsByStatus;

/** The counts as reports show them. */
export const toAppointmentCounts = (facts: SchedulingFacts): AppointmentCounts => ({
  created: facts.appointments_with_lead + facts.appointments_without_lead,
  without_lead: facts.appointments_without_lead,
  ...toAppointmentChanges(facts),
});

const toAppointmentChanges = (facts: SchedulingFacts): AppointmentChanges => ({
  refused: facts.appointments_refused,
  moved: facts.appointments_moved,
  confirmed: facts.appointments_confirmed,
  no_shows: facts.appointments_no_shows,
  cancelled: Object.fromEntries(
    appointmentSources.map((source) => [source, facts[`appointments_cancelled_${source}`]]),
  ) as AppointmentChanges['cancelled'],
});

type SubjectFacts = ReadonlyMap<string, { readonly total: SchedulingFacts; readonly now: SchedulingFacts }>;

/** The counts of the sellers and services of which something is counted, in the order of their ids. */
export function toChangesOfEach(subjects: SubjectFacts) {
  const counted = [...subjects]
    .filter(([, { total }]) => Object.values(total).some((count) => count > 0))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const isService = ([, { now }]: (typeof counted)[number]) => now.services_changed > 0;
  const [services, sellers] = [counted.filter(isService), counted.filter((each) => !isService(each))];
  return {
    sellers: sellers.map(([seller_id, { total }]) => ({ seller_id, ...toAppointmentChanges(total) })),
    services: services.map(([service_id, { total }]) => ({ service_id, ...toAppointmentChanges(total) })),
  };
}

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

export const toFollowupsByStatus = (counted: Partial<FollowupsByStatus>): FollowupsByStatus => ({
  ...noFollowups,
  ...counted,
});
