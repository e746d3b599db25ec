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

type ScheduleSettings = {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly schedules: readonly ScheduleOptions[];
  readonly log: Log;
  readonly signal: AbortSignal;
};

/**
 * Sets the schedules, and then creates every `everyMs` what is missing, for example after Temporal lost its data.
 * Resolves when the signal is aborted.
 */
export async function keepSchedules(settings: ScheduleSettings & { readonly everyMs: number }): Promise<void> {
  const { everyMs, signal } = settings;
  await setSchedules(settings);
  while (!signal.aborted) {
    await delay(everyMs, undefined, { signal }).catch(() => {});
    // No update: the worker of another version would change them back, and Temporal records every update.
    await forEachSchedule(settings, async (client, schedule) => {
      if (await create(client, schedule))
        settings.log.warn({ schedule: schedule.scheduleId }, 'a schedule was missing');
    });
  }
}

/**
 * Creates or updates the schedules in Temporal. Retries until Temporal accepts them or the signal is aborted. A paused
 * schedule stays paused.
 */
export async function setSchedules(settings: ScheduleSettings): Promise<void> {
  await forEachSchedule(settings, async (client, schedule) => {
    if (await create(client, schedule)) return;
    const { spec, action, policies } = schedule;
    await client.getHandle(schedule.scheduleId).update(({ state }) => ({ spec, action, policies, state }));
  });
}

async function forEachSchedule(
  { connection, namespace, schedules, log, signal }: ScheduleSettings,
  work: (client: ScheduleClient, schedule: ScheduleOptions) => Promise<void>,
): Promise<void> {
  const client = new ScheduleClient({ connection, namespace });
  for (const schedule of schedules) {
    for (let pauseMs = 500; !signal.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        await connection.withDeadline(Date.now() + callLimitMs, () => work(client, schedule));
        break;
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error, schedule: schedule.scheduleId }, 'a schedule could not be set yet');
        await delay(pauseMs, undefined, { signal }).catch(() => {});
      }
    }
  }
}

/** Returns false when the schedule exists. */
async function create(client: ScheduleClient, schedule: ScheduleOptions): Promise<boolean> {
  try {
    await client.create(schedule);
    return true;
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return false;
    throw error;
  }
}
