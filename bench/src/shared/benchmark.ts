import { type Command, InvalidArgumentError } from 'commander';
import type { Report } from './report.ts';

/** The progress output of a benchmark, and the signal that aborts it. */
export type BenchmarkRun = { readonly say: (text: string) => void; readonly signal: AbortSignal };

/** The options of every benchmark. */
export type BenchmarkOptions = {
  readonly quick?: boolean;
  readonly rounds?: number;
  readonly seconds?: number;
};

/** The result of a benchmark. */
export type Found = {
  /** The name of its files in `bench/figures`, and of its page in `docs/measurements`. */
  readonly name: string;
  readonly report: Report;
  /** A chart as SVG. */
  readonly drawing?: string;
};

/** `npm run bench -- <name>`. */
export type Benchmark<Options extends BenchmarkOptions = BenchmarkOptions> = {
  readonly name: string;
  /** The help text: what it measures, and how long the full form takes. */
  readonly about: string;
  /** Adds the benchmark's own options. */
  readonly addOptions?: (command: Command) => void;
  readonly run: (options: Options, run: BenchmarkRun) => Promise<Found>;
};

/** Parses an option's value as a number above 0. Throws InvalidArgumentError. */
export function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('must be a number above 0.');
  return value;
}

/** Parses an option's value as some of these names, separated by commas. Throws InvalidArgumentError. */
export const someOf =
  <Name extends string>(names: readonly Name[]) =>
  (text: string): Name[] =>
    text.split(',').map((name) => {
      const known = names.find((each) => each === name);
      if (!known) throw new InvalidArgumentError(`must be some of ${names.join(', ')}.`);
      return known;
    });
