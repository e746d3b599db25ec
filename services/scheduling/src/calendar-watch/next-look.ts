import { hash } from 'node:crypto';

const shortestMs = 60_000;
/** A calendar that tells of its changes is polled too, because a notice can be lost. */
const shortestOfToldMs = 5 * 60_000;
const longestMs = 15 * 60_000;
/** Ten minutes without use lengthen the pause by a minute. */
const quietPart = 10;

/**
 * Milliseconds until a calendar is read again: a tenth of the time since it was last used, between 60 s and 15 minutes, or
 * between 5 and 15 minutes while it tells of its changes, and at least `leastMs`. Up to a tenth more, which the id of the
 * connection decides, so that calendars are not read all at once.
 */
export function pauseAfterUse(unusedMs: number, connectionId: string, { isTold = false, leastMs = 0 } = {}): number {
  const shortest = isTold ? shortestOfToldMs : shortestMs;
  const pause = Math.max(Math.min(Math.max(unusedMs / quietPart, shortest), longestMs), leastMs);
  const part = Number.parseInt(hash('sha256', connectionId, 'hex').slice(0, 8), 16) / 2 ** 32;
  return Math.round(pause * (1 + part / 10));
}
