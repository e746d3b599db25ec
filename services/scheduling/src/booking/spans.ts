import type { Span } from '@mostrador/hours/local-days';

/** Times as columns in epoch ms. A busy store has thousands, and an object for each of them costs more than all else. */
export type Spans = { readonly starts: Float64Array; readonly ends: Float64Array };

export const spansOf = (spans: readonly Span[]): Spans => ({
  starts: Float64Array.from(spans, ({ start }) => start),
  ends: Float64Array.from(spans, ({ end }) => end),
});
