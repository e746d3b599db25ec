import type { Measurement } from '../appointments/measure.ts';
import { cpuMsEach, cpuOfAll } from '../shared/processes.ts';
import { rotated } from '../shared/statistics.ts';
import { measureRecount } from './recount.ts';
import type { ReportsStage, Sized } from './stage.ts';

export type ReportsPlan = {
  /** Messages in the database. The numbers of other rows derive from it. */
  readonly messages: { readonly small: number; readonly large: number };
  readonly rounds: number;
  /** The duration of each measurement. */
  readonly seconds: number;
};

export type SizeName = 'small' | 'large';
export const sizeNames: readonly SizeName[] = ['small', 'large'];

export const reportNames = {
  year: 'summary of a year, by day',
  month: 'summary of the last 30 days',
  lead: 'a lead, all time',
} as const;
type ReportName = keyof typeof reportNames;

export const concurrencies = [1, 8];
/** The concurrency of the targets. */
export const mainConcurrency = 8;
const timeZone = 'America/Sao_Paulo';
const yearDays = 366;

export type ReportsMeasurements = {
  readonly loads: Map<string, Measurement[]>;
  /** Durations in seconds, by round. */
  readonly recounts: Record<SizeName, number[]>;
};
export const keyOf = (size: SizeName, report: string, concurrency: number) => `${size} ${concurrency} ${report}`;

type Variant = {
  readonly name: ReportName;
  readonly size: SizeName;
  readonly concurrency: number;
  readonly seconds: number;
};

/** Groups of variants. The variants of a group are compared, so they take turns. */
const groups = (seconds: number): Variant[][] =>
  (Object.keys(reportNames) as ReportName[]).flatMap((name) =>
    concurrencies.map((concurrency) => sizeNames.map((size) => ({ name, size, concurrency, seconds }))),
  );

export async function measureRound(
  stage: ReportsStage,
  plan: ReportsPlan,
  round: number,
  into: ReportsMeasurements,
  say: (text: string) => void,
): Promise<void> {
  for (const group of groups(plan.seconds)) {
    for (const variant of rotated(group, round)) {
      const { size, name, concurrency } = variant;
      const measured = await measure(stage, variant);
      const key = keyOf(size, name, concurrency);
      into.loads.set(key, [...(into.loads.get(key) ?? []), measured]);
      say(
        `${key}: ${Math.round(measured.perSecond)}/s, p50 ${measured.p50Ms.toFixed(1)} ms, p99 ${measured.p99Ms.toFixed(1)} ms`,
      );
    }
  }
  for (const size of rotated(sizeNames, round)) {
    const seconds = await measureRecount(stage[size].platform, stage[size].storeId);
    into.recounts[size].push(seconds);
    say(`${size}, counted from the rows: ${seconds.toFixed(2)} s`);
  }
}

/** Runs every variant without recording, so that code is compiled, connections are open and plans are cached. */
export async function warmUp(stage: ReportsStage): Promise<void> {
  for (const variant of groups(1).flat()) await measure(stage, variant);
}

async function measure(stage: ReportsStage, { name, size, concurrency, seconds }: Variant): Promise<Measurement> {
  const { target, platform } = stage[size];
  const before = cpuOfAll(platform.processes);
  const result = await stage.load({
    origin: target.origin,
    method: 'GET',
    paths: pathsOf(stage[size], name),
    headers: target.headers,
    expectedStatus: 200,
    concurrency,
    warmUpMs: 200,
    durationMs: seconds * 1000,
  });
  return { ...result, cpuMs: cpuMsEach(before, platform.processes, result.sent) };
}

function pathsOf({ target, leadIds }: Sized, name: ReportName): string[] {
  if (name === 'lead') return leadIds.map((id) => `${target.path}/leads?lead_id=${id}`);
  const query = new URLSearchParams({ timezone: timeZone });
  if (name === 'year') {
    const dayOf = (at: number) => new Intl.DateTimeFormat('sv-SE', { timeZone }).format(at);
    query.set('to', dayOf(Date.now()));
    query.set('from', dayOf(Date.now() - (yearDays - 1) * 24 * 60 * 60 * 1000));
    query.set('bucket', 'day');
  }
  return [`${target.path}/summary?${query}`];
}
