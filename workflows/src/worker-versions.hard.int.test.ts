import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inspectTemporal } from '@mostrador/kit/clients/temporal-inspection';
import { createLog } from '@mostrador/kit/process/log';
import { waitFor } from '@mostrador/testing/wait';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { currentDetails } from '../test/current-details.ts';
import { again, done, startWorkflowStage, type WorkflowStage } from '../test/stage.ts';
import { makeWorkflowBundle } from './bundle.ts';

// Rolls versioned workers out and back, with the commands of docs/operations/rollout.md. Version 2 has a timer before
// each step, behind `patched`: version 1 cannot replay what it writes.

const closed = { closed_until: new Date().toISOString(), more: false };
const hourMs = 60 * 60 * 1000;
const deploymentName = 'mostrador';
let stage: WorkflowStage;
let stopFirst: () => Promise<void>;
let stopSecond: () => Promise<void>;

beforeAll(async () => {
  stage = await startWorkflowStage();
  const next = await makeWorkflowBundle(join(import.meta.dirname, 'replay/fixtures/patched.workflow.ts'));
  [stopFirst, stopSecond] = await Promise.all([
    stage.startVersion({ deploymentName, buildId: '1' }),
    stage.startVersion({ deploymentName, buildId: '2' }, next),
  ]);
});
afterAll(async () => {
  await Promise.all([stopFirst?.(), stopSecond?.()]);
  await stage?.stop();
});

const run = promisify(execFile);
/** Runs Temporal's own command, as an operator does. */
const temporal = async (line: string, ...more: string[]): Promise<string> => {
  const where = ['--address', stage.address, '--namespace', stage.namespace, '--disable-config-file'];
  const { stdout } = await run(process.env.TEST_TEMPORAL_SERVER as string, [...line.split(' '), ...more, ...where]);
  return stdout;
};
const ofDeployment = `--deployment-name ${deploymentName}`;
/** Until the server has seen all workers of the version, it refuses to make it current. */
const eventually = (line: string) =>
  waitFor(() => temporal(`worker deployment ${line}`), { description: line, timeoutMs: 180_000 });
/** The version; null: the workers without a version. Resolves when each task queue of this test routes to it. */
const makeCurrent = async (version: string | null) => {
  const target = version === null ? '--unversioned' : `--build-id ${version}`;
  await eventually(`set-current-version ${ofDeployment} ${target} --yes`);
  await untilRoutedTo(version);
};
const untilRoutedTo = async (version: string | null) => {
  const startFollowup = async () => {
    const row = stage.followup(() => done);
    await row.signal('scheduled');
    return row.workflow;
  };
  const startClosing = stage.closing('messaging', () => closed).start;
  for (const start of [startFollowup, startClosing]) {
    const isRouted = async () => {
      const workflow = await start();
      await workflow.result();
      return (await versionsOf(workflow))[0] === version;
    };
    await waitFor(isRouted, { description: `new workflows run on ${version ?? 'workers without a version'}` });
  }
};

/** The versions whose workers completed the tasks of the workflow, in order; null: workers without a version. */
const versionsOf = async (workflow: WorkflowHandle): Promise<(string | null)[]> => {
  const { events } = await workflow.fetchHistory();
  const completed = (events ?? []).flatMap((event) => event.workflowTaskCompletedEventAttributes ?? []);
  return [...new Set(completed.map(({ deploymentVersion }) => deploymentVersion?.buildId ?? null))];
};
const rejectedTasks = async (workflow: WorkflowHandle): Promise<string[]> => {
  const { events } = await workflow.fetchHistory();
  return (events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) => failed?.failure?.message ?? []);
};
const waits = (workflow: WorkflowHandle) =>
  waitFor(async () => (await currentDetails(workflow)).startsWith('Waits'), { description: 'the workflow waits' });
const followup = async () => {
  const row = stage.followup((look) => (look === 1 ? again(hourMs, 'it is not due yet') : done));
  await row.signal('scheduled');
  await waits(row.workflow);
  return row;
};

test('workers with a version take tasks only when it is current, and those without one take the others', async () => {
  const row = await followup();
  await row.signal('cancelled');
  await row.workflow.result();
  expect(await versionsOf(row.workflow)).toEqual([null]);
});

