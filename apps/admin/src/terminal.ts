import { text } from 'node:stream/consumers';
import { exitCodes } from './exit.ts';
import { type Interruption, interruptionOf } from './interruption.ts';

/** The three standard streams, as far as the commands use them. */
export type Terminal = {
  /** Results, on standard output. */
  print(text: string): void;
  /** Everything else, on standard error. */
  note(text: string): void;
  /** Reads all of standard input. Calls `interactive` first when standard input is a terminal. */
  readInput(interactive: () => void): Promise<string>;
  /** The width of standard error in columns, undefined when it is no terminal. */
  readonly width: number | undefined;
  /** Replaces the last line on a terminal. An empty string clears it. */
  redraw(line: string): void;
  /** Turns Ctrl-C into a request to stop in order, until released. */
  interruption(): Interruption;
};

type Streams = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'on' | 'off' | 'exit'>;

export function createTerminal(streams: Streams): Terminal {
  // `… | head` has read enough. No reader is left, so the command ends.
  streams.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    streams.exit(exitCodes.done);
  });
  return {
    get width() {
      return streams.stderr.isTTY ? streams.stderr.columns : undefined;
    },
    redraw: (line) => void streams.stderr.write(`\r\u001b[2K${line}`),
    interruption: () => interruptionOf(streams),
    print: (line) => void streams.stdout.write(`${line}\n`),
    note: (line) => void streams.stderr.write(`${line}\n`),
    readInput: (interactive) => {
      if (streams.stdin.isTTY) interactive();
      return text(streams.stdin);
    },
  };
}

/** Rows under headings, in columns wide enough for their longest cell. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  const padded = (cells: readonly string[]) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0));
  return lines.map((cells) => padded(cells).join('  ').trimEnd()).join('\n');
}

/** At most this many rows of what is wrong are shown as text. */
const mostRows = 20;

/** A table of the first 20 rows, and a line that counts the others. */
export const firstRows = (headings: readonly string[], rows: readonly (readonly string[])[]): string =>
  [
    table(headings, rows.slice(0, mostRows)),
    ...(rows.length > mostRows ? [`… and ${rows.length - mostRows} more: --json lists them`] : []),
  ].join('\n');

/** One line for each member, with its name and value. Null is shown as a dash. */
export function record(members: Readonly<Record<string, string | number | null>>): string {
  const width = Math.max(...Object.keys(members).map((name) => name.length));
  return Object.entries(members)
    .map(([name, value]) => `${name.padEnd(width)}  ${value ?? '-'}`)
    .join('\n');
}

type Reason = { readonly code: string; readonly detail: string; readonly since: string };

/** The members of a `record` that say why a connection is degraded; none when it is not. */
export const reasonOf = ({ reason }: { readonly reason?: Reason | null }): Record<string, string> =>
  reason ? { reason: `${reason.code}: ${shown(reason.detail)}`, since: reason.since } : {};

/** Replaces control characters in untrusted text, so that it cannot move the terminal's cursor. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters must not reach the terminal
export const shown = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd');
