import { appointmentWorkflow, type EntityWorkflowInput } from '@mostrador/contracts/workflows';
import { proxyActivities } from '@temporalio/workflow';
import type { SchedulingActivities } from './activities/scheduling.activities.ts';
import { runEntityWorkflow } from './entity-workflow.ts';
import { stepOptions } from './step-options.ts';

const { syncCalendarEvent } = proxyActivities<SchedulingActivities>({
  ...stepOptions,
  summary: 'Bring the calendar event to what the appointment says',
});

/** Brings an appointment, and every later change of it, to the connected calendar. */
export const appointment = (input: EntityWorkflowInput): Promise<void> =>
  runEntityWorkflow(appointmentWorkflow, input, syncCalendarEvent);
