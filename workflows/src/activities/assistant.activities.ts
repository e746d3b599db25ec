import { advanceTurn, type NextStep, replyStepLimits } from '@mostrador/contracts';
import type { EntityWorkflowInput } from '@mostrador/contracts/workflows';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import { callStep } from './call-step.ts';

export type AssistantActivities = {
  advanceTurn(input: EntityWorkflowInput): Promise<NextStep>;
};

export const assistantActivities = (rpc: RpcClient): AssistantActivities => ({
  advanceTurn: ({ storeId, entityId }) =>
    callStep(rpc, advanceTurn, storeId, { body: { lead_id: entityId } }, replyStepLimits.requestMs),
});
