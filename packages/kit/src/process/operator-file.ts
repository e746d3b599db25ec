import { readFileSync, statSync } from 'node:fs';
import type { Static, TSchema } from '@sinclair/typebox';
import { compile } from '../schema/compile.ts';
import { ConfigError } from './config.ts';
import type { Log } from './log.ts';

/** A file of JSON that an operator keeps, and whose path a variable has. */
export type OperatorFile<S extends TSchema, T> = {
  readonly variable: string;
  readonly schema: S;
  /** The faults that the schema cannot see. Pure. */
  readonly faultsOf: (file: Static<S>) => readonly string[];
  /** What a file without faults says. Pure. */
  readonly toValue: (file: Static<S>) => T;
};

function readOperatorFile<S extends TSchema, T>(definition: OperatorFile<S, T>, path: string): T {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw faultyFile(definition.variable, [`cannot be read (${(error as NodeJS.ErrnoException).code})`]);
  }
  return parseOperatorFile(definition, text);
}

/** Pure. @throws ConfigError with all faults of the file at once */
export function parseOperatorFile<S extends TSchema, T>(
  { variable, schema, faultsOf, toValue }: OperatorFile<S, T>,
  text: string,
): T {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    throw faultyFile(variable, ['is not JSON']);
  }
  const faults = compile(schema)(file).map(({ pointer, detail }) => `${pointer} ${detail}`);
  const wrong = faults.length > 0 ? faults : faultsOf(file as Static<S>);
  if (wrong.length > 0) throw faultyFile(variable, wrong);
  return toValue(file as Static<S>);
}

const faultyFile = (variable: string, faults: readonly string[]): ConfigError =>
  new ConfigError(`The file of ${variable} is not valid:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);

/** Answers what the file says as it is now. `log` is told of changes. */
export type FollowedFile<T> = (log: Pick<Log, 'info' | 'error'>) => () => T;

/**
 * Reads a file, and then follows it. Whether it has changed is looked up when it is needed, at most once in `everyMs`. A
 * changed file that is not valid is logged, and what the file said before stays.
 *
 * @throws ConfigError with all faults of the file at once, for the file as it is at first
 */
export function openOperatorFile<S extends TSchema, T>(
  definition: OperatorFile<S, T>,
  path: string,
  everyMs = 30_000,
): FollowedFile<T> {
  const changedAt = () => statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  let [known, looked] = [changedAt(), Date.now()];
  let current = readOperatorFile(definition, path);
  return (log) => () => {
    if (Date.now() - looked < everyMs) return current;
    looked = Date.now();
    try {
      const changed = changedAt();
      if (changed === known) return current;
      known = changed;
      current = readOperatorFile(definition, path);
      log.info(`the changed file of ${definition.variable} is read`);
    } catch (error) {
      log.error({ err: error }, `the changed file of ${definition.variable} is not used`);
    }
    return current;
  };
}
