import { advanceTurn, type NextStep, replyStepLimits } from '@mostrador/contracts';
import type { EntityWorkflowInput } from '@mostrador/contracts/workflows';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import { callStep } from './call-step.ts';

export type AssistantActivities = {
  advanceTurn(input: EntityWorkflowInput): Promise<NextStep>;
};

/**
 * The steps of a turn that are due one after the other run in one activity, while a step more ends in its time: each
 * activity costs Temporal about as much as a step costs the service. More than these in a row is a clock that differs from
 * the database's, and the workflow waits between them.
 */
const mostSteps = 10;
const moreWithinMs = replyStepLimits.activityMs - replyStepLimits.requestMs;

export const assistantActivities = (rpc: RpcClient): AssistantActivities => ({
  async advanceTurn({ storeId, entityId }) {
    const until = Date.now() + moreWithinMs;
    for (let step = 1; ; step++) {
      const request = { body: { lead_id: entityId } };
      const next = await callStep(rpc, advanceTurn, storeId, request, replyStepLimits.requestMs);
      if (!isDue(next) || step >= mostSteps || Date.now() >= until) return next;
    }
  },
});

const isDue = ({ done, wake_at }: NextStep): boolean => !done && wake_at !== null && Date.parse(wake_at) <= Date.now();
