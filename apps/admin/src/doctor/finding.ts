/** What must be done now, what must be done soon, what is good to know. */
export const severities = ['critical', 'warning', 'note'] as const;
export type Severity = (typeof severities)[number];

/** One thing that is wrong, for an operator who was woken by it. It has no secrets and nothing personal. */
export type Finding = {
  readonly severity: Severity;
  /** A server or all processes of a kind are down, which is why other things are wrong: it is shown before them. */
  readonly isRoot?: true;
  /** What is wrong, or what waits. */
  readonly what: string;
  /** Since when, as RFC 3339. Null: not known. */
  readonly since: string | null;
  readonly why: string;
  /** What to do. */
  readonly remedy: string;
  /** Findings of several checks with one cause are one finding: `oneOfEachCause`. */
  readonly cause?: 'worker' | 'temporal';
};

/** The stores that have a fault in common, with one of them as an example. */
export const storesText = (stores: number, example: string): string =>
  stores === 1 ? `the store ${example}` : `${stores} stores, such as ${example}`;

/** One of the first stores about which something is found. `stores`: how many there are. */
export type FoundStore = { readonly store_id: string; readonly stores: number };

/**
 * A finding for each store that was read, and one about the others, which are at most as urgent as the last of these.
 * `what` says what is wrong with stores: `the store ID`, `3 more stores`. Pure.
 */
export function judgeStores<Row extends FoundStore>(
  rows: readonly Row[],
  judge: (row: Row) => Omit<Finding, 'what'>,
  what: (stores: string, row?: Row) => string,
): Finding[] {
  const last = rows.at(-1);
  const more = last ? last.stores - rows.length : 0;
  return [
    ...rows.map((row) => ({ ...judge(row), what: what(`the store ${row.store_id}`, row) })),
    ...(last && more > 0
      ? [{ ...judge(last), since: null, what: what(`${more} more ${more === 1 ? 'store' : 'stores'}`) }]
      : []),
  ];
}

/** The first finding of a cause has what the others say as a further reason, and no finding has the member `cause`. */
export function oneOfEachCause(findings: readonly Finding[]): Finding[] {
  const merged: Finding[] = [];
  for (const { cause, ...finding } of findings) {
    const first = merged.find((each) => cause !== undefined && each.cause === cause);
    if (first === undefined) merged.push({ ...finding, ...(cause && { cause }) });
    else {
      const since = [first.since, finding.since].flatMap((each) => each ?? []).sort()[0] ?? null;
      merged[merged.indexOf(first)] = { ...first, since, why: `${first.why} ${finding.what}.` };
    }
  }
  return merged.map(({ cause: _, ...finding }) => finding);
}

/** The most urgent first; of these what causes the others, then the oldest, then those without a known begin. */
export const compareFindings = (one: Finding, other: Finding): number =>
  severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
  Number(other.isRoot ?? false) - Number(one.isRoot ?? false) ||
  compare(one.since ?? '~', other.since ?? '~') ||
  compare(one.what, other.what);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** 0: nothing to do. 1: at least a warning. 2: something critical. */
export const exitCodeOf = (findings: readonly Finding[]): 0 | 1 | 2 => {
  const found = new Set(findings.map(({ severity }) => severity));
  return found.has('critical') ? 2 : found.has('warning') ? 1 : 0;
};

/** `3 min`, `2 h 5 min`, `4 d 1 h`. */
export function ageText(sinceMs: number, nowMs: number): string {
  const seconds = Math.max(0, Math.round((nowMs - sinceMs) / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

export const toTime = (at: Date | null | undefined): string | null => at?.toISOString() ?? null;
