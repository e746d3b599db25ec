import { appointmentWorkflow, type SignalOf } from '@mostrador/contracts/workflows';
import { AppError } from '@mostrador/kit/rpc/errors';
import { waitFor } from '@mostrador/testing/wait';
import { defaultPayloadConverter } from '@temporalio/common';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { currentDetails } from '../test/current-details.ts';
import { again, done, refusedOnce, startWorkflowStage, untilSignal, type WorkflowStage } from '../test/stage.ts';
import { summaryOf } from '../test/summary-of.ts';

const hourMs = 60 * 60 * 1000;

let stage: WorkflowStage;
beforeAll(async () => {
  stage = await startWorkflowStage();
});
afterAll(() => stage?.stop());

test('the workflow ends when the service answers that nothing is left to do', async () => {
  const appointment = stage.appointment(() => done);
  await appointment.signal('created');
  await appointment.workflow.result();
  expect(appointment.looks()).toBe(1);
});

test('the next step runs at the time that the service names', async () => {
  let askedFor = Number.POSITIVE_INFINITY;
  let cameAt = 0;
  const appointment = stage.appointment((look) => {
    if (look === 2) cameAt = Date.now();
    if (look === 2) return done;
    const next = again(300, 'calendar_unavailable');
    askedFor = Date.parse(next.wake_at ?? '');
    return next;
  });
  await appointment.signal('created');
  await appointment.workflow.result();
  expect(cameAt).toBeGreaterThanOrEqual(askedFor);
});

test('a signal ends the wait', async () => {
  const appointment = stage.appointment((look) => (look === 1 ? again(hourMs, 'calendar_unavailable') : done));
  await appointment.signal('created');
  await waitFor(async () => (await currentDetails(appointment.workflow)).startsWith('Waits'), {
    description: 'the workflow to wait',
  });
  await appointment.signal('cancelled');
  await appointment.workflow.result();
  expect(appointment.looks()).toBe(2);
});

test('a signal during a step leads to another step', async () => {
  const reading = Promise.withResolvers<void>();
  const appointment = stage.appointment(async (look) => {
    if (look === 1) await reading.promise;
    return done;
  });
  await appointment.signal('created');
  await waitFor(() => appointment.looks() === 1, { description: 'the first step' });
  await appointment.signal('changed');
  reading.resolve();
  await appointment.workflow.result();
  expect(appointment.looks()).toBe(2);
});

test('a step always runs after the last change, for any order and number of signals', async () => {
  let version = 0;
  let seen = 0;
  const appointment = stage.appointment(() => {
    seen = version;
    return done;
  });
  const change = (name: SignalOf<'appointment'>) => {
    version += 1;
    return appointment.signal(name);
  };
  const names = [...appointmentWorkflow.signals].reverse();
  for (let round = 0; round < 6; round += 1) {
    // The signals reach the workflow during a step, while it closes and after it has closed.
    await Promise.all(names.map(change));
    if (round % 2 === 0) await waitFor(() => seen === version, { description: 'a step after the last change' });
  }
  await waitFor(() => seen === version, { description: 'a step after the last change' });
  await appointment.workflow.result();
  expect(seen).toBe(names.length * 6);
});

test('a signal with a name unknown to this worker wakes the workflow', async () => {
  const appointment = stage.appointment((look) => (look === 1 ? untilSignal('credentials_refused') : done));
  await appointment.signal('created');
  await waitFor(() => appointment.looks() === 1, { description: 'the first step' });
  await appointment.workflow.signal('not_known_yet');
  await appointment.workflow.result();
  expect(appointment.looks()).toBe(2);
});

test('a terminated workflow starts again with the next signal', async () => {
  const appointment = stage.appointment((look) => (look === 1 ? again(hourMs, 'calendar_unavailable') : done));
  await appointment.signal('created');
  await waitFor(() => appointment.looks() === 1, { description: 'the first step' });
  await appointment.workflow.terminate();
  await appointment.signal('overdue');
  await appointment.workflow.result();
  expect(appointment.looks()).toBe(2);
});

test('a workflow that needs attention stays open, shows why, and has no timer', async () => {
  const appointment = stage.appointment((look) => (look === 1 ? untilSignal('credentials_refused') : done));
  await appointment.signal('created');
  await waitFor(async () => (await currentDetails(appointment.workflow)).includes('credentials_refused'), {
    description: 'the reason',
  });
  expect(await currentDetails(appointment.workflow)).toContain('Waits for a signal');
  const { events } = await appointment.workflow.fetchHistory();
  expect(events?.some((event) => event.timerStartedEventAttributes)).toBe(false);
  expect((await appointment.workflow.describe()).status.name).toBe('RUNNING');

  await appointment.signal('calendar_connected');
  await appointment.workflow.result();
});

