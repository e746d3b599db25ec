/**
 * A rate limit by the generic cell rate algorithm (GCRA): `burst` messages at once, then one every `intervalMs`. Its
 * state is one moment, the theoretical arrival time (TAT).
 */
export type Rate = { readonly intervalMs: number; readonly burst: number };

/** The earliest moment of the next message, in epoch milliseconds. */
export const freeAtMs = (tatMs: number, { intervalMs, burst }: Rate): number => tatMs - (burst - 1) * intervalMs;

/** The rate limit between this channel and one customer. */
export const pairRate = (channel: { readonly pair_interval_seconds: number; readonly pair_burst: number }): Rate => ({
  intervalMs: channel.pair_interval_seconds * 1000,
  burst: channel.pair_burst,
});

/**
 * The rate limit of the number's slots. The burst is a tenth of the per-second limit, as evenly spaced sends can arrive
 * bunched.
 */
export const numberRate = ({ number_rate }: { readonly number_rate: number }): Rate => ({
  intervalMs: 1000 / number_rate,
  burst: Math.max(1, Math.floor(number_rate / 10)),
});

/** The rate limit of the number's sends. The burst is half of the per-second limit, so that late sends still fit in. */
export const sendRate = ({ number_rate }: { readonly number_rate: number }): Rate => ({
  intervalMs: 1000 / number_rate,
  burst: Math.max(1, Math.floor(number_rate / 2)),
});

/** The state of a number: the TAT of its slots and that of its sends, in epoch milliseconds. */
export type NumberState = { readonly tatMs: number; readonly sentTatMs: number };

/** `waitUntilMs` is the message's slot while it must wait; null: it is sent now. */
export type Turn = NumberState & { readonly waitUntilMs: number | null };

/**
 * Decides whether a message goes now. Slots spread the messages of a number evenly over the future. A slot that has come
 * never expires, so a number keeps its rate however late the steps run. Late sends can add up to a burst, so each send
 * must fit into the rate of sends, too. A message that does not fit gets another slot.
 */
export function takeTurn(
  { tatMs, sentTatMs }: NumberState,
  slotAtMs: number | null,
  nowMs: number,
  { slots, sends }: { readonly slots: Rate; readonly sends: Rate },
): Turn {
  const next = () => Math.max(tatMs, nowMs);
  const slotMs = slotAtMs ?? freeAtMs(next(), slots);
  const tatAfterMs = slotAtMs === null ? next() + slots.intervalMs : tatMs;
  if (slotMs > nowMs) return { tatMs: tatAfterMs, sentTatMs, waitUntilMs: slotMs };
  const freeMs = freeAtMs(sentTatMs, sends);
  if (freeMs <= nowMs) {
    return { tatMs: tatAfterMs, sentTatMs: Math.max(sentTatMs, nowMs) + sends.intervalMs, waitUntilMs: null };
  }
  const anotherMs = Math.max(freeMs, freeAtMs(next(), slots));
  return { tatMs: next() + slots.intervalMs, sentTatMs, waitUntilMs: anotherMs };
}
