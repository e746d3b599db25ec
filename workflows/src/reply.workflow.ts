import { type EntityWorkflowInput, replyStepLimits, replyWorkflow } from '@mostrador/contracts/workflows';
import { proxyActivities } from '@temporalio/workflow';
import type { AssistantActivities } from './activities/assistant.activities.ts';
import { runEntityWorkflow } from './entity-workflow.ts';
import { stepOptions } from './step-options.ts';

const { advanceTurn } = proxyActivities<AssistantActivities>({
  ...stepOptions,
  startToCloseTimeout: replyStepLimits.activityMs,
  summary: 'Answer the lead if it is due',
});

/** Answers what a lead wrote, one turn after the other, until none is open. */
export const reply = (input: EntityWorkflowInput): Promise<void> =>
  runEntityWorkflow(replyWorkflow, input, advanceTurn);
