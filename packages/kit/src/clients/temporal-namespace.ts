import { searchAttributes } from '@mostrador/contracts/workflows';
import type { Connection } from '@temporalio/client';
import { NotReady } from '../process/health.ts';

/** The type of our search attributes: temporal.api.enums.v1.IndexedValueType. */
export const keyword = 2;

/** What Temporal says about a namespace that this process cannot use, by gRPC status. Other errors say nothing about it. */
const reasons: Readonly<Record<number, (namespace: string) => string>> = {
  5: (namespace) => `Temporal has no namespace ${namespace}: create it, or set TEMPORAL_NAMESPACE.`,
  7: (namespace) => `Temporal denies access to the namespace ${namespace}: check the credentials of this process.`,
  16: () => 'Temporal rejects the credentials: check TEMPORAL_API_KEY and the client certificate.',
};

/**
 * Throws `NotReady` when the namespace does not exist, or lacks a search attribute: every start of a workflow would fail.
 * Throws another error when Temporal does not answer.
 */
export async function checkNamespace(
  { workflowService, operatorService }: Pick<Connection, 'workflowService' | 'operatorService'>,
  namespace: string,
): Promise<void> {
  try {
    await workflowService.describeNamespace({ namespace });
  } catch (cause) {
    const reason = reasons[(cause as { code?: number }).code ?? 0]?.(namespace);
    throw reason === undefined ? cause : new NotReady(reason, { cause });
  }
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
  const missing = Object.values(searchAttributes).filter((name) => customAttributes[name] !== keyword);
  if (missing.length === 0) return;
  throw new NotReady(
    `Temporal's namespace ${namespace} lacks the search attributes ${missing.join(', ')} of type Keyword: create them.`,
  );
}
