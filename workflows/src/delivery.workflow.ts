import { deliveryWorkflow, type EntityWorkflowInput } from '@mostrador/contracts/workflows';
import { proxyActivities } from '@temporalio/workflow';
import type { MessagingActivities } from './activities/messaging.activities.ts';
import { runEntityWorkflow } from './entity-workflow.ts';
import { stepOptions } from './step-options.ts';

const { deliverMessages } = proxyActivities<MessagingActivities>({
  ...stepOptions,
  summary: "Send what is due of the lead's queue",
});

/** Sends a lead's outbound messages in the order of their acceptance. */
export const delivery = (input: EntityWorkflowInput): Promise<void> =>
  runEntityWorkflow(deliveryWorkflow, input, deliverMessages);
