import type { Terminal } from './terminal.ts';

/** A running progress display. */
export type Progress = { stop(): void };

const onTerminalEveryMs = 200;
const elsewhereEveryMs = 5_000;

/**
 * Shows progress on standard error until `stop()`: one redrawn line on a terminal, otherwise a plain line every 5 s.
 * `describe` returns the share that is done, 0 to 1, and the rest of the line.
 */
export function showProgress(terminal: Terminal, describe: () => { share: number; text: string }): Progress {
  const { width } = terminal;
  const line = () => {
    const { share, text } = describe();
    const percent = `${Math.floor(share * 100)}%`.padStart(4);
    if (width === undefined) return `${percent.trim()}  ${text}`;
    const done = Math.round(share * barWidth);
    // A line that wraps cannot be redrawn, so it is cut.
    return `[${'#'.repeat(done)}${'-'.repeat(barWidth - done)}]${percent}  ${text}`.slice(0, width - 1);
  };
  const show = () => (width === undefined ? terminal.note(line()) : terminal.redraw(line()));
  const timer = setInterval(show, width === undefined ? elsewhereEveryMs : onTerminalEveryMs);
  return {
    stop() {
      clearInterval(timer);
      if (width !== undefined) terminal.redraw('');
    },
  };
}

const barWidth = 20;
