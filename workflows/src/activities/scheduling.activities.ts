import { advanceFollowup, type NextStep, syncCalendarEvent, watchCalendar } from '@mostrador/contracts';
import type { EntityWorkflowInput } from '@mostrador/contracts/workflows';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import { callStep } from './call-step.ts';

export type SchedulingActivities = {
  syncCalendarEvent(input: EntityWorkflowInput): Promise<NextStep>;
  watchCalendar(input: EntityWorkflowInput): Promise<NextStep>;
  advanceFollowup(input: EntityWorkflowInput): Promise<NextStep>;
};

export const schedulingActivities = (rpc: RpcClient): SchedulingActivities => ({
  syncCalendarEvent: ({ storeId, entityId }) =>
    callStep(rpc, syncCalendarEvent, storeId, { body: { appointment_id: entityId } }),
  watchCalendar: ({ storeId, entityId }) =>
    callStep(rpc, watchCalendar, storeId, { body: { connection_id: entityId } }),
  advanceFollowup: ({ storeId, entityId }) =>
    callStep(rpc, advanceFollowup, storeId, { body: { followup_id: entityId } }),
});
