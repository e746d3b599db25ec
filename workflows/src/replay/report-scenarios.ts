import { AppError } from '@mostrador/kit/rpc/errors';
import type { WorkflowStage } from '../../test/stage.ts';

/** The scenarios of the workflow that closes reports. */
export const reportScenarios = {
  'reports-closed-in-steps': async (stage: WorkflowStage) => {
    const closing = stage.closing('crm', (step) => ({
      closed_until: `2027-01-0${step}T00:00:00.000Z`,
      more: step < 3,
    }));
    const workflow = await closing.start();
    await workflow.result();
    return { workflow };
  },

  'reports-closing-refused': async (stage: WorkflowStage) => {
    const closing = stage.closing('messaging', (step) => {
      if (step === 1) return { closed_until: null, more: true };
      throw new AppError('validation_failed');
    });
    const workflow = await closing.start();
    await workflow.result().catch(() => {});
    return { workflow };
  },

  /** Returns the run that continued as new, which the test server suggests early. */
  'reports-closing-continued-as-new': async (stage: WorkflowStage) => {
    const closing = stage.closing('scheduling', (step) => ({ closed_until: null, more: step < 60 }));
    const workflow = await closing.start();
    await workflow.result();
    return { workflow: stage.client.workflow.getHandle(workflow.workflowId, workflow.firstExecutionRunId) };
  },
};
