import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';

/** What the service answered to a step that failed. A local activity throws it as it is, any other in a wrapper. */
export function failureOfService(failure: unknown): ApplicationFailure | undefined {
  const cause = failure instanceof ActivityFailure ? failure.cause : failure;
  return cause instanceof ApplicationFailure ? cause : undefined;
}
