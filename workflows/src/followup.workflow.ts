import { type EntityWorkflowInput, followupWorkflow } from '@mostrador/contracts/workflows';
import { proxyActivities } from '@temporalio/workflow';
import type { SchedulingActivities } from './activities/scheduling.activities.ts';
import { runEntityWorkflow } from './entity-workflow.ts';
import { stepOptions } from './step-options.ts';

const { advanceFollowup } = proxyActivities<SchedulingActivities>({
  ...stepOptions,
  summary: 'Send the follow-up if it is due',
});

/** Waits until a follow-up is due and sends it, unless it is cancelled before. */
export const followup = (input: EntityWorkflowInput): Promise<void> =>
  runEntityWorkflow(followupWorkflow, input, advanceFollowup);
