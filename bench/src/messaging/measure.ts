import type { BenchmarkRun } from '../shared/benchmark.ts';
import { rotated } from '../shared/statistics.ts';
import type { Measured, MessagingPlan } from './plan.ts';
import type { Measure, Row } from './rows.ts';
import { type MessagingStage, untilIdle } from './stage.ts';

/** A way to do the work of a row: on the platform, on another version of it, or on a bare server. */
export type Variant = { readonly name: string; readonly stage: MessagingStage; readonly measure: Measure };

/** The measurements of a row, one a round, by variant. */
export type RowFindings = { readonly row: Row; readonly variants: ReadonlyMap<string, readonly Measured[]> };

/** Measures the rows one after another, the variants of each in alternating rounds. */
export async function measureRows(
  rows: readonly Row[],
  plan: MessagingPlan,
  variantsOf: (row: Row) => readonly Variant[],
  { say, signal }: BenchmarkRun,
): Promise<RowFindings[]> {
  const findings: RowFindings[] = [];
  for (const row of rows) {
    say(`${row.name}: ${row.title}.`);
    const found = new Map<string, Measured[]>();
    if (row.warmUp) {
      const unmeasured = { ...plan, seconds: 1, longSeconds: 3, webhooks: Math.min(300, plan.webhooks) };
      for (const { stage, measure } of variantsOf(row)) await measure(stage, unmeasured);
    }
    for (let round = 0; round < plan.rounds; round++) {
      for (const { name, stage, measure } of rotated(variantsOf(row), round)) {
        signal.throwIfAborted();
        await untilIdle(stage);
        const measured = await measure(stage, plan);
        found.set(name, [...(found.get(name) ?? []), measured]);
        say(`  ${name}: ${inShort(measured)}`);
      }
    }
    findings.push({ row, variants: new Map(variantsOf(row).map(({ name }) => [name, found.get(name) ?? []])) });
  }
  return findings;
}

const inShort = ({ figures }: Measured): string =>
  Object.entries(figures)
    .map(([name, value]) => `${name} ${value >= 100 ? value.toFixed(0) : value.toPrecision(3)}`)
    .join(' · ');
