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

/** The number's rate limit. The burst is a tenth of the per-second limit, as evenly spaced sends can arrive bunched. */
export const numberRate = ({ number_rate }: { readonly number_rate: number }): Rate => ({
  intervalMs: 1000 / number_rate,
  burst: Math.max(1, Math.floor(number_rate / 10)),
});

/** An unused slot in the number's rate expires after this time, so that late sends do not add up to a burst. */
export const slotGoodForMs = 500;
