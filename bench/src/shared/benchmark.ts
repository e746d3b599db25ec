import { type Command, InvalidArgumentError } from 'commander';

/** Where a benchmark says how far it is, and learns that it was interrupted. */
export type BenchmarkRun = { readonly say: (text: string) => void; readonly signal: AbortSignal };

/** What every benchmark can be asked for. */
export type BenchmarkOptions = {
  readonly quick?: boolean;
  readonly rounds?: number;
  readonly seconds?: number;
};

/** What a benchmark found. */
export type Found = {
  /** Its part of docs/performance.md. */
  readonly part: string;
  /** Markdown. */
  readonly text: string;
  /** The raw numbers. Maps become objects when they are written. */
  readonly raw: unknown;
  /** SVG. */
  readonly drawing?: string;
};

/** `npm run bench -- <name>`. */
export type Benchmark<Options extends BenchmarkOptions = BenchmarkOptions> = {
  readonly name: string;
  /** For `--help`: what is measured, and how long the full form takes. */
  readonly about: string;
  /** Adds options of its own. */
  readonly addOptions?: (command: Command) => void;
  readonly run: (options: Options, run: BenchmarkRun) => Promise<Found>;
};

/** A number above 0, as an option's value. */
export function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('must be a number above 0.');
  return value;
}

/** Some of these names, separated by commas, as an option's value. */
export const someOf =
  <Name extends string>(names: readonly Name[]) =>
  (text: string): Name[] =>
    text.split(',').map((name) => {
      const known = names.find((each) => each === name);
      if (!known) throw new InvalidArgumentError(`must be some of ${names.join(', ')}.`);
      return known;
    });
