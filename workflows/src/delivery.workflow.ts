import { deliveryWorkflow, type EntityWorkflowInput } from '@mostrador/contracts/workflows';
import { proxyActivities } from '@temporalio/workflow';
import type { MessagingActivities } from './activities/messaging.activities.ts';
import { runEntityWorkflow } from './entity-workflow.ts';
import { stepOptions } from './step-options.ts';

const { deliverMessages } = proxyActivities<MessagingActivities>({
  ...stepOptions,
  summary: "Send the due messages of the lead's queue",
});

/** Sends the outbound messages of a lead in the order in which they were accepted. */
export const delivery = (input: EntityWorkflowInput): Promise<void> =>
  runEntityWorkflow(deliveryWorkflow, input, deliverMessages);
