import { stepLimits } from '@mostrador/kit/delivery/step';

/** The times of delivery; tests shorten them. */
export type DeliveryLimits = {
  /** `stepLimits.callMs` and `stepLimits.leaseMs`, unless a test shortens them. */
  readonly callLimitMs: number;
  readonly leaseMs: number;
  /** For how long a message whose outcome is unknown holds those behind it. */
  readonly unknownHoldMs: number;
  /** A message that could not be sent is given up when it is this old. */
  readonly giveUpAfterMs: number;
  /** When the watchdog tells of an outcome that is still unknown, */
  readonly unsettledAfterMs: number;
  /** and of a message that was sent and never reported on by a provider that reports. */
  readonly noStatusAfterMs: number;
};

export const deliveryLimits: DeliveryLimits = {
  callLimitMs: stepLimits.callMs,
  leaseMs: stepLimits.leaseMs,
  unknownHoldMs: 60_000,
  giveUpAfterMs: 24 * 3_600_000,
  unsettledAfterMs: 10 * 60_000,
  noStatusAfterMs: 3_600_000,
};
