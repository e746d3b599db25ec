import { stepLimits } from '@mostrador/contracts/workflows';
import type { ActivityOptions } from '@temporalio/workflow';

/**
 * How Temporal runs a step. It retries without end while the service cannot be reached or a response is lost. A failure
 * of a provider is no failure of the step: the service answers when to run the next one.
 */
export const stepOptions: ActivityOptions = {
  startToCloseTimeout: stepLimits.activityMs,
  retry: { initialInterval: 500, backoffCoefficient: 2, maximumInterval: 5_000 },
};
