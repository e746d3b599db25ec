import type { schedulingOperations } from '@mostrador/contracts';
import { secretHandlers } from '@mostrador/kit/clients/reseal';
import type { Handlers } from '@mostrador/kit/rpc/server';
import { waitingHandlers } from '@mostrador/kit/step/waiting';
import { rollupHandlers } from '@mostrador/rollups/handlers';
import { listTotalHandlers } from '@mostrador/totals/handlers';
import { createAppointment } from './appointments/create-appointment.ts';
import { getAppointment } from './appointments/get-appointment.ts';
import { getAppointmentInvitation } from './appointments/get-appointment-invitation.ts';
import { listAppointments } from './appointments/list-appointments.ts';
import { updateAppointment } from './appointments/update-appointment.ts';
import { createHold } from './availability/create-hold.ts';
import { getAvailability } from './availability/get-availability.ts';
import { holdForDecision } from './availability/hold-for-decision.ts';
import { listBusyTimes } from './availability/list-busy-times.ts';
import { releaseHold } from './availability/release-hold.ts';
import { renewHold } from './availability/renew-hold.ts';
import { getRules } from './booking/get-rules.ts';
import { putRules } from './booking/put-rules.ts';
import { getCalendarSync } from './calendar-sync/get-calendar-sync.ts';
import { syncCalendarEvent } from './calendar-sync/sync-calendar-event.ts';
import { waitingSyncs } from './calendar-sync/waiting-syncs.ts';
import { noteCalendarChange } from './calendar-watch/note-change.ts';
import { waitingWatches } from './calendar-watch/waiting-watches.ts';
import { watchCalendar } from './calendar-watch/watch-calendar.ts';
import { connectCalendar } from './calendars/connect-calendar.ts';
import { connectStoreCalendar } from './calendars/connect-store-calendar.ts';
import { sealedCalendars } from './calendars/credentials.ts';
import { disconnectCalendar } from './calendars/disconnect-calendar.ts';
import { readFeed } from './calendars/feed/read-feed.ts';
import { getConnection } from './calendars/get-connection.ts';
import { getStoreCalendar } from './calendars/get-store-calendar.ts';
import { showCalendar } from './calendars/show-calendar.ts';
import { updateCalendarSettings } from './calendars/update-calendar-settings.ts';
import type { Dependencies } from './dependencies.ts';
import { advanceFollowup } from './followups/advance-followup.ts';
import { cancelFollowup } from './followups/cancel-followup.ts';
import { createFollowup } from './followups/create-followup.ts';
import { getFollowup } from './followups/get-followup.ts';
import { listFollowups } from './followups/list-followups.ts';
import { replanFollowups } from './followups/replan-followups.ts';
import { updateFollowup } from './followups/update-followup.ts';
import { updateSendingWindows } from './followups/update-sending-windows.ts';
import { waitingFollowups } from './followups/waiting-followups.ts';
import { mergeLeadScheduling } from './leads/merge-lead-scheduling.ts';
import { reportLeadScheduling } from './reports/report-lead-scheduling.ts';
import { schedulingRollups } from './reports/scheduling-counts.ts';
import { summarizeScheduling } from './reports/summarize-scheduling.ts';
import { fenceScheduling } from './restore/fence-scheduling.ts';
import { listLostEvents } from './restore/list-lost-events.ts';
import { releaseFollowups } from './restore/release-followups.ts';
import { createService } from './services/create-service.ts';
import { deleteService } from './services/delete-service.ts';
import { getService } from './services/get-service.ts';
import { listStoreServices } from './services/list-services.ts';
import { updateService } from './services/update-service.ts';
import { changeSettings } from './settings/change-settings.ts';
import { getSettings } from './settings/get-settings.ts';

export const createHandlers = (dependencies: Dependencies): Handlers<typeof schedulingOperations> => {
  const reports = rollupHandlers(schedulingRollups, dependencies);
  const waiting = waitingHandlers({ calendar_sync: waitingSyncs, followup: waitingFollowups }, dependencies, {
    calendar_watch: waitingWatches,
  });
  const totals = listTotalHandlers(dependencies.listTotals);
  const secrets = secretHandlers(sealedCalendars, dependencies);
  return {
    createAppointment: createAppointment(dependencies),
    getAppointment: getAppointment(dependencies),
    getAppointmentInvitation: getAppointmentInvitation(dependencies),
    listAppointments: listAppointments(dependencies),
    updateAppointment: updateAppointment(dependencies),
    putBookingRules: putRules(dependencies),
    getBookingRules: getRules(dependencies),
    createService: createService(dependencies),
    listStoreServices: listStoreServices(dependencies),
    getService: getService(dependencies),
    updateService: updateService(dependencies),
    deleteService: deleteService(dependencies),
    getAvailability: getAvailability(dependencies),
    listBusyTimes: listBusyTimes(dependencies),
    createHold: createHold(dependencies),
    holdForDecision: holdForDecision(dependencies),
    renewHold: renewHold(dependencies),
    releaseHold: releaseHold(dependencies),
    getCalendarSync: getCalendarSync(dependencies),
    readCalendarFeed: readFeed(dependencies),
    noteCalendarChange: noteCalendarChange(dependencies),
    syncCalendarEvent: syncCalendarEvent(dependencies),
    watchCalendar: watchCalendar(dependencies),
    getCalendarConnection: getConnection(dependencies),
    connectCalendar: connectCalendar(dependencies),
    disconnectCalendar: disconnectCalendar(dependencies),
    showCalendar: showCalendar(dependencies),
    updateCalendarSettings: updateCalendarSettings(dependencies),
    getStoreCalendar: getStoreCalendar(dependencies),
    connectStoreCalendar: connectStoreCalendar(dependencies),
    disconnectStoreCalendar: disconnectCalendar(dependencies),
    listWaitingScheduling: waiting.store.list,
    retryWaitingScheduling: waiting.store.retry,
    giveUpWaitingScheduling: waiting.store.giveUp,
    getSchedulingSettings: getSettings(dependencies),
    changeSchedulingSettings: changeSettings(dependencies),
    createFollowup: createFollowup(dependencies),
    listFollowups: listFollowups(dependencies),
    getFollowup: getFollowup(dependencies),
    updateFollowup: updateFollowup(dependencies),
    cancelFollowup: cancelFollowup(dependencies),
    advanceFollowup: advanceFollowup(dependencies),
    updateSendingWindows: updateSendingWindows(dependencies),
    replanFollowups: replanFollowups(dependencies),
    summarizeScheduling: summarizeScheduling(dependencies),
    reportLeadScheduling: reportLeadScheduling(dependencies),
    mergeLeadScheduling: mergeLeadScheduling(dependencies),
    fenceScheduling: fenceScheduling(dependencies),
    listLostEvents: listLostEvents(dependencies),
    releaseFollowups: releaseFollowups(dependencies),
    closeSchedulingReports: reports.close,
    verifySchedulingReports: reports.verify,
    resetSchedulingReports: reports.reset,
    verifySchedulingTotals: totals.verify,
    rebuildSchedulingTotals: totals.rebuild,
    listSchedulingWaitingStores: waiting.operator.stores,
    listOperatorScheduling: waiting.operator.list,
    retryOperatorScheduling: waiting.operator.retry,
    giveUpOperatorScheduling: waiting.operator.giveUp,
    countSchedulingSecrets: secrets.count,
    resealSchedulingSecrets: secrets.reseal,
  };
};
