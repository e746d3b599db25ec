/**
 * Whether a channel accepts free text to a lead.
 *
 * @param windowMs the channel's reply window (`replyWindowMsOf`); null: it has none
 * @param lastInboundAt when the lead last wrote; null: never
 */
export function isWindowOpen(windowMs: number | null, lastInboundAt: Date | null, at: Date): boolean {
  if (windowMs === null) return true;
  const expiresAt = windowExpiresAt(windowMs, lastInboundAt);
  return expiresAt !== null && at < expiresAt;
}

/** When the window closes or closed; null when the channel has none, or when the lead has never written. */
export const windowExpiresAt = (windowMs: number | null, lastInboundAt: Date | null): Date | null =>
  windowMs === null || lastInboundAt === null ? null : new Date(lastInboundAt.getTime() + windowMs);