test('a rollout and a rollback move waiting workflows, and each report run ends where it began', async () => {
  const before = await followup();
  await makeCurrent('1');
  const first = await followup();
  const step = Promise.withResolvers<typeof closed>();
  const closing = stage.closing('crm', (count) => (count === 1 ? step.promise : closed));
  const runOfFirst = await closing.start();
  await waitFor(() => closing.steps() === 1, { description: 'the report run is in its first step' });

  // All of what is new, and what waits, goes to the second version.
  await eventually(`set-ramping-version ${ofDeployment} --build-id 2 --percentage 100 --yes`);
  await untilRoutedTo('2');
  const ramped = await followup();
  await makeCurrent('2');
  for (const row of [before, first]) {
    await row.signal('rescheduled');
    await row.workflow.result();
  }
  expect(await versionsOf(before.workflow)).toEqual([null, '2']);
  expect(await versionsOf(first.workflow)).toEqual(['1', '2']);

  const second = stage.closing('crm', (count) => (count === 1 ? { ...closed, more: true } : closed));
  const begun = await followup();
  const runOfSecond = await second.start();
  await runOfSecond.result();

  // The first version cannot replay what the second wrote, so its workflows stay there.
  await temporal(
    'workflow update-options --versioning-override-behavior pinned --yes --query',
    `TemporalWorkerDeploymentVersion = '${deploymentName}:2' AND ExecutionStatus = 'Running'`,
    ...`--versioning-override-deployment-name ${deploymentName} --versioning-override-build-id 2`.split(' '),
  );
  for (const row of [ramped, begun]) {
    const isPinned = async () => {
      const { raw } = await row.workflow.describe();
      return raw.workflowExecutionInfo?.versioningInfo?.versioningOverride?.pinned?.version?.buildId === '2';
    };
    await waitFor(isPinned, { description: 'the batch has pinned the workflow' });
  }
  await makeCurrent('1');
  const after = await followup();
  for (const row of [ramped, begun, after]) {
    await row.signal('rescheduled');
    await row.workflow.result();
    expect(await rejectedTasks(row.workflow)).toEqual([]);
  }
  for (const row of [ramped, begun]) {
    const { events } = await row.workflow.fetchHistory();
    // The first version would not have replayed this.
    expect(events?.some((event) => event.markerRecordedEventAttributes?.markerName === 'core_patch')).toBe(true);
  }
  expect(await versionsOf(ramped.workflow)).toEqual(['2']);
  expect(await versionsOf(begun.workflow)).toEqual(['2']);
  expect(await versionsOf(after.workflow)).toEqual(['1']);

  step.resolve(closed);
  await runOfFirst.result();
  expect(await versionsOf(runOfFirst)).toEqual(['1']);
  expect(await versionsOf(runOfSecond)).toEqual(['2']);
});

test('a rolled-back workflow that the first version cannot replay is terminated, and the sweep starts it there', async () => {
  await makeCurrent('2');
  const row = await followup();
  await makeCurrent('1');
  await row.signal('rescheduled');
  await waitFor(async () => (await rejectedTasks(row.workflow)).length > 0, { description: 'a rejected task' });
  expect((await rejectedTasks(row.workflow))[0]).toContain('TMPRL1100');
  await temporal(`workflow terminate --workflow-id ${row.workflow.workflowId}`);
  await row.signal('overdue');
  await row.workflow.result();
  expect(await versionsOf(row.workflow)).toEqual(['1']);
});

test('an operator sees which version gets the tasks of a queue, and of which version its workers are', async () => {
  await makeCurrent('1');
  const { address, namespace } = stage;
  const log = createLog({ service: 'test', level: 'silent', format: 'json' });
  const inspect = () => inspectTemporal({ address, namespace, taskQueues: ['followup'], limitMs: 10_000, log });
  const [queue] = await inspect();
  expect(queue?.current).toBe(`${deploymentName}:1`);
  const versions = queue?.pollers.map(({ version }) => version) ?? [];
  expect(new Set(versions)).toEqual(new Set([null, `${deploymentName}:1`, `${deploymentName}:2`]));
});

test('workers without a version take over when versioning is turned off and the others have stopped', async () => {
  const row = await followup();
  await makeCurrent(null);
  await stopFirst();
  stopFirst = async () => {};
  await row.signal('cancelled');
  await row.workflow.result();
  expect(await versionsOf(row.workflow)).toEqual(['1', null]);
});
