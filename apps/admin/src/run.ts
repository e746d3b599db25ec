import { AppError } from '@mostrador/kit/rpc/errors';
import { type Command, CommanderError } from 'commander';
import type { Admin } from './admin.ts';
import { Ended, exitCodes, NotRunning, Refused, UsageError } from './exit.ts';
import { createProgram } from './program.ts';
import { refuseSecretArguments } from './secrets.ts';
import { shown } from './terminal.ts';

/** Runs one command and returns its exit code. Does not throw: every error becomes a message and a code. */
export async function runAdmin(argv: readonly string[], admin: Admin): Promise<number> {
  const json = argv.includes('--json');
  const program = createProgram(admin);
  quiet(program, admin, json);
  try {
    refuseSecretArguments(argv);
    await program.parseAsync(argv, { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    const failure = explain(error);
    if (json && failure.error) admin.terminal.note(JSON.stringify({ error: failure.error }, null, 2));
    if (!json && failure.text) admin.terminal.note(failure.text);
    return failure.exitCode;
  }
}

/** Makes commander throw instead of exit, and print through the terminal. */
function quiet(command: Command, admin: Admin, json: boolean): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => admin.terminal.print(text.trimEnd()),
    writeErr: (text) => {
      if (!json) admin.terminal.note(text.trimEnd());
    },
  });
  command.showHelpAfterError('(add --help for options and examples)');
  for (const child of command.commands) quiet(child, admin, json);
}

type Failure = { exitCode: number; text?: string; error?: Record<string, unknown> };

function explain(error: unknown): Failure {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return { exitCode: exitCodes.done };
    const detail =
      error.code === 'commander.help' ? 'a noun and a verb are required' : error.message.replace(/^error: /, '');
    // Commander has already printed the error as text. With --json the script gets it as JSON.
    return { exitCode: exitCodes.usage, error: { code: 'usage', detail } };
  }
  if (error instanceof UsageError) {
    return {
      exitCode: exitCodes.usage,
      text: [...error.faults.map((fault) => `error: ${fault}`), '(add --help for options and examples)'].join('\n'),
      error: { code: 'usage', detail: error.message, faults: error.faults },
    };
  }
  if (error instanceof Ended) return { exitCode: error.exitCode };
  if (error instanceof NotRunning) return notRunning(error.message);
  if (error instanceof AppError) {
    if (error.code === 'service_unavailable') return notRunning('the service for this command does not answer');
    return {
      exitCode: exitCodes.refused,
      text: [`error: ${shown(error.detail)} (${error.code})`, ...hintsFor(error)].join('\n'),
      error: { code: error.code, detail: error.detail, ...error.members },
    };
  }
  const detail = error instanceof Error ? error.message : String(error);
  const code = error instanceof Refused ? 'refused' : 'internal_error';
  return { exitCode: exitCodes.refused, text: `error: ${detail}`, error: { code, detail } };
}

/** What only an operator can do. Stores are not told how the platform is configured. */
function hintsFor({ detail, members }: AppError): string[] {
  const told = `${detail} ${JSON.stringify(members ?? {})}`;
  if (!/private network/.test(told)) return [];
  return [
    'If the platform may reach this address: set PROVIDER_ALLOW_HOSTS of the service (a calendar: scheduling, a channel: messaging, a model: assistant) and restart it: docs/reference/configuration.md.',
  ];
}

function notRunning(detail: string): Failure {
  return {
    exitCode: exitCodes.notRunning,
    text: `error: the platform is not running: ${detail}\nIs \`npm start\` running? In a deployment, \`doctor\` says what is wrong.`,
    error: { code: 'not_running', detail },
  };
}
