import { type EntityWorkflowInput, followupWorkflow } from '@mostrador/contracts/workflows';
import { runEntityWorkflow } from './entity-workflow.ts';
import { localFirst } from './local-first.ts';
import { stepOptions } from './step-options.ts';

const advanceFollowup = localFirst('advanceFollowup', {
  ...stepOptions,
  summary: 'Send the follow-up if it is due',
});

/** Waits until a follow-up is due and sends it, unless it is cancelled before. */
export const followup = (input: EntityWorkflowInput): Promise<void> =>
  runEntityWorkflow(followupWorkflow, input, advanceFollowup);
