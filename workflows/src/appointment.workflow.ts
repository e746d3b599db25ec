import { appointmentCarrier, type CarrierInput } from '@mostrador/contracts/workflows';
import { proxyActivities } from '@temporalio/workflow';
import type { SchedulingActivities } from './activities/scheduling.activities.ts';
import { carry } from './entity-workflow.ts';
import { stepOptions } from './step-options.ts';

const { syncCalendarEvent } = proxyActivities<SchedulingActivities>({
  ...stepOptions,
  summary: 'Bring the calendar event to what the appointment says',
});

/** Brings an appointment, and every later change of it, to the connected calendar. */
export const appointment = (input: CarrierInput): Promise<void> => carry(appointmentCarrier, input, syncCalendarEvent);
