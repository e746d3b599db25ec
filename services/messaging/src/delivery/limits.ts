/** The times of delivery; tests shorten them. */
export type DeliveryLimits = {
  /** A call to the provider. The limits nest: a call < the worker's request (12 s) < the lease < the activity (20 s). */
  readonly callLimitMs: number;
  readonly leaseMs: number;
  /** For how long a message whose outcome is unknown holds those behind it. */
  readonly unknownHoldMs: number;
  /** A message that could not be sent is given up when it is this old. */
  readonly giveUpAfterMs: number;
  /** When the watchdog tells of an outcome that is still unknown, */
  readonly unsettledAfterMs: number;
  /** and of a message that was sent and never reported on by a provider that reports. */
  readonly unreportedAfterMs: number;
};

export const deliveryLimits: DeliveryLimits = {
  callLimitMs: 10_000,
  leaseMs: 15_000,
  unknownHoldMs: 60_000,
  giveUpAfterMs: 24 * 3_600_000,
  unsettledAfterMs: 10 * 60_000,
  unreportedAfterMs: 3_600_000,
};
