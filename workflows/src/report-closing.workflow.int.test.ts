import { AppError } from '@mostrador/kit/rpc/errors';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { currentDetails } from '../test/current-details.ts';
import { startWorkflowStage, type WorkflowStage } from '../test/stage.ts';

let stage: WorkflowStage;
beforeAll(async () => {
  stage = await startWorkflowStage();
});
afterAll(() => stage?.stop());

test('the workflow runs steps until nothing is left to close, and shows operators how far it is', async () => {
  const closing = stage.closing('crm', (step) => ({ closed_until: `2027-01-0${step}T00:00:00.000Z`, more: step < 3 }));
  const workflow = await closing.start();
  expect(await workflow.result()).toEqual({ closedUntil: '2027-01-03T00:00:00.000Z' });
  expect(closing.steps()).toBe(3);
  expect(await currentDetails(workflow)).toContain('2027-01-03T00:00:00.000Z');
});

test('Temporal retries a step while its service is down', async () => {
  const closing = stage.closing('messaging', (step) => {
    if (step === 1) throw new AppError('service_unavailable');
    return { closed_until: null, more: false };
  });
  expect(await (await closing.start()).result()).toEqual({ closedUntil: null });
  expect(closing.steps()).toBe(2);
});

test('a rejected step fails the run, and the schedule shows it and starts a new run', async () => {
  const closing = stage.closing('scheduling', () => {
    throw new AppError('validation_failed');
  });
  const workflow = await closing.start();
  await expect(workflow.result()).rejects.toThrow('Workflow execution failed');
  expect(closing.steps()).toBe(1);
});
