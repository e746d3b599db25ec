import { createWriteStream, existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { prettyFactory } from 'pino-pretty';

export type Output = {
  /** A line of the supervisor itself. */
  say(text: string): void;
  /** Where a process's lines go: to its file as they are, and to the terminal readable, behind its name. */
  linesOf(name: string): (line: string) => void;
  /** From here on the terminal shows what the services log; before, it shows their errors only. */
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
  // The terminal may go away before the processes do; they are stopped in order all the same.
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
        // Servers write lines that are not JSON, and much of it: theirs stay in their file.
        if (!line.startsWith('{') || !(all || isError(line))) return;
        const text = pretty(line);
        stream.write(`${prefix}${text.trimEnd().replaceAll('\n', `\n${prefix}`)}\n`);
      };
    },
  };
}

const isError = (line: string): boolean => /"level":"(error|fatal)"/.test(line);
