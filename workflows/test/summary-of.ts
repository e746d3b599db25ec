import type { WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';

/** An event of a workflow's history. */
export type HistoryEvent = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>[number];

/** The summary of a timer or a step, as Temporal's UI shows it. */
export function summaryOf(event: HistoryEvent | undefined): string | undefined {
  const summary = event?.userMetadata?.summary;
  return summary ? defaultPayloadConverter.fromPayload<string>(summary) : undefined;
}
