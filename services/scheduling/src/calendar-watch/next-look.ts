import { hash } from 'node:crypto';

const shortestMs = 60_000;
const longestMs = 15 * 60_000;
/** Ten minutes without use lengthen the pause by a minute. */
const quietPart = 10;

/**
 * Milliseconds until a calendar is read again: a tenth of the time since it was last used, between 60 s and 15 minutes, and
 * up to a tenth more, which the id of the connection decides, so that calendars are not read all at once.
 */
export function pauseAfterUse(unusedMs: number, connectionId: string): number {
  const pause = Math.min(Math.max(unusedMs / quietPart, shortestMs), longestMs);
  const part = Number.parseInt(hash('sha256', connectionId, 'hex').slice(0, 8), 16) / 2 ** 32;
  return Math.round(pause * (1 + part / 10));
}
