import { text } from 'node:stream/consumers';
import { type Interruption, interruptionOf } from './interruption.ts';

/** The three standard streams, as far as the commands use them. */
export type Terminal = {
  /** Results, on standard output. */
  print(text: string): void;
  /** Everything that is no result, on standard error. */
  note(text: string): void;
  /** All of standard input. `interactive` is called first when a person sits at it. */
  readInput(interactive: () => void): Promise<string>;
  /** Columns of the terminal that standard error is, undefined when it is none. */
  readonly width: number | undefined;
  /** Shows this in place of the line that it showed last, on a terminal. Empty: the line goes. */
  redraw(line: string): void;
  /** Ctrl-C, as a wish to end in order, until released. */
  interruption(): Interruption;
};

type Streams = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'on' | 'off' | 'exit'>;

export function createTerminal(streams: Streams): Terminal {
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

/** One thing's members under each other. Null is shown as a dash. */
export function record(members: Readonly<Record<string, string | number | null>>): string {
  const width = Math.max(...Object.keys(members).map((name) => name.length));
  return Object.entries(members)
    .map(([name, value]) => `${name.padEnd(width)}  ${value ?? '-'}`)
    .join('\n');
}

/** Makes text that others wrote safe to show: no control characters, so nothing can move a terminal's cursor. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach the terminal
export const shown = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd');
