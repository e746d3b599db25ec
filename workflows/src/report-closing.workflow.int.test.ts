import { AppError } from '@mostrador/kit/rpc/errors';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { currentDetails } from '../test/current-details.ts';
import { startWorkflowStage, type WorkflowStage } from '../test/stage.ts';

let stage: WorkflowStage;
beforeAll(async () => {
  stage = await startWorkflowStage();
});
afterAll(() => stage?.stop());

test('asks the service again until nothing is left to close, and tells operators how far it is closed', async () => {
  const closing = stage.closing('crm', (step) => ({ closed_until: `2027-01-0${step}T00:00:00.000Z`, more: step < 3 }));
  const workflow = await closing.start();
  expect(await workflow.result()).toEqual({ closedUntil: '2027-01-03T00:00:00.000Z' });
  expect(closing.steps()).toBe(3);
  expect(await currentDetails(workflow)).toContain('2027-01-03T00:00:00.000Z');
});

test('waits for a service that is away', async () => {
  const closing = stage.closing('messaging', (step) => {
    if (step === 1) throw new AppError('service_unavailable');
    return { closed_until: null, more: false };
  });
  expect(await (await closing.start()).result()).toEqual({ closedUntil: null });
  expect(closing.steps()).toBe(2);
});

test('a step that is refused fails the run, so that the schedule shows it and begins anew', async () => {
  const closing = stage.closing('scheduling', () => {
    throw new AppError('validation_failed');
  });
  const workflow = await closing.start();
  await expect(workflow.result()).rejects.toThrow('Workflow execution failed');
  expect(closing.steps()).toBe(1);
});
