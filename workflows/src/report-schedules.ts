import { setTimeout as delay } from 'node:timers/promises';
import { reportClosing, reportServices } from '@mostrador/contracts/workflows';
import type { Log } from '@mostrador/kit/process/log';
import { ScheduleAlreadyRunning, ScheduleClient, type ScheduleOptions } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';

const longestPauseMs = 30_000;
const callLimitMs = 5_000;

/** The schedules of the reports, one a service, so that one that is away holds up no other. */
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
    // One run closes all that those before it missed, so only the last that was missed is worth making up for.
    catchupWindow: `${reportClosing.everyMinutes} minutes`,
  },
}));

/**
 * Makes the schedules what this code says, as soon as Temporal takes them, unless the signal ends it before. One that an
 * operator paused stays paused.
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
