/** The share of a period that is done, 0 to 1. Times are ISO 8601; a time that is not known yet is null. */
export function shareOf(from: string | null, at: string | null, to: string | null): number {
  if (from === null || at === null || to === null) return 0;
  const [begin, now, end] = [Date.parse(from), Date.parse(at), Date.parse(to)];
  return end <= begin ? 1 : Math.min(1, Math.max(0, (now - begin) / (end - begin)));
}
