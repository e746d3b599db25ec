import { stepLimits } from '@mostrador/contracts/workflows';
import type { ActivityOptions } from '@temporalio/workflow';

/**
 * How Temporal runs a step. Its retries are for the way to the service (no service answers, an answer is lost) and never
 * end. A failure beyond the service comes back as a time to look again.
 */
export const stepOptions: ActivityOptions = {
  startToCloseTimeout: stepLimits.activityMs,
  retry: { initialInterval: 500, backoffCoefficient: 2, maximumInterval: 5_000 },
};
