import {
  deliverMessages,
  deliveryPumpLimits,
  deliveryShardOfId,
  deliveryStepLimits,
  type NextStep,
  pumpDeliveries,
  type WaitingQueue,
} from '@mostrador/contracts';
import type { EntityWorkflowInput } from '@mostrador/contracts/workflows';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import { done, lookAgain, waitUntil } from '@mostrador/kit/step/step';
import { activityInfo, heartbeat } from '@temporalio/activity';
import { callStep } from './call-step.ts';

export type MessagingActivities = {
  deliverMessages(input: EntityWorkflowInput): Promise<NextStep>;
  pumpDeliveries(input: Pick<EntityWorkflowInput, 'entityId'>): Promise<Pumped>;
};

/** What a step of a shard found. `more`: the shard is open, so the next step follows at once. */
type Pumped = { readonly next: NextStep; readonly more: boolean; readonly waiting: readonly WaitingQueue[] };

/** @param stopping aborted when the worker stops: a step that stays open then ends */
export const messagingActivities = (rpc: RpcClient, stopping: AbortSignal): MessagingActivities => ({
  deliverMessages: ({ storeId, entityId }) =>
    callStep(rpc, deliverMessages, storeId, { body: { lead_id: entityId } }, deliveryStepLimits.requestMs),
  pumpDeliveries: ({ entityId }) => pump(rpc, deliveryShardOfId(entityId), stopping),
});

const { pollMs, requestMs, longestMs, heartbeatMs } = deliveryPumpLimits;
const replacedMs = 5_000;

/**
 * Asks messaging to send what is due in the shard, again and again while there is work. A request that fails ends the step:
 * Temporal retries it, with a higher fence.
 */
async function pump(rpc: RpcClient, shard: number, stopping: AbortSignal): Promise<Pumped> {
  const fence = activityInfo().currentAttemptScheduledTimestampMs;
  const untilMs = Date.now() + longestMs;
  const more: Pumped = { next: lookAgain('more may be due'), more: true, waiting: [] };
  const beating = setInterval(() => heartbeat(), heartbeatMs / 4);
  const stopped = Promise.withResolvers<undefined>();
  const stop = () => stopped.resolve(undefined);
  stopping.addEventListener('abort', stop);
  try {
    while (!stopping.aborted) {
      const body = { shard, fence, poll_ms: pollMs };
      // The next worker need not wait for the answer: its step has a higher fence.
      const asked = callStep(rpc, pumpDeliveries, undefined, { body }, requestMs);
      const answer = await Promise.race([asked, stopped.promise]);
      if (!answer) return more;
      const { state, wake_at, waiting } = answer;
      if (state === 'closed') return { next: nextOf(wake_at), more: false, waiting };
      if (state === 'replaced') {
        return {
          next: waitUntil(new Date(Date.now() + replacedMs), 'another step has the shard'),
          more: false,
          waiting,
        };
      }
      if (Date.now() >= untilMs) return more;
    }
    return more;
  } finally {
    clearInterval(beating);
    stopping.removeEventListener('abort', stop);
  }
}

const nextOf = (wakeAt: string | null): NextStep =>
  wakeAt === null ? done('no message waits') : waitUntil(new Date(wakeAt), 'the next message is not due yet');
