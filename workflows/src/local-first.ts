import type { NextStep } from '@mostrador/contracts';
import type { EntityWorkflowInput } from '@mostrador/contracts/workflows';
import { type ActivityOptions, isCancellation, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { AssistantActivities } from './activities/assistant.activities.ts';
import type { MessagingActivities } from './activities/messaging.activities.ts';
import type { SchedulingActivities } from './activities/scheduling.activities.ts';
import { failureOfService } from './failure-of-service.ts';

type EntityActivities = AssistantActivities & Omit<MessagingActivities, 'pumpDeliveries'> & SchedulingActivities;
type Step = (input: EntityWorkflowInput) => Promise<NextStep>;

/**
 * A step whose first attempt is a local activity: the worker runs it inside the workflow task, and Temporal stores one
 * marker for it. An activity would be stored three times and take a second workflow task, which is half of what Temporal
 * does for a short workflow: docs/adr/0030. When the attempt fails, the step becomes an activity, so operators see its
 * retries and last failure as for any other step. The step may run again at any time, as with every retry.
 */
export function localFirst(name: keyof EntityActivities, options: ActivityOptions): Step {
  const { startToCloseTimeout, summary } = options;
  const { [name]: local } = proxyLocalActivities<EntityActivities>({
    startToCloseTimeout,
    summary,
    retry: { maximumAttempts: 1 },
  });
  const { [name]: retried } = proxyActivities<EntityActivities>(options);
  return async (input) => {
    try {
      return await local(input);
    } catch (failure) {
      if (isCancellation(failure) || failureOfService(failure)?.nonRetryable) throw failure;
    }
    return await retried(input);
  };
}
