import { errorCatalogue, type Operation, type ReplyOf, type RequestOf, stepLimits } from '@mostrador/contracts';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';
import { ApplicationFailure, activityInfo, cancellationSignal } from '@temporalio/activity';

/** One step: a single attempt of one request to the service that owns the row. Temporal retries. */
export async function callStep<O extends Operation>(
  rpc: RpcClient,
  operation: O,
  storeId: string | undefined,
  request: RequestOf<O>,
  requestMs: number = stepLimits.requestMs,
): Promise<ReplyOf<O>> {
  const { activityId, attempt, workflowExecution } = activityInfo();
  try {
    return await rpc.call(operation, request, {
      requestId: `${workflowExecution?.runId}-${activityId}-${attempt}`,
      deadline: Date.now() + requestMs,
      storeId,
      signal: cancellationSignal(),
    });
  } catch (error) {
    throw toFailure(error);
  }
}

/**
 * Converts an error for the workflow history: the code and its title from the catalogue, without the stack and without
 * the detail, which may quote personal data. Temporal does not retry a code that the same request would get again, such
 * as `validation_failed`.
 */
export function toFailure(error: unknown): ApplicationFailure {
  const code = error instanceof AppError ? error.code : 'internal_error';
  const { title, retryable } = errorCatalogue[code];
  const failure = ApplicationFailure.create({ message: title, type: code, nonRetryable: !retryable });
  failure.stack = '';
  return failure;
}
