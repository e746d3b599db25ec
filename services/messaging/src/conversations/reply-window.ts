/** When a lead last did each thing that opens the reply window. Null: never. */
export type WindowOpeners = {
  /** It wrote. */
  readonly last_inbound_at: Date | null;
  /** It called, whether the store took the call or not. */
  readonly called_at: Date | null;
};

/** What opened the reply window last, and when. Null: nothing did. */
export function lastOpener({
  last_inbound_at: wrote,
  called_at: called,
}: WindowOpeners): { readonly by: 'message' | 'call'; readonly at: Date } | null {
  if (called && (wrote === null || called > wrote)) return { by: 'call', at: called };
  return wrote && { by: 'message', at: wrote };
}

/**
 * Whether a channel accepts free text to a lead.
 *
 * @param windowMs the channel's reply window (`replyWindowMsOf`); null: it has none
 */
export function isWindowOpen(windowMs: number | null, openers: WindowOpeners, at: Date): boolean {
  if (windowMs === null) return true;
  const expiresAt = windowExpiresAt(windowMs, openers);
  return expiresAt !== null && at < expiresAt;
}

/** When the window closes or closed; null when the channel has none, or when the lead has never written or called. */
export function windowExpiresAt(windowMs: number | null, openers: WindowOpeners): Date | null {
  const opener = lastOpener(openers);
  return windowMs === null || opener === null ? null : new Date(opener.at.getTime() + windowMs);
}
