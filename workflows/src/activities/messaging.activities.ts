import { deliverMessages, deliveryStepLimits, type NextStep } from '@mostrador/contracts';
import type { EntityWorkflowInput } from '@mostrador/contracts/workflows';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import { callStep } from './call-step.ts';

export type MessagingActivities = {
  deliverMessages(input: EntityWorkflowInput): Promise<NextStep>;
};

export const messagingActivities = (rpc: RpcClient): MessagingActivities => ({
  deliverMessages: ({ storeId, entityId }) =>
    callStep(rpc, deliverMessages, storeId, { body: { lead_id: entityId } }, deliveryStepLimits.requestMs),
});
