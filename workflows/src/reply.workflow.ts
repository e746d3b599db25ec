import { type EntityWorkflowInput, replyStepLimits, replyWorkflow } from '@mostrador/contracts/workflows';
import { runEntityWorkflow } from './entity-workflow.ts';
import { localFirst } from './local-first.ts';
import { stepOptions } from './step-options.ts';

const advanceTurn = localFirst('advanceTurn', {
  ...stepOptions,
  startToCloseTimeout: replyStepLimits.activityMs,
  summary: 'Answer the lead if it is due',
});

/** Answers what a lead wrote, one turn after the other, until none is open. */
export const reply = (input: EntityWorkflowInput): Promise<void> =>
  runEntityWorkflow(replyWorkflow, input, advanceTurn);
