/** The periods that a person chooses most. All but the last end today. */
export const presets = ['7d', '30d', '90d', 'month', 'last_month'] as const;
export type Preset = (typeof presets)[number];
const buckets = ['day', 'week', 'month'] as const;
export type Bucket = (typeof buckets)[number];

/** A preset, or two dates. Both dates are inclusive, in the time zone of the store. */
export type ReportSearch = {
  readonly preset?: Preset;
  readonly from?: string;
  readonly to?: string;
  readonly bucket?: Bucket;
};

const dateForm = /^\d{4}-\d{2}-\d{2}$/;
const dateOf = (value: unknown) => (typeof value === 'string' && dateForm.test(value) ? value : undefined);

/** What stands behind the `?` of the address. What makes no sense is left out. */
export function readReportSearch({ preset, from, to, bucket }: Record<string, unknown>): ReportSearch {
  const [start, end] = [dateOf(from), dateOf(to)];
  const known = presets.find((name) => name === preset);
  const size = buckets.find((name) => name === bucket);
  return {
    ...(start && end && start <= end ? { from: start, to: end } : known ? { preset: known } : {}),
    ...(size ? { bucket: size } : {}),
  };
}

export type Period = { readonly from: string; readonly to: string; readonly bucket: Bucket };

const dayMs = 86_400_000;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const msOf = (day: string) => Date.parse(`${day}T00:00:00Z`);

/**
 * The dates of a search.
 *
 * @param today the date in the time zone of the store
 */
export function periodOf(search: ReportSearch, today: string): Period {
  const { from, to } =
    search.from && search.to ? { from: search.from, to: search.to } : presetDates(search.preset, today);
  const days = (msOf(to) - msOf(from)) / dayMs + 1;
  return { from, to, bucket: search.bucket ?? (days <= 31 ? 'day' : days <= 120 ? 'week' : 'month') };
}

function presetDates(preset: Preset | undefined, today: string): { from: string; to: string } {
  const firstOfMonth = `${today.slice(0, 8)}01`;
  if (preset === 'month') return { from: firstOfMonth, to: today };
  if (preset === 'last_month') {
    const to = dayOf(msOf(firstOfMonth) - dayMs);
    return { from: `${to.slice(0, 8)}01`, to };
  }
  return { from: dayOf(msOf(today) - (Number.parseInt(preset ?? '30d', 10) - 1) * dayMs), to: today };
}
