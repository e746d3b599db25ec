import { readWeights } from './media-type.ts';

/** The content codings of responses. Of two that a client likes equally the first is used: zstd needs the least time. */
export const contentCodings = ['zstd', 'br', 'gzip'] as const;
export type ContentCoding = (typeof contentCodings)[number];

/** The coding that this `Accept-Encoding` prefers (RFC 9110, 12.5.3); undefined: none of ours, or no coding at all. */
export function preferredCoding(acceptEncoding: string | undefined): ContentCoding | undefined {
  if (acceptEncoding === undefined) return undefined;
  const ranges = readWeights(acceptEncoding);
  const weightOf = (coding: string) => ranges.find(({ range }) => range === coding)?.weight;
  const other = weightOf('*') ?? 0;
  let preferred: ContentCoding | undefined;
  let most = weightOf('identity') ?? 0;
  for (const coding of contentCodings) {
    const weight = weightOf(coding) ?? other;
    if (weight > most || (weight === most && weight > 0 && preferred === undefined)) {
      preferred = coding;
      most = weight;
    }
  }
  return preferred;
}
