import type { NextStep, WaitingQueue } from '@mostrador/contracts';
import { deliveryPumpLimits, deliveryShardWorkflow, type EntityWorkflowInput } from '@mostrador/contracts/workflows';
import { defineQuery, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow';
import type { MessagingActivities } from './activities/messaging.activities.ts';
import { runEntityWorkflow } from './entity-workflow.ts';
import { stepOptions } from './step-options.ts';

const { pumpDeliveries } = proxyActivities<MessagingActivities>({
  ...stepOptions,
  startToCloseTimeout: deliveryPumpLimits.activityMs,
  heartbeatTimeout: deliveryPumpLimits.heartbeatMs,
  summary: "Send the due messages of the shard's stores",
});

type Shard = Pick<EntityWorkflowInput, 'entityId'>;

/**
 * Sends the outbound messages of a share of the stores. Its step stays open while there is work. When nothing is due, the
 * workflow waits until the next message is, and shows the queues that wait longest.
 */
export function deliveryShard(input: Shard): Promise<void> {
  let waiting: readonly WaitingQueue[] = [];
  setHandler(defineQuery<readonly WaitingQueue[]>('waiting'), () => waiting, {
    description: 'The ten queues of the shard that wait longest, as the last step found them.',
  });
  const look = async (shard: Shard): Promise<NextStep> => {
    for (;;) {
      const pumped = await pumpDeliveries(shard);
      waiting = pumped.waiting;
      if (!pumped.more || workflowInfo().continueAsNewSuggested) return pumped.next;
    }
  };
  return runEntityWorkflow(deliveryShardWorkflow, input, look, () => waiting.map(lineOf).join(''));
}

const lineOf = ({ lead_id, since, until, reason }: WaitingQueue): string =>
  `\n\n- lead ${lead_id} since ${since}, until ${until ?? 'something else happens'}: ${reason}`;
