import type { WorkflowHandle } from '@temporalio/client';

/** The current details of the workflow, as Temporal's UI shows them. */
export async function currentDetails(workflow: WorkflowHandle): Promise<string> {
  const { currentDetails } = await workflow.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  return currentDetails ?? '';
}