test('the current details and the timer show until when and why the workflow waits', async () => {
  const next = again(hourMs, 'calendar_unavailable');
  const appointment = stage.appointment((look) => (look === 1 ? next : done));
  await appointment.signal('created');
  await waitFor(async () => (await currentDetails(appointment.workflow)).startsWith('Waits'), {
    description: 'the workflow to wait',
  });
  const details = await currentDetails(appointment.workflow);
  expect(details).toContain(next.wake_at);
  expect(details).toContain('calendar_unavailable');
  const { events } = await appointment.workflow.fetchHistory();
  const timer = events?.find((event) => event.timerStartedEventAttributes);
  expect(summaryOf(timer)).toBe('Waits: calendar_unavailable');
  const step = events?.find((event) => event.activityTaskScheduledEventAttributes);
  expect(summaryOf(step)).toContain('calendar event');
  await appointment.signal('cancelled');
});

test('Temporal retries a step while its service is down', async () => {
  await stage.stopService();
  const appointment = stage.appointment(() => done);
  await appointment.signal('created');
  await waitFor(
    async () => {
      const { raw } = await appointment.workflow.describe();
      return (raw.pendingActivities?.[0]?.attempt ?? 0) > 1;
    },
    { description: 'a second attempt' },
  );
  stage.startService();
  await appointment.workflow.result();
  expect(appointment.looks()).toBe(1);
});

test('a step that the service rejects is not retried: the workflow stays open, shows why, and runs a step on a signal', async () => {
  const appointment = stage.appointment(refusedOnce);
  await appointment.signal('created');
  await waitFor(async () => (await currentDetails(appointment.workflow)).includes('validation_failed'), {
    description: 'the code to show',
  });
  expect(appointment.looks()).toBe(1);
  await appointment.signal('overdue');
  await appointment.workflow.result();
});

test('the history holds ids, codes and reasons, and no text that a person wrote', async () => {
  const appointment = stage.appointment((look) => {
    if (look === 1) throw new AppError('internal_error', { detail: 'Maria Souza' });
    if (look === 2)
      throw new AppError('validation_failed', { detail: 'Maria Souza', members: { name: 'Maria Souza' } });
    return done;
  });
  await appointment.signal('created');
  await waitFor(async () => (await currentDetails(appointment.workflow)).includes('validation_failed'), {
    description: 'the code to show',
  });
  await appointment.signal('changed');
  await appointment.workflow.result();

  const history = await appointment.workflow.fetchHistory();
  const found = payloads(history.events);
  expect(found).toContainEqual({ storeId: appointment.storeId, entityId: appointment.id });
  const known = [
    { storeId: appointment.storeId, entityId: appointment.id },
    done,
    undefined, // a signal has no arguments
    appointment.id,
    appointment.storeId,
  ];
  for (const payload of found) {
    if (typeof payload === 'string' && payload.includes(' ')) continue; // a summary, checked below
    expect(known).toContainEqual(payload);
  }
  expect(JSON.stringify([history, found])).not.toMatch(/Maria|\.ts:/);
});

test('a workflow can be found by its store and its appointment', async () => {
  const appointment = stage.appointment(() => untilSignal('credentials_refused'));
  await appointment.signal('created');
  const found = async () => {
    const query = `StoreId = '${appointment.storeId}' AND EntityId = '${appointment.id}'`;
    for await (const execution of stage.client.workflow.list({ query })) return execution.workflowId;
    return undefined;
  };
  await waitFor(async () => (await found()) === `appointment:${appointment.id}`, { description: 'the workflow' });
});

test('continue-as-new, when the server suggests it, loses no signal and keeps the search attributes', async () => {
  let changes = 1;
  let seen = 0;
  let last = false;
  const appointment = stage.appointment(() => {
    seen = changes;
    return last ? done : untilSignal('credentials_refused');
  });
  await appointment.signal('created');
  const first = await appointment.workflow.describe();
  while ((await appointment.workflow.describe()).runId === first.runId) {
    await waitFor(() => seen === changes, { description: 'a step after the last change' });
    changes += 1;
    await appointment.signal('changed');
  }
  await waitFor(() => seen === changes, { description: 'a step after the last change' });
  last = true;
  await appointment.signal('changed');
  await appointment.workflow.result();
  const { typedSearchAttributes } = await appointment.workflow.describe();
  for (const { key, value } of first.typedSearchAttributes.getAll()) {
    if (key.name !== 'BuildIds') expect(typedSearchAttributes.get(key)).toEqual(value);
  }
});

test('a wait continues on another worker', async () => {
  const appointment = stage.appointment((look) => (look === 1 ? again(1_000, 'calendar_unavailable') : done));
  await appointment.signal('created');
  await waitFor(() => appointment.looks() === 1, { description: 'the first step' });
  await stage.replaceWorker();
  await appointment.workflow.result();
  expect(appointment.looks()).toBe(2);
});

test('an operator can cancel a workflow', async () => {
  const appointment = stage.appointment(() => untilSignal('credentials_refused'));
  await appointment.signal('created');
  await waitFor(() => appointment.looks() === 1, { description: 'the first step' });
  await appointment.workflow.cancel();
  await expect(appointment.workflow.result()).rejects.toThrow();
  expect((await appointment.workflow.describe()).status.name).toBe('CANCELLED');
});

const text = (payload: object | null | undefined): unknown =>
  payload ? defaultPayloadConverter.fromPayload(payload) : undefined;

/** Every payload anywhere in a history, decoded. */
function payloads(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  if ('metadata' in value && 'data' in value) return [text(value)];
  return Object.values(value).flatMap(payloads);
}
