import { deliveryPumpLimits, type pumpDeliveries as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { closeShard, findNextDue, findWaitingQueues, takeShard } from './shard.repository.ts';

/** The shard stays open for a request, and for the time until its step notices that it was lost and asks again. */
const openMs = deliveryPumpLimits.requestMs + deliveryPumpLimits.heartbeatMs;
const waitingShown = 10;
/** Time for the answer. */
const answerMs = 500;

/** Sends what is due in a shard, for the duration of the request. */
export const pumpDeliveries =
  ({ systemDatabase, pump }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { shard, fence, poll_ms } }) => {
    const { deadline, closing } = context;
    const untilMs = Math.min(Date.now() + poll_ms, deadline - answerMs);
    const idle = { wake_at: null, waiting: [] };
    if (!(await systemDatabase.write(context, (sql) => takeShard(sql, { shard, fence }, openMs)))) {
      return { state: 'replaced', ...idle };
    }
    const { worked, replaced } = await pump.run({ shard, fence }, untilMs, closing);
    if (replaced) return { state: 'replaced', ...idle };
    if (worked || closing.aborted) return { state: 'open', ...idle };
    const closed = await systemDatabase.write({ deadline }, (sql) => closeShard(sql, { shard, fence }, poll_ms));
    if (!closed) return { state: 'open', ...idle };
    const [next, waiting] = await systemDatabase.read({ deadline }, (sql) =>
      Promise.all([findNextDue(sql, shard), findWaitingQueues(sql, shard, waitingShown)]),
    );
    return { state: 'closed', wake_at: next && toTimestamp(next), waiting };
  };
