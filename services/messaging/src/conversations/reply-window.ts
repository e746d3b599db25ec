/**
 * Whether a channel accepts free text to a lead.
 *
 * @param windowMs the channel's reply window (`ChannelProvider.replyWindowMs`); null: it has none
 * @param lastInboundAt when the lead last wrote; null: never
 */
export function isWindowOpen(windowMs: number | null, lastInboundAt: Date | null, at: Date): boolean {
  if (windowMs === null) return true;
  return lastInboundAt !== null && at.getTime() - lastInboundAt.getTime() < windowMs;
}
