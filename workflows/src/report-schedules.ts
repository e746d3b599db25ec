import { setTimeout as delay } from 'node:timers/promises';
import { reportClosing, reportServices } from '@mostrador/contracts/workflows';
import type { Log } from '@mostrador/kit/process/log';
import { ScheduleAlreadyRunning, ScheduleClient, type ScheduleOptions } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';

const longestPauseMs = 30_000;
const callLimitMs = 5_000;

/** The schedules that close reports. Each service has its own, so that an outage of one does not delay the others. */
export const reportSchedules: readonly ScheduleOptions[] = reportServices.map((service) => ({
  scheduleId: reportClosing.scheduleId(service),
  spec: {
    intervals: [{ every: `${reportClosing.everyMinutes} minutes`, offset: `${reportClosing.offsetMinutes} minutes` }],
  },
  action: {
    type: 'startWorkflow',
    workflowType: reportClosing.name,
    args: [service],
    taskQueue: reportClosing.taskQueue,
    workflowId: reportClosing.scheduleId(service),
    staticSummary: `Close the reports of ${service}`,
  },
  policies: {
    overlap: 'SKIP',
    // One run closes everything that earlier runs missed, so only the latest missed run is caught up.
    catchupWindow: `${reportClosing.everyMinutes} minutes`,
  },
}));

/**
 * Creates or updates the schedules in Temporal. Retries until Temporal accepts them or the signal is aborted. A paused
 * schedule stays paused.
 */
export async function keepSchedules(options: {
  connection: NativeConnection;
  namespace: string;
  schedules: readonly ScheduleOptions[];
  log: Log;
  signal: AbortSignal;
}): Promise<void> {
  const { connection, namespace, schedules, log, signal } = options;
  const client = new ScheduleClient({ connection, namespace });
  for (const schedule of schedules) {
    for (let pauseMs = 500; !signal.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        await connection.withDeadline(Date.now() + callLimitMs, () => keep(client, schedule));
        break;
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error, schedule: schedule.scheduleId }, 'a schedule could not be set yet');
        await delay(pauseMs, undefined, { signal }).catch(() => {});
      }
    }
  }
}

async function keep(client: ScheduleClient, schedule: ScheduleOptions): Promise<void> {
  try {
    await client.create(schedule);
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    const { spec, action, policies } = schedule;
    await client.getHandle(schedule.scheduleId).update(({ state }) => ({ spec, action, policies, state }));
  }
}
