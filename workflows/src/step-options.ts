import type { ActivityOptions } from '@temporalio/workflow';

/**
 * How Temporal runs a step. Timeouts nest: provider 10 s < RPC 12 s < lease 15 s < activity 20 s. Retries are for the
 * way to the service (nobody answers, an answer is lost) and never end; what fails beyond the service comes back as a
 * time to look again.
 */
export const stepOptions: ActivityOptions = {
  startToCloseTimeout: 20_000,
  retry: { initialInterval: 500, backoffCoefficient: 2, maximumInterval: 5_000 },
};

/** How long an activity waits for the service's answer. */
export const rpcTimeoutMs = 12_000;
