import { readFileSync, statSync } from 'node:fs';
import type { Static, TSchema } from '@sinclair/typebox';
import { compile } from '../schema/compile.ts';
import { ConfigError } from './config.ts';
import type { Log } from './log.ts';

/** A file of JSON that an operator keeps, and whose path a variable has. */
export type OperatorFile<S extends TSchema> = {
  readonly variable: string;
  readonly schema: S;
  /** The faults that the schema cannot see. Pure. */
  readonly faultsOf: (file: Static<S>) => readonly string[];
};

/** @throws ConfigError with all faults of the file at once */
export function readOperatorFile<S extends TSchema>(definition: OperatorFile<S>, path: string): Static<S> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw faultyFile(definition, [`cannot be read (${(error as NodeJS.ErrnoException).code})`]);
  }
  return parseOperatorFile(definition, text);
}

/** Pure. @throws ConfigError with all faults of the file at once */
export function parseOperatorFile<S extends TSchema>(definition: OperatorFile<S>, text: string): Static<S> {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    throw faultyFile(definition, ['is not JSON']);
  }
  const faults = compile(definition.schema)(file).map(({ pointer, detail }) => `${pointer} ${detail}`);
  const wrong = faults.length > 0 ? faults : definition.faultsOf(file as Static<S>);
  if (wrong.length > 0) throw faultyFile(definition, wrong);
  return file as Static<S>;
}

const faultyFile = ({ variable }: Pick<OperatorFile<TSchema>, 'variable'>, faults: readonly string[]): ConfigError =>
  new ConfigError(`The file of ${variable} is not valid:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);

type Following = {
  readonly variable: string;
  readonly log: Pick<Log, 'info' | 'error'>;
  readonly everyMs?: number;
};

/**
 * What a file says as it is now. Whether it has changed is looked up when it is needed, at most once in `everyMs`. A changed
 * file that is not valid is logged, and what the file said before stays.
 *
 * @throws what `read` throws, for the file as it is at first
 */
export function followOperatorFile<T>(
  path: string,
  read: (path: string) => T,
  { variable, log, everyMs = 30_000 }: Following,
): () => T {
  const changedAt = () => statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  let [known, looked] = [changedAt(), Date.now()];
  let current = read(path);
  return () => {
    if (Date.now() - looked < everyMs) return current;
    looked = Date.now();
    try {
      const changed = changedAt();
      if (changed === known) return current;
      known = changed;
      current = read(path);
      log.info(`the changed file of ${variable} is read`);
    } catch (error) {
      log.error({ err: error }, `the changed file of ${variable} is not used`);
    }
    return current;
  };
}
