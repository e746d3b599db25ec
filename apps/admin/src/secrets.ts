import type { Command } from 'commander';
import { UsageError } from './exit.ts';
import type { Terminal } from './terminal.ts';

/** Options that people try for a secret. The command rejects them at any place in the arguments. */
const secretOptions = [
  ...['--password', '--secret', '--secrets', '--token', '--credentials', '--api-key'],
  ...['--access-token', '--app-secret', '--verify-token'],
  ...['--client-secret', '--refresh-token'],
];

/**
 * Throws UsageError for a secret in the arguments, before anything parses them. Other users of the machine can read a
 * process's arguments, and the shell's history keeps them.
 */
export function refuseSecretArguments(argv: readonly string[]): void {
  const used = argv.map((argument) => argument.replace(/=.*/s, '')).find((name) => secretOptions.includes(name));
  if (used === undefined) return;
  throw new UsageError([
    `there is no ${used}: other users of this machine can read arguments, and your shell's history keeps them`,
    'pass secrets as one JSON object on standard input, for example: … --secrets-stdin < secrets.json',
  ]);
}

/** Declares `--secrets-stdin` on a command. */
export const withSecrets = (command: Command, members: string): Command =>
  command.option('--secrets-stdin', `read ${members} from standard input, as one JSON object`);

/** Reads the JSON object of `--secrets-stdin`. Throws UsageError, whose message never contains a value of it. */
export async function readSecrets(terminal: Terminal, example: string): Promise<Record<string, unknown>> {
  const input = await terminal.readInput(() =>
    terminal.note(`Type the secrets as one JSON object, such as ${example}, then Enter and Ctrl-D:`),
  );
  let value: unknown;
  try {
    value = JSON.parse(input);
  } catch {
    // The parser's own message may quote the input.
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new UsageError([
    `${input.trim() === '' ? 'standard input is empty' : 'standard input is not one JSON object'}; --secrets-stdin expects, for example, ${example}`,
  ]);
}
