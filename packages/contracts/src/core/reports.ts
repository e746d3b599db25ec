import { type Static, type TObject, type TSchema, type TUnsafe, Type, TypeGuard } from '@sinclair/typebox';
import { firstInstantMs, lastInstantMs, NullableTimestamp } from './common.ts';
import type { ReportMetric } from './report-metrics.ts';

export const describe = ({ counts, moment }: ReportMetric): string => `${counts} Counted at: ${moment}.`;

export const Count = (metric: ReportMetric) => Type.Integer({ minimum: 0, description: describe(metric) });

export const Total = Type.Integer({ minimum: 0 });

/** The count of one word of an enum. */
export const CountOf = (word: string) =>
  Type.Integer({ minimum: 0, description: `The number of those with \`${word}\`.` });

export const NullableNumber = (description: string) =>
  Type.Unsafe<number | null>({ type: ['number', 'null'], description });

export const NullableInteger = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], description });

export const PerWord = <const Words extends readonly string[]>(words: Words, title: string, description: string) =>
  Type.Object(Object.fromEntries(words.map((word) => [word, CountOf(word)])) as Record<Words[number], typeof Total>, {
    title,
    description,
  });

/** Ascending instants in epoch ms: `n + 1` make `n` buckets, each from one (inclusive) to the next (exclusive). */
export const Boundaries = Type.Array(Type.Integer({ minimum: firstInstantMs, maximum: lastInstantMs }), {
  minItems: 2,
  maxItems: 400,
});

/** Rows with the same members, as one list per member. For a year of days this writes a fifth of the objects. */
export type Columns<Row> = {
  readonly [Name in keyof Row]-?: Exclude<Row[Name], undefined> extends object
    ? Columns<Exclude<Row[Name], undefined>>
    : readonly Row[Name][];
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

/** `total` covers all buckets. It is not their sum for percentiles, and where a lead counts once in a period. */
export const Bucketed = <Counts extends TObject>(counts: Counts) =>
  Type.Object({ total: counts, buckets: Columns(counts) });

/** A null `from` is the beginning of time; a null `to` is now. */
export const Span = { from: NullableTimestamp, to: NullableTimestamp };
