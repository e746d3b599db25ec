import { type Static, Type } from '@sinclair/typebox';
import { Exact, NullableTimestamp, OneOf, Timestamp, Uuid } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { deliveryShards } from '../workflows.ts';

/** The first message of a lead's queue that waits: since when, until when (null: something else must happen), and why. */
export const WaitingQueue = Type.Object({
  lead_id: Uuid,
  since: Timestamp,
  until: NullableTimestamp,
  reason: Type.String(),
});
export type WaitingQueue = Static<typeof WaitingQueue>;

/**
 * Sends the due messages of a shard's stores, and those that become due within `poll_ms`. `fence` is the moment (epoch ms)
 * at which Temporal scheduled the step: the pump with the highest one claims messages, and others claim none.
 *
 * `open`: ask again at once, because messages may come without a wake-up. `closed`: nothing was due
 * for `poll_ms`; from now on a message comes with a wake-up, and `wake_at` says when the next one is due (null: none waits).
 * `replaced`: another pump has the shard. `waiting`: the ten queues that wait longest, when the shard is closed.
 */
export const pumpDeliveries = defineOperation({
  subject: 'messaging.step.deliveries.pump',
  summary: "Send the due messages of a shard's stores",
  access: 'platform',
  tenancy: 'none',
  queue: 'pump',
  request: {
    body: Exact({
      shard: Type.Integer({ minimum: 0, maximum: deliveryShards - 1 }),
      fence: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
      poll_ms: Type.Integer({ minimum: 1, maximum: 10_000 }),
    }),
  },
  reply: Type.Object({
    state: OneOf(['open', 'closed', 'replaced']),
    wake_at: NullableTimestamp,
    waiting: Type.Array(WaitingQueue, { maxItems: 10 }),
  }),
});
