import { errorCatalogue, type Operation, type ReplyOf, type RequestOf, stepLimits } from '@mostrador/contracts';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';
import { ApplicationFailure, activityInfo, cancellationSignal } from '@temporalio/activity';

/** One step: one request to the service that owns the row, one attempt. Temporal does the retrying. */
export async function callStep<O extends Operation>(
  rpc: RpcClient,
  operation: O,
  storeId: string | undefined,
  request: RequestOf<O>,
): Promise<ReplyOf<O>> {
  const { activityId, attempt, workflowExecution } = activityInfo();
  try {
    return await rpc.call(operation, request, {
      requestId: `${workflowExecution?.runId}-${activityId}-${attempt}`,
      deadline: Date.now() + stepLimits.requestMs,
      storeId,
      signal: cancellationSignal(),
    });
  } catch (error) {
    throw toFailure(error);
  }
}

/**
 * A failure as it may stand in a history: the code and its title of the catalogue, never the detail, which may quote
 * what a person wrote, and no stack. Only what the same request can never pass (`validation_failed` and its like: our
 * own fault) is not tried again.
 */
export function toFailure(error: unknown): ApplicationFailure {
  const code = error instanceof AppError ? error.code : 'internal_error';
  const { title, retryable } = errorCatalogue[code];
  const failure = ApplicationFailure.create({ message: title, type: code, nonRetryable: !retryable });
  failure.stack = '';
  return failure;
}
