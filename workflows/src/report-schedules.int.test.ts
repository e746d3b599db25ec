import { reportClosing, reportServices } from '@mostrador/contracts/workflows';
import { silentLog } from '@mostrador/testing/context';
import { type OwnTemporal, prepareOwnTemporal } from '@mostrador/testing/servers/own-temporal';
import { waitFor } from '@mostrador/testing/wait';
import { ScheduleClient } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorkflowStage, type WorkflowStage } from '../test/stage.ts';
import { keepSchedules, reportSchedules, setSchedules } from './report-schedules.ts';

const minuteMs = 60_000;
let stage: WorkflowStage;
let own: OwnTemporal;
beforeAll(async () => {
  [stage, own] = await Promise.all([startWorkflowStage(), prepareOwnTemporal()]);
});
afterAll(async () => {
  // Other tests reuse the namespace, so the schedules are deleted.
  await Promise.all(reportServices.map((service) => handleOf(service).delete()));
  await stage?.stop();
  await own?.remove();
});

const set = (schedules = reportSchedules) =>
  setSchedules({
    connection: stage.connection,
    namespace: stage.namespace,
    schedules,
    log: silentLog(),
    signal: new AbortController().signal,
  });
const handleOf = (service: (typeof reportServices)[number]) =>
  stage.client.schedule.getHandle(reportClosing.scheduleId(service));

test('each service has one schedule, 1 minute after every quarter-hour, however often and by how many workers it is set', async () => {
  await Promise.all([set(), set(), set()]);
  await set();
  for (const service of reportServices) {
    const { spec, policies, info, action } = await handleOf(service).describe();
    expect(spec.intervals).toEqual([{ every: 15 * minuteMs, offset: minuteMs }]);
    expect(policies).toMatchObject({ overlap: 'SKIP', catchupWindow: 15 * minuteMs });
    expect(action.args).toEqual([service]);
    expect(info.nextActionTimes.slice(0, 4).map((at) => at.getUTCMinutes() % 15)).toEqual([1, 1, 1, 1]);
  }
});

test('a schedule of an older version is updated, and a schedule that an operator paused stays paused', async () => {
  const older = reportSchedules.map((schedule) => ({
    ...schedule,
    spec: { intervals: [{ every: '1 hour' } as const] },
  }));
  await set(older);
  await handleOf('crm').pause('looking into it');
  // Temporal accepts a pause or an update, and applies it a moment later.
  await waitFor(async () => (await handleOf('crm').describe()).state.paused, { description: 'the pause' });
  await set();
  const { spec, state } = await waitFor(
    async () => {
      const found = await handleOf('crm').describe();
      return found.spec.intervals?.[0]?.every === 15 * minuteMs && found;
    },
    { description: 'the update' },
  );
  expect(spec.intervals).toEqual([{ every: 15 * minuteMs, offset: minuteMs }]);
  expect(state).toMatchObject({ paused: true, note: 'looking into it' });
  await handleOf('crm').unpause();
});

test('a schedule that Temporal lost is created again, and an existing one is left as it is', async () => {
  const stop = new AbortController();
  const exists = (service: (typeof reportServices)[number]) =>
    waitFor(
      () =>
        handleOf(service)
          .describe()
          .catch(() => undefined),
      { description: `the schedule of ${service}` },
    );
  await Promise.all(reportServices.map((service) => handleOf(service).delete()));
  const older = reportSchedules.map((each) => ({ ...each, spec: { intervals: [{ every: '1 hour' } as const] } }));
  const kept = keepSchedules({
    connection: stage.connection,
    namespace: stage.namespace,
    schedules: reportSchedules,
    everyMs: 20,
    log: silentLog(),
    signal: stop.signal,
  });
  try {
    await Promise.all(reportServices.map(exists));
    await set(older);
    await handleOf('crm').delete();
    const again = await exists('crm');
    expect(again.spec.intervals).toEqual([{ every: 15 * minuteMs, offset: minuteMs }]);
    expect((await handleOf('messaging').describe()).spec.intervals).toMatchObject([{ every: 60 * minuteMs }]);
  } finally {
    stop.abort();
    await kept;
    await set();
  }
});

test('a run closes the reports of its service, and no second run starts beside it', async () => {
  const goOn = Promise.withResolvers<void>();
  const closing = stage.closing('messaging', async () => {
    await goOn.promise;
    return { closed_until: '2027-01-01T00:00:00.000Z', more: false };
  });
  const schedule = handleOf('messaging');
  try {
    // The real schedule with a shorter interval.
    await set(reportSchedules.map((each) => ({ ...each, spec: { intervals: [{ every: '1 second' }] } })));
    await waitFor(() => closing.steps() > 0, { description: 'the first run' });
    const { numActionsSkippedOverlap: skipped } = (await schedule.describe()).info;
    await waitFor(async () => (await schedule.describe()).info.numActionsSkippedOverlap > skipped + 1, {
      description: 'skipped runs',
    });
    expect(closing.steps()).toBe(1);
  } finally {
    await set();
    goOn.resolve();
  }
  const { recentActions } = (await schedule.describe()).info;
  const first = stage.client.workflow.getHandle(recentActions[0]?.action.workflow.workflowId ?? '');
  expect(await first.result()).toEqual({ closedUntil: '2027-01-01T00:00:00.000Z' });
});

test('the schedules are set when Temporal is back after an outage', async () => {
  own.start();
  const connection = await waitFor(() => NativeConnection.connect({ address: own.address }).catch(() => undefined), {
    description: 'Temporal',
  });
  await own.kill();
  const options = { connection, namespace: 'default', schedules: reportSchedules, log: silentLog() };

  const done = setSchedules({ ...options, signal: new AbortController().signal });
  own.start();
  await done;
  const client = new ScheduleClient({ connection });
  for (const { scheduleId } of reportSchedules) {
    expect((await client.getHandle(scheduleId).describe()).scheduleId).toBe(scheduleId);
  }
  await connection.close();
});
