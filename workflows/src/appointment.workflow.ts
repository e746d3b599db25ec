import { appointmentWorkflow, type EntityWorkflowInput } from '@mostrador/contracts/workflows';
import { proxyActivities } from '@temporalio/workflow';
import type { SchedulingActivities } from './activities/scheduling.activities.ts';
import { runEntityWorkflow } from './entity-workflow.ts';
import { stepOptions } from './step-options.ts';

const { syncCalendarEvent } = proxyActivities<SchedulingActivities>({
  ...stepOptions,
  summary: 'Sync the calendar event with the appointment',
});

/** Syncs an appointment and its later changes to the connected calendar. */
export const appointment = (input: EntityWorkflowInput): Promise<void> =>
  runEntityWorkflow(appointmentWorkflow, input, syncCalendarEvent);
