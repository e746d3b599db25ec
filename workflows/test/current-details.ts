import type { WorkflowHandle } from '@temporalio/client';

/** What Temporal's UI shows as the workflow's current details. */
export async function currentDetails(workflow: WorkflowHandle): Promise<string> {
  const { currentDetails } = await workflow.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  return currentDetails ?? '';
}
