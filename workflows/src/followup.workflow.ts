import { type CarrierInput, followupCarrier } from '@mostrador/contracts/workflows';
import { proxyActivities } from '@temporalio/workflow';
import type { SchedulingActivities } from './activities/scheduling.activities.ts';
import { carry } from './entity-workflow.ts';
import { stepOptions } from './step-options.ts';

const { advanceFollowup } = proxyActivities<SchedulingActivities>({
  ...stepOptions,
  summary: 'Do what is due of the follow-up',
});

/** Waits until a follow-up is due, and sends it unless it was cancelled. */
export const followup = (input: CarrierInput): Promise<void> => carry(followupCarrier, input, advanceFollowup);
