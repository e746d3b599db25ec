import { stepLimits } from '@mostrador/kit/step/step';
import { channelCircuit } from '../channels/channel-circuit.ts';

/** The durations of delivery. Tests shorten them. */
export type DeliveryLimits = {
  /** `stepLimits.callMs` and `stepLimits.leaseMs`, unless a test shortens them. */
  readonly callLimitMs: number;
  readonly leaseMs: number;
  /** How many messages of a store a process sends at once. Not more than the circuit of a channel lets through. */
  readonly callsAtOnce: number;
  /** How long a message with an unknown outcome holds the messages behind it. */
  readonly unknownHoldMs: number;
  /** A message that was accepted longer ago than this fails instead of being sent or retried. */
  readonly giveUpAfterMs: number;
  /** The watchdog publishes an event when an outcome stays unknown for this long. */
  readonly unsettledAfterMs: number;
  /** The watchdog publishes an event when a sent message gets no status update for this long. */
  readonly noStatusAfterMs: number;
};

export const deliveryLimits: DeliveryLimits = {
  callLimitMs: stepLimits.callMs,
  leaseMs: stepLimits.leaseMs,
  callsAtOnce: channelCircuit.callsAtOnce,
  unknownHoldMs: 60_000,
  giveUpAfterMs: 24 * 3_600_000,
  unsettledAfterMs: 10 * 60_000,
  noStatusAfterMs: 3_600_000,
};
