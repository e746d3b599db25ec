import { sessionIdleHours } from '@mostrador/contracts';
import type { LoginLinkRow, SessionRow } from './session.repository.ts';

const idleMs = sessionIdleHours * 3_600_000;

/** Whether a session still counts: not ended, not idle for too long, not too old, and its person not disabled. */
export function isOpen(
  session: Pick<SessionRow, 'now' | 'last_seen_at' | 'expires_at' | 'ended_at' | 'disabled_at'>,
): boolean {
  const { now, last_seen_at, expires_at, ended_at, disabled_at } = session;
  if (ended_at !== null || disabled_at !== null) return false;
  return now < expires_at && now.getTime() - last_seen_at.getTime() < idleMs;
}

/** Whether a login link may open a session now. */
export function isUsable(link: Pick<LoginLinkRow, 'now' | 'expires_at' | 'used_at' | 'disabled_at'>): boolean {
  return link.used_at === null && link.disabled_at === null && link.now < link.expires_at;
}
