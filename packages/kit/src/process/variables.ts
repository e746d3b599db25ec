import { readFileSync } from 'node:fs';

type Env = Readonly<Record<string, string | undefined>>;

/** The text of a variable, or what is wrong with it. Neither: it is not set. */
export type Reading = { readonly text?: string; readonly fault?: string };

/** An empty text, or one of spaces, counts as not set. */
export function readVariable(name: string, env: Env): Reading {
  const text = env[name]?.trim();
  return text ? { text } : {};
}

/**
 * A secret variable, or the content of the file that `<NAME>_FILE` names, without the newline at its end. No fault shows
 * the content, nor the path: an operator may have put the secret itself there.
 */
export function readSecretVariable(name: string, env: Env): Reading {
  const given = readVariable(name, env);
  const path = readVariable(`${name}_FILE`, env).text;
  if (path === undefined) return given;
  if (given.text !== undefined) return { fault: `and ${name}_FILE are both set: set one of them` };
  try {
    const text = readFileSync(path, 'utf8').trim();
    return text ? { text } : { fault: `is missing: the file that ${name}_FILE names is empty` };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { fault: `is missing: the file that ${name}_FILE names cannot be read (${code})` };
  }
}

/**
 * The environment in which each of these secret variables stands itself, for a program that reads them from there.
 *
 * @throws Error with all faults at once
 */
export function withSecretFiles(names: readonly string[], env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const read = names.map((name) => ({ name, ...readSecretVariable(name, env) }));
  const faults = read.flatMap(({ name, fault }) => (fault === undefined ? [] : [`${name} ${fault}`]));
  if (faults.length > 0) throw new Error(faults.join('\n'));
  const values = read.flatMap(({ name, text }) => [
    [name, text],
    [`${name}_FILE`, undefined],
  ]);
  return { ...env, ...Object.fromEntries(values) };
}
