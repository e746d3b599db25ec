import { createWriteStream, existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { prettyFactory } from 'pino-pretty';

export type Output = {
  /** Prints a line of the supervisor itself. */
  say(text: string): void;
  /** Returns the writer for a process's lines: unchanged to its file, and readable to the terminal after its name. */
  linesOf(name: string): (line: string) => void;
  /** From this call on, the terminal shows all lines of the services. Before, it shows only errors. */
  showAll(): void;
};

const nameWidth = 10;
const colours = [36, 33, 35, 32, 34, 96, 93, 95];

export function createOutput(logDirectory: string, stream: NodeJS.WriteStream): Output {
  const colour = stream.isTTY === true && !process.env.NO_COLOR;
  const pretty = prettyFactory({
    colorize: colour,
    ignore: 'pid,hostname,service',
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss.l',
  });
  mkdirSync(logDirectory, { recursive: true });
  // The terminal may close before the processes end. They are still stopped in order.
  stream.on('error', () => {});
  let nextColour = 0;
  let all = false;

  return {
    showAll() {
      all = true;
    },
    say: (text) => void stream.write(`${text}\n`),
    linesOf(name) {
      const code = colours[nextColour++ % colours.length];
      const label = name.padEnd(nameWidth);
      const prefix = colour ? `\x1b[${code}m${label}\x1b[0m │ ` : `${label} | `;
      const path = join(logDirectory, `${name}.log`);
      if (existsSync(path)) renameSync(path, `${path}.previous`);
      const file = createWriteStream(path, { mode: 0o600 });
      return (line) => {
        file.write(`${line}\n`);
        // Servers write many lines that are not JSON. Those stay in the file.
        if (!line.startsWith('{') || !(all || isError(line))) return;
        const text = pretty(line);
        stream.write(`${prefix}${text.trimEnd().replaceAll('\n', `\n${prefix}`)}\n`);
      };
    },
  };
}

const isError = (line: string): boolean => /"level":"(error|fatal)"/.test(line);
