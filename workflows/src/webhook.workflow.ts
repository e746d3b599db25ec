import { type EntityWorkflowInput, webhookStepLimits, webhookWorkflow } from '@mostrador/contracts/workflows';
import { proxyActivities } from '@temporalio/workflow';
import type { EventsActivities } from './activities/events.activities.ts';
import { runEntityWorkflow } from './entity-workflow.ts';
import { stepOptions } from './step-options.ts';

const { drainWebhook } = proxyActivities<EventsActivities>({
  ...stepOptions,
  startToCloseTimeout: webhookStepLimits.activityMs,
  summary: 'Send what is due to the webhook endpoint',
});

/** Sends to a webhook endpoint at which an attempt failed, until nothing that failed is left. */
export const webhook = (input: EntityWorkflowInput): Promise<void> =>
  runEntityWorkflow(webhookWorkflow, input, drainWebhook);
