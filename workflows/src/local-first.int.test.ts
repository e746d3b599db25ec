import type { NextStep } from '@mostrador/contracts';
import { deliveryWorkflow } from '@mostrador/contracts/workflows';
import { AppError } from '@mostrador/kit/rpc/errors';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { currentDetails } from '../test/current-details.ts';
import { done, type StagedLead, startWorkflowStage, untilSignal, type WorkflowStage } from '../test/stage.ts';
import { type HistoryEvent, summaryOf } from '../test/summary-of.ts';

// `appointment.workflow.int.test.ts` tests the guarantees of every entity workflow. This file adds those of a step whose
// first attempt is local.

let stage: WorkflowStage;
beforeAll(async () => {
  stage = await startWorkflowStage();
});
afterAll(() => stage?.stop());

const eventsOf = async ({ workflow }: StagedLead): Promise<HistoryEvent[]> =>
  (await workflow.fetchHistory()).events ?? [];
const localSteps = (events: HistoryEvent[]) =>
  events.filter((event) => event.markerRecordedEventAttributes?.markerName === 'core_local_activity');
const activities = (events: HistoryEvent[]) => events.filter((event) => event.activityTaskScheduledEventAttributes);
/** A lead whose steps last until `answer` is called. */
const leadOfLongSteps = (next: NextStep) => {
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  const lead = stage.lead(async () => {
    await promise;
    return next;
  });
  return { lead, answer };
};

test('a step that succeeds takes one workflow task and no activity, and its marker says what it was', async () => {
  const lead = stage.lead(() => done);
  await lead.signal('message_accepted');
  await lead.workflow.result();
  const events = await eventsOf(lead);
  expect(activities(events)).toEqual([]);
  expect(events.filter((event) => event.workflowTaskScheduledEventAttributes)).toHaveLength(1);
  expect(localSteps(events).map(summaryOf)).toEqual(["Send the due messages of the lead's queue"]);
});

test('while its service is down, the step is a pending activity with its attempts and its last failure', async () => {
  await stage.stopService();
  const lead = stage.lead(() => done);
  await lead.signal('message_accepted');
  const pending = async () => (await lead.workflow.describe()).raw.pendingActivities?.[0];
  await waitFor(async () => ((await pending())?.attempt ?? 0) > 1, { description: 'a second attempt' });
  expect((await pending())?.lastFailure?.applicationFailureInfo?.type).toBe('service_unavailable');
  stage.startService();
  await lead.workflow.result();
  expect(lead.looks()).toBe(1);
  const events = await eventsOf(lead);
  expect(localSteps(events)).toHaveLength(1);
  expect(activities(events).map(summaryOf)).toEqual(["Send the due messages of the lead's queue"]);
});

test('a step that the service rejects is not repeated as an activity', async () => {
  const lead = stage.lead((look) => {
    if (look === 1) throw new AppError('validation_failed', { detail: 'Maria Souza' });
    return done;
  });
  await lead.signal('message_accepted');
  await waitFor(async () => (await currentDetails(lead.workflow)).includes('validation_failed'), {
    description: 'the code to show',
  });
  expect(lead.looks()).toBe(1);
  await lead.signal('overdue');
  await lead.workflow.result();
  const events = await eventsOf(lead);
  expect(activities(events)).toEqual([]);
  expect(JSON.stringify(events)).not.toMatch(/Maria|\.ts:/);
});

test('a step always runs after the last signal, for any number of signals while steps run', async () => {
  let accepted = 0;
  let seen = 0;
  const lead = stage.lead(() => {
    seen = accepted;
    return done;
  });
  for (let round = 0; round < 5; round += 1) {
    const burst = Array.from({ length: 4 }, () => {
      accepted += 1;
      return lead.signal('message_accepted');
    });
    await Promise.all(burst);
    if (round % 2 === 0) await waitFor(() => seen === accepted, { description: 'a step after the last signal' });
  }
  await waitFor(() => seen === accepted, { description: 'a step after the last signal' });
  await lead.workflow.result();
  expect(seen).toBe(20);
});

// A busy machine may miss the second within which the worker asks for more time.
test('a step that outlasts its workflow task runs once', { retry: 4 }, async () => {
  const { lead, answer } = leadOfLongSteps(done);
  await stage.client.workflow.start(deliveryWorkflow.name, {
    workflowId: lead.workflow.workflowId,
    taskQueue: deliveryWorkflow.taskQueue,
    args: [{ storeId: lead.storeId, entityId: lead.id }],
    workflowTaskTimeout: 1_000,
  });
  const completed = async () =>
    (await eventsOf(lead)).filter((event) => event.workflowTaskCompletedEventAttributes).length;
  await waitFor(async () => (await completed()) > 1, { description: 'a second workflow task' });
  answer();
  await lead.workflow.result();
  expect(lead.looks()).toBe(1);
  expect((await eventsOf(lead)).some((event) => event.workflowTaskTimedOutEventAttributes)).toBe(false);
});

test('a worker that stops lets a local step finish', async () => {
  const { lead, answer } = leadOfLongSteps(done);
  await lead.signal('message_accepted');
  await waitFor(() => lead.looks() === 1, { description: 'the step' });
  const replaced = stage.replaceWorker();
  answer();
  await replaced;
  await lead.workflow.result();
  expect(lead.looks()).toBe(1);
});

test('an operator can cancel a workflow whose local step is running', async () => {
  const { lead, answer } = leadOfLongSteps(untilSignal('no channel is connected'));
  await lead.signal('message_accepted');
  await waitFor(() => lead.looks() === 1, { description: 'the step' });
  await lead.workflow.cancel();
  answer();
  await expect(lead.workflow.result()).rejects.toThrow();
  expect((await lead.workflow.describe()).status.name).toBe('CANCELLED');
});
