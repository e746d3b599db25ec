import { type Static, type TObject, type TSchema, type TUnsafe, Type, TypeGuard } from '@sinclair/typebox';
import { firstInstantMs, lastInstantMs, NullableTimestamp, Timestamp } from './common.ts';
import type { ReportMetric } from './report-metrics.ts';

export const describe = ({ counts, moment }: ReportMetric): string => `${counts} Counted at: ${moment}.`;

export const Count = (metric: ReportMetric) => Type.Integer({ minimum: 0, description: describe(metric) });

export const Total = Type.Integer({ minimum: 0 });

export const NullableNumber = (description: string) =>
  Type.Unsafe<number | null>({ type: ['number', 'null'], description });

export const PerWord = <const Words extends readonly string[]>(words: Words, description: string) =>
  Type.Object(Object.fromEntries(words.map((word) => [word, Total])) as Record<Words[number], typeof Total>, {
    description,
  });

/** Instants in ascending order, epoch ms: `n + 1` of them make `n` buckets, each from one (inclusive) to the next (exclusive). */
export const Boundaries = Type.Array(Type.Integer({ minimum: firstInstantMs, maximum: lastInstantMs }), {
  minItems: 2,
  maxItems: 400,
});

/** Rows that have the same members, as one list for each member: a year of days is a fifth of as many objects, written. */
export type Columns<Row> = {
  readonly [Name in keyof Row]: Row[Name] extends object ? Columns<Row[Name]> : readonly Row[Name][];
};

const Columns = <Row extends TObject>({ properties }: Row): TUnsafe<Columns<Static<Row>>> =>
  Type.Unsafe(
    Type.Object(
      Object.fromEntries(
        Object.entries<TSchema>(properties).map(([name, schema]) => [
          name,
          TypeGuard.IsObject(schema) ? Columns(schema) : Type.Array(schema),
        ]),
      ),
    ),
  );

/** `total` is over all buckets; it is no sum where a lead counts once in a period, or a percentile stands. */
export const Bucketed = <Counts extends TObject>(counts: Counts) =>
  Type.Object({ total: counts, buckets: Columns(counts) });

/** As `Boundaries`, but as texts. */
export const BoundariesV1 = Type.Array(Timestamp, { minItems: 2, maxItems: 400 });

export const BucketedV1 = <Counts extends TObject>(counts: Counts) =>
  Type.Object({ total: counts, buckets: Type.Array(counts) });

/** A null `from` is the beginning of time, a null `to` is now. */
export const Span = { from: NullableTimestamp, to: NullableTimestamp };
