import type { ChannelConnection } from '@mostrador/contracts';

/** WhatsApp takes free text for this long after the customer last wrote. The sandbox has no window. */
const windowMs = 24 * 3_600_000;

/** Whether the channel takes free text to a lead that last wrote then; null: it never did. */
export function isWindowOpen(
  provider: NonNullable<ChannelConnection['provider']>,
  lastInboundAt: Date | null,
  at: Date,
): boolean {
  if (provider !== 'whatsapp_cloud') return true;
  return lastInboundAt !== null && at.getTime() - lastInboundAt.getTime() < windowMs;
}
