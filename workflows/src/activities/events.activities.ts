import { drainWebhook, type NextStep, webhookStepLimits } from '@mostrador/contracts';
import type { EntityWorkflowInput } from '@mostrador/contracts/workflows';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import { callStep } from './call-step.ts';

export type EventsActivities = {
  drainWebhook(input: EntityWorkflowInput): Promise<NextStep>;
};

export const eventsActivities = (rpc: RpcClient): EventsActivities => ({
  drainWebhook: ({ storeId, entityId }) =>
    callStep(rpc, drainWebhook, storeId, { body: { endpoint_id: entityId } }, webhookStepLimits.requestMs),
});
