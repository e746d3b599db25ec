/**
 * The generic cell rate algorithm: a bucket as one moment, the theoretical arrival time (TAT). It holds `burst` messages
 * and gains one every `intervalMs`.
 */
export type Rate = { readonly intervalMs: number; readonly burst: number };

/** From when on the next one may pass (epoch ms). */
export const freeAtMs = (tatMs: number, { intervalMs, burst }: Rate): number => tatMs - (burst - 1) * intervalMs;

/** How the pair of this channel and one customer may be used. */
export const pairRate = (channel: { readonly pair_interval_seconds: number; readonly pair_burst: number }): Rate => ({
  intervalMs: channel.pair_interval_seconds * 1000,
  burst: channel.pair_burst,
});

/**
 * How the whole number may be used. Of the second's worth that the provider lets through at once, a tenth is used: what
 * leaves here evenly may arrive less so.
 */
export const numberRate = ({ number_rate }: { readonly number_rate: number }): Rate => ({
  intervalMs: 1000 / number_rate,
  burst: Math.max(1, Math.floor(number_rate / 10)),
});

/** A turn in the number's rate is good for this long; who comes later takes a new one, so that turns do not heap up. */
export const slotGoodForMs = 500;
