import { rebuildSchedulingTotals, verifySchedulingTotals } from '../list-totals.ts';
import {
  giveUpOperatorScheduling,
  listOperatorScheduling,
  listSchedulingWaitingStores,
  retryOperatorScheduling,
} from '../operator-waiting.ts';
import { countSchedulingSecrets, resealSchedulingSecrets } from '../secrets.ts';
import {
  createAppointment,
  getAppointment,
  getAppointmentInvitation,
  listAppointments,
  updateAppointment,
} from './appointments.ts';
import { availabilityOperations } from './availability.ts';
import { getBookingRules, putBookingRules } from './booking-rules.ts';
import {
  connectCalendar,
  connectStoreCalendar,
  disconnectCalendar,
  disconnectStoreCalendar,
  getCalendarConnection,
  getCalendarSync,
  getStoreCalendar,
  noteCalendarChange,
  readCalendarFeed,
  showCalendar,
  syncCalendarEvent,
  updateCalendarSettings,
  watchCalendar,
} from './calendars.ts';
import { followupOperations } from './followups.ts';
import { mergeLeadScheduling } from './leads.ts';
import { schedulingReportOperations } from './reports.ts';
import { fenceScheduling, listLostEvents, releaseFollowups } from './restore.ts';
import { serviceOperations } from './services.ts';
import { changeSchedulingSettings, getSchedulingSettings } from './settings.ts';
import { giveUpWaitingScheduling, listWaitingScheduling, retryWaitingScheduling } from './waiting.ts';

export const schedulingOperations = {
  createAppointment,
  listAppointments,
  getAppointment,
  getAppointmentInvitation,
  updateAppointment,
  getCalendarSync,
  putBookingRules,
  getBookingRules,
  ...serviceOperations,
  ...availabilityOperations,
  ...followupOperations,
  readCalendarFeed,
  noteCalendarChange,
  syncCalendarEvent,
  watchCalendar,
  getCalendarConnection,
  connectCalendar,
  disconnectCalendar,
  showCalendar,
  updateCalendarSettings,
  getStoreCalendar,
  connectStoreCalendar,
  disconnectStoreCalendar,
  listWaitingScheduling,
  retryWaitingScheduling,
  giveUpWaitingScheduling,
  getSchedulingSettings,
  changeSchedulingSettings,
  mergeLeadScheduling,
  fenceScheduling,
  listLostEvents,
  releaseFollowups,
  ...schedulingReportOperations,
  verifySchedulingTotals,
  rebuildSchedulingTotals,
  listSchedulingWaitingStores,
  listOperatorScheduling,
  retryOperatorScheduling,
  giveUpOperatorScheduling,
  countSchedulingSecrets,
  resealSchedulingSecrets,
} as const;
