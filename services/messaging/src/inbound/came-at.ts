/** A message that was written longer ago than this counts as written then, not on arrival. */
const currentMs = 24 * 3_600_000;

/**
 * The time that a message counts as written when it arrives at `at`. A message that was delayed by 24 hours or more
 * counts as written at `writtenAt`, so it does not open the reply window: the provider counts from then, too.
 */
export const cameAt = (at: Date, writtenAt: Date): Date => (isLate(at, writtenAt) ? writtenAt : at);

export const isLate = (at: Date, writtenAt: Date): boolean => at.getTime() - writtenAt.getTime() >= currentMs;
