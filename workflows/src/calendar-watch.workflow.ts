import { calendarWatchWorkflow, type EntityWorkflowInput } from '@mostrador/contracts/workflows';
import { proxyActivities } from '@temporalio/workflow';
import type { SchedulingActivities } from './activities/scheduling.activities.ts';
import { runEntityWorkflow } from './entity-workflow.ts';
import { stepOptions } from './step-options.ts';

const { watchCalendar } = proxyActivities<SchedulingActivities>({
  ...stepOptions,
  summary: 'Read what has changed in the calendar',
});

/** Reads the changes of a connected calendar until it is disconnected. */
export const calendarWatch = (input: EntityWorkflowInput): Promise<void> =>
  runEntityWorkflow(calendarWatchWorkflow, input, watchCalendar);
